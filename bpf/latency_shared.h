/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bpf/latency.bpf.c and collect/latency*.c share. One BPF object, with maps
 * of its own, per timed function. */
#ifndef SCHEDBLAME_BPF_LATENCY_SHARED_H
#define SCHEDBLAME_BPF_LATENCY_SHARED_H

#include "sched_shared.h"

/* On whose behalf the function ran, as far as its arguments tell. */
#define LATENCY_CALLER_LIST(X)                                                 \
	X(ANY, "any")                                                          \
	X(WAKEUP, "wakeup")                                                    \
	X(FORK, "fork")                                                        \
	X(EXEC, "exec")                                                        \
	X(NEWIDLE, "newidle")                                                  \
	X(IDLE, "idle")                                                        \
	X(BUSY, "busy")
#define LATENCY_DROP_LIST(X)                                                   \
	X(UNPAIRED, "latency_unpaired")	/* an end whose beginning was not seen */ \
	X(NESTED, "latency_nested")	/* too many calls inside each other */ \
	X(STORAGE, "latency_storage")	/* no memory for a task's state */     \
	X(BACKWARDS, "latency_backwards") /* an end before its beginning */    \
	X(OPEN, "latency_open")		/* the inlined body was entered, not left */

#define X(id, name) CALLER_##id,
enum latency_caller { LATENCY_CALLER_LIST(X) CALLER_NR };
#undef X
#define X(id, name) LDROP_##id,
enum latency_drop { LATENCY_DROP_LIST(X) LDROP_NR };
#undef X

/* How the caller is told. */
enum latency_caller_by {
	CALLER_BY_NOTHING,
	CALLER_BY_TASK,	   /* first argument: the task that is placed */
	CALLER_BY_IDLE,	   /* an argument: enum cpu_idle_type */
	CALLER_BY_NEWIDLE, /* always newly idle */
};

/* One per possible CPU: value of the array map "lat_cpus". */
struct latency_cpu {
	sched_u64 active;
	sched_u64 dropped[LDROP_NR];
	struct sched_hist hist[CALLER_NR];
	struct sched_hist scanned; /* CPUs looked at per call, where asked for */
} __attribute__((aligned(SCHED_PAGE)));

#endif
