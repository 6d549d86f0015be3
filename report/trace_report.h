/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the trace section; not for others. */
#ifndef REPORT_TRACE_REPORT_H
#define REPORT_TRACE_REPORT_H

#include "report.h"
#include "schedblame/trace_tables.h"

/* Tables of a set's first run, or NULL. */
const struct trace_tables *report_trace(const struct report *r, size_t set);
/* "comm:pid" made ASCII, cut and padded to width. */
void trace_add_task(struct strbuf *out, const struct trace_task *t, int width);
void trace_add_tasks(const struct trace_tables *t, struct strbuf *out);
void trace_add_worst(const struct trace_tables *t, struct strbuf *out);
void trace_add_states(const struct trace_tables *t, struct strbuf *out);
void trace_add_wakers(const struct trace_tables *t, struct strbuf *out);

#endif
