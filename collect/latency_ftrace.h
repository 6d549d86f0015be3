/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions timed by the kernel's function graph tracer, where BPF cannot. */
#ifndef COLLECT_LATENCY_FTRACE_H
#define COLLECT_LATENCY_FTRACE_H

#include "latency_private.h"

struct latency_ftrace;

/* Whether this kernel has the tracer. */
void latency_ftrace_probe(struct probe *probe);

/* Borrows targets, which must be functions or containers. */
int latency_ftrace_open(struct latency_ftrace **out, const struct latency_targets *targets,
			struct err *err);
int latency_ftrace_start(struct latency_ftrace *f, struct err *err);
/* Takes what has been recorded so far; about ten times a second. */
int latency_ftrace_poll(struct latency_ftrace *f, struct err *err);
int latency_ftrace_stop(struct latency_ftrace *f, struct err *err);
/* The histogram of one target. */
void latency_ftrace_to_series(const struct latency_ftrace *f, size_t target,
			      struct series_set *set);
/* Events that the kernel dropped: calls that are missing. */
uint64_t latency_ftrace_lost(const struct latency_ftrace *f);
void latency_ftrace_close(struct latency_ftrace *f);

/*
 * One line of trace_pipe: the end of a call (name, not terminated, and value, its
 * duration in ns), or a count of lost events. Shown for tests.
 */
enum ftrace_line { FTRACE_OTHER, FTRACE_CALL, FTRACE_LOST };
enum ftrace_line latency_ftrace_parse(const char *line, const char **name, size_t *len,
				      uint64_t *value);

#endif
