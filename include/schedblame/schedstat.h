/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/schedstat, versions 14 to 17, as plain tables.
 *
 * The order of columns is that of the kernel's Documentation/scheduler/
 * sched-stats.rst. Version 16 swapped the idle and busy groups of v15; version 17
 * named the domains and split the imbalance sum into load, util, task and misfit
 * (summed again here). Lines that are neither cpu, domain, version nor timestamp
 * (Android's "eas") are skipped. Domain indexes may differ between CPUs, so the
 * level of a domain is its name in v17 and else what its CPUs share by the
 * topology: "SMT", "MC", "PKG", "NUMA"; "domainN" where that is not known.
 */
#ifndef SCHEDBLAME_SCHEDSTAT_H
#define SCHEDBLAME_SCHEDSTAT_H

#include <stddef.h>
#include <stdint.h>

#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/series.h"
#include "schedblame/topology.h"

/* Fields of a cpu line; the names are the "field" labels of series "rq". */
#define SCHEDSTAT_RQ_LIST(X)                                                   \
	X(YIELD, "yield")                                                      \
	X(LEGACY, "legacy")                                                    \
	X(SCHEDULE, "schedule")                                                \
	X(GOIDLE, "goidle")                                                    \
	X(TTWU, "ttwu")                                                        \
	X(TTWU_LOCAL, "ttwu_local")                                            \
	X(RUN_NS, "run_ns")                                                    \
	X(WAIT_NS, "wait_ns")                                                  \
	X(TIMESLICES, "timeslices")
/* Fields of one balancing group; "field" labels of series "lb". */
#define SCHEDSTAT_LB_LIST(X)                                                   \
	X(COUNT, "count")                                                      \
	X(BALANCED, "balanced")                                                \
	X(FAILED, "failed")                                                    \
	X(IMBALANCE, "imbalance")                                              \
	X(GAINED, "gained")                                                    \
	X(HOT_GAINED, "hot_gained")                                            \
	X(NOBUSYQ, "nobusyq")                                                  \
	X(NOBUSYG, "nobusyg")

#define X(id, name) SCHEDSTAT_RQ_##id,
enum schedstat_rq { SCHEDSTAT_RQ_LIST(X) SCHEDSTAT_RQ_NR };
#undef X
#define X(id, name) SCHEDSTAT_LB_##id,
enum schedstat_lb { SCHEDSTAT_LB_LIST(X) SCHEDSTAT_LB_NR };
#undef X
enum schedstat_idle {
	SCHEDSTAT_IDLE,
	SCHEDSTAT_BUSY,
	SCHEDSTAT_NEWIDLE,
	SCHEDSTAT_IDLE_NR
};
/* alb: count, failed, pushed. ttwu: remote, move_affine, move_balance. */
#define SCHEDSTAT_ALB_NR 3
#define SCHEDSTAT_TTWU_NR 3

struct schedstat_counts {
	uint64_t lb[SCHEDSTAT_IDLE_NR][SCHEDSTAT_LB_NR];
	uint64_t alb[SCHEDSTAT_ALB_NR];
	uint64_t ttwu[SCHEDSTAT_TTWU_NR];
};

struct schedstat_domain {
	unsigned index; /* N of domainN */
	char *name;	/* v17: "MC"; NULL before */
	struct cpuset span;
	struct schedstat_counts counts;
};

struct schedstat_cpu {
	unsigned cpu;
	uint64_t rq[SCHEDSTAT_RQ_NR]; /* times in ns */
	size_t first_domain, nr_domains;
};

struct schedstat {
	unsigned version;
	uint64_t timestamp; /* jiffies */
	struct schedstat_cpu *cpu; /* as in the file */
	size_t nr_cpus, cap_cpus;
	struct schedstat_domain *domain;
	size_t nr_domains, cap_domains;
};

/* text is NUL-terminated; name stands in sentences. On failure s is empty. */
int schedstat_parse(struct schedstat *s, const char *text, const char *name,
		    struct err *err);
void schedstat_release(struct schedstat *s);
/*
 * Adds after - before as series rq, lb, alb and ttwu. Domain counters are 32 bits
 * wide in the kernel: one that wrapped is put right; one that went backwards, and
 * domains or CPUs that exist on one side only, are left out with a note.
 */
void schedstat_add(struct series_set *set, const struct schedstat *before,
		   const struct schedstat *after, const struct topology *t,
		   struct notes *notes);

#endif
