// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that every comparison has, as a table: which series, divided by what. */
#include <stdlib.h>
#include <string.h>

#include "compare_build.h"
#include "schedblame/alloc.h"
#include "schedblame/ledger.h"

enum norm {
	SECOND,	 /* per second of the run */
	WORK,	 /* per unit of work; left out when work is not counted */
	CPU_SHARE, /* per cent of the CPU time of the workload's CPUs */
	CPU_WORK, /* us of CPU time per unit of work */
	OF_SERIES, /* per cent of the series `of` */
	OF_NAME,   /* per cent of all entries of the same series */
	ELAPSED,   /* ns as per cent of the time between the /proc copies */
	PER_CPU_SECOND, /* ms per second and CPU */
	P50, P99, P999, MEAN, /* of a histogram, in us */
	MEAN_RAW, /* of a histogram, undivided */
	HIST_WORK, /* sum of a histogram, us per unit of work */
};

struct fixed_row {
	enum compare_table table;
	enum norm norm;
	const char *key, *title, *unit; /* unit "work": "/message" */
	const char *series;
	struct label label[2]; /* key NULL: not used */
	const char *of; /* OF_SERIES */
	const char *help;
	const char *only_without; /* left out when that series was measured */
};

#define L(k, v) { { k, v }, { NULL, NULL } }
#define L2(k, v, k2, v2) { { k, v }, { k2, v2 } }

