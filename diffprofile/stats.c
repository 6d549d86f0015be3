// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Summaries, the comparison of a metric over repeats, and its verdict. The
 * tests of ranks and permutations are in stats_exact.c, of counts in
 * stats_counts.c.
 */
#include "schedblame/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "stats_private.h"

const struct stats_limits stats_default_limits = {
	.alpha = 0.05, .min_effect = 0.01, .level = 0.95,
};

const char *const verdict_name[NR_VERDICTS] = {
	"cannot tell", "no difference", "better", "worse",
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(const double *v, size_t n)
{
	double *copy, median;

	if (!n)
		return NAN;
	copy = xmalloc(n * sizeof(*copy));
	memcpy(copy, v, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	median = (copy[(n - 1) / 2] + copy[n / 2]) / 2;
	free(copy);
	return median;
}

/* Mean and sum of squared deviations in two passes: no cancellation. */
static double mean_and_squares(const double *v, size_t n, double *squares)
{
	double mean = 0;

	*squares = 0;
	for (size_t i = 0; i < n; i++)
		mean += v[i];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		*squares += (v[i] - mean) * (v[i] - mean);
	return mean;
}

void stats_summarise(struct stats_summary *s, const double *v, size_t n, double level)
{
	double squares, half;

	*s = (struct stats_summary){ n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	if (!n)
		return;
	s->mean = mean_and_squares(v, n, &squares);
	s->median = stats_median(v, n);
	s->min = s->max = v[0];
	for (size_t i = 1; i < n; i++) {
		s->min = fmin(s->min, v[i]);
		s->max = fmax(s->max, v[i]);
	}
	s->std0 = sqrt(squares / (double)n);
	if (n < 2)
		return;
	s->std1 = sqrt(squares / (double)(n - 1));
	half = gsl_cdf_tdist_Pinv(0.5 + level / 2, (double)(n - 1)) * s->std1 /
	       sqrt((double)n);
	s->ci_low = s->mean - half;
	s->ci_high = s->mean + half;
}

static bool all_positive(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(v[i] > 0) || isinf(v[i]))
			return false;
	return n > 0;
}

double stats_geomean(const double *v, size_t n)
{
	double sum = 0;

	if (!all_positive(v, n))
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += log(v[i]);
	return exp(sum / (double)n);
}

double stats_harmean(const double *v, size_t n)
{
	double sum = 0;

	if (!all_positive(v, n))
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += 1 / v[i];
	return (double)n / sum;
}

/* Welch's t: difference of means, its standard error, Satterthwaite's df. */
struct welch {
	double diff, error, df;
};

static bool welch(struct welch *w, const double *a, size_t na, const double *b,
		  size_t nb)
{
	double qa, qb, ma, mb, va, vb;

	if (na < 2 || nb < 2)
		return false;
	ma = mean_and_squares(a, na, &qa);
	mb = mean_and_squares(b, nb, &qb);
	va = qa / (double)(na - 1) / (double)na;
	vb = qb / (double)(nb - 1) / (double)nb;
	w->diff = mb - ma;
	w->error = sqrt(va + vb);
	w->df = (va + vb) * (va + vb) /
		(va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
	return w->error > 0 && isfinite(w->df);
}

double stats_welch_p(const double *a, size_t na, const double *b, size_t nb)
{
	struct welch w;

	if (!welch(&w, a, na, b, nb))
		return NAN;
	return 2 * gsl_cdf_tdist_Q(fabs(w.diff) / w.error, w.df);
}

/* CI of the ratio: exp() of the difference of logs, or, with values that have
 * no logarithm, the difference of means over the mean of A. */
static void ratio_of(struct stats_comparison *c, const double *a, size_t na,
		     const double *b, size_t nb, double level)
{
	double base = c->a.mean, half;
	struct welch w;

	if (c->on_logs) {
		double qa, qb;

		c->ratio = exp(mean_and_squares(b, nb, &qb) -
			       mean_and_squares(a, na, &qa));
	} else {
		c->ratio = base != 0 ? c->b.mean / base : NAN;
	}
	if (!welch(&w, a, na, b, nb)) {
		if (na > 1 && nb > 1) /* no spread at all: the ratio is exact */
			c->low = c->high = c->ratio;
		return;
	}
	half = gsl_cdf_tdist_Pinv(0.5 + level / 2, w.df) * w.error;
	if (c->on_logs) {
		c->low = exp(w.diff - half);
		c->high = exp(w.diff + half);
	} else if (base != 0) {
		double x = 1 + (w.diff - half) / base, y = 1 + (w.diff + half) / base;

		c->low = fmin(x, y);
		c->high = fmax(x, y);
	}
}

static double *logs(const double *v, size_t n)
{
	double *copy = xmalloc((n ? n : 1) * sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = log(v[i]);
	return copy;
}

void stats_compare(struct stats_comparison *c, const double *a, size_t na,
		   const double *b, size_t nb, const struct stats_limits *limits)
{
	double *la = NULL, *lb = NULL;

	stats_summarise(&c->a, a, na, limits->level);
	stats_summarise(&c->b, b, nb, limits->level);
	c->ratio = c->low = c->high = c->p = c->welch_p = NAN;
	c->smallest_p = stats_smallest_p(na, nb);
	c->on_logs = all_positive(a, na) && all_positive(b, nb);
	if (!na || !nb)
		return;
	if (c->on_logs) {
		a = la = logs(a, na);
		b = lb = logs(b, nb);
	}
	ratio_of(c, a, na, b, nb, limits->level);
	c->welch_p = stats_welch_p(a, na, b, nb);
	c->p = stats_permutation_p(a, na, b, nb);
	if (isnan(c->p))
		c->p = stats_mann_whitney_p(a, na, b, nb);
	free(la);
	free(lb);
}

enum verdict stats_verdict(double q, double ratio, double low, double high,
			   bool higher_is_better, const struct stats_limits *limits)
{
	double effect = ratio - 1;
	bool counts = fabs(effect) >= limits->min_effect;

	if (isnan(q) || isnan(ratio))
		return VERDICT_CANNOT_TELL;
	/* the test and the interval are different methods: sure only where both are */
	if (low <= 1 && high >= 1 && counts)
		return VERDICT_CANNOT_TELL;
	if (q <= limits->alpha && counts)
		return (effect > 0) == higher_is_better ? VERDICT_BETTER : VERDICT_WORSE;
	if (fabs(low - 1) <= limits->min_effect && fabs(high - 1) <= limits->min_effect)
		return VERDICT_NO_DIFFERENCE;
	return VERDICT_CANNOT_TELL;
}

enum verdict stats_judge(const struct stats_comparison *c, double q,
			 bool higher_is_better, const struct stats_limits *limits)
{
	if (c->smallest_p > limits->alpha)
		return VERDICT_CANNOT_TELL;
	return stats_verdict(q, c->ratio, c->low, c->high, higher_is_better, limits);
}

static void too_few(struct strbuf *sb, const struct stats_comparison *c)
{
	if (c->a.n == c->b.n)
		strbuf_addf(sb, "n=%zu a side", c->a.n);
	else
		strbuf_addf(sb, "n=%zu against %zu", c->a.n, c->b.n);
	strbuf_addf(sb, " can reach p=%.2f at best", c->smallest_p);
}

void stats_change_words(struct strbuf *sb, double ratio, bool higher_is_better)
{
	double percent = (ratio - 1) * 100;

	strbuf_addf(sb, "%.1f %%", fabs(percent));
	if (fabs(percent) >= 0.05)
		strbuf_addstr(sb, (percent > 0) == higher_is_better ? " better" : " worse");
}

static void below_minimum(struct strbuf *sb, const struct stats_comparison *c,
			  bool higher_is_better, const struct stats_limits *limits)
{
	strbuf_addstr(sb, "a change of ");
	stats_change_words(sb, c->ratio, higher_is_better);
	strbuf_addf(sb, " is below the minimum of %g %%", limits->min_effect * 100);
}

static void lies_between(struct strbuf *sb, const struct stats_comparison *c,
			 bool higher_is_better)
{
	strbuf_addstr(sb, "the change lies between ");
	stats_change_words(sb, higher_is_better ? c->low : c->high, higher_is_better);
	strbuf_addstr(sb, " and ");
	stats_change_words(sb, higher_is_better ? c->high : c->low, higher_is_better);
}

void stats_reason(struct strbuf *sb, const struct stats_comparison *c, double q,
		  bool higher_is_better, const struct stats_limits *limits)
{
	enum verdict v = stats_judge(c, q, higher_is_better, limits);

	if (v == VERDICT_BETTER || v == VERDICT_WORSE)
		return;
	if (!c->a.n || !c->b.n)
		strbuf_addstr(sb, "one side has no values");
	else if (c->smallest_p > limits->alpha)
		too_few(sb, c);
	else if (isnan(c->ratio))
		strbuf_addstr(sb, "the base is zero");
	else if (v == VERDICT_NO_DIFFERENCE && q <= limits->alpha)
		below_minimum(sb, c, higher_is_better, limits);
	else if (isnan(c->low))
		strbuf_addf(sb, "p=%.2f", c->p);
	else
		lies_between(sb, c, higher_is_better);
}
