// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two counts without repeats: given their sum n, the count of B is binomial
 * with chance eb / (ea + eb) when the rates are equal. Exact, and blind to
 * whatever varies between runs: "sampling noise only".
 */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "schedblame/stats.h"
#include "stats_private.h"

/*
 * Beyond this sum the beta distribution is left for the normal one, whose error
 * is then far below what is printed; GSL's continued fraction gives up near 1e6.
 */
#define EXACT_MAX 20000

/* x with P(beta(a, b) <= x) = chance, by bisection: GSL's inverse can loop. */
static double beta_inverse(double chance, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (gsl_cdf_beta_P(mid, a, b) < chance)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

/* Clopper-Pearson bounds of the share k of n. */
static void share_bounds(double k, double n, double level, double *low, double *high)
{
	double tail = (1 - level) / 2;

	*low = k > 0 ? beta_inverse(tail, k, n - k + 1) : 0;
	*high = k < n ? beta_inverse(1 - tail, k + 1, n - k) : 1;
}

/* Twice the smaller of P(X <= k) and P(X >= k), by the same distribution. */
static double two_sided(double k, double n, double chance)
{
	double below = k < n ? gsl_cdf_beta_Q(chance, k + 1, n - k) : 1;
	double above = k > 0 ? gsl_cdf_beta_P(chance, k, n - k + 1) : 1;

	return fmin(1, 2 * fmin(below, above));
}

/* The logarithm of the ratio is normal with variance 1/a + 1/b; a zero counts
 * as a half there. p by the binomial's own mean and variance. */
static void by_normal(struct stats_rate *r, double a, double b, double ea, double eb,
		      double level)
{
	double n = a + b, chance = eb / (ea + eb);
	double half = gsl_cdf_ugaussian_Pinv(0.5 + level / 2) *
		      sqrt(1 / fmax(a, 0.5) + 1 / fmax(b, 0.5));
	double middle = log(fmax(b, 0.5) / eb / (fmax(a, 0.5) / ea));
	double z = (fabs(b - n * chance) - 0.5) / sqrt(n * chance * (1 - chance));

	r->low = b > 0 ? exp(middle - half) : 0;
	r->high = a > 0 ? exp(middle + half) : INFINITY;
	r->p = z > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q(z)) : 1;
}

void stats_rate_ratio(struct stats_rate *r, uint64_t ka, double ea, uint64_t kb,
		      double eb, double level)
{
	double a = (double)ka, b = (double)kb, low, high;

	*r = (struct stats_rate){ NAN, 0, INFINITY, NAN };
	if (!(ea > 0) || !(eb > 0) || ka + kb == 0)
		return;
	r->ratio = ka ? b / eb / (a / ea) : INFINITY;
	if (a + b > EXACT_MAX) {
		by_normal(r, a, b, ea, eb, level);
		return;
	}
	r->p = two_sided(b, a + b, eb / (ea + eb));
	share_bounds(b, a + b, level, &low, &high);
	r->low = low / (1 - low) * ea / eb;
	r->high = high < 1 ? high / (1 - high) * ea / eb : INFINITY;
}
