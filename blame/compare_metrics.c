// SPDX-License-Identifier: GPL-2.0-or-later
/* The benchmark table: the numbers the workload printed, by case and load. */
#include <stdlib.h>
#include <string.h>

#include "compare_build.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"

/* Set by a plan in run.json, else what the pattern file was called. */
static const char *case_of(const struct run *run, const struct metric *m)
{
	return json_str(run->manifest, "case", *m->workload ? m->workload : "run");
}

static const char *load_of(const struct run *run)
{
	return json_str(run->manifest, "load", "");
}

struct metric_key {
	const char *kase, *load, *name;
};

static bool same_key(const struct metric_key *k, const struct run *run,
		     const struct metric *m)
{
	return !strcmp(k->name, m->name) && !strcmp(k->kase, case_of(run, m)) &&
	       !strcmp(k->load, load_of(run));
}

static double metric_value(const struct run *run, const void *arg)
{
	const struct metric_key *key = arg;

	for (size_t i = 0; i < run->nr_metrics; i++)
		if (same_key(key, run, &run->metric[i]))
			return run->metric[i].value;
	return NAN;
}

static bool known(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (!strcmp(c->row[i].key, key))
			return true;
	return false;
}

/* Units of work are the same by design in most benchmarks: a row of them says
 * something only where they differ. */
static bool says_nothing(const struct compare_row *row, size_t nr_sets)
{
	double first = row->cell[0].n ? row->cell[0].value[0] : NAN;

	for (size_t i = 0; i < nr_sets; i++)
		for (size_t j = 0; j < row->cell[i].n; j++)
			if (row->cell[i].value[j] != first)
				return false;
	return true;
}

static void add_metric_row(struct comparison *c, const struct run *run,
			   const struct metric *m)
{
	const struct metric_key key = { case_of(run, m), load_of(run), m->name };
	char *id = xasprintf("benchmark.%s%s%s.%s", key.kase, *key.load ? "." : "", key.load,
			     key.name);
	struct compare_row *row;
	size_t before = c->nr_rows;

	if (!known(c, id)) {
		row = compare_add_row(c, COMPARE_BENCHMARK, id, m->name, m->unit,
				      m->higher_is_better ? BETTER_HIGHER : BETTER_LOWER,
				      NULL);
		compare_set_string(&row->group, key.kase);
		compare_set_string(&row->load, key.load);
		compare_fill_row(c, row, metric_value, &key, false);
		if (c->nr_rows > before && m->is_work && says_nothing(row, c->nr_sets))
			compare_drop_last(c);
	}
	free(id);
}

void compare_metrics(struct comparison *c)
{
	for (size_t i = 0; i < c->nr_sets; i++)
		for (size_t j = 0; j < c->set[i]->n; j++) {
			const struct run *run = &c->set[i]->run[j];

			for (size_t k = 0; k < run->nr_metrics; k++)
				add_metric_row(c, run, &run->metric[k]);
		}
	for (size_t i = 0; i < c->nr_sets; i++)
		if (!c->set[i]->run[0].nr_metrics && !c->set[i]->run[0].foreign)
			notes_add(&c->notes, "%s holds no number of a benchmark",
				  c->set[i]->label);
}
