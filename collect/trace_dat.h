/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trace.dat, version 6, as trace-cmd and KernelShark read it. */
#ifndef COLLECT_TRACE_DAT_H
#define COLLECT_TRACE_DAT_H

#include "schedblame/strbuf.h"
#include "trace_instance.h"
#include "trace_pump.h"

struct trace_event_name {
	const char *system, *name;
};

struct trace_dat {
	const struct trace_instance *ti;
	const struct trace_pump *pump;
	const struct trace_event_name *event; /* those whose format is stored */
	size_t nr_events;
	const char *cmdlines; /* lines "PID COMM" */
	const char *clock;    /* text of trace_clock, "[mono]" marked */
	const struct strbuf *stats; /* per pump CPU: text of per_cpu/cpuN/stats */
};

/* Writes into fd, which is at its start and stays open. */
int trace_dat_write(const struct trace_dat *d, int fd, struct err *err);
/* Size of a ring buffer page from the text of events/header_page; 0: unknown. */
size_t trace_dat_page_size(const char *header_page);

#endif
