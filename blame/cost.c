// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by the mechanisms: means over repeats and sentences of evidence. */
#include "cost.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

double set_mean(const struct run_set *set, double (*fn)(const struct run *run))
{
	double sum = 0;

	for (size_t i = 0; i < set->n; i++)
		sum += fn(&set->run[i]);
	return sum / (double)set->n;
}

double set_per_work(const struct run_set *set, const char *name,
		    const struct label *labels, size_t nr_labels)
{
	double sum = 0;

	for (size_t i = 0; i < set->n; i++)
		sum += (double)series_sum(&set->run[i].series, name, labels, nr_labels) /
		       (set->run[i].work > 0 ? set->run[i].work : 1);
	return sum / (double)set->n;
}

double set_per_second(const struct run_set *set, const char *name,
		      const struct label *labels, size_t nr_labels)
{
	double sum = 0;

	for (size_t i = 0; i < set->n; i++)
		if (set->run[i].duration_ns)
			sum += (double)series_sum(&set->run[i].series, name, labels,
						  nr_labels) * 1e9 /
			       (double)set->run[i].duration_ns;
	return sum / (double)set->n;
}

static bool all_have(const struct run_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (!series_has(&set->run[i].series, name))
			return false;
	return true;
}

bool both_have(const struct blame_input *in, const char *name)
{
	return all_have(in->a, name) && all_have(in->b, name);
}

double set_percentile(const struct run_set *set, const char *name,
		      const struct label *labels, size_t nr_labels, double p)
{
	struct histogram *one = xmalloc(sizeof(*one));
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		if (series_merged(&set->run[i].series, name, labels, nr_labels, one) &&
		    one->count) {
			sum += histogram_percentile(one, p);
			n++;
		}
	free(one);
	return n ? sum / (double)n : NAN;
}

bool needs_split(const struct blame_input *in, const char **why)
{
	(void)why;
	return in->ledger->split;
}

double run_group_time(const struct blame_input *in, const struct run *run,
		      const char *group)
{
	double *ns = xcalloc(groups_count(), sizeof(*ns)), v = 0;
	double softirq[NR_PROFILE_PARTS] = { 0 };

	groups_times(run, run_cpu_time(run, CPU_MODE_SYSTEM, true), in->ledger->chained,
		     in->ledger->timed, ns);
	if (in->ledger->chained)
		groups_softirq_times(run, run_cpu_time(run, CPU_MODE_SOFTIRQ, true), softirq);
	for (size_t g = 0; g < groups_count(); g++)
		if (!strcmp(groups_name(g), group))
			v = ns[g] + (groups_softirq(g) == PART_SOFTIRQ ? 0 :
				     softirq[groups_softirq(g)]);
	free(ns);
	return v;
}

static void add_ratio(struct cause *cause, const char *what, const char *a,
		      const char *b, double ratio)
{
	if (isfinite(ratio) && fabs(ratio - 1) < 0.005)
		notes_add(&cause->evidence, "%s: %s on both sides", what, b);
	else if (isfinite(ratio) && ratio > 0)
		notes_add(&cause->evidence, "%s: %s -> %s (x %.2f)", what, a, b, ratio);
	else
		notes_add(&cause->evidence, "%s: %s -> %s", what, a, b);
}

void evidence_change(struct cause *cause, const char *what, double a, double b,
		     const char *unit)
{
	char ta[32], tb[32], *ua, *ub;

	if (isnan(a) || isnan(b))
		return;
	/* small rates keep their digits */
	if (fabs(a) < 100 && fabs(b) < 100) {
		snprintf(ta, sizeof(ta), "%.3g", a);
		snprintf(tb, sizeof(tb), "%.3g", b);
	} else {
		format_count(ta, sizeof(ta), a);
		format_count(tb, sizeof(tb), b);
	}
	ua = xstrdup(ta);
	ub = xasprintf("%s%s%s", tb, *unit ? " " : "", unit);
	add_ratio(cause, what, ua, ub, b / a);
	free(ua);
	free(ub);
}

void evidence_per_work(struct cause *cause, const struct blame_input *in, const char *what,
		       const char *name, const struct label *labels, size_t nr_labels)
{
	char *full = xasprintf("%s per %s", what, in->ledger->work_unit);

	evidence_change(cause, full, set_per_work(in->a, name, labels, nr_labels),
			set_per_work(in->b, name, labels, nr_labels), "");
	free(full);
}

void evidence_ns(struct cause *cause, const char *what, double a, double b)
{
	char ta[32], tb[32];

	if (isnan(a) || isnan(b))
		return;
	format_ns(ta, sizeof(ta), (uint64_t)a);
	format_ns(tb, sizeof(tb), (uint64_t)b);
	add_ratio(cause, what, ta, tb, b / a);
}

void evidence_rows(struct cause *cause, const struct blame_input *in)
{
	double a = 0, b = 0;
	char *what;

	for (const char *const *name = cause->mechanism->rows; *name; name++)
		for (size_t i = 0; i < in->ledger->n; i++) {
			const struct ledger_row *row = &in->ledger->row[i];

			if (!ledger_row_is(row, *name))
				continue;
			a += row->mean_a;
			b += row->mean_b;
		}
	what = xasprintf("time per %s", in->ledger->work_unit);
	evidence_ns(cause, what, fmax(a, 0), fmax(b, 0));
	free(what);
}

void evidence_facts(struct cause *cause, const struct blame_input *in,
		    const char *prefix)
{
	const struct run *a = &in->a->run[0], *b = &in->b->run[0];

	for (size_t i = 0; i < a->nr_facts; i++) {
		const char *key = a->fact[i].key, *value = run_fact(b, key);

		if (strncmp(key, prefix, strlen(prefix)) || !value ||
		    !strcmp(value, a->fact[i].value))
			continue;
		notes_add(&cause->evidence, "%s: %s -> %s", key, a->fact[i].value, value);
	}
}

void cause_set(char **field, const char *fmt, ...)
{
	va_list ap;

	free(*field);
	va_start(ap, fmt);
	*field = xvasprintf(fmt, ap);
	va_end(ap);
}
