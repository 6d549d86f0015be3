// SPDX-License-Identifier: GPL-2.0-or-later
/* Too many switches, or dearer ones: the sign of over-balancing in the 2005
 * thread, and of a slice that is too short. */
#include "cost.h"
#include "mechanisms.h"

#define GROUP "switch"

static const char *const rows[] = { ":" GROUP, NULL };

/* the slice of 6.6 and later; two of them before */
static const struct advice_knob knobs[] = { { "sched.base_slice_ns", 4 },
					    { "sched.min_granularity_ns", 4 },
					    { "sched.wakeup_granularity_ns", 4 },
					    { NULL, 0 } };

static double cost(const struct blame_input *in, const struct run *run)
{
	return run_group_time(in, run, GROUP);
}

static void explain(const struct blame_input *in, struct cause *cause)
{
	double a = set_per_work(in->a, "switches", NO_LABELS);
	double b = set_per_work(in->b, "switches", NO_LABELS);

	/* what the count does not explain, the price does */
	if (a > 0 && (cause->points > 0 ? b / a > 1.1 : b / a < 0.9))
		cause_set(&cause->headline, "%.3g times as many context switches per %s",
			  b / a, in->ledger->work_unit);
	else
		cause_set(&cause->headline, "a context switch takes %s time",
			  cause->points > 0 ? "more" : "less");
	evidence_per_work(cause, in, "switches", "switches", NO_LABELS);
	evidence_per_work(cause, in, "preemptions", "switches",
			  LABELS("kind", "preempted"));
	evidence_change(cause, "switches per second",
			set_per_second(in->a, "switches", NO_LABELS),
			set_per_second(in->b, "switches", NO_LABELS), "");
	evidence_symbols(cause, in, GROUP);
	evidence_facts(cause, in, "sched.");
	cause_set(&cause->look, "wakeup preemption and slice: base_slice_ns "
		  "(min_granularity_ns, wakeup_granularity_ns before 6.6); "
		  "over-balancing");
	advise_knobs(cause, in, "sched.", knobs, "--trace");
}

const struct mechanism mechanism_over_switching = {
	.name = "over_switching",
	.title = "context switches",
	.rows = rows,
	.measured = needs_split,
	.cost = cost,
	.explain = explain,
};
