/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace tells beyond the series: one row per task and per CPU, the worst
 * waits with their moment, the gaps. Times in ns of the trace's own clock.
 * Filled by the passes (pass.h), owned by struct run (run->trace).
 */
#ifndef SCHEDBLAME_TRACE_TABLES_H
#define SCHEDBLAME_TRACE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/event.h"
#include "schedblame/vocab.h"

/* Waits of one kind that were measured from begin to end. */
struct wait_sum {
	uint64_t count, sum_ns, max_ns;
	uint64_t max_ts; /* when the longest one ended */
};

#define TRACE_PEERS 4
#define TRACE_HOT_NS 500000 /* sysctl_sched_migration_cost as kernels have it */

/* The tasks it wakes most, or is woken by. The count is exact while peers_exact;
 * then kept by the space-saving method: an upper bound, too high by at most the
 * smallest count kept. */
struct trace_peer {
	uint32_t task; /* index in tables->task */
	uint32_t count; /* 0: unused */
};

struct trace_task {
	int32_t pid;
	int16_t prio;	 /* last seen: < 0 deadline, < 100 real time */
	bool bound;	 /* a kernel thread of one CPU, by its name */
	bool exited;
	const char *comm; /* last name; foreign text, owned by the tables */
	uint64_t first_ts, last_ts; /* of events about it */
	uint64_t run_ns, runs;	    /* switched in to switched out, both seen */
	struct wait_sum wakeup; /* after a wakeup, the first one included */
	struct wait_sum preempt;
	uint64_t voluntary, preempted; /* times switched out blocked, runnable */
	uint64_t wakeups;	       /* of it */
	uint64_t woke;		       /* by it */
	uint64_t migrations[DIST_NR];
	/* of those for which it is known when it last ran there: how many, and how
	 * many came sooner than TRACE_HOT_NS after that */
	uint64_t migrations_known, migrations_hot;
	uint64_t state_ns[TASK_STATE_NR]; /* off the CPU in that state, to waking */
	struct trace_peer waker[TRACE_PEERS], wakee[TRACE_PEERS];
};

struct trace_cpu {
	bool seen; /* any event happened there */
	uint64_t busy_ns, idle_ns; /* measured; the rest of the time is not known */
	uint64_t switches, wakeups_here; /* tasks woken onto it */
	uint64_t in, out;	   /* migrations */
	uint64_t max_queue;	   /* most tasks that waited at once */
	uint64_t lost, gaps;
	uint64_t first_ts, last_ts;
	uint64_t by_type[EV_NR]; /* events that happened there */
};

enum wait_kind { WAIT_NONE, WAIT_WAKEUP, WAIT_NEW, WAIT_PREEMPT };

struct trace_wait {
	uint64_t ns, end_ts;
	uint32_t task;
	uint16_t cpu;	   /* where it ran at last */
	uint16_t from_cpu; /* where it had run before; CPU_NONE */
	enum wait_kind kind;
};

struct trace_gap {
	uint64_t from, until; /* from 0: before the first event of that CPU */
	uint64_t count;	      /* events lost, 0: not known */
	uint16_t cpu;	      /* CPU_NONE: all */
};

#define TRACE_MAP_BINS 60
#define TRACE_WORST 20
#define TRACE_GAPS 64

struct trace_tables {
	char *format, *clock;
	bool unit_known; /* false: "ns" are ticks of the clock */
	uint64_t first_ts, last_ts;
	struct event_counts counts;
	struct trace_task *task; /* in order of appearance */
	uint32_t nr_tasks;
	struct trace_cpu *cpu; /* by number */
	uint32_t nr_cpus;
	struct trace_wait worst[TRACE_WORST]; /* longest first */
	uint32_t nr_worst;
	struct trace_gap gap[TRACE_GAPS]; /* the first ones, by time */
	uint32_t nr_gaps;		  /* in gap[]; counts.gaps has them all */
	bool peers_exact;     /* there were not too many pairs of tasks to count each */
	uint64_t max_running; /* most tasks that were runnable at once */
	/* Busy time of each CPU by time: map[cpu * TRACE_MAP_BINS + bin], each
	 * bin map_bin_ns long from first_ts on; NULL when nothing ran. */
	uint64_t *map;
	uint64_t map_bin_ns;
	struct strmap names;  /* owns the names of tasks */
};

struct trace_tables *trace_tables_new(void);
void trace_tables_free(struct trace_tables *t);

#endif
