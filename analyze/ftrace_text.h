/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events in text: the trace file of tracefs, trace-cmd report, perf script,
 * systrace. One parser takes them all: the forms differ in the order of words
 * before the time, and in two ways of writing the payload.
 */
#ifndef ANALYZE_FTRACE_TEXT_H
#define ANALYZE_FTRACE_TEXT_H

#include "event_lanes.h"

/* A line split; pointers into it. */
struct text_line {
	const char *comm, *event, *payload, *end;
	size_t comm_len, event_len;
	int32_t pid;
	int cpu; /* -1: the line names none */
	uint64_t ts;
};

/* Whether [s, end) is an event line. The line has no newline. */
bool text_split(const char *s, const char *end, struct text_line *line);
/*
 * Fills ev from the payload (not ts and cpu). Returns its type, EV_OTHER, or
 * EV_NR when the payload of an event of ours cannot be understood.
 */
enum event_type text_decode(const struct text_line *line, struct event_scratch *scratch,
			    struct event *ev);

/* A lane over text that outlives it. mapped: pages may be given back. */
struct lane *text_lane_new(const char *text, size_t len, int64_t offset_ns, bool mapped);

/* Whether any line of the text is an event's, of whatever kind. */
bool text_has_events(const unsigned char *head, size_t len);

#endif
