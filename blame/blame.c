// SPDX-License-Identifier: GPL-2.0-or-later
/* From the ledger's rows to named causes; the rules are in blame.h. */
#include "schedblame/blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/stats.h"
#include "verdict.h"

#define LEVEL 0.95

/* What each ledger row has left to be explained, in points. */
struct claims {
	const struct ledger *ledger;
	double *left;
	double sign; /* of the change of the total */
};

static bool explains_row(const struct mechanism *m, const struct ledger_row *row)
{
	for (const char *const *name = m->rows; *name; name++)
		if (ledger_row_is(row, *name))
			return true;
	return false;
}

/* Points of the change's sign that the mechanism's rows have left. */
static double available(const struct claims *c, const struct mechanism *m)
{
	double sum = 0;

	for (size_t r = 0; r < c->ledger->n; r++)
		if (explains_row(m, &c->ledger->row[r]) && c->left[r] * c->sign > 0)
			sum += c->left[r];
	return sum;
}

/* Takes points out of the rows, each in proportion to what it has left. */
static void take(struct claims *c, const struct mechanism *m, double points)
{
	double all = available(c, m);

	if (all == 0)
		return;
	for (size_t r = 0; r < c->ledger->n; r++)
		if (explains_row(m, &c->ledger->row[r]) && c->left[r] * c->sign > 0)
			c->left[r] -= points * c->left[r] / all;
}

/* Cost of a side by run, in points of side A's total. */
static double *costs(const struct blame_input *in, const struct mechanism *m,
		     const struct run_set *set, bool b)
{
	double *v = xcalloc(set->n, sizeof(*v));
	const struct ledger *l = in->ledger;

	for (size_t i = 0; i < set->n; i++) {
		if (m->cost) {
			double ns = m->cost(in, &set->run[i]);

			v[i] = ns / (set->run[i].work > 0 ? set->run[i].work : 1);
		} else {
			for (size_t r = 0; r < l->n; r++)
				if (explains_row(m, &l->row[r]))
					v[i] += b ? l->row[r].b[i] : l->row[r].a[i];
		}
		v[i] *= 100 / l->mean_a;
	}
	return v;
}

static void estimate(const struct blame_input *in, struct cause *cause)
{
	double *a = costs(in, cause->mechanism, in->a, false);
	double *b = costs(in, cause->mechanism, in->b, true);
	struct stats_difference d;

	stats_difference(&d, a, in->a->n, b, in->b->n, LEVEL);
	cause->estimate = d.diff;
	cause->ci_low = d.low;
	cause->ci_high = d.high;
	cause->p = d.p;
	free(a);
	free(b);
}

static void add_causes(struct blame *blame, const struct blame_input *in)
{
	for (size_t i = 0; mechanisms[i]; i++) {
		const char *why = NULL;
		struct cause *cause;

		bool measured = mechanisms[i]->measured(in, &why);

		if (why)
			notes_add(&blame->needs, "%s", why); /* once, if several miss it */
		if (!measured)
			continue;
		blame->cause = xrealloc(blame->cause, blame->n + 1,
					sizeof(*blame->cause));
		cause = &blame->cause[blame->n++];
		memset(cause, 0, sizeof(*cause));
		cause->mechanism = mechanisms[i];
		cause->assumed = mechanisms[i]->assumed && mechanisms[i]->assumed(in);
		cause->priced = !mechanisms[i]->witness && !cause->assumed;
		estimate(in, cause);
	}
}

static void correct(struct blame *blame)
{
	double *p = xcalloc(blame->n, sizeof(*p));

	for (size_t i = 0; i < blame->n; i++)
		p[i] = blame->cause[i].p;
	stats_bh(p, p, blame->n);
	for (size_t i = 0; i < blame->n; i++)
		blame->cause[i].q = p[i];
	free(p);
}

/* Only a change that is sure takes from the rows, or noise would starve the
 * mechanisms behind it. */
static void claim(struct blame *blame, struct claims *c)
{
	for (size_t i = 0; i < blame->n; i++) {
		struct cause *cause = &blame->cause[i];
		double all = available(c, cause->mechanism);
		double want = cause->mechanism->cost && !cause->mechanism->witness ?
				      cause->estimate : all;

		if (cause->assumed || cause->estimate * c->sign <= 0 ||
		    !(cause->q < BLAME_MAX_Q))
			continue;
		cause->points = fabs(want) < fabs(all) ? want : all;
		take(c, cause->mechanism, cause->points);
	}
}

static bool is_idle(const struct ledger_row *row)
{
	return !strcmp(row->name, "idle") || !strcmp(row->name, "iowait");
}

/* How much of what no mechanism claimed of idle time grew no more than what is not
 * idle did. */