static const struct fixed_row rows[] = {
	{ COMPARE_CPU, CPU_SHARE, "user", "user", "%", "cpu_time", L("mode", "user"), NULL,
	  "Time in user mode, of the time of the CPUs the workload may use." },
	{ COMPARE_CPU, CPU_SHARE, "nice", "user, niced", "%", "cpu_time", L("mode", "nice"),
	  NULL, "Time in user mode with a nice value above 0." },
	{ COMPARE_CPU, CPU_SHARE, "system", "system", "%", "cpu_time", L("mode", "system"),
	  NULL, "Time in the kernel, without interrupts." },
	{ COMPARE_CPU, CPU_SHARE, "irq", "interrupts", "%", "cpu_time", L("mode", "irq"), NULL,
	  "Time in interrupt handlers, where the kernel accounts for it." },
	{ COMPARE_CPU, CPU_SHARE, "softirq", "softirqs", "%", "cpu_time",
	  L("mode", "softirq"), NULL, "Time in softirqs." },
	{ COMPARE_CPU, CPU_SHARE, "steal", "hypervisor steal", "%", "cpu_time",
	  L("mode", "steal"), NULL, "Time a hypervisor gave to others." },
	{ COMPARE_CPU, CPU_SHARE, "iowait", "I/O wait", "%", "cpu_time", L("mode", "iowait"),
	  NULL, "Idle time with I/O under way." },
	{ COMPARE_CPU, CPU_SHARE, "idle", "idle", "%", "cpu_time", L("mode", "idle"), NULL,
	  "Idle time; in steady state a sign of under-balancing." },
	{ COMPARE_CPU, CPU_WORK, "user.work", "user", "work", "cpu_time", L("mode", "user"),
	  NULL, "User time per unit of work; grows when migrations cool caches." },
	{ COMPARE_CPU, CPU_WORK, "system.work", "system", "work", "cpu_time",
	  L("mode", "system"), NULL, "System time per unit of work." },
	{ COMPARE_CPU, CPU_WORK, "idle.work", "idle", "work", "cpu_time", L("mode", "idle"),
	  NULL, "Idle time per unit of work." },

	{ COMPARE_RATES, SECOND, "switches", "context switches", "/s", "switches", L(NULL, NULL),
	  NULL, "All switches from one task to another, idle tasks included." },
	{ COMPARE_RATES, SECOND, "ctxt", "context switches (/proc/stat)", "/s", "stat", L("field", "ctxt"),
	  NULL, "Switches of the whole machine as /proc/stat counts them.", "switches" },
	{ COMPARE_RATES, SECOND, "voluntary", "  task blocked", "/s", "switches",
	  L("kind", "voluntary"), NULL, "Switches away from a task that went to sleep." },
	{ COMPARE_RATES, SECOND, "preempted", "  task preempted", "/s", "switches",
	  L("kind", "preempted"), NULL, "Switches away from a task that could have run on." },
	{ COMPARE_RATES, SECOND, "idle_left", "  idle task left", "/s", "switches",
	  L("kind", "idle"), NULL, "Switches away from the idle task." },
	{ COMPARE_RATES, WORK, "switches.work", "context switches", "work", "switches",
	  L(NULL, NULL), NULL, "Switches per unit of work; more is a sign of over-balancing." },
	{ COMPARE_RATES, WORK, "ctxt.work", "c. switches (/proc/stat)", "work", "stat",
	  L("field", "ctxt"), NULL, "Switches of the machine per unit of work.", "switches" },
	{ COMPARE_RATES, SECOND, "wakeups", "wakeups", "/s", "wakeups", L(NULL, NULL), NULL,
	  "Wakeups, new tasks included." },
	{ COMPARE_RATES, WORK, "wakeups.work", "wakeups", "work", "wakeups", L(NULL, NULL),
	  NULL, "Wakeups per unit of work." },
	{ COMPARE_RATES, OF_NAME, "wakeups.remote", "wakeups placed on another node", "%",
	  "wakeups", L("distance", "remote"), NULL,
	  "Wakeups that chose a CPU on another node than the waker's." },
	{ COMPARE_RATES, SECOND, "migrations", "migrations", "/s", "migrations",
	  L(NULL, NULL), NULL, "Moves of a task from one CPU to another." },
	{ COMPARE_RATES, WORK, "migrations.work", "migrations", "work", "migrations",
	  L(NULL, NULL), NULL, "Moves per unit of work." },
	{ COMPARE_RATES, SECOND, "migrations.remote", "  across nodes", "/s", "migrations",
	  L("distance", "remote"), NULL, "Moves to another node." },
	{ COMPARE_RATES, OF_NAME, "migrations.unknown", "  reason not observed", "%",
	  "migrations", L("reason", "unknown"), NULL,
	  "Moves whose reason could not be observed, of all moves." },
	{ COMPARE_RATES, SECOND, "forks", "forks", "/s", "stat", L("field", "processes"), NULL,
	  "Tasks created on the whole machine." },

	{ COMPARE_WAITS, P50, "wakeup_latency.p50", "wakeup latency, median", "us",
	  "wakeup_latency", L(NULL, NULL), NULL,
	  "From sched_waking until the task runs; half of the wakeups took less." },
	{ COMPARE_WAITS, P99, "wakeup_latency.p99", "wakeup latency, 99th", "us",
	  "wakeup_latency", L(NULL, NULL), NULL, "99 % of the wakeups took less." },
	{ COMPARE_WAITS, P999, "wakeup_latency.p999", "wakeup latency, 99.9th", "us",
	  "wakeup_latency", L(NULL, NULL), NULL, "99.9 % of the wakeups took less." },
	{ COMPARE_WAITS, P50, "preemption_wait.p50", "preemption wait, median", "us",
	  "preemption_wait", L(NULL, NULL), NULL,
	  "From being switched out runnable until running again; the median." },
	{ COMPARE_WAITS, P99, "preemption_wait.p99", "preemption wait, 99th", "us",
	  "preemption_wait", L(NULL, NULL), NULL, "99 % of these waits were shorter." },
	{ COMPARE_WAITS, P50, "fork_wait.p50", "new task waits, median", "us", "fork_wait",
	  L(NULL, NULL), NULL, "From the wakeup of a new task until it first runs; the median." },
	{ COMPARE_WAITS, HIST_WORK, "wakeup_latency.work", "waited after wakeups", "work",
	  "wakeup_latency", L(NULL, NULL), NULL, "All wakeup latencies per unit of work." },
	{ COMPARE_WAITS, HIST_WORK, "preemption_wait.work", "waited after preemption", "work",
	  "preemption_wait", L(NULL, NULL), NULL, "All preemption waits per unit of work." },

	{ COMPARE_IDLE, PER_CPU_SECOND, "while_waiting.exact",
	  "idle while work waits", "ms/s", "idle_while_waiting",
	  L2("method", "exact", "allowed", "yes"), NULL,
	  "Idle time per second and CPU while a task that may run there waits elsewhere; "
	  "exact." },
	{ COMPARE_IDLE, PER_CPU_SECOND, "while_waiting.sampled",
	  "idle while work waits, sampled", "ms/s", "idle_while_waiting",
	  L2("method", "sampled", "allowed", "yes"), NULL,
	  "The same, seen by the profile timer: this CPU idles, another has a task queued." },
	{ COMPARE_IDLE, PER_CPU_SECOND, "kept_off.exact", "  waiter may not run there", "ms/s",
	  "idle_while_waiting", L2("method", "exact", "allowed", "no"), NULL,
	  "Idle time while a task waits that its affinity or cpuset keeps from this CPU." },
	{ COMPARE_IDLE, PER_CPU_SECOND, "kept_off.sampled", "  waiter may not run there, sampled",
	  "ms/s", "idle_while_waiting", L2("method", "sampled", "allowed", "no"), NULL,
	  "The same, seen by the profile timer." },
	{ COMPARE_IDLE, OF_NAME, "samples.idle_waiting", "samples: idle, work waiting", "%",
	  "idle_samples", L("state", "idle_waiting"), NULL,
	  "Timer samples in which this CPU idled and another had a task queued." },
	{ COMPARE_IDLE, OF_NAME, "samples.idle", "samples: idle, nothing waiting", "%",
	  "idle_samples", L("state", "idle"), NULL,
	  "Timer samples in which this CPU idled and nothing waited." },
	{ COMPARE_IDLE, MEAN, "period", "mean stay in idle", "us", "idle_periods",
	  L(NULL, NULL), NULL, "Mean length of a stay in the idle task." },
	{ COMPARE_IDLE, SECOND, "periods", "stays in idle", "/s", "idle_periods",
	  L(NULL, NULL), NULL, "How often a CPU went idle." },
	{ COMPARE_IDLE, MEAN_RAW, "waiting_tasks", "tasks waiting, mean", "tasks",
	  "waiting_tasks", L(NULL, NULL), NULL, "Queued tasks that did not run, per sample." },

	{ COMPARE_NUMA, SECOND, "moves", "task moved to its node", "/s", "numa",
	  L("event", "move"), NULL, "NUMA balancing moved a task." },
	{ COMPARE_NUMA, SECOND, "swaps", "tasks swapped between nodes", "/s", "numa",
	  L("event", "swap"), NULL, "NUMA balancing swapped two tasks." },
	{ COMPARE_NUMA, SECOND, "hint_local", "hint faults, local", "/s", "numa",
	  L("event", "hint_fault_local"), NULL, "NUMA hint faults on the task's own node." },
	{ COMPARE_NUMA, SECOND, "hint_remote", "hint faults, remote", "/s", "numa",
	  L("event", "hint_fault_remote"), NULL, "NUMA hint faults on another node's memory." },
	{ COMPARE_NUMA, SECOND, "pages", "pages moved", "/s", "numa",
	  L("event", "pages_migrated"), NULL, "Pages that NUMA balancing moved." },

	{ COMPARE_KERNEL, SECOND, "irq.res", "rescheduling interrupts", "/s", "interrupts",
	  L("line", "RES"), NULL, "IPIs that ask a CPU to reschedule." },
	{ COMPARE_KERNEL, SECOND, "irq.cal", "function call interrupts", "/s", "interrupts",
	  L("line", "CAL"), NULL, "IPIs that run a function on another CPU." },
	{ COMPARE_KERNEL, SECOND, "irq.tlb", "TLB shootdowns", "/s", "interrupts",
	  L("line", "TLB"), NULL, "IPIs that flush another CPU's TLB." },
	{ COMPARE_KERNEL, SECOND, "irq.timer", "timer interrupts", "/s", "interrupts",
	  L("line", "LOC"), NULL, "Local timer interrupts." },
	{ COMPARE_KERNEL, SECOND, "irq.device", "device interrupts", "/s", "interrupts",
	  L("line", "device"), NULL, "Interrupts of all devices." },
	{ COMPARE_KERNEL, SECOND, "softirq.sched", "SCHED softirqs", "/s", "softirqs",
	  L("type", "SCHED"), NULL, "Softirqs that balance load." },
	{ COMPARE_KERNEL, SECOND, "pgfault", "page faults", "/s", "vmstat",
	  L("field", "pgfault"), NULL, "Page faults, minor and major." },
	{ COMPARE_KERNEL, ELAPSED, "pressure.cpu", "some task waited for a CPU", "%",
	  "pressure", L2("resource", "cpu", "kind", "some"), NULL,
	  "Share of the time in which at least one task waited for a CPU (PSI)." },
	{ COMPARE_KERNEL, ELAPSED, "pressure.memory", "some task waited for memory", "%",
	  "pressure", L2("resource", "memory", "kind", "some"), NULL,
	  "Share of the time in which at least one task waited for memory (PSI)." },
	{ COMPARE_KERNEL, ELAPSED, "pressure.io", "some task waited for I/O", "%",
	  "pressure", L2("resource", "io", "kind", "some"), NULL,
	  "Share of the time in which at least one task waited for I/O (PSI)." },
};

