/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that move raw ring buffer pages of an instance into one unnamed
 * temporary file per CPU while the trace runs.
 */
#ifndef COLLECT_TRACE_PUMP_H
#define COLLECT_TRACE_PUMP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schedblame/cpuset.h"
#include "trace_instance.h"

struct pump_cpu {
	unsigned cpu;
	int raw;	/* per_cpu/cpuN/trace_pipe_raw */
	int file;	/* what came out of it: whole pages */
	uint64_t bytes; /* in file */
	int code;	/* positive errno that ended the copying, 0 */
};

struct pump_thread {
	struct trace_pump *pump;
	struct pump_cpu *cpu;
	unsigned nr;
	int pipe[2];
	void *page; /* page_size bytes, for what splice leaves */
	pthread_t id;
	bool running;
};

struct trace_pump {
	struct pump_cpu *cpu;
	unsigned nr_cpus;
	struct pump_thread *thread;
	unsigned nr_threads;
	size_t page_size; /* of the ring buffer */
	atomic_bool stop;
};

/* Opens the buffers of cpus; temporary files lie unnamed in dir_path. */
int trace_pump_open(struct trace_pump *p, const struct trace_instance *ti,
		    const struct cpuset *cpus, size_t page_size, int dirfd,
		    struct err *err);
int trace_pump_start(struct trace_pump *p, struct err *err);
/* Tracing must be off: takes the rest, joins the threads. */
int trace_pump_stop(struct trace_pump *p, struct err *err);
void trace_pump_close(struct trace_pump *p);

#endif
