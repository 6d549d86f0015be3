// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact tests of two small samples, and the correction over a table. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/stats.h"
#include "stats_private.h"

#define MAX_SPLITS 1e6
#define MAX_EXACT_RANKS 60

__attribute__((constructor)) void stats_quiet_gsl(void)
{
	gsl_set_error_handler_off();
}

static double choose(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 0; i < k; i++)
		c = c * (double)(n - i) / (double)(i + 1);
	return c;
}

double stats_smallest_p(size_t na, size_t nb)
{
	if (!na || !nb)
		return 1;
	return fmin(1, 2 / choose(na + nb, na));
}

/*
 * Walks every way to put na of the n values on side A (the next combination in
 * lexicographic order) and counts those whose sum lies at least as far from
 * the expected one as the observed sum. Equal sums must count despite
 * rounding, hence the slack. Sums of the first picks are kept: the next
 * combination mostly changes the last one or two.
 */
struct splits {
	const double *v;
	size_t n, na;
	size_t *pick;
	double *sum; /* [i]: of the first i picks */
};

/* Puts consecutive values from pick[from] on, and their sums. */
static void splits_fill(struct splits *s, size_t from)
{
	for (size_t i = from; i < s->na; i++) {
		if (i > from)
			s->pick[i] = s->pick[i - 1] + 1;
		s->sum[i + 1] = s->sum[i] + s->v[s->pick[i]];
	}
}

static bool splits_next(struct splits *s)
{
	size_t i = s->na;

	while (i > 0 && s->pick[i - 1] == s->n - s->na + i - 1)
		i--;
	if (!i)
		return false;
	s->pick[i - 1]++;
	splits_fill(s, i - 1);
	return true;
}

double stats_permutation_p(const double *a, size_t na, const double *b, size_t nb)
{
	struct splits s = { .n = na + nb, .na = na };
	double *v, total = 0, distance, slack, hits = 0, splits = 0;

	if (!na || !nb || !(choose(s.n, na) <= MAX_SPLITS))
		return NAN;
	s.v = v = xmalloc(s.n * sizeof(*v));
	s.pick = xcalloc(na, sizeof(*s.pick));
	s.sum = xcalloc(na + 1, sizeof(*s.sum));
	memcpy(v, a, na * sizeof(*v));
	memcpy(v + na, b, nb * sizeof(*v));
	for (size_t i = 0; i < s.n; i++)
		total += v[i];
	splits_fill(&s, 0); /* the observed one comes first */
	total *= (double)na / (double)s.n; /* expected sum of side A */
	slack = 1e-9 * (fabs(s.sum[na]) + fabs(total));
	distance = fabs(s.sum[na] - total) - slack;
	do {
		hits += fabs(s.sum[na] - total) >= distance;
		splits++;
		/* with equal sides the second half mirrors the first */
	} while (splits_next(&s) && !(na == nb && s.pick[0] > 0));
	free(s.sum);
	free(s.pick);
	free(v);
	return hits / splits;
}

struct ranked {
	double v;
	bool in_a;
};

static int compare_ranked(const void *x, const void *y)
{
	double a = ((const struct ranked *)x)->v, b = ((const struct ranked *)y)->v;

	return (a > b) - (a < b);
}

/* Rank sum of A with mid-ranks; *ties gets the sum of t^3 - t. */
static double rank_sum(const double *a, size_t na, const double *b, size_t nb,
		       double *ties)
{
	size_t n = na + nb, i, j;
	struct ranked *r = xmalloc(n * sizeof(*r));
	double sum = 0;

	*ties = 0;
	for (i = 0; i < n; i++)
		r[i] = (struct ranked){ i < na ? a[i] : b[i - na], i < na };
	qsort(r, n, sizeof(*r), compare_ranked);
	for (i = 0; i < n; i = j) {
		double t;

		for (j = i; j < n && r[j].v == r[i].v; j++)
			;
		t = (double)(j - i);
		*ties += t * t * t - t;
		for (size_t k = i; k < j; k++)
			if (r[k].in_a)
				sum += ((double)(i + j) + 1) / 2;
	}
	free(r);
	return sum;
}

/*
 * P(U <= u) without ties. ways[k][s]: subsets of the first ranks with k members
 * and U statistic s, built rank by rank (the usual recurrence).
 */
static double mann_whitney_cdf(size_t na, size_t nb, double u)
{
	size_t top = na * nb, width = top + 1;
	double *ways = xcalloc((na + 1) * width, sizeof(*ways)), below = 0;

	ways[0] = 1;
	for (size_t rank = 0; rank < na + nb; rank++)
		for (size_t k = rank < na ? rank + 1 : na; k >= 1; k--)
			/* as the k-th member, it beats rank - (k - 1) of B */
			for (size_t s = top + 1; s-- > rank - (k - 1);)
				ways[k * width + s] +=
					ways[(k - 1) * width + s - (rank - (k - 1))];
	for (size_t s = 0; s <= top && (double)s <= u; s++)
		below += ways[na * width + s];
	free(ways);
	return below / choose(na + nb, na);
}

double stats_mann_whitney_p(const double *a, size_t na, const double *b, size_t nb)
{
	double n = (double)(na + nb), ties, u, mid, sigma;

	if (!na || !nb)
		return NAN;
	u = rank_sum(a, na, b, nb, &ties) - (double)na * ((double)na + 1) / 2;
	mid = (double)na * (double)nb / 2;
	if (ties == 0 && na + nb <= MAX_EXACT_RANKS)
		return fmin(1, 2 * mann_whitney_cdf(na, nb, fmin(u, 2 * mid - u)));
	sigma = sqrt((double)na * (double)nb / 12 * (n + 1 - ties / (n * (n - 1))));
	if (!(sigma > 0))
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(0, fabs(u - mid) - 0.5) / sigma));
}

struct indexed {
	double p;
	size_t i;
};

static int compare_indexed(const void *x, const void *y)
{
	double a = ((const struct indexed *)x)->p, b = ((const struct indexed *)y)->p;

	return (a > b) - (a < b);
}

void stats_bh(const double *p, double *q, size_t n)
{
	struct indexed *order = xmalloc((n ? n : 1) * sizeof(*order));
	size_t m = 0;
	double lowest = 1;

	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]))
			q[i] = NAN;
		else
			order[m++] = (struct indexed){ p[i], i };
	}
	qsort(order, m, sizeof(*order), compare_indexed);
	for (size_t k = m; k-- > 0;) {
		lowest = fmin(lowest, order[k].p * (double)m / (double)(k + 1));
		q[order[k].i] = lowest;
	}
	free(order);
}