static size_t nr_labels(const struct fixed_row *r)
{
	return (r->label[0].key != NULL) + (r->label[1].key != NULL);
}

static double sum_of(const struct run *run, const struct fixed_row *r)
{
	return (double)series_sum(&run->series, r->series, r->label, nr_labels(r));
}

/* CPU time of a mode on the CPUs the workload may use, ns. */
static double mode_time(const struct run *run, const char *mode)
{
	return run_cpu_time(run, (enum cpu_mode)cpu_mode_by_name(mode), true);
}

static double all_time(const struct run *run)
{
	double sum = 0;

	for (int m = 0; m < CPU_MODE_NR; m++)
		sum += run_cpu_time(run, (enum cpu_mode)m, true);
	return sum;
}

static double of_histogram(const struct run *run, const struct fixed_row *r)
{
	struct histogram *h = xmalloc(sizeof(*h));
	double v = NAN;

	if (series_merged(&run->series, r->series, r->label, nr_labels(r), h) && h->count) {
		double p = r->norm == P50 ? 0.5 : r->norm == P99 ? 0.99 : 0.999;

		if (r->norm == MEAN_RAW)
			v = histogram_mean(h);
		else if (r->norm == MEAN)
			v = histogram_mean(h) / 1e3;
		else if (r->norm == HIST_WORK)
			v = run->work > 1 ? per_work(run, (double)h->sum / 1e3) : NAN;
		else
			v = histogram_percentile(h, p) / 1e3;
	}
	free(h);
	return v;
}

