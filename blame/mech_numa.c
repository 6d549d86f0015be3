// SPDX-License-Identifier: GPL-2.0-or-later
/* NUMA balancing: its own work (hint faults, page moves), and remote memory that
 * it did not mend. */
#include "cost.h"
#include "mechanisms.h"

#define GROUP "NUMA balancing"

static const char *const rows[] = { ":" GROUP, NULL };

static const struct advice_knob knobs[] = { { "sysctl.kernel.numa_balancing", 0 },
					    { NULL, 0 } };

static bool measured(const struct blame_input *in, const char **why)
{
	(void)why;
	return in->ledger->split && in->b->run[0].topology.nr_nodes > 1;
}

static double cost(const struct blame_input *in, const struct run *run)
{
	return run_group_time(in, run, GROUP);
}

static void explain(const struct blame_input *in, struct cause *cause)
{
	static const char *const fields[] = { "numa_hint_faults", "numa_hint_faults_local",
					      "numa_pages_migrated", "numa_pte_updates" };

	cause_set(&cause->headline, "NUMA balancing takes %s time per %s",
		  cause->points > 0 ? "more" : "less", in->ledger->work_unit);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		evidence_change(cause, fields[i],
				set_per_second(in->a, "vmstat", LABELS("field", fields[i])),
				set_per_second(in->b, "vmstat", LABELS("field", fields[i])),
				"/s");
	evidence_symbols(cause, in, GROUP);
	evidence_facts(cause, in, "sysctl.kernel.numa");
	cause_set(&cause->look, "task_numa_fault(), migrate_misplaced_folio(); "
		  "numa_balancing, scan_period_min_ms");
	advise_knobs(cause, in, "sysctl.kernel.numa", knobs, "-r 5 --with numa");
}

const struct mechanism mechanism_numa_balancing = {
	.name = "numa_balancing",
	.title = "NUMA balancing",
	.rows = rows,
	.measured = measured,
	.cost = cost,
	.explain = explain,
};