static void follow(struct blame *blame, const struct claims *c)
{
	const struct ledger *l = c->ledger;
	double left = 0, a = 0, b = 0, busy = 0, most;

	for (size_t r = 0; r < l->n; r++) {
		if (!is_idle(&l->row[r])) {
			busy += l->row[r].points;
			continue;
		}
		left += c->left[r];
		a += l->row[r].mean_a;
		b += l->row[r].mean_b;
	}
	blame->idle_a = l->mean_a > 0 ? a / l->mean_a : 0;
	blame->idle_b = l->mean_b > 0 ? b / l->mean_b : 0;
	if (!blame->likely || left * c->sign <= 0 || busy * c->sign <= 0 || blame->idle_a >= 1)
		return;
	most = busy * blame->idle_a / (1 - blame->idle_a);
	blame->follows = fabs(left) < fabs(most) ? left : most;
}

static size_t table_order(const struct mechanism *m)
{
	size_t i = 0;

	while (mechanisms[i] && mechanisms[i] != m)
		i++;
	return i;
}

static int by_points(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	if (x->named != y->named)
		return x->named ? -1 : 1;
	if (fabs(x->points) != fabs(y->points))
		return fabs(x->points) > fabs(y->points) ? -1 : 1;
	/* equal claims keep the order of the table */
	size_t i = table_order(x->mechanism), j = table_order(y->mechanism);

	return i < j ? -1 : i > j;
}

/* Names the largest that carry enough; all others stay in the list, unnamed. */
static void name_causes(struct blame *blame, const struct blame_input *in)
{
	double change = in->ledger->change - blame->follows;

	for (size_t i = 0; i < blame->n; i++) {
		struct cause *cause = &blame->cause[i];

		cause->share = change != 0 ? cause->points / change : NAN;
		cause->named = (blame->sure || (blame->likely && cause->q < BLAME_BEYOND_DOUBT_Q)) &&
			       cause->share >= BLAME_MIN_SHARE &&
			       fabs(cause->points) >= BLAME_MIN_PART * fabs(in->ledger->change);
	}
	if (blame->n)
		qsort(blame->cause, blame->n, sizeof(*blame->cause), by_points);
	blame->unexplained = change; /* without what follows */
	for (size_t i = 0; i < blame->n; i++) {
		struct cause *cause = &blame->cause[i];

		if (i >= BLAME_MAX_CAUSES)
			cause->named = false;
		if (!cause->named)
			continue;
		blame->nr_named++;
		blame->unexplained -= cause->points;
	}
}

static void explain(struct blame *blame, const struct blame_input *in)
{
	for (size_t i = 0; i < blame->n; i++) {
		struct cause *cause = &blame->cause[i];

		if (cause->points != 0 && cause->mechanism->explain)
			cause->mechanism->explain(in, cause);
	}
}


static void tell_rest(struct blame *blame, const struct ledger *l)
{
	const struct ledger_row *lost = ledger_find(l, "unaccounted");
	double points = lost ? lost->points : 0;

	if (fabs(blame->follows) >= BLAME_LEAST_POINTS)
		notes_add(&blame->rest, "%+.1f points follow from the rest: CPUs that idle anyway "
			  "(%.0f %% of the time, now %.0f %%) do so for %s.", blame->follows,
			  blame->idle_a * 100, blame->idle_b * 100,
			  blame->follows > 0 ? "longer" : "less long");
	if (blame->unexplained * l->change < 0 && fabs(blame->unexplained) >= BLAME_LEAST_POINTS)
		notes_add(&blame->rest, "%+.1f points went the other way: rows of \"Where the "
			  "CPU time went\".", blame->unexplained);
	else if (points * blame->unexplained > 0 && fabs(points) >= BLAME_LEAST_POINTS)
		notes_add(&blame->rest, "%+.1f points are unexplained; %+.1f points of the whole "
			  "are in no mode of /proc/stat.", blame->unexplained, points);
	else
		notes_add(&blame->rest, "%+.1f points are unexplained.", blame->unexplained);
}

int blame_make(struct blame *blame, const struct blame_input *in,
	       const struct notes *not_comparable, struct err *err)
{
	struct claims c = { in->ledger, NULL, in->ledger->change < 0 ? -1 : 1 };

	(void)err;
	memset(blame, 0, sizeof(*blame));
	verdict_judge(blame, in, not_comparable);
	c.left = xcalloc(in->ledger->n, sizeof(*c.left));
	for (size_t r = 0; r < in->ledger->n; r++)
		c.left[r] = in->ledger->row[r].points;
	add_causes(blame, in);
	correct(blame);
	claim(blame, &c);
	follow(blame, &c);
	name_causes(blame, in);
	explain(blame, in);
	tell_rest(blame, in->ledger);
	verdict_needs(blame, in);
	free(c.left);
	return 0;
}

void blame_release(struct blame *blame)
{
	for (size_t i = 0; i < blame->n; i++) {
		free(blame->cause[i].headline);
		free(blame->cause[i].look);
		free(blame->cause[i].next);
		notes_release(&blame->cause[i].evidence);
	}
	free(blame->cause);
	free(blame->headline);
	notes_release(&blame->needs);
	notes_release(&blame->rest);
	notes_release(&blame->notes);
	memset(blame, 0, sizeof(*blame));
}