static double percent(double part, double whole)
{
	return whole > 0 ? part / whole * 100 : NAN;
}

static double per_cpu_second(const struct run *run, double ns)
{
	unsigned cpus = cpuset_count(&run->cpus);

	if (!cpus)
		cpus = run->topology.nr_cpus;
	return cpus ? per_second(run, ns / 1e6 / cpus) : NAN;
}

/* Without a topology there is no distance to speak of, not one that is zero. */
static bool distance_unknown(const struct run *run, const struct fixed_row *r)
{
	return !run->topology.nr_cpus && r->label[0].key && !strcmp(r->label[0].key, "distance");
}

static double fixed_number(const struct run *run, const void *arg)
{
	const struct fixed_row *r = arg;

	if (!series_has(&run->series, r->series) || distance_unknown(run, r))
		return NAN;
	switch (r->norm) {
	case SECOND:
		return per_second(run, sum_of(run, r));
	case WORK:
		return run->work > 1 ? per_work(run, sum_of(run, r)) : NAN;
	case CPU_SHARE:
		return percent(mode_time(run, r->label[0].value), all_time(run));
	case CPU_WORK:
		return run->work > 1 ?
			       per_work(run, mode_time(run, r->label[0].value) / 1e3) : NAN;
	case OF_NAME:
		return percent(sum_of(run, r),
			       (double)series_sum(&run->series, r->series, NO_LABELS));
	case OF_SERIES:
		return percent(sum_of(run, r),
			       (double)series_sum(&run->series, r->of, NO_LABELS));
	case ELAPSED:
		return percent(sum_of(run, r),
			       (double)series_sum(&run->series, "proc_elapsed", NO_LABELS));
	case PER_CPU_SECOND:
		/* a trace is exact, what runs while recording samples */
		if (run->foreign != !strcmp(r->label[0].value, "exact"))
			return NAN;
		return per_cpu_second(run, sum_of(run, r));
	default:
		return of_histogram(run, r);
	}
}

/* A row that stands in for a better one is of no use where all runs have that. */
static bool is_spare(const struct comparison *c, const struct fixed_row *r)
{
	for (size_t i = 0; r->only_without && i < c->nr_sets; i++)
		for (size_t j = 0; j < c->set[i]->n; j++)
			if (!series_has(&c->set[i]->run[j].series, r->only_without))
				return false;
	return r->only_without != NULL;
}

/* A mode or kind that is 0 everywhere is no row; the main ones always are. */
static bool drop_zero(const struct fixed_row *r)
{
	if (r->table == COMPARE_CPU)
		return strcmp(r->key, "idle") && strcmp(r->key, "user") &&
		       strcmp(r->key, "system");
	return r->table == COMPARE_KERNEL || r->table == COMPARE_NUMA ||
	       !strncmp(r->key, "kept_off.", 9);
}

static void add_fixed_row(struct comparison *c, const struct fixed_row *r,
			  const char *per)
{
	bool time = r->norm == CPU_WORK || r->norm == HIST_WORK;
	char *key = xasprintf("%s.%s", compare_table_name(r->table), r->key);
	char *unit = xasprintf("%s%s", time ? "us" : "",
			       strcmp(r->unit, "work") ? r->unit : per);

	compare_fill_row(c, compare_add_row(c, r->table, key, r->title, unit, BETTER_NONE,
					    r->help),
			 fixed_number, r, drop_zero(r));
	free(unit);
	free(key);
}

void compare_fixed_rows(struct comparison *c)
{
	char *per = work_unit_text(c);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!is_spare(c, &rows[i]))
			add_fixed_row(c, &rows[i], per);
	}
	free(per);
}
