// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures of two sides out of run sets; the units they are shown in. */
#include "data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/strmap.h"
#include "schedblame/units.h"

#define X(id, suffix, title) suffix,
static const char *const unit_suffixes[] = { UNIT_LIST(X) };
#undef X
#define X(id, suffix, title) title,
static const char *const unit_titles[] = { UNIT_LIST(X) };
#undef X
#define X(id, title) title,
static const char *const show_titles[] = { SHOW_LIST(X) };
#undef X

const char *unit_suffix(enum unit u)
{
	return unit_suffixes[u];
}

const char *unit_title(enum unit u)
{
	return unit_titles[u];
}

const char *show_title(enum show s)
{
	return show_titles[s];
}

struct run_set *data_set(const struct data *d, enum side s)
{
	int i = d->side[s];

	return i >= 0 && i < d->nr_sets ? d->set[i] : NULL;
}

bool data_both(const struct data *d)
{
	return data_set(d, SIDE_A) && data_set(d, SIDE_B);
}

void data_swap(struct data *d)
{
	int a = d->side[SIDE_A];

	if (d->side[SIDE_B] < 0)
		return;
	d->side[SIDE_A] = d->side[SIDE_B];
	d->side[SIDE_B] = a;
}

bool data_next_other(struct data *d)
{
	int b = d->side[SIDE_B];

	if (d->nr_sets < 3)
		return false;
	do
		b = (b + 1) % d->nr_sets;
	while (b == d->side[SIDE_A]);
	d->side[SIDE_B] = b;
	return true;
}

double data_run_scale(const struct run *run, enum unit unit)
{
	switch (unit) {
	case UNIT_SECOND:
		return run->duration_ns ? 1e9 / (double)run->duration_ns : 0;
	case UNIT_WORK:
		return run->work > 0 ? 1 / run->work : 0;
	default:
		return 1;
	}
}

struct figure data_figure(const struct data *d, enum side s, const char *name,
			  const struct label *labels, size_t nr_labels)
{
	const struct run_set *set = data_set(d, s);
	struct figure f = { NAN, NAN, 0 };
	double mean = 0, m2 = 0;

	for (size_t i = 0; set && i < set->n; i++) {
		const struct run *run = &set->run[i];
		double scale = data_run_scale(run, d->unit), v, delta;

		if (!scale || !series_has(&run->series, name))
			continue;
		v = scale * (double)series_sum(&run->series, name, labels, nr_labels);
		f.n++;
		delta = v - mean; /* Welford's update */
		mean += delta / (double)f.n;
		m2 += delta * (v - mean);
	}
	if (f.n) {
		f.mean = mean;
		f.std = sqrt(m2 / (double)f.n);
	}
	return f;
}

double data_mean(const struct data *d, enum side s, const char *name,
		 const struct label *labels, size_t nr_labels)
{
	return data_figure(d, s, name, labels, nr_labels).mean;
}

bool data_histogram(const struct data *d, enum side s, const char *name,
		    const struct label *labels, size_t nr_labels,
		    struct histogram *out)
{
	const struct run_set *set = data_set(d, s);
	struct histogram *one;
	bool found = false;

	histogram_clear(out);
	one = xcalloc(1, sizeof(*one));
	for (size_t i = 0; set && i < set->n; i++) {
		if (series_merged(&set->run[i].series, name, labels, nr_labels, one)) {
			histogram_merge(out, one);
			found = true;
		}
	}
	free(one);
	return found;
}

double data_histogram_scale(const struct data *d, enum side s)
{
	const struct run_set *set = data_set(d, s);
	double sum = 0;

	for (size_t i = 0; set && i < set->n; i++)
		sum += d->unit == UNIT_SECOND ? (double)set->run[i].duration_ns / 1e9 :
		       d->unit == UNIT_WORK   ? set->run[i].work :
						1;
	return sum > 0 ? 1 / sum : 0;
}

bool data_has(const struct data *d, const char *name)
{
	for (int s = 0; s < SIDE_NR; s++) {
		const struct run_set *set = data_set(d, (enum side)s);

		for (size_t i = 0; set && i < set->n; i++)
			if (series_has(&set->run[i].series, name))
				return true;
	}
	return false;
}

