// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do two groups of over-dispersed counts differ? For every row of a table.
 *
 * Model: K_ij of row i in repeat j has mean r_ig E_j (g: the side, E: exposure)
 * and variance s2_i (mu + a_i mu^2). The negative binomial's a says how much
 * rates vary between runs; single rows have too few repeats to tell, so a comes
 * from rows of like size (a moving trimmed mean of moment estimates). What a row
 * deviates from that is s2_i, from Pearson's residuals with d = na + nb - 2
 * degrees of freedom, drawn towards what is usual in the table: the prior
 * (s0^2, d0) is fitted to the spread of log s2 (empirical Bayes as in limma),
 * and s2 is never taken below 1, since nobody samples more evenly than Poisson.
 * Test: deviance of one rate against two, over s2, is F(1, d0 + d).
 */
#include "counts.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "stats_private.h"

#define WINDOW 60	/* neighbours in size that share a dispersion */
#define TRIM 0.1
#define DF_MAX 1e6

struct fit {
	double size;	/* mean count, the order of the windows */
	double moment;	/* raw estimate of the dispersion */
	double alpha;	/* shared */
	double s2;	/* residual variance over the model's */
	size_t row;
};

/* Rate of k[from, to): solves sum (K - rE) / (1 + a r E) = 0. */
static double rate(const struct count_table *t, const double *k, size_t from, size_t to,
		   double alpha)
{
	double r = 0;

	for (int step = 0; step < 12; step++) {
		double top = 0, bottom = 0, before = r;

		for (size_t j = from; j < to; j++) {
			double w = 1 / (1 + alpha * r * t->exposure[j]);

			top += k[j] * w;
			bottom += t->exposure[j] * w;
		}
		r = top / bottom;
		if (fabs(r - before) <= 1e-12 * r)
			break;
	}
	return r;
}

/* Moment estimate: what the squares have too much, over mu^2. */
static void moment_of(const struct count_table *t, const double *k, struct fit *f)
{
	size_t n = t->na + t->nb;
	double extra = 0, square = 0;

	f->size = 0;
	for (int side = 0; side < 2; side++) {
		size_t from = side ? t->na : 0, to = side ? n : t->na;
		double r = rate(t, k, from, to, 0), m = (double)(to - from);

		for (size_t j = from; j < to; j++) {
			double mu = r * t->exposure[j];

			extra += (k[j] - mu) * (k[j] - mu) * m / (m - 1) - mu;
			square += mu * mu;
			f->size += k[j] / (double)n;
		}
	}
	f->moment = square > 0 ? extra / square : 0;
}

