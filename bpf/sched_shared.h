/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs of the sched source and collect/sched*.c share: the
 * layout of the maps. Counters are per CPU, written by that CPU alone, and read
 * by collect through a memory map after the programs were told to stop.
 */
#ifndef SCHEDBLAME_BPF_SCHED_SHARED_H
#define SCHEDBLAME_BPF_SCHED_SHARED_H

#include "schedblame/histogram.h"
#include "schedblame/vocab.h"

typedef unsigned int sched_u32;
typedef unsigned long long sched_u64;

struct sched_hist {
	sched_u64 sum, max;
	sched_u64 bucket[HIST_BUCKETS];
};

#define SCHED_PAGE 4096

/* Names are those of docs/series.md. */
#define SWITCH_KIND_LIST(X)                                                    \
	X(VOLUNTARY, "voluntary")                                              \
	X(PREEMPTED, "preempted")                                              \
	X(IDLE, "idle")
#define WAKEUP_KIND_LIST(X)                                                    \
	X(WAKEUP, "wakeup")                                                    \
	X(NEW, "new")                                                          \
	X(RUNNING, "running")
#define SAMPLE_LIST(X)                                                         \
	X(BUSY, "busy")                                                        \
	X(IDLE, "idle")                                                        \
	X(IDLE_WAITING, "idle_waiting")
#define VERDICT_LIST(X)                                                        \
	X(COLD, "cold")                                                        \
	X(FORCED, "forced")	  /* the kernel held it hot and moved it */    \
	X(THRESHOLD, "threshold") /* hot by the measured cost, not the kernel's */
/* State of the CPU that pulled; active: pushed to it by active balancing. */
#define STEAL_LIST(X)                                                          \
	X(NEWIDLE, "newidle")                                                  \
	X(IDLE, "idle")                                                        \
	X(BUSY, "busy")                                                        \
	X(ACTIVE, "active")
#define DROP_LIST(X)                                                           \
	X(UNPAIRED, "unpaired")		/* switched in, start of wait unseen */ \
	X(BACKWARDS, "backwards_time")	/* an end before its start */          \
	X(STORAGE, "task_storage")	/* no memory for a task's state */     \
	X(SLOTS, "since_last_ran_full")	/* too many reason x distance pairs */ \
	X(MIGRATION, "migration_table")	/* a CPU or node beyond the tables */  \
	X(LEVELS, "domain_levels")	/* more levels of domains than slots */

#define X(id, name) SWITCH_##id,
enum sched_switch_kind { SWITCH_KIND_LIST(X) SWITCH_KIND_NR };
#undef X
#define X(id, name) WAKEUP_##id,
enum sched_wakeup_kind { WAKEUP_KIND_LIST(X) WAKEUP_KIND_NR };
#undef X
#define X(id, name) SAMPLE_##id,
enum sched_sample { SAMPLE_LIST(X) SAMPLE_NR };
#undef X
#define X(id, name) VERDICT_##id,
enum sched_verdict { VERDICT_LIST(X) VERDICT_NR };
#undef X
#define X(id, name) STEAL_##id,
enum sched_steal { STEAL_LIST(X) STEAL_NR };
#undef X
#define X(id, name) DROP_##id,
enum sched_drop { DROP_LIST(X) DROP_NR };
#undef X

/*
 * One per possible CPU: value of the array map "cpus". Whole pages, so that no
 * two CPUs share one; and what a switch on a busy CPU writes stands in the first
 * page, since a cold page costs it more than all its instructions.
 */
struct sched_cpu {
	sched_u64 active; /* set and cleared by collect: count or do not */
	sched_u64 switches[SWITCH_KIND_NR];
	sched_u64 idle_since; /* 0: not idle, or since before the start */
	sched_u64 idle_ns;
	sched_u64 want_clock; /* set by the sampler, see sched.bpf.c */
	sched_u64 wakeups[WAKEUP_KIND_NR][DIST_NR];
	struct sched_hist wakeup_latency[DIST_NR];
	struct sched_hist preemption_wait[DIST_NR];
	struct sched_hist fork_wait;
	struct sched_hist idle_periods;
	struct sched_hist waiting_tasks;
	sched_u64 lb_sd;	/* domain being balanced by this CPU, 0: none */
	sched_u64 lb_task;	/* that runs the balancer */
	sched_u64 lb_idle;	/* and as what: the kernel's enum cpu_idle_type */
	sched_u64 hot[VERDICT_NR][REASON_NR][DIST_NR];
	sched_u64 rq;		/* address of its run queue, 0: not seen yet */
	sched_u64 samples[SAMPLE_NR];
	sched_u64 idle_waiting[2][DIST_NR]; /* samples; [1]: may run here */
	sched_u64 dropped[DROP_NR];
} __attribute__((aligned(SCHED_PAGE)));

/* Where a CPU stands: value of the array map "places"; -1: not known. */
struct sched_place {
	int core, llc, node;
	int present;
};

#define COST_UNKNOWN (-2) /* of the kernel's migration cost */

/*
 * since_last_ran: SCHED_SLOTS histograms per CPU, given to the pairs of reason
 * and distance in the order they turn up; most pairs never do.
 */
#define SCHED_SLOTS 24

/*
 * migrations: per CPU a table of sched_cells(nodes) counters. Within one node
 * the distance tells more than the pair of nodes, between two it does not.
 * Node number nodes - 1 stands for "not known".
 */
#define SCHED_NODE_CELLS(nodes) ((nodes) * DIST_NR + (nodes) * (nodes))

/*
 * steals: one table for all, [level][enum sched_steal][from node][to node].
 * Levels are numbered as they turn up; their names stand in level_name.
 */
#define SCHED_LEVELS 8
#define SCHED_LEVEL_NAME 16

/* cpu_migrations: one table for all, [reason][from][to]. */
#define SCHED_MATRIX_CPUS 64

/*
 * What a kernel function on the stack of a migration says about its reason:
 * sorted by lo, ranges apart. The innermost function with a rule decides.
 */
#define SCHED_RULES 64
#define SCHED_CALLERS 16 /* the same for who asked the stopper; lo 0 ends */
enum sched_rule_kind {
	/* below REASON_NR: that reason */
	RULE_BALANCE = REASON_NR, /* idle or busy, by the state of the run queue */
	RULE_PUSH,		  /* real-time or deadline, by the task */
	RULE_PULL,
	RULE_STOP, /* migration_cpu_stop(): by who asked for it */
};
struct sched_rule {
	sched_u64 lo, hi;
	sched_u32 kind;
	sched_u32 pad;
};

#endif
