// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for an idle CPU at wakeup takes too long: the 2022 thread's case,
 * an overloaded LLC scanned in vain. */
#include <math.h>

#include "cost.h"
#include "mechanisms.h"

#define GROUP "idle search"

static const char *const rows[] = { ":" GROUP, NULL };
static const char *const inlined[] = { "select_idle_cpu", "select_task_rq_fair" };

static bool measured(const struct blame_input *in, const char **why)
{
	(void)why;
	return in->ledger->split;
}

static double cost(const struct blame_input *in, const struct run *run)
{
	return run_group_time(in, run, GROUP);
}

/* Median of the innermost function that was timed on both sides; its name in
 * *function, NULL when none was. */
static bool median(const struct blame_input *in, const char **function, double *a,
		   double *b)
{
	for (size_t i = 0; i < sizeof(inlined) / sizeof(inlined[0]); i++) {
		*a = set_percentile(in->a, "function_latency",
				    LABELS("function", inlined[i]), 0.5);
		*b = set_percentile(in->b, "function_latency",
				    LABELS("function", inlined[i]), 0.5);
		*function = inlined[i];
		if (!isnan(*a) && !isnan(*b))
			return true;
	}
	return false;
}

static void explain(const struct blame_input *in, struct cause *cause)
{
	const char *function;
	double a, b;

	if (median(in, &function, &a, &b)) {
		cause_set(&cause->headline, "%s() takes %.3g us instead of %.3g at the median",
			  function, b / 1000, a / 1000);
		evidence_ns(cause, "median time in the search", a, b);
		evidence_change(cause, "searches per unit of work",
				set_per_work(in->a, "function_latency",
					     LABELS("function", function)),
				set_per_work(in->b, "function_latency",
					     LABELS("function", function)), "");
	} else {
		cause_set(&cause->headline, "the search for an idle CPU takes %s time per "
			  "unit of work", cause->points > 0 ? "more" : "less");
	}
	evidence_change(cause, "wakeups per unit of work",
			set_per_work(in->a, "wakeups", NO_LABELS),
			set_per_work(in->b, "wakeups", NO_LABELS), "");
	evidence_symbols(cause, in, GROUP);
	evidence_facts(cause, in, "sched.features.SIS");
	cause_set(&cause->look, "select_idle_sibling(), select_idle_cpu() in "
		  "kernel/sched/fair.c; sched features SIS_UTIL, SIS_PROP");
	cause_set(&cause->next, "collect --latency select_idle_cpu -r 5 --set %s -- %s",
		  cause->points > 0 ? "SIS_UTIL" : "NO_SIS_UTIL", in->b->run[0].command);
}

const struct mechanism mechanism_idle_search = {
	.name = "idle_search",
	.title = "search for an idle CPU",
	.rows = rows,
	.measured = measured,
	.cost = cost,
	.explain = explain,
};