const struct topology *data_topology(const struct data *d)
{
	const struct topology *found = NULL;

	for (int s = SIDE_NR - 1; s >= 0; s--) {
		const struct run_set *set = data_set(d, (enum side)s);

		for (size_t i = 0; set && i < set->n; i++)
			if (!found || set->run[i].topology.nr_cpus)
				found = &set->run[i].topology;
	}
	return found;
}

struct seen {
	struct strmap map;
	const char *key;
};

static int see_label(const struct series_set *set, const struct series *s, void *arg)
{
	struct seen *seen = arg;
	const char *value = series_label(set, s, seen->key);

	if (value)
		strmap_adds(&seen->map, value);
	return 0;
}

void data_each_label(const struct data *d, const char *name,
		     const struct label *labels, size_t nr_labels, const char *key,
		     void (*fn)(const char *value, void *arg), void *arg)
{
	struct seen seen = { .key = key };

	strmap_init(&seen.map);
	for (int s = 0; s < SIDE_NR; s++) {
		const struct run_set *set = data_set(d, (enum side)s);

		for (size_t i = 0; set && i < set->n; i++)
			series_for_each(&set->run[i].series, name, labels, nr_labels,
					see_label, &seen);
	}
	for (size_t i = 0; i < seen.map.n; i++)
		fn(seen.map.name[i], arg);
	strmap_release(&seen.map);
}

char *value_text(char *buf, size_t size, double v)
{
	double a = fabs(v);

	if (isnan(v))
		snprintf(buf, size, "-");
	else if (a >= 999.5 || v == 0)
		format_count(buf, size, v);
	else if (a >= 99.95)
		snprintf(buf, size, "%.0f", v);
	else if (a >= 0.01)
		snprintf(buf, size, a >= 9.995 ? "%.1f" : "%.2f", v);
	else
		snprintf(buf, size, "%.1e", v);
	return buf;
}

char *count_text(char *buf, size_t size, double v)
{
	if (fabs(v) >= 999.5 || isnan(v) || v != floor(v))
		return value_text(buf, size, v);
	snprintf(buf, size, "%.0f", v);
	return buf;
}

char *time_text(char *buf, size_t size, double ns)
{
	if (isnan(ns))
		snprintf(buf, size, "-");
	else if (ns <= -0.5) {
		buf[0] = '-';
		format_ns(buf + 1, size - 1, (uint64_t)-ns);
	} else {
		format_ns(buf, size, ns > 0 ? (uint64_t)(ns + 0.5) : 0);
	}
	return buf;
}

double change_percent(double a, double b)
{
	return isnan(a) || isnan(b) || a == 0 ? NAN : 100 * (b - a) / a;
}

char *change_text(char *buf, size_t size, double a, double b)
{
	double p = change_percent(a, b);
	char ratio[32];

	if (isnan(a) || isnan(b) || (a == 0 && b == 0))
		snprintf(buf, size, "-");
	else if (a == 0)
		snprintf(buf, size, "new");
	else if (b == 0)
		snprintf(buf, size, "gone");
	else if (p >= 1000)
		snprintf(buf, size, "x%s", value_text(ratio, sizeof(ratio), b / a));
	else {
		format_signed(buf, size - 1, p, 1);
		strcat(buf, "%");
	}
	return buf;
}

/* -1 worse, 1 better, 0 neither. */
static int judge(double a, double b, int direction)
{
	if (isnan(a) || isnan(b) || !direction ||
	    fabs(b - a) <= 0.0005 * fabs(a))
		return 0;
	return (b > a) == (direction > 0) ? 1 : -1;
}

unsigned change_style(double a, double b, int direction)
{
	int j = judge(a, b, direction);

	return j > 0 ? STYLE_GOOD : j < 0 ? STYLE_BAD : STYLE_NORMAL;
}

const char *change_word(double a, double b, int direction)
{
	int j = judge(a, b, direction);

	return j > 0 ? "better" : j < 0 ? "worse" : "";
}
