// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System time of a run by symbol group. The table is loaded once: it is data of
 * the program, not of an input.
 *
 * A timer's sample (cpu-clock) cannot fall where interrupts are off, and that is
 * where a CPU is searched and newly idle balancing runs: such time shows up at
 * the function that enables interrupts again. Where the run timed these
 * functions themselves, their measured time stands in the ledger instead, and
 * the rest of system time is split by the other samples. Which function stands
 * for a group is chosen once a comparison: both sides must have timed the same
 * one in the same way, or a difference of method would look like a cause.
 */
#include "groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/ledger.h"
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

static double parts_weight(const struct profile_symbol *s, int from)
{
	double sum = 0;

	for (int part = from; part < NR_PROFILE_PARTS; part++)
		sum += s->part[part];
	return sum;
}

/* The part whose work is this group's, PART_SOFTIRQ: none. */
static enum profile_part part_of(size_t group)
{
	const char *name = groups_name(group);

	for (int part = 0; part < PART_SOFTIRQ; part++) {
		const char *colon = strstr(profile_part_name[part], ": ");

		if (!strcmp(name, colon ? colon + 2 : profile_part_name[part]))
			return (enum profile_part)part;
	}
	return PART_SOFTIRQ;
}

enum profile_part groups_softirq(size_t group)
{
	enum profile_part part = part_of(group);

	return part == PART_NUMA ? PART_SOFTIRQ : part;
}

double groups_weight(const struct profile *p, uint32_t symbol, size_t group, bool chained)
{
	const struct profile_symbol *s = &p->symbol[symbol];
	enum profile_part part = part_of(group);
	double sum = 0;

	if (!kernel_busy(s))
		return 0;
	if (groups_of(profile_name(p, symbol)) == group)
		sum += s->weight - (chained ? parts_weight(s, 0) : 0);
	if (chained && part != PART_SOFTIRQ)
		sum += s->part[part];
	return sum;
}

/* Of all samples of busy kernel code, or only of those in softirqs. */
static double kernel_weight(const struct run *run, bool softirq)
{
	/* the profile is a cache of the run: loading it changes nothing visible */
	const struct profile *p = run_profile((struct run *)run, NULL);
	double sum = 0;

	for (size_t i = 0; p && i < p->nr_symbols; i++)
		if (kernel_busy(&p->symbol[i]))
			sum += softirq ? parts_weight(&p->symbol[i], PART_SOFTIRQ_BALANCE) :
					 p->symbol[i].weight;
	return sum;
}

/* Functions whose own time is a group's time, the narrower first. */
static const struct timed {
	const char *group;
	const char *function[3];
} timed[NR_TIMED_GROUPS] = {
	{ "idle search", { "select_idle_cpu", "select_task_rq_fair" } },
	{ "load balance", { "sched_balance_newidle", "newidle_balance" } },
};

struct latency_sum {
	double ns;
	const char *via; /* of all entries; "" when they differ, NULL: none */
};

static int add_latency(const struct series_set *set, const struct series *s, void *arg)
{
	const char *via = series_label(set, s, "via");
	struct latency_sum *sum = arg;

	if (!s->hist)
		return 0;
	if (!via)
		via = "";
	sum->via = !sum->via || !strcmp(sum->via, via) ? via : "";
	sum->ns += (double)s->hist->sum;
	return 0;
}

static struct latency_sum latency_of(const struct run *run, const char *function)
{
	struct latency_sum sum = { 0, NULL };

	series_for_each(&run->series, "function_latency", LABELS("function", function),
			add_latency, &sum);
	return sum;
}

/* Is this function's time known, in the same way, in every run of the set? */
static bool all_timed(const struct run_set *set, const char *function, const char **via)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct profile *p = run_profile(&set->run[i], NULL);
		struct latency_sum sum = latency_of(&set->run[i], function);

		if (!p || strcmp(p->event, "cpu-clock") || !sum.via ||
		    (*via && strcmp(*via, sum.via)) ||
		    sum.ns > run_cpu_time(&set->run[i], CPU_MODE_SYSTEM, true))
			return false;
		*via = sum.via;
	}
	return true;
}

