// SPDX-License-Identifier: GPL-2.0-or-later
/* Idle CPUs: while others queue (under-balancing, as the 2005 thread reads idle
 * time), while tasks are confined elsewhere, or because the work itself waits. */
#include <math.h>

#include "cost.h"
#include "mechanisms.h"

static const char *const rows[] = { "idle", "iowait", NULL };

static double waiting(const struct run *run, const char *allowed)
{
	return (double)series_sum(&run->series, "idle_while_waiting",
				  LABELS("allowed", allowed));
}

static bool measured_waiting(const struct blame_input *in, const char **why)
{
	if (both_have(in, "idle_while_waiting"))
		return true;
	/* the source ran, but its samples do not reach CPUs that idle */
	*why = both_have(in, "idle_periods") ?
		       "a trace (collect --trace), to see whether CPUs idle while others "
		       "queue: idle CPUs took no samples here" :
		       "the source 'sched' (root and BPF) or --trace, to see whether CPUs "
		       "idle while others queue";
	return false;
}

static double cost_waiting(const struct blame_input *in, const struct run *run)
{
	(void)in;
	return waiting(run, "yes");
}

static double cost_confined(const struct blame_input *in, const struct run *run)
{
	(void)in;
	return waiting(run, "no");
}

static void common_evidence(const struct blame_input *in, struct cause *cause)
{
	evidence_ns(cause, "median wakeup latency",
		    set_percentile(in->a, "wakeup_latency", NO_LABELS, 0.5),
		    set_percentile(in->b, "wakeup_latency", NO_LABELS, 0.5));
	evidence_ns(cause, "99th percentile of the preemption wait",
		    set_percentile(in->a, "preemption_wait", NO_LABELS, 0.99),
		    set_percentile(in->b, "preemption_wait", NO_LABELS, 0.99));
	evidence_change(cause, "migrations per second",
			set_per_second(in->a, "migrations", NO_LABELS),
			set_per_second(in->b, "migrations", NO_LABELS), "");
}

static double waiting_allowed(const struct run *run)
{
	return waiting(run, "yes");
}

static double waiting_confined(const struct run *run)
{
	return waiting(run, "no");
}

static double idle_time(const struct run *run)
{
	return run_cpu_time(run, CPU_MODE_IDLE, true);
}

/* newly idle balancing gives up where a CPU idles for less than this */
static const struct advice_knob knobs[] = { { "sched.migration_cost_ns", 0.1 }, { NULL, 0 } };

static void explain_waiting(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "CPUs idle %s although tasks that may run there wait "
		  "on other CPUs (under-balancing)", cause->points > 0 ? "more" : "less");
	evidence_ns(cause, "idle while work waits, per run",
		    set_mean(in->a, waiting_allowed), set_mean(in->b, waiting_allowed));
	common_evidence(in, cause);
	evidence_facts(cause, in, "sched.");
	cause_set(&cause->look, "sched_balance_newidle(), nohz balancing, imbalance_pct; "
		  "migration_cost_ns");
	advise_knobs(cause, in, "sched.", knobs, "-r 1 --trace");
}

static void explain_confined(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "CPUs idle %s while tasks wait that an affinity or a "
		  "cpuset keeps from them", cause->points > 0 ? "more" : "less");
	evidence_ns(cause, "idle while confined work waits, per run",
		    set_mean(in->a, waiting_confined), set_mean(in->b, waiting_confined));
	common_evidence(in, cause);
	cause_set(&cause->look, "the workload's taskset, numactl, cpuset or container limits; "
		  "Cpus_allowed_list in /proc/PID/status of its tasks");
	advise_collect(cause, in, "-r 1 --trace");
}

static bool measured_always(const struct blame_input *in, const char **why)
{
	(void)in;
	(void)why;
	return true;
}

static double total_time(const struct blame_input *in, const struct run *run)
{
	const struct run_set *set[2] = { in->a, in->b };
	const double *total[2] = { in->ledger->total_a, in->ledger->total_b };

	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < set[s]->n; i++)
			if (&set[s]->run[i] == run)
				return total[s][i] * (run->work > 0 ? run->work : 1);
	return 0;
}

static double idle_or_io(const struct run *run)
{
	return idle_time(run) + run_cpu_time(run, CPU_MODE_IOWAIT, true);
}

/* Idle time in which nothing waited, as far as that was measured. */
static double free_idle(const struct blame_input *in, const struct run *run)
{
	double waited = both_have(in, "idle_while_waiting") ?
				waiting(run, "yes") + waiting(run, "no") : 0;

	return fmax(0, idle_or_io(run) - waited);
}

/*
 * Idle time beyond what side A has for each second that is not idle: CPUs that the
 * work never used idle for as long as it takes, which is no cause. What it idles
 * while tasks wait is for the mechanisms before.
 */
static double cost_grew(const struct blame_input *in, const struct run *run)
{
	double idle = 0, busy = 0;

	for (size_t i = 0; i < in->a->n; i++) {
		const struct run *a = &in->a->run[i];

		idle += free_idle(in, a);
		busy += fmax(0, total_time(in, a) - idle_or_io(a));
	}
	return free_idle(in, run) -
	       (busy > 0 ? idle / busy * (total_time(in, run) - idle_or_io(run)) : 0);
}

static void explain_grew(const struct blame_input *in, struct cause *cause)
{
	const char *more = cause->points > 0 ? "more" : "less";

	if (both_have(in, "idle_while_waiting"))
		cause_set(&cause->headline, "%s idle time without a task waiting: the workload "
			  "itself sleeps %s", more, more);
	else
		cause_set(&cause->headline, "%s idle time; whether tasks waited for a CPU "
			  "meanwhile was not measured", more);
	evidence_ns(cause, "idle time, all CPUs, per run", set_mean(in->a, idle_time),
		    set_mean(in->b, idle_time));
	common_evidence(in, cause);
	cause_set(&cause->look, "what the tasks wait for: locks, I/O, each other; fewer "
		  "CPUs in use than there are");
	advise_collect(cause, in, "-r 1 --trace");
}

const struct mechanism mechanism_idle_while_waiting = {
	.name = "idle_while_waiting",
	.title = "idle while work waits",
	.rows = rows,
	.measured = measured_waiting,
	.cost = cost_waiting,
	.explain = explain_waiting,
};

const struct mechanism mechanism_confined = {
	.name = "confined",
	.title = "tasks confined while CPUs idle",
	.rows = rows,
	.measured = measured_waiting,
	.cost = cost_confined,
	.explain = explain_confined,
};

const struct mechanism mechanism_idle_grew = {
	.name = "idle_grew",
	.title = "idle time",
	.rows = rows,
	.measured = measured_always,
	.cost = cost_grew,
	.explain = explain_grew,
};
