// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System time of a run by symbol group. The table is loaded once: it is data of
 * the program, not of an input.
 *
 * A timer's sample (cpu-clock) cannot fall where interrupts are off, and that is
 * where a CPU is searched and newly idle balancing runs: such time shows up at
 * the function that enables interrupts again. Where the run timed these
 * functions themselves, their measured time stands in the ledger instead, and
 * the rest of system time is split by the other samples.
 */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/profile.h"
#include "schedblame/symbol_groups.h"

static struct symbol_groups *table(void)
{
	static struct symbol_groups *groups;
	static bool tried;

	if (!tried) {
		tried = true;
		symbol_groups_load(&groups, NULL, NULL);
	}
	return groups;
}

size_t groups_count(void)
{
	return table() ? symbol_groups_count(table()) : 0;
}

const char *groups_name(size_t group)
{
	return table() ? symbol_groups_name(table(), group) : "other";
}

size_t groups_of(const char *symbol)
{
	return table() ? symbol_groups_of(table(), symbol) : 0;
}

static bool kernel_busy(const struct profile_symbol *s)
{
	return s->space == SPACE_KERNEL && !s->idle;
}

static double kernel_weight(const struct run *run)
{
	/* the profile is a cache of the run: loading it changes nothing visible */
	const struct profile *p = run_profile((struct run *)run, NULL);
	double sum = 0;

	for (size_t i = 0; p && i < p->nr_symbols; i++)
		if (kernel_busy(&p->symbol[i]))
			sum += p->symbol[i].weight;
	return sum;
}

/* Functions whose own time is a group's time; the first that was timed counts. */
static const struct timed {
	const char *group;
	const char *function[3];
} timed[] = {
	{ "idle search", { "select_idle_cpu", "select_task_rq_fair" } },
	{ "load balance", { "sched_balance_newidle", "newidle_balance" } },
};

/* Sum of the function's latencies in ns; negative when it was not timed. */
static double timed_ns(const struct run *run, const struct timed *t)
{
	struct histogram *h = xcalloc(1, sizeof(*h));
	double ns = -1;

	for (size_t i = 0; i < ARRAY_SIZE(t->function) && t->function[i] && ns < 0; i++)
		if (series_merged(&run->series, "function_latency",
				  LABELS("function", t->function[i]), h))
			ns = (double)h->sum;
	free(h);
	return ns;
}

static size_t group_number(const char *name)
{
	for (size_t g = 0; g < groups_count(); g++)
		if (!strcmp(groups_name(g), name))
			return g;
	return groups_count();
}

/* Replaces sampled shares by measured times; what is left of system time goes to
 * the other groups in proportion. */
static void put_timed(const struct run *run, double system, double *ns)
{
	bool *fixed = xcalloc(groups_count() + 1, sizeof(*fixed));
	double measured = 0, sampled = 0;

	for (size_t i = 0; i < ARRAY_SIZE(timed); i++) {
		double t = timed_ns(run, &timed[i]);
		size_t g = group_number(timed[i].group);

		if (t < 0 || g == groups_count() || measured + t > system)
			continue;
		ns[g] = t;
		fixed[g] = true;
		measured += t;
	}
	for (size_t g = 0; g < groups_count(); g++)
		sampled += fixed[g] ? 0 : ns[g];
	for (size_t g = 0; g < groups_count(); g++)
		if (!fixed[g] && sampled > 0)
			ns[g] *= (system - measured) / sampled;
	free(fixed);
}

void groups_times(const struct run *run, double system, double *ns)
{
	const struct profile *p = run_profile((struct run *)run, NULL);
	double all = kernel_weight(run);

	memset(ns, 0, groups_count() * sizeof(*ns));
	if (!p || all <= 0)
		return;
	for (size_t i = 0; i < p->nr_symbols; i++)
		if (kernel_busy(&p->symbol[i]))
			ns[groups_of(profile_name(p, (uint32_t)i))] +=
				p->symbol[i].weight / all * system;
	if (!strcmp(p->event, "cpu-clock"))
		put_timed(run, system, ns);
}

bool groups_usable(const struct run_set *set, struct notes *notes)
{
	if (!table()) {
		notes_add(notes, "data/symbol-groups.tsv cannot be read, so system time "
			  "is not split");
		return false;
	}
	for (size_t i = 0; i < set->n; i++) {
		if (kernel_weight(&set->run[i]) > 0)
			continue;
		notes_add(notes, "%s has no kernel profile, so system time is not split",
			  set->run[i].path);
		return false;
	}
	return true;
}
