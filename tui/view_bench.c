// SPDX-License-Identifier: GPL-2.0-or-later
/* The benchmark table: every number the workload printed, for every set that was
 * opened, as mean and std%; the change is against side A, positive is better. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"
#include "view.h"

struct value {
	double mean, std; /* NaN: not there */
	size_t n;
};

struct bench {
	struct view *view;
	struct strmap metrics; /* names in order of arrival */
	const struct metric **first; /* by id: unit and direction; borrowed */
	struct value *value;   /* [metric * TUI_MAX_SETS + set]; owned */
	struct table_column column[1 + TUI_MAX_SETS];
	char *title[TUI_MAX_SETS]; /* owned */
	struct table_model model;
	struct table table;
};

#define FIRST_SET 1

static struct value summarise(const struct run_set *set, const char *name)
{
	struct value v = { NAN, NAN, 0 };
	double mean = 0, m2 = 0, delta;

	for (size_t i = 0; i < set->n; i++) {
		const struct metric *m = run_metric(&set->run[i], name);

		if (!m || !isfinite(m->value))
			continue;
		v.n++;
		delta = m->value - mean;
		mean += delta / (double)v.n;
		m2 += delta * (m->value - mean);
	}
	if (v.n) {
		v.mean = mean;
		v.std = sqrt(m2 / (double)v.n);
	}
	return v;
}

static void collect_names(struct bench *b, const struct data *d)
{
	size_t cap = 0;

	for (int s = 0; s < d->nr_sets; s++)
		for (size_t i = 0; i < d->set[s]->n; i++)
			for (size_t m = 0; m < d->set[s]->run[i].nr_metrics; m++) {
				const struct metric *metric = &d->set[s]->run[i].metric[m];
				size_t n = b->metrics.n;

				if (strmap_adds(&b->metrics, metric->name) < n)
					continue;
				GROW(b->first, n, cap);
				b->first[n] = metric;
			}
}

static void set_columns(struct bench *b, const struct data *d)
{
	static const struct table_column fixed[] = {
		{ "metric", 20, .text = true },
	};

	memcpy(b->column, fixed, sizeof(fixed));
	for (int s = 0; s < d->nr_sets; s++) {
		free(b->title[s]);
		b->title[s] = xasprintf("%.10s (std%%)", d->set[s]->label);
		b->column[FIRST_SET + s] = (struct table_column){
			.title = b->title[s], .width = 17, .grow = true,
			.help = s == d->side[SIDE_A] ? "mean, and std% over the runs" :
						       "change; positive is better",
		};
	}
}

static void clear(struct bench *b)
{
	strmap_release(&b->metrics);
	free(b->first);
	free(b->value);
	b->first = NULL;
	b->value = NULL;
}

static void bench_refresh(struct view *v)
{
	struct bench *b = v->model;
	const struct data *d = &v->app->data;

	clear(b);
	strmap_init(&b->metrics);
	collect_names(b, d);
	set_columns(b, d);
	b->value = xcalloc(b->metrics.n * TUI_MAX_SETS + 1, sizeof(*b->value));
	for (size_t m = 0; m < b->metrics.n; m++)
		for (int s = 0; s < d->nr_sets; s++)
			b->value[m * TUI_MAX_SETS + (size_t)s] =
				summarise(d->set[s], b->metrics.name[m]);
	b->model.column = b->column;
	b->model.nr_columns = FIRST_SET + d->nr_sets;
	for (int i = 0; i < b->model.nr_columns; i++)
		b->table.visible[i] = true;
}

static size_t nr_rows(const void *data)
{
	return ((const struct bench *)data)->metrics.n;
}

static const struct value *value_at(const struct bench *b, size_t row, int set)
{
	return &b->value[row * TUI_MAX_SETS + (size_t)set];
}

/* Positive is better, whatever the metric. */
static double change(const struct bench *b, size_t row, int set)
{
	int base = b->view->app->data.side[SIDE_A];
	double p = change_percent(value_at(b, row, base)->mean,
				  value_at(b, row, set)->mean);

	return b->first[row]->higher_is_better ? p : -p;
}

static double number(const void *data, size_t row, int col)
{
	const struct bench *b = data;
	int set = col - FIRST_SET;

	if (set == b->view->app->data.side[SIDE_A])
		return value_at(b, row, set)->mean;
	return change(b, row, set);
}

static void add_change(const struct bench *b, size_t row, int set, struct strbuf *sb,
		       unsigned *style)
{
	const struct value *v = value_at(b, row, set);
	double p = change(b, row, set);

	char text[32];

	if (!isnan(p))
		strbuf_addf(sb, "%+.2f", p);
	else /* the base has no such number */
		strbuf_addstr(sb, value_text(text, sizeof(text), v->mean));
	if (v->n > 1 && v->mean > 0)
		strbuf_addf(sb, " (%5.2f)", 100 * v->std / v->mean);
	*style = change_style(100, 100 + p, 1);
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct bench *b = data;
	const struct value *v;
	char text[32];

	if (col == 0) {
		strbuf_addstr(sb, b->metrics.name[row]);
		if (*b->first[row]->unit)
			strbuf_addf(sb, " (%s)", b->first[row]->unit);
	} else if (col - FIRST_SET == b->view->app->data.side[SIDE_A]) {
		v = value_at(b, row, col - FIRST_SET);
		strbuf_addstr(sb, value_text(text, sizeof(text), v->mean));
		if (v->n > 1 && v->mean > 0)
			strbuf_addf(sb, " (%5.2f)", 100 * v->std / v->mean);
	} else {
		add_change(b, row, col - FIRST_SET, sb, style);
	}
}

static void bench_open(struct view *v, const void *arg)
{
	struct bench *b = v->model;

	(void)arg;
	b->view = v;
	b->model = (struct table_model){ .nr_rows = nr_rows, .cell = cell,
					 .number = number };
	bench_refresh(v);
	table_init(&b->table, &b->model, b);
	b->table.empty = "the workload printed no numbers that are known";
	v->table = &b->table;
}

static void bench_release(struct view *v)
{
	struct bench *b = v->model;

	clear(b);
	for (int s = 0; s < TUI_MAX_SETS; s++)
		free(b->title[s]);
	table_release(&b->table);
}

static int bench_above(struct view *v, const struct area *a)
{
	const struct data *d = &v->app->data;
	const struct run_set *set = data_set(d, SIDE_A);

	if (!set)
		return 0;
	area_printf(a, 0, 0, STYLE_NORMAL, "Base is %s; change in %%, positive is better; "
		    "(std%%) over runs", set->label);
	return 2;
}

const struct view_ops view_bench = {
	.name = "bench",
	.title = "Bench",
	.brief = "Bench",
	.help = "Every number the workload printed, as mean and standard deviation in "
		"per cent over the runs of a set, for each set that was opened. Side A "
		"is the base; a positive change is better, whatever the metric.",
	.hint = "s sort  x other base  P write as text",
	.size = sizeof(struct bench),
	.open = bench_open,
	.release = bench_release,
	.refresh = bench_refresh,
	.above = bench_above,
};
