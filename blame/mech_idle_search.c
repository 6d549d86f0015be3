// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for an idle CPU at wakeup takes too long: the 2022 thread's case,
 * an overloaded LLC scanned in vain. */
#include <math.h>

#include "cost.h"
#include "mechanisms.h"

#define GROUP "idle search"

static const char *const rows[] = { ":" GROUP, NULL };
static const char *const inlined[] = { "select_idle_cpu", "select_task_rq_fair" };

static const struct advice_knob knobs[] = { { "sched.features.SIS_UTIL", 0 }, { NULL, 0 } };

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

	if (median(in, &function, &a, &b) && (cause->points > 0) == (b > a)) {
		cause_set(&cause->headline, "%s() takes %.3g us instead of %.3g us at the median",
			  function, b / 1000, a / 1000);
		evidence_ns(cause, "99th percentile of that time",
			    set_percentile(in->a, "function_latency",
					   LABELS("function", function), 0.99),
			    set_percentile(in->b, "function_latency",
					   LABELS("function", function), 0.99));
		evidence_per_work(cause, in, "searches", "function_latency",
				  LABELS("function", function));
	} else {
		cause_set(&cause->headline, "the search for an idle CPU takes %s time per %s",
			  cause->points > 0 ? "more" : "less", in->ledger->work_unit);
	}
	evidence_per_work(cause, in, "wakeups", "wakeups", NO_LABELS);
	evidence_symbols(cause, in, GROUP);
	evidence_facts(cause, in, "sched.features.SIS");
	cause_set(&cause->look, "select_idle_sibling(), select_idle_cpu() in "
		  "kernel/sched/fair.c; sched features SIS_UTIL, SIS_PROP");
	advise_knobs(cause, in, "sched.features.SIS", knobs,
		     "-r 5 --latency select_idle_cpu");
}

const struct mechanism mechanism_idle_search = {
	.name = "idle_search",
	.title = "search for an idle CPU",
	.rows = rows,
	.measured = needs_split,
	.cost = cost,
	.explain = explain,
};
