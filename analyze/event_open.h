/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of event files: each adds its lanes to a stream. */
#ifndef ANALYZE_EVENT_OPEN_H
#define ANALYZE_EVENT_OPEN_H

#include "event_lanes.h"
#include "schedblame/input.h"

struct event_format {
	const char *name;
	/* head holds the first len bytes of the file. */
	bool (*matches)(const unsigned char *head, size_t len);
	/* Adds lanes, owners, notes and facts (clock, uname) to s, which already
	 * owns input. */
	int (*add)(struct lane_stream *s, const struct event_input *in,
		   const struct input *input, struct err *err);
};

extern const struct event_format format_trace_dat;   /* trace_stream.c */
extern const struct event_format format_ftrace_text; /* ftrace_text.c */
extern const struct event_format format_perf_data;   /* event_perf.c */

/* The format of a file that begins so; NULL. */
const struct event_format *event_format_of(const unsigned char *head, size_t len);

/* Sets a string of the stream if it is still unset or empty. */
void event_stream_set(char **field, const char *value);

#endif