static int by_size(const void *a, const void *b)
{
	const struct fit *x = a, *y = b;

	return x->size != y->size ? (x->size > y->size) - (x->size < y->size) :
				    (x->row > y->row) - (x->row < y->row);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double trimmed_mean(double *v, size_t n)
{
	size_t cut = (size_t)(TRIM * (double)n);
	double sum = 0;

	qsort(v, n, sizeof(*v), compare_doubles);
	for (size_t i = cut; i < n - cut; i++)
		sum += v[i];
	return sum / (double)(n - 2 * cut);
}

static void share_dispersion(struct fit *f, size_t n)
{
	double v[WINDOW];

	qsort(f, n, sizeof(*f), by_size);
	for (size_t i = 0; i < n; i++) {
		size_t m = n < WINDOW ? n : WINDOW;
		size_t from = i < m / 2 ? 0 : i - m / 2;

		if (from + m > n)
			from = n - m;
		for (size_t j = 0; j < m; j++)
			v[j] = f[from + j].moment;
		f[i].alpha = fmax(0, trimmed_mean(v, m));
	}
}

/* Pearson's statistic over its degrees of freedom. */
static double residual_variance(const struct count_table *t, const double *k, double alpha)
{
	size_t n = t->na + t->nb;
	double ra = rate(t, k, 0, t->na, alpha), rb = rate(t, k, t->na, n, alpha), sum = 0;

	for (size_t j = 0; j < n; j++) {
		double mu = (j < t->na ? ra : rb) * t->exposure[j];

		if (mu > 0)
			sum += (k[j] - mu) * (k[j] - mu) / (mu + alpha * mu * mu);
	}
	return sum / (double)(n - 2);
}

/* x with trigamma(x) = y, by Newton on 1/trigamma (nearly linear). */
static double trigamma_inverse(double y)
{
	double x = 0.5 + 1 / y;

	if (y > 1e7)
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y;
	for (int i = 0; i < 50; i++) {
		double tri = gsl_sf_psi_1(x);
		double step = tri * (1 - tri / y) / gsl_sf_psi_n(2, x);

		x += step;
		if (-step / x < 1e-8)
			break;
	}
	return x;
}

struct prior {
	double s2, df; /* df 0: no prior, DF_MAX: the prior is all */
};

/* Scaled F fitted by the first two moments of log s2, its tails pulled in. */
static struct prior fit_prior(const struct fit *f, size_t n, double d)
{
	double *e, mean = 0, var = 0, low, high, extra;
	struct prior prior = { 1, 0 };

	if (n < 10)
		return prior;
	e = xmalloc(n * sizeof(*e));
	for (size_t i = 0; i < n; i++)
		e[i] = log(fmax(f[i].s2, 1e-3)) - gsl_sf_psi(d / 2) + log(d / 2);
	qsort(e, n, sizeof(*e), compare_doubles);
	low = e[n / 20];
	high = e[n - 1 - n / 20];
	for (size_t i = 0; i < n; i++) {
		e[i] = fmin(fmax(e[i], low), high);
		mean += e[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		var += (e[i] - mean) * (e[i] - mean) / (double)(n - 1);
	free(e);
	extra = var - gsl_sf_psi_1(d / 2);
	if (extra > 1e-3) {
		prior.df = fmin(DF_MAX, 2 * trigamma_inverse(extra));
		prior.s2 = exp(mean + gsl_sf_psi(prior.df / 2) - log(prior.df / 2));
	} else {
		prior.df = DF_MAX;
		prior.s2 = exp(mean);
	}
	return prior;
}

/* Twice the log likelihood of k for mean mu, without what mu does not touch. */
static double likelihood(double k, double mu, double alpha)
{
	if (!(mu > 0))
		return 0; /* then k is 0 too */
	if (alpha < 1e-10)
		return 2 * ((k > 0 ? k * log(mu) : 0) - mu);
	return 2 * ((k > 0 ? k * log(mu) : 0) - (k + 1 / alpha) * log1p(alpha * mu));
}

static double deviance(const struct count_table *t, const double *k, double alpha)
{
	size_t n = t->na + t->nb;
	double ra = rate(t, k, 0, t->na, alpha), rb = rate(t, k, t->na, n, alpha);
	double r0 = rate(t, k, 0, n, alpha), sum = 0;

	for (size_t j = 0; j < n; j++) {
		double e = t->exposure[j];

		sum += likelihood(k[j], (j < t->na ? ra : rb) * e, alpha) -
		       likelihood(k[j], r0 * e, alpha);
	}
	return fmax(0, sum);
}

/* 1 / variance of the log rate of one side; half a count where there is none. */
static double information(const struct count_table *t, const double *k, size_t from,
			  size_t to, double alpha, double *r)
{
	double sum = 0, exposure = 0;

	*r = rate(t, k, from, to, alpha);
	for (size_t j = from; j < to; j++)
		exposure += t->exposure[j];
	if (!(*r > 0))
		*r = 0.5 / exposure;
	for (size_t j = from; j < to; j++) {
		double mu = *r * t->exposure[j];

		sum += mu / (1 + alpha * mu);
	}
	return sum;
}

static void test_row(const struct count_table *t, const struct fit *f,
		     const struct prior *prior)
{
	struct count_row *row = &t->row[f->row];
	size_t n = t->na + t->nb;
	double d = (double)(n - 2), df = fmin(DF_MAX, prior->df + d), ra, rb, half;
	double s2 = fmax(1, (prior->df * prior->s2 + d * f->s2) / (prior->df + d));
	double ia = information(t, row->k, 0, t->na, f->alpha, &ra);
	double ib = information(t, row->k, t->na, n, f->alpha, &rb);
	double za = rate(t, row->k, 0, t->na, f->alpha);
	double zb = rate(t, row->k, t->na, n, f->alpha);

	row->p = 2 * gsl_cdf_tdist_Q(sqrt(deviance(t, row->k, f->alpha) / s2), df);
	half = gsl_cdf_tdist_Pinv(0.5 + t->level / 2, df) * sqrt(s2 * (1 / ia + 1 / ib));
	row->ratio = za > 0 ? zb / za : INFINITY;
	row->low = zb > 0 ? rb / ra * exp(-half) : 0;
	row->high = za > 0 ? rb / ra * exp(half) : INFINITY;
}

void counts_test(struct count_table *t)
{
	double d = (double)(t->na + t->nb - 2);
	struct fit *f = xcalloc(t->n ? t->n : 1, sizeof(*f));
	struct prior prior;

	t->dispersion = NAN;
	t->prior_df = 0;
	for (size_t i = 0; i < t->n; i++) {
		f[i].row = i;
		moment_of(t, t->row[i].k, &f[i]);
	}
	if (t->n) {
		share_dispersion(f, t->n);
		t->dispersion = f[t->n / 2].alpha;
	}
	for (size_t i = 0; i < t->n; i++)
		f[i].s2 = residual_variance(t, t->row[f[i].row].k, f[i].alpha);
	prior = fit_prior(f, t->n, d);
	t->prior_df = prior.df;
	for (size_t i = 0; i < t->n; i++)
		test_row(t, &f[i], &prior);
	free(f);
}
