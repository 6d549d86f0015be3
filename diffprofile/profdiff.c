// SPDX-License-Identifier: GPL-2.0-or-later
/* The difference of profiles: its making and its end. */
#include "schedblame/profdiff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

#define X(id, name, caption) name,
const char *const profdiff_norm_name[NR_NORMS] = { PROFDIFF_NORMS(X) };
#undef X
#define X(id, name, caption) caption,
const char *const profdiff_norm_caption[NR_NORMS] = { PROFDIFF_NORMS(X) };
#undef X

const char *const profdiff_by_name[NR_BY] = {
	"symbol", "file", "module", "group", "caller",
};

const struct profdiff_options profdiff_default_options = {
	.limits = { .alpha = 0.05, .min_effect = 0.01, .level = 0.95 },
};

static void parts_release(struct profdiff_parts *parts)
{
	if (!parts)
		return;
	for (size_t i = 0; parts->row_of && i < parts->nr_profiles; i++)
		free(parts->row_of[i]);
	free(parts->row_of);
	free(parts->profile);
	free(parts->first);
	free(parts->work);
	free(parts->period);
	free(parts->scale);
	free(parts->weight);
	free(parts);
}

static int by_first_side(const void *a, const void *b)
{
	const struct profdiff_row *const *x = a, *const *y = b;
	double d = (*y)->cell[0].value - (*x)->cell[0].value;

	return d < 0 ? -1 : d > 0;
}

const struct profdiff_row **profdiff_heaviest(const struct profdiff *d)
{
	const struct profdiff_row **row = xcalloc(d->n + 1, sizeof(*row));

	for (size_t i = 0; i < d->n; i++)
		row[i] = &d->row[i];
	qsort(row, d->n, sizeof(*row), by_first_side);
	return row;
}

void profdiff_release(struct profdiff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->row[i].name);
		free(d->row[i].module);
		free(d->row[i].file);
		free(d->row[i].cell);
	}
	for (size_t s = 0; d->label && s < d->nr_sides; s++)
		free(d->label[s]);
	free(d->row);
	free(d->label);
	free(d->repeats);
	free(d->total);
	free(d->busy);
	free(d->idle);
	free(d->factor);
	free(d->lost);
	free(d->event);
	free(d->unit);
	notes_release(&d->notes);
	parts_release(d->parts);
	memset(d, 0, sizeof(*d));
}

static void collect_profiles(struct profdiff *d, const struct profdiff_side *side)
{
	struct profdiff_parts *parts = xcalloc(1, sizeof(*parts));
	size_t at = 0;

	d->parts = parts;
	for (size_t s = 0; s < d->nr_sides; s++)
		parts->nr_profiles += side[s].n;
	parts->profile = xcalloc(parts->nr_profiles, sizeof(*parts->profile));
	parts->first = xcalloc(d->nr_sides + 1, sizeof(*parts->first));
	parts->work = xcalloc(parts->nr_profiles, sizeof(*parts->work));
	for (size_t s = 0; s < d->nr_sides; s++) {
		parts->first[s] = at;
		for (size_t i = 0; i < side[s].n; i++, at++) {
			parts->profile[at] = side[s].profile[i];
			parts->work[at] = side[s].work ? side[s].work[i] : 1;
			d->lost[s] += parts->profile[at]->lost;
			notes_merge(&d->notes, &parts->profile[at]->notes);
		}
	}
	parts->first[d->nr_sides] = at;
}

static void start(struct profdiff *d, const struct profdiff_side *side, size_t nr_sides,
		  const struct profdiff_options *options)
{
	memset(d, 0, sizeof(*d));
	d->nr_sides = nr_sides;
	d->norm = options->norm;
	d->by = options->by;
	d->limits = options->limits;
	d->dispersion = NAN;
	d->label = xcalloc(nr_sides, sizeof(*d->label));
	d->repeats = xcalloc(nr_sides, sizeof(*d->repeats));
	d->total = xcalloc(nr_sides, sizeof(*d->total));
	d->busy = xcalloc(nr_sides, sizeof(*d->busy));
	d->idle = xcalloc(nr_sides, sizeof(*d->idle));
	d->factor = xcalloc(nr_sides, sizeof(*d->factor));
	d->lost = xcalloc(nr_sides, sizeof(*d->lost));
	for (size_t s = 0; s < nr_sides; s++) {
		d->label[s] = xstrdup(side[s].label);
		d->repeats[s] = side[s].n;
		if (side[s].n < 2)
			d->sampling_only = true;
	}
	collect_profiles(d, side);
}

