// SPDX-License-Identifier: GPL-2.0-or-later
/* Load balancing runs too often or looks at too much. */
#include <stdlib.h>

#include "cost.h"
#include "mechanisms.h"

#define GROUP "load balance"

static const char *const rows[] = { ":" GROUP, NULL };

static const struct advice_knob knobs[] = { { "sched.migration_cost_ns", 10 }, { NULL, 0 } };

static double cost(const struct blame_input *in, const struct run *run)
{
	return run_group_time(in, run, GROUP);
}

static void attempts(struct cause *cause, const struct blame_input *in, const char *idle)
{
	char *what = NULL;

	cause_set(&what, "%s balancing attempts per second", idle);
	evidence_change(cause, what,
			set_per_second(in->a, "lb", LABELS("idle", idle, "field", "count")),
			set_per_second(in->b, "lb", LABELS("idle", idle, "field", "count")),
			"");
	free(what);
}

static void explain(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "load balancing takes %s time per %s",
		  cause->points > 0 ? "more" : "less", in->ledger->work_unit);
	if (both_have(in, "lb")) {
		attempts(cause, in, "newidle");
		attempts(cause, in, "idle");
		attempts(cause, in, "busy");
	}
	if (both_have(in, "migrations"))
		evidence_per_work(cause, in, "migrations", "migrations", NO_LABELS);
	evidence_symbols(cause, in, GROUP);
	evidence_facts(cause, in, "sched.");
	cause_set(&cause->look, "sched_balance_newidle(), sched_balance_rq() "
		  "(newidle_balance(), load_balance() before 6.10); migration_cost_ns, "
		  "nr_migrate, the domains' min_interval");
	advise_knobs(cause, in, "sched.", knobs,
		     "-r 5 --latency sched_balance_newidle,sched_balance_rq");
}

const struct mechanism mechanism_load_balance = {
	.name = "load_balance",
	.title = "load balancing",
	.rows = rows,
	.measured = needs_split,
	.cost = cost,
	.explain = explain,
};
