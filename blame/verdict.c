// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict: is B slower, and may causes be named? The benchmark's own number
 * decides the kind; the ledger's total decides whether causes can be named. */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/stats.h"
#include "schedblame/units.h"

const char *blame_kind_name(enum blame_kind kind)
{
	static const char *const name[] = {
		[BLAME_SLOWER] = "slower",
		[BLAME_FASTER] = "faster",
		[BLAME_SAME] = "same",
		[BLAME_CANNOT_TELL] = "cannot_tell",
		[BLAME_NOT_COMPARABLE] = "not_comparable",
	};

	return (size_t)kind < ARRAY_SIZE(name) ? name[kind] : "invalid";
}

static bool in_all(const struct run_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (!run_metric(&set->run[i], name))
			return false;
	return true;
}

/* The first number the workload printed itself, else its wall time, else NULL. */
static const struct metric *primary_metric(const struct blame_input *in)
{
	const struct run *run = &in->a->run[0];
	const struct metric *wall = NULL;

	for (size_t i = 0; i < run->nr_metrics; i++) {
		const struct metric *m = &run->metric[i];

		if (!in_all(in->a, m->name) || !in_all(in->b, m->name) || m->is_work)
			continue;
		if (strcmp(m->name, "wall_time"))
			return m;
		wall = m;
	}
	return wall;
}