void groups_choose(const struct run_set *a, const struct run_set *b,
		   const char *function[NR_TIMED_GROUPS])
{
	for (size_t t = 0; t < NR_TIMED_GROUPS; t++) {
		function[t] = NULL;
		for (size_t i = 0; timed[t].function[i] && !function[t]; i++) {
			const char *via = NULL;

			if (all_timed(a, timed[t].function[i], &via) &&
			    all_timed(b, timed[t].function[i], &via))
				function[t] = timed[t].function[i];
		}
	}
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
static void put_timed(const struct run *run, double system,
		      const char *const function[NR_TIMED_GROUPS], double *ns)
{
	bool *fixed = xcalloc(groups_count() + 1, sizeof(*fixed));
	double measured = 0, sampled = 0;

	for (size_t t = 0; t < NR_TIMED_GROUPS; t++) {
		size_t g = group_number(timed[t].group);

		if (!function[t] || g == groups_count())
			continue;
		ns[g] = fmin(latency_of(run, function[t]).ns, system - measured);
		fixed[g] = true;
		measured += ns[g];
	}
	for (size_t g = 0; g < groups_count(); g++)
		sampled += fixed[g] ? 0 : ns[g];
	for (size_t g = 0; g < groups_count(); g++)
		if (!fixed[g] && sampled > 0)
			ns[g] *= (system - measured) / sampled;
	free(fixed);
}

void groups_times(const struct run *run, double system, bool chained,
		  const char *const function[NR_TIMED_GROUPS], double *ns)
{
	const struct profile *p = run_profile((struct run *)run, NULL);
	size_t numa = group_number(profile_part_name[PART_NUMA]);
	double all = kernel_weight(run, false) - (chained ? kernel_weight(run, true) : 0);

	memset(ns, 0, groups_count() * sizeof(*ns));
	if (!p)
		return;
	if (all <= 0) /* the few samples were all of softirqs */
		ns[groups_count() - 1] = system;
	for (size_t i = 0; all > 0 && i < p->nr_symbols; i++) {
		const struct profile_symbol *s = &p->symbol[i];
		double parts = chained ? parts_weight(s, 0) : 0;

		if (!kernel_busy(s))
			continue;
		ns[groups_of(profile_name(p, (uint32_t)i))] +=
			(s->weight - parts) / all * system;
		if (chained && numa < groups_count())
			ns[numa] += s->part[PART_NUMA] / all * system;
	}
	put_timed(run, system, function, ns);
}

static size_t nr_chained(const struct run_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct profile *p = run_profile(&set->run[i], NULL);

		n += p && p->chained;
	}
	return n;
}

bool groups_chained(const struct run_set *a, const struct run_set *b, struct notes *notes)
{
	size_t n = nr_chained(a) + nr_chained(b);

	if (n == a->n + b->n)
		return true;
	if (n)
		notes_add(notes, "only %zu of %zu profiles have call chains, so what other "
			  "functions do for NUMA balancing, and in softirqs, is not told apart", n,
			  a->n + b->n);
	return false;
}

void groups_softirq_times(const struct run *run, double softirq, double *ns)
{
	const struct profile *p = run_profile((struct run *)run, NULL);
	double all = kernel_weight(run, true);

	memset(ns, 0, NR_PROFILE_PARTS * sizeof(*ns));
	if (all <= 0)
		ns[PART_SOFTIRQ] = softirq;
	for (size_t i = 0; p && all > 0 && i < p->nr_symbols; i++)
		for (int part = PART_SOFTIRQ_BALANCE; part < NR_PROFILE_PARTS; part++)
			if (kernel_busy(&p->symbol[i]))
				ns[part] += p->symbol[i].part[part] / all * softirq;
}

bool groups_usable(const struct run_set *set, struct notes *notes)
{
	if (!table()) {
		notes_add(notes, "data/symbol-groups.tsv cannot be read, so system time "
			  "is not split");
		return false;
	}
	for (size_t i = 0; i < set->n; i++) {
		if (kernel_weight(&set->run[i], false) > 0)
			continue;
		notes_add(notes, "%s has no kernel profile, so system time is not split",
			  set->run[i].path);
		return false;
	}
	return true;
}
