// SPDX-License-Identifier: GPL-2.0-or-later
/* Values, shares, tests and verdicts of the rows; the robust size factor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "profdiff_parts.h"
#include "schedblame/alloc.h"

/* Fewer samples on both sides together decide nothing. */
#define TESTABLE 10

static const double *weights_of(const struct profdiff *d, size_t row)
{
	return d->parts->weight + row * d->parts->nr_profiles;
}

/* Mean over the repeats of one side. */
static double side_value(const struct profdiff *d, size_t row, size_t side, double *std)
{
	const struct profdiff_parts *parts = d->parts;
	const double *w = weights_of(d, row);
	size_t from = parts->first[side], to = parts->first[side + 1];
	double n = (double)(to - from), mean = 0, squares = 0;

	for (size_t i = from; i < to; i++)
		mean += w[i] * parts->scale[i] / n;
	for (size_t i = from; i < to; i++)
		squares += (w[i] * parts->scale[i] - mean) * (w[i] * parts->scale[i] - mean);
	*std = n > 1 ? sqrt(squares / (n - 1)) : NAN;
	return mean;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median over rows of value / value of the base, of rows that have samples
 * enough on both: one hot symbol cannot move it. 1 when there are none. */
static double size_factor(const struct profdiff *d, size_t side)
{
	double *ratio = xmalloc((d->n + 1) * sizeof(*ratio)), factor = 1, std;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct profdiff_cell *c = d->row[i].cell;

		if (!d->row[i].idle && c[0].samples >= TESTABLE &&
		    c[side].samples >= TESTABLE)
			ratio[n++] = side_value(d, i, side, &std) / side_value(d, i, 0, &std);
	}
	if (n) {
		qsort(ratio, n, sizeof(*ratio), compare_doubles);
		factor = (ratio[(n - 1) / 2] + ratio[n / 2]) / 2;
	}
	free(ratio);
	return factor;
}

static void count_samples(struct profdiff *d)
{
	const struct profdiff_parts *parts = d->parts;

	for (size_t row = 0; row < d->n; row++)
		for (size_t s = 0; s < d->nr_sides; s++)
			for (size_t i = parts->first[s]; i < parts->first[s + 1]; i++)
				d->row[row].cell[s].samples +=
					weights_of(d, row)[i] / parts->period[i];
}

static void apply_factors(struct profdiff *d)
{
	for (size_t s = 0; s < d->nr_sides; s++)
		d->factor[s] = s ? size_factor(d, s) : 1;
	if (d->norm != NORM_FACTOR)
		return;
	for (size_t s = 1; s < d->nr_sides; s++) {
		for (size_t i = d->parts->first[s]; i < d->parts->first[s + 1]; i++)
			d->parts->scale[i] /= d->factor[s];
		d->total[s] /= d->factor[s];
		d->busy[s] /= d->factor[s];
		d->idle[s] /= d->factor[s];
	}
}

static void fill_values(struct profdiff *d)
{
	for (size_t row = 0; row < d->n; row++) {
		struct profdiff_cell *c = d->row[row].cell;

		for (size_t s = 0; s < d->nr_sides; s++) {
			double whole = d->row[row].idle ? d->total[s] : d->busy[s];

			c[s].value = side_value(d, row, s, &c[s].std);
			c[s].share = whole > 0 ? 100 * c[s].value / whole : 0;
			c[s].change = c[s].value - c[0].value;
			c[s].ratio = c[s].low = c[s].high = c[s].p = c[s].q = NAN;
			/* A difference of sums that should be equal is no change. */
			if (fabs(c[s].change) <= 1e-9 * (c[s].value + c[0].value))
				c[s].change = 0;
		}
	}
}

/* Exposure of a profile: what a value is worth in samples of it. */
static double exposure(const struct profdiff_parts *parts, size_t i)
{
	double e = 1 / (parts->scale[i] * parts->period[i]);

	return isfinite(e) && e > 0 ? e : 1;
}

static bool is_testable(const struct profdiff_row *r, size_t side)
{
	return !r->idle && r->cell[0].samples + r->cell[side].samples >= TESTABLE;
}

/* No repeats on one side: the exact test of the sums. */
static void test_once(struct profdiff *d, size_t side, double level)
{
	const struct profdiff_parts *parts = d->parts;
	double ea = 0, eb = 0;

	for (size_t i = 0; i < parts->first[1]; i++)
		ea += exposure(parts, i);
	for (size_t i = parts->first[side]; i < parts->first[side + 1]; i++)
		eb += exposure(parts, i);
	for (size_t row = 0; row < d->n; row++) {
		struct profdiff_cell *c = d->row[row].cell;
		struct stats_rate r;

		if (!is_testable(&d->row[row], side))
			continue;
		stats_rate_ratio(&r, (uint64_t)llround(c[0].samples), ea,
				 (uint64_t)llround(c[side].samples), eb, level);
		c[side].ratio = r.ratio;
		c[side].low = r.low;
		c[side].high = r.high;
		c[side].p = r.p;
	}
}