static double *values_of(const struct run_set *set, const char *name)
{
	double *v = xcalloc(set->n, sizeof(*v));

	for (size_t i = 0; i < set->n; i++)
		v[i] = run_metric(&set->run[i], name)->value;
	return v;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static char *repeats(const struct blame_input *in)
{
	if (in->a->n == in->b->n)
		return xasprintf("%zu run%s a side", in->a->n, plural(in->a->n));
	return xasprintf("%zu and %zu runs", in->a->n, in->b->n);
}

/* "95 % CI 11.1 to 13.4 %, 5 runs a side", in the direction of the verdict's word. */
static char *interval(const struct blame *blame, const char *n)
{
	char low[32], high[32];
	bool slower = blame->kind == BLAME_SLOWER;

	if (isnan(blame->ci_low))
		return xstrdup(n);
	format_signed(low, sizeof(low), slower ? blame->ci_low : -blame->ci_high, 1);
	format_signed(high, sizeof(high), slower ? blame->ci_high : -blame->ci_low, 1);
	return xasprintf("95 %% CI %s to %s %%, %s", low[0] == '+' ? low + 1 : low,
			 high[0] == '+' ? high + 1 : high, n);
}

static void say_changed(struct blame *blame, const struct blame_input *in,
			const struct metric *m, const struct stats_comparison *c,
			const char *n)
{
	char *ci = interval(blame, n);

	blame->headline = xasprintf(
		"%s is %.1f %% %s than %s: %s %.5g -> %.5g %s (%s).", in->b->label,
		fabs(blame->change), blame->kind == BLAME_SLOWER ? "slower" : "faster",
		in->a->label, m->name, c->a.mean, c->b.mean, m->unit, ci);
	free(ci);
}

static void say_open(struct blame *blame, const struct blame_input *in,
		     const struct metric *m, const struct stats_comparison *c,
		     const char *n)
{
	struct strbuf why = STRBUF_INIT;

	stats_reason(&why, c, c->p, m->higher_is_better, &stats_default_limits);
	blame->headline = xasprintf(
		"%s %s %s %s: %s %.5g -> %.5g %s (%s); %s.",
		blame->kind == BLAME_SAME ? in->a->label : "Cannot tell whether",
		blame->kind == BLAME_SAME ? "and" : in->b->label,
		blame->kind == BLAME_SAME ? in->b->label : "differs from",
		blame->kind == BLAME_SAME ? "do not differ" : in->a->label, m->name,
		c->a.mean, c->b.mean, m->unit, n, why.buf);
	strbuf_release(&why);
}

/* Sets kind and headline from the benchmark's number. */
static void judge_metric(struct blame *blame, const struct blame_input *in,
			 const struct metric *m)
{
	double *a = values_of(in->a, m->name), *b = values_of(in->b, m->name);
	double sign = m->higher_is_better ? -1 : 1, low, high;
	struct stats_comparison c;
	enum verdict verdict;
	char *n = repeats(in);

	stats_compare(&c, a, in->a->n, b, in->b->n, &stats_default_limits);
	verdict = stats_judge(&c, c.p, m->higher_is_better, &stats_default_limits);
	/* of the means printed beside it, as in the benchmark table; + is slower */
	blame->change = c.a.mean ? (c.b.mean / c.a.mean - 1) * 100 : (c.ratio - 1) * 100;
	blame->change *= sign;
	low = (c.low - 1) * 100 * sign;
	high = (c.high - 1) * 100 * sign;
	blame->ci_low = sign > 0 ? low : high;
	blame->ci_high = sign > 0 ? high : low;
	blame->p = c.p;
	blame->kind = verdict == VERDICT_WORSE	       ? BLAME_SLOWER :
		      verdict == VERDICT_BETTER	       ? BLAME_FASTER :
		      verdict == VERDICT_NO_DIFFERENCE ? BLAME_SAME : BLAME_CANNOT_TELL;
	if (blame->kind == BLAME_SLOWER || blame->kind == BLAME_FASTER)
		say_changed(blame, in, m, &c, n);
	else
		say_open(blame, in, m, &c, n);
	free(n);
	free(a);
	free(b);
}

/* Without a metric the total CPU time per run stands in. */
static void judge_total(struct blame *blame, const struct blame_input *in)
{
	char *n = repeats(in);

	blame->change = in->ledger->change;
	blame->ci_low = in->ledger->ci_low;
	blame->ci_high = in->ledger->ci_high;
	blame->p = in->ledger->p;
	blame->kind = !blame->sure ? BLAME_CANNOT_TELL :
		      blame->change > 0 ? BLAME_SLOWER : BLAME_FASTER;
	blame->headline = xasprintf(
		"The workload printed no number that both sides have; CPU time per %s "
		"changed by %+.1f %% (%s).", in->ledger->work_unit, blame->change, n);
	free(n);
}

void verdict_judge(struct blame *blame, const struct blame_input *in,
		   const struct notes *not_comparable)
{
	const struct metric *m = primary_metric(in);
	const struct ledger *l = in->ledger;

	blame->likely = l->p < BLAME_LIKELY_P && fabs(l->change) >= BLAME_SURE_POINTS &&
			stats_smallest_p(l->na, l->nb) <= stats_default_limits.alpha;
	blame->sure = blame->likely && l->p < BLAME_SURE_P;
	if (m)
		judge_metric(blame, in, m);
	else
		judge_total(blame, in);
	if (blame->kind == BLAME_SAME || blame->kind == BLAME_CANNOT_TELL)
		blame->sure = blame->likely = false;
	if (m && blame->likely && (blame->kind == BLAME_SLOWER) != (l->change > 0)) {
		blame->sure = blame->likely = false;
		notes_add(&blame->notes,
			  "%s and the CPU time per %s (%+.1f %%) changed in opposite "
			  "directions, so the ledger does not explain it", m->name,
			  l->work_unit, l->change);
	}
	if (not_comparable && not_comparable->n) {
		char *plain = blame->headline;

		blame->kind = BLAME_NOT_COMPARABLE;
		blame->headline = xasprintf("The two sides are not comparable (see the "
					    "notes); as far as numbers go: %s", plain);
		free(plain);
		notes_merge(&blame->notes, not_comparable);
	}
}

void verdict_needs(struct blame *blame, const struct blame_input *in)
{
	size_t least = in->a->n < in->b->n ? in->a->n : in->b->n;

	if (stats_smallest_p(in->a->n, in->b->n) > stats_default_limits.alpha)
		notes_add(&blame->needs, "at least 4 repeats a side (collect -r 5)");
	else if (blame->kind == BLAME_CANNOT_TELL)
		notes_add(&blame->needs, "more repeats (%zu a side left it open: "
			  "collect -r %zu)", least, least * 2);
	if (!in->ledger->split)
		notes_add(&blame->needs, "a kernel profile of every run (source 'profile', "
			  "as root) to split system time");
}
