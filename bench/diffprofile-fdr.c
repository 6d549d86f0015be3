// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * False discoveries and power of the profile diff, by simulation: profiles of
 * SYMBOLS functions whose sizes follow Zipf's law, gamma-distributed rates between
 * runs, Poisson samples. Prints rows of docs/diffprofile.md.
 *	diffprofile-fdr [TRIALS]
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedblame/alloc.h"
#include "schedblame/profdiff.h"

#define SYMBOLS 400
#define PLANTED 20 /* each of them grows; equally many shrink */
#define RUNS_MAX 10

struct setting {
	size_t runs;
	double samples; /* per run */
	double cv;	/* of a symbol's rate between runs */
};

struct outcome {
	size_t trials, with_false; /* A/A: trials in which anything was named */
	double found, planted;	   /* planted symbols of >= 100 samples a side */
	double fdp;		   /* false / named, summed over trials */
};

static gsl_rng *rng;

static double rate_of(int symbol)
{
	static double sum;

	if (sum == 0)
		for (int i = 0; i < SYMBOLS; i++)
			sum += 1.0 / (i + 3);
	return 1.0 / (symbol + 3) / sum;
}

/* Every tenth symbol from the fifth on is planted, up and down in turn. */
static double effect_of(int symbol, double effect)
{
	if (symbol % 10 != 5 || symbol / 10 >= 2 * PLANTED)
		return 1;
	return symbol / 10 % 2 ? 1 / effect : effect;
}

static struct profile *draw(const struct setting *s, double effect)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	double length = exp(gsl_ran_gaussian(rng, 0.03));

	profile_init(p);
	profile_set(&p->unit, "samples");
	for (int i = 0; i < SYMBOLS; i++) {
		double mu = s->samples * length * rate_of(i) * effect_of(i, effect);
		char name[32];
		unsigned n;

		if (s->cv > 0)
			mu *= gsl_ran_gamma(rng, 1 / (s->cv * s->cv), s->cv * s->cv);
		n = gsl_ran_poisson(rng, mu);
		snprintf(name, sizeof(name), "f%d", i);
		profile_add(p, profile_symbol(p, name, "", "", SPACE_KERNEL), n, n);
	}
	return p;
}

static void judge(const struct profdiff *d, double effect, const struct setting *s,
		  struct outcome *o)
{
	double named = 0, wrong = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct profdiff_cell *c = &d->row[i].cell[1];
		int symbol = atoi(d->row[i].name + 1);
		bool planted = effect != 1 && effect_of(symbol, 2) != 1;
		bool is_named = c->found;

		named += is_named;
		wrong += is_named && !planted;
		if (planted && rate_of(symbol) * s->samples * (double)s->runs >= 100) {
			o->planted++;
			o->found += is_named;
		}
	}
	o->trials++;
	o->with_false += named > 0;
	o->fdp += named > 0 ? wrong / named : 0;
}

static void trial(const struct setting *s, double effect, struct outcome *o)
{
	struct profile *a[RUNS_MAX], *b[RUNS_MAX];
	struct profdiff_options options = profdiff_default_options;
	struct profdiff_side side[2] = {
		{ "A", (const struct profile *const *)a, s->runs, NULL },
		{ "B", (const struct profile *const *)b, s->runs, NULL },
	};
	struct profdiff d;

	/* planted growth shrinks every other share: there the robust factor is right */
	options.norm = effect == 1 ? NORM_SHARE : NORM_FACTOR;
	options.no_renames = true;
	for (size_t i = 0; i < s->runs; i++) {
		a[i] = draw(s, 1);
		b[i] = draw(s, effect);
	}
	if (!profdiff_make(&d, side, 2, &options, NULL)) {
		judge(&d, effect, s, o);
		profdiff_release(&d);
	}
	for (size_t i = 0; i < s->runs; i++) {
		profile_release(a[i]);
		profile_release(b[i]);
		free(a[i]);
		free(b[i]);
	}
}

static void print_row(const struct setting *s, size_t trials)
{
	static const double effects[] = { 1.1, 1.2, 1.5, 2 };
	struct outcome none = { 0 };
	double fdp = 0;

	for (size_t i = 0; i < trials; i++)
		trial(s, 1, &none);
	printf("| %zu | %.0f | %.0f %% | %.1f %% |", s->runs, s->samples, 100 * s->cv,
	       100.0 * (double)none.with_false / (double)none.trials);
	for (size_t e = 0; e < ARRAY_SIZE(effects); e++) {
		struct outcome o = { 0 };

		for (size_t i = 0; i < trials / 4 + 1; i++)
			trial(s, effects[e], &o);
		printf(" %.0f %% |", o.planted > 0 ? 100 * o.found / o.planted : 0);
		fdp += o.fdp / (double)o.trials / ARRAY_SIZE(effects);
	}
	printf(" %.1f %% |\n", 100 * fdp);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct setting settings[] = {
		{ 1, 30000, 0 }, { 2, 30000, 0.05 }, { 3, 30000, 0.05 }, { 5, 30000, 0 },
		{ 5, 30000, 0.05 }, { 5, 30000, 0.15 }, { 10, 30000, 0.05 },
		{ 5, 300000, 0.05 }, { 5, 3000, 0.05 },
	};
	size_t trials = argc > 1 ? (size_t)atoi(argv[1]) : 400;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	puts("| runs a side | samples a run | spread between runs | A/A: a change named | "
	     "+10 % found | +20 % | +50 % | x2 | FDR |");
	puts("|--|--|--|--|--|--|--|--|--|");
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		print_row(&settings[i], trials);
	gsl_rng_free(rng);
	return 0;
}