/* "cycles:ppp" and "cycles:u" are cycles; tracepoints differ behind the colon. */
static bool same_event(const char *a, const char *b)
{
	size_t la = strcspn(a, ":"), lb = strcspn(b, ":");

	if (!*a || !*b || !strcmp(a, b))
		return true;
	return la == lb && !memcmp(a, b, la) &&
	       strspn(a + la, ":ukhGHIPSDpW") == strlen(a + la) &&
	       strspn(b + lb, ":ukhGHIPSDpW") == strlen(b + lb);
}

/* Profiles of different events or units have no common ticks. */
static void compare_inputs(struct profdiff *d)
{
	const struct profile *first = d->parts->profile[0];

	d->event = xstrdup(first->event);
	d->unit = xstrdup(first->unit);
	for (size_t i = 1; i < d->parts->nr_profiles; i++) {
		const struct profile *p = d->parts->profile[i];

		if (!same_event(first->event, p->event))
			notes_add(&d->notes, "%s counts %s, %s counts %s: compare shares only",
				  first->path, first->event, p->path, p->event);
	}
}

static void note_losses(struct profdiff *d)
{
	for (size_t i = 0; i < d->parts->nr_profiles; i++) {
		const struct profile *p = d->parts->profile[i];

		if (p->lost)
			notes_add(&d->notes, "%s lost %llu samples (%.1f %% of all)", p->path,
				  (unsigned long long)p->lost,
				  100.0 * (double)p->lost / ((double)p->samples + (double)p->lost));
		if (p->throttled)
			notes_add(&d->notes, "%s was throttled %llu times: busy CPUs have too few samples",
				  p->path, (unsigned long long)p->throttled);
	}
}

static bool all_empty(const struct profdiff *d)
{
	for (size_t i = 0; i < d->parts->nr_profiles; i++)
		if (d->parts->profile[i]->weight > 0)
			return false;
	return true;
}

int profdiff_make(struct profdiff *d, const struct profdiff_side *side, size_t nr_sides,
		  const struct profdiff_options *options, struct err *err)
{
	int ret = 0;

	if (!options)
		options = &profdiff_default_options;
	if (nr_sides < 2 || nr_sides > PROFDIFF_SIDES_MAX)
		return err_set(err, EINVAL, "a profile diff needs 2 to %d sides, not %zu",
			       PROFDIFF_SIDES_MAX, nr_sides);
	for (size_t s = 0; s < nr_sides; s++)
		if (!side[s].n)
			return err_set(err, EINVAL, "side %s of the profile diff has no profile",
				       side[s].label);
	start(d, side, nr_sides, options);
	compare_inputs(d);
	note_losses(d);
	if (all_empty(d))
		ret = err_set(err, ENODATA, "%s and %s hold no samples: there is nothing to compare",
			      d->parts->profile[0]->path,
			      d->parts->profile[d->parts->nr_profiles - 1]->path);
	if (!ret)
		ret = profdiff_normalise(d, err);
	if (!ret)
		ret = profdiff_match(d, options, err);
	if (ret < 0) {
		profdiff_release(d);
		return ret;
	}
	profdiff_fill(d, options);
	return 0;
}

uint32_t profdiff_row_of(const struct profdiff *d, size_t profile, uint32_t symbol)
{
	return d->parts->row_of[profile] ? d->parts->row_of[profile][symbol] : PROFILE_NONE;
}

double profdiff_scale(const struct profdiff *d, size_t profile)
{
	return d->parts->scale[profile];
}

static size_t rows_above(const struct profdiff *d, size_t side, double threshold)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		double change = fabs(d->row[i].cell[side].change);

		n += change > 0 && change >= threshold;
	}
	return n;
}

double profdiff_threshold(const struct profdiff *d, size_t side, size_t max)
{
	static const double steps[] = { 1, 2, 5 };

	if (rows_above(d, side, 0) <= max)
		return 0;
	for (int e = -6; e < 18; e++)
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
			double t = steps[i] * pow(10, e);

			if (rows_above(d, side, t) <= max)
				return t;
		}
	return INFINITY;
}
