// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a weight of each profile is worth, so that sides can be compared. Ticks
 * are weight over the mean period of all inputs: with equal periods exactly the
 * samples, with unequal ones samples of a common length.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

/* Weights have a common unit when all inputs name the same one. */
static bool common_unit(const struct profdiff_parts *parts)
{
	for (size_t i = 1; i < parts->nr_profiles; i++)
		if (strcmp(parts->profile[i]->unit, parts->profile[0]->unit))
			return false;
	return true;
}

/* scale[i] so far: weight -> ticks. */
static void set_ticks(struct profdiff *d)
{
	struct profdiff_parts *parts = d->parts;
	double weight = 0, samples = 0;
	bool common = common_unit(parts);

	for (size_t i = 0; i < parts->nr_profiles; i++) {
		const struct profile *p = parts->profile[i];

		parts->period[i] = p->samples && p->weight > 0 ?
					   p->weight / (double)p->samples : 1;
		weight += p->weight;
		samples += (double)p->samples;
	}
	for (size_t i = 0; i < parts->nr_profiles; i++)
		parts->scale[i] = common && samples > 0 ? samples / weight :
							  1 / parts->period[i];
	if (!common)
		notes_add(&d->notes, "the inputs weigh samples in %s and in %s: ticks are samples",
			  parts->profile[0]->unit,
			  parts->profile[parts->nr_profiles - 1]->unit);
}

static double mean_work(const struct profdiff_parts *parts)
{
	double sum = 0;

	for (size_t i = 0; i < parts->first[1]; i++)
		sum += parts->work[i];
	return sum / (double)parts->first[1];
}

static int by_time(struct profdiff_parts *parts, struct err *err)
{
	for (size_t i = 0; i < parts->nr_profiles; i++) {
		const struct profile *p = parts->profile[i];

		if (!p->duration_ns || !p->nr_cpus)
			return err_set(err, EINVAL,
				       "%s does not tell how long %s were sampled; use --norm share or "
				       "ticks", p->path, p->duration_ns ? "how many CPUs" : "CPUs");
		parts->scale[i] /= (double)p->duration_ns / 1e9 * p->nr_cpus;
	}
	return 0;
}

static int apply(struct profdiff *d, struct err *err)
{
	struct profdiff_parts *parts = d->parts;
	double base = mean_work(parts);

	if (d->norm == NORM_TIME)
		return by_time(parts, err);
	for (size_t i = 0; i < parts->nr_profiles; i++) {
		const struct profile *p = parts->profile[i];
		double busy = profile_busy_weight(p);

		if (d->norm == NORM_SHARE)
			parts->scale[i] = busy > 0 ? 100 / busy : 0;
		if (d->norm != NORM_WORK)
			continue;
		if (!(parts->work[i] > 0))
			return err_set(err, EINVAL, "%s did no work: give units with --work",
				       p->path);
		parts->scale[i] *= base / parts->work[i];
	}
	return 0;
}

static void sum_sides(struct profdiff *d)
{
	for (size_t s = 0; s < d->nr_sides; s++) {
		size_t from = d->parts->first[s], to = d->parts->first[s + 1];
		double n = (double)(to - from);

		d->factor[s] = 1;
		for (size_t i = from; i < to; i++) {
			const struct profile *p = d->parts->profile[i];

			d->total[s] += p->weight * d->parts->scale[i] / n;
			d->idle[s] += p->idle_weight * d->parts->scale[i] / n;
		}
		d->busy[s] = d->total[s] - d->idle[s];
	}
}

int profdiff_normalise(struct profdiff *d, struct err *err)
{
	struct profdiff_parts *parts = d->parts;
	int ret;

	parts->period = xcalloc(parts->nr_profiles, sizeof(*parts->period));
	parts->scale = xcalloc(parts->nr_profiles, sizeof(*parts->scale));
	set_ticks(d);
	ret = apply(d, err);
	if (!ret)
		sum_sides(d);
	return ret;
}