/* Counts of one row, base first, then the side. */
static void row_counts(const struct profdiff *d, size_t row, size_t side, double *k)
{
	const struct profdiff_parts *parts = d->parts;
	const double *w = weights_of(d, row);

	for (size_t i = 0; i < parts->first[1]; i++)
		*k++ = w[i] / parts->period[i];
	for (size_t i = parts->first[side]; i < parts->first[side + 1]; i++)
		*k++ = w[i] / parts->period[i];
}

static void test_repeated(struct profdiff *d, size_t side, double level)
{
	const struct profdiff_parts *parts = d->parts;
	size_t na = d->repeats[0], nb = d->repeats[side], n = na + nb;
	double *k = xcalloc(d->n * n + 1, sizeof(*k));
	double *e = xcalloc(n, sizeof(*e));
	uint32_t *of = xcalloc(d->n + 1, sizeof(*of));
	struct count_table t = { .row = xcalloc(d->n + 1, sizeof(*t.row)), .na = na,
				 .nb = nb, .exposure = e, .level = level };

	for (size_t i = 0; i < na; i++)
		e[i] = exposure(parts, i);
	for (size_t i = 0; i < nb; i++)
		e[na + i] = exposure(parts, parts->first[side] + i);
	for (size_t row = 0; row < d->n; row++) {
		if (!is_testable(&d->row[row], side))
			continue;
		row_counts(d, row, side, k + t.n * n);
		t.row[t.n].k = k + t.n * n;
		of[t.n++] = (uint32_t)row;
	}
	counts_test(&t);
	for (size_t i = 0; i < t.n; i++) {
		struct profdiff_cell *c = &d->row[of[i]].cell[side];

		c->ratio = t.row[i].ratio;
		c->low = t.row[i].low;
		c->high = t.row[i].high;
		c->p = t.row[i].p;
	}
	d->dispersion = t.dispersion;
	free(t.row);
	free(of);
	free(e);
	free(k);
}

bool profdiff_decides(const struct profdiff *d, size_t side)
{
	return stats_smallest_p(d->repeats[0], d->repeats[side]) <= d->limits.alpha;
}

static void test_side(struct profdiff *d, size_t side, const struct profdiff_options *options)
{
	double *p = xmalloc((d->n + 1) * sizeof(*p));

	if (d->repeats[0] > 1 && d->repeats[side] > 1)
		test_repeated(d, side, options->limits.level);
	else
		test_once(d, side, options->limits.level);
	for (size_t i = 0; i < d->n; i++)
		p[i] = d->row[i].cell[side].p;
	stats_bh(p, p, d->n);
	for (size_t i = 0; i < d->n; i++) {
		struct profdiff_cell *c = &d->row[i].cell[side];

		c->q = p[i];
		c->verdict = stats_verdict(c->q, c->ratio, c->low, c->high, false,
					   &options->limits);
		c->found = c->verdict == VERDICT_BETTER || c->verdict == VERDICT_WORSE;
		if (!profdiff_decides(d, side))
			c->verdict = VERDICT_CANNOT_TELL;
	}
	free(p);
}

/* Growth first; equal changes as sort -rn leaves them: names descending. */
static int by_change(const void *a, const void *b, void *arg)
{
	const struct profdiff_row *x = a, *y = b;
	size_t last = *(const size_t *)arg;
	double cx = x->cell[last].change, cy = y->cell[last].change;

	if (cx != cy)
		return cx < cy ? 1 : -1;
	return strcmp(y->name, x->name);
}

/* Sorts the rows and lets row_of and the weights follow. */
static void sort_rows(struct profdiff *d)
{
	struct profdiff_parts *parts = d->parts;
	size_t last = d->nr_sides - 1, np = parts->nr_profiles;
	uint32_t *where = xmalloc((d->n + 1) * sizeof(*where));
	double *weight = xmalloc((d->n * np + 1) * sizeof(*weight));

	for (size_t i = 0; i < d->n; i++)
		d->row[i].number = (uint32_t)i;
	qsort_r(d->row, d->n, sizeof(*d->row), by_change, &last);
	for (size_t i = 0; i < d->n; i++) {
		where[d->row[i].number] = (uint32_t)i;
		memcpy(weight + i * np, weights_of(d, d->row[i].number),
		       np * sizeof(*weight));
	}
	free(parts->weight);
	parts->weight = weight;
	for (size_t p = 0; p < np; p++)
		for (size_t s = 0; parts->row_of[p] && s < parts->profile[p]->nr_symbols; s++)
			if (parts->row_of[p][s] != PROFILE_NONE)
				parts->row_of[p][s] = where[parts->row_of[p][s]];
	free(where);
}

void profdiff_fill(struct profdiff *d, const struct profdiff_options *options)
{
	count_samples(d);
	apply_factors(d);
	fill_values(d);
	for (size_t s = 1; s < d->nr_sides; s++)
		test_side(d, s, options);
	sort_rows(d);
}
