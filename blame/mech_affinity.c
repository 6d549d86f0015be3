// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks are moved by affinity calls (sched_setaffinity(), cpusets), again and again:
 * the time of the calls and of the stopper that carries them out. What such moves do
 * to caches is the business of hot_moves. */
#include "cost.h"
#include "mechanisms.h"

#define GROUP "affinity"

static const char *const rows[] = { ":" GROUP, NULL };

static double cost(const struct blame_input *in, const struct run *run)
{
	return run_group_time(in, run, GROUP);
}

static void explain(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "moving tasks by affinity calls takes %s time per %s",
		  cause->points > 0 ? "more" : "less", in->ledger->work_unit);
	evidence_rows(cause, in);
	if (both_have(in, "migrations"))
		evidence_per_work(cause, in, "moves by affinity changes", "migrations",
				  LABELS("reason", "affinity"));
	evidence_symbols(cause, in, GROUP);
	cause_set(&cause->look, "who calls sched_setaffinity() or changes cpusets: the "
		  "workload or a placement daemon");
	cause_set(&cause->next, "perf trace -e sched_setaffinity -a -s");
}

const struct mechanism mechanism_affinity_moves = {
	.name = "affinity_moves",
	.title = "affinity changes",
	.rows = rows,
	.measured = needs_split,
	.cost = cost,
	.explain = explain,
};
