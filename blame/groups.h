/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel profile of a run by symbol group (data/symbol-groups.tsv). */
#ifndef BLAME_GROUPS_H
#define BLAME_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/ledger.h"
#include "schedblame/profile.h"
#include "schedblame/run.h"

/* Groups in the order of the data file, "other" last. */
size_t groups_count(void);
const char *groups_name(size_t group);
/* Group of a kernel function by its name; what it does for NUMA balancing counts for
 * that (data/callers.tsv). */
size_t groups_of(const char *symbol);
/* Which functions' measured times stand for their groups on both sides; NULL: that
 * group is sampled. */
void groups_choose(const struct run_set *a, const struct run_set *b,
		   const char *function[NR_TIMED_GROUPS]);
/* Splits system ns of CPU time among the groups: ns[groups_count()]. chained: what any
 * function does for NUMA balancing counts for that, and samples of softirqs are left
 * out (profile_symbol.part). */
void groups_times(const struct run *run, double system, bool chained,
		  const char *const function[NR_TIMED_GROUPS], double *ns);
/* What a symbol gives to a group; chained: with what it does as part of it. */
double groups_weight(const struct profile *p, uint32_t symbol, size_t group, bool chained);
/* The part of softirq time that is this group's, PART_SOFTIRQ: none. */
enum profile_part groups_softirq(size_t group);
/* Splits softirq ns of CPU time: ns[NR_PROFILE_PARTS], those of softirqs; without any
 * samples of softirqs all of it is PART_SOFTIRQ. */
void groups_softirq_times(const struct run *run, double softirq, double *ns);
/* Has every run of the set a kernel profile? If not, notes say which has none. */
bool groups_usable(const struct run_set *set, struct notes *notes);
/* Do the profiles of all runs of both sets tell callers? If only some do, notes say so. */
bool groups_chained(const struct run_set *a, const struct run_set *b, struct notes *notes);

#endif
