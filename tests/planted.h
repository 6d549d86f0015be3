/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run sets with planted causes: the truth is known because it was put there.
 * Times of a run are drawn around given means with a given relative noise; the
 * profile is drawn from the group times, so that blame sees what a real run
 * gives it: ticks, samples and counts, never the truth itself.
 */
#ifndef TESTS_PLANTED_H
#define TESTS_PLANTED_H

#include <math.h>
#include <stdio.h>

#include "schedblame/alloc.h"
#include "schedblame/profile.h"
#include "schedblame/run.h"

enum { PLANT_SEARCH, PLANT_BALANCE, PLANT_SWITCH, PLANT_WAKEUP, PLANT_COPY, PLANT_LOCKS,
       PLANT_OTHER, PLANT_MEMORY, PLANT_FILES,
       PLANT_AFFINITY, PLANT_GROUPS };

/* A function of each group that data/symbol-groups.tsv must know. */
static const char *const planted_symbol[PLANT_GROUPS] = {
	"select_idle_cpu", "sched_balance_rq", "__schedule", "try_to_wake_up",
	"copy_page_from_iter", "native_queued_spin_lock_slowpath", "planted_unknown_symbol",
	"clear_page_erms", "vfs_read", "affine_move_task",
};

/* Means per run in ns of CPU time, all CPUs together. */
struct plant {
	double user, irq, softirq, steal, idle;
	double group[PLANT_GROUPS]; /* system time */
	double idle_waiting;	    /* part of idle; a count, not added */
	double idle_confined;	    /* the same, kept off by affinity */
	double others;		    /* user time that is not the command's */
	/* tasks moved while hot, counts: pulled or woken across nodes, moved near by */
	double hot_pulls, hot_wakeups, hot_near;
	double noise;		    /* relative standard deviation of each time */
	double cpus;
	unsigned samples;	    /* kernel samples per run */
};

static uint64_t planted_state = 88172645463325252ULL;

static double planted_uniform(void)
{
	planted_state ^= planted_state << 13;
	planted_state ^= planted_state >> 7;
	planted_state ^= planted_state << 17;
	return (double)(planted_state >> 11) / 9007199254740992.0;
}

static double planted_normal(void)
{
	double u = planted_uniform() + 1e-12, v = planted_uniform();

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double planted_time(const struct plant *p, double mean)
{
	double v = mean * (1 + p->noise * planted_normal());

	return v > 0 ? v : 0;
}

static void planted_mode(struct run *run, const char *mode, double ns)
{
	/* /proc/stat counts ticks of 10 ms */
	series_add(&run->series, "cpu_time", LABELS("cpu", "0", "mode", mode),
		   (uint64_t)(ns / 1e7 + 0.5) * 10000000);
}

/* n moves of tasks that last ran 2 us ago: hot by any threshold. */
static void planted_moves(struct run *run, const struct plant *p, const char *reason,
			  const char *distance, double n)
{
	struct histogram *h = series_hist(&run->series, "since_last_ran",
					  LABELS("reason", reason, "distance", distance));

	for (double i = floor(planted_time(p, n)); i > 0; i--)
		histogram_add(h, 2000);
}

static void planted_profile(struct run *run, const double *group, double system,
			    unsigned samples)
{
	run->profile = xcalloc(1, sizeof(*run->profile));
	profile_init(run->profile);
	for (int g = 0; g < PLANT_GROUPS; g++) {
		double mean = samples * group[g] / system;
		double n = floor(mean + sqrt(mean) * planted_normal() + 0.5);
		uint32_t sym = profile_symbol(run->profile, planted_symbol[g], "", "",
					      SPACE_KERNEL);

		if (n > 0)
			profile_add(run->profile, sym, (uint64_t)n, n * 1e6);
	}
	run->profile_tried = true;
}

static void planted_run(struct run *run, const struct plant *p, int number)
{
	double user = planted_time(p, p->user), irq = planted_time(p, p->irq);
	double softirq = planted_time(p, p->softirq), steal = planted_time(p, p->steal);
	double idle = planted_time(p, p->idle), others = planted_time(p, p->others);
	double group[PLANT_GROUPS], system = 0, total;
	struct metric *m;

	memset(run, 0, sizeof(*run));
	for (int g = 0; g < PLANT_GROUPS; g++)
		system += group[g] = planted_time(p, p->group[g]);
	total = user + others + system + irq + softirq + steal + idle;
	series_init(&run->series);
	topology_init(&run->topology);
	planted_mode(run, "user", user + others);
	planted_mode(run, "system", system);
	planted_mode(run, "irq", irq);
	planted_mode(run, "softirq", softirq);
	planted_mode(run, "steal", steal);
	planted_mode(run, "idle", idle);
	/* one CPU that is p->cpus wide: elapsed is the sum of its modes */
	series_add(&run->series, "proc_elapsed", NO_LABELS, (uint64_t)total);
	series_declare(&run->series, "idle_while_waiting");
	series_add(&run->series, "idle_while_waiting",
		   LABELS("distance", "llc", "method", "sampled", "allowed", "yes"),
		   (uint64_t)planted_time(p, p->idle_waiting));
	series_add(&run->series, "idle_while_waiting",
		   LABELS("distance", "llc", "method", "sampled", "allowed", "no"),
		   (uint64_t)planted_time(p, p->idle_confined));
	planted_moves(run, p, "steal_idle", "remote", p->hot_pulls);
	planted_moves(run, p, "wakeup", "remote", p->hot_wakeups);
	planted_moves(run, p, "wakeup", "llc", p->hot_near);
	run->manifest = json_pack("{s:{s:I,s:I}}", "workload", "user_ns",
				  (json_int_t)user, "system_ns", (json_int_t)system);
	planted_profile(run, group, system, p->samples);
	run->path = xasprintf("planted/%03d", number);
	run->label = xstrdup("planted");
	run->command = xstrdup("planted");
	run->work = 1;
	run->work_unit = xstrdup("run");
	run->complete = true;
	run->duration_ns = (uint64_t)total;
	run->metric = m = xcalloc(1, sizeof(*m));
	run->nr_metrics = 1;
	m->name = xstrdup("time");
	m->unit = xstrdup("s");
	m->workload = xstrdup("planted");
	m->value = total / p->cpus / 1e9;
}

static void planted_set(struct run_set *set, const struct plant *p, size_t n,
			const char *label)
{
	memset(set, 0, sizeof(*set));
	set->path = xstrdup(label);
	set->label = xstrdup(label);
	set->run = xcalloc(n, sizeof(*set->run));
	set->n = n;
	for (size_t i = 0; i < n; i++)
		planted_run(&set->run[i], p, (int)i + 1);
}

#endif
