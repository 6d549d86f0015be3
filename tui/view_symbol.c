// SPDX-License-Identifier: GPL-2.0-or-later
/* One row of the profile diff in full: its statistics, and who calls it on either
 * side, where the profiles have call chains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "figures.h"
#include "profile_view.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"

static void symbol_open(struct view *v, const void *arg)
{
	*(struct profile_row_arg *)v->model = *(const struct profile_row_arg *)arg;
}

/* Time in the row by the function that called it; means over the repeats. */
struct callers {
	struct strmap name;
	double (*value)[SIDE_NR]; /* by id; owned */
	size_t cap;
};

static void add_caller(struct callers *c, const char *name, int side, double value)
{
	uint32_t id = strmap_adds(&c->name, name);

	if (id >= c->cap) {
		size_t cap = (id + 1) * 2;

		c->value = xrealloc(c->value, cap, sizeof(*c->value));
		for (size_t i = c->cap; i < cap; i++)
			c->value[i][SIDE_A] = c->value[i][SIDE_B] = 0;
		c->cap = cap;
	}
	c->value[id][side] += value;
}

/* number: of the profile, in side order. A node counts with what is below it, unless
 * the row called itself. */
static void walk_profile(struct callers *c, const struct profdiff *d, size_t number,
			 const struct profile *p, int side, size_t row, double scale)
{
	double *weight = xcalloc(p->nr_nodes, sizeof(*weight));

	profile_tree_totals(p, NULL, weight);
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t parent = p->node[i].parent;

		if (profdiff_row_of(d, number, p->node[i].symbol) != row)
			continue;
		if (parent == PROFILE_ROOT)
			add_caller(c, "(nobody: entered here)", side, weight[i] * scale);
		else if (profdiff_row_of(d, number, p->node[parent].symbol) != row)
			add_caller(c, profile_name(p, p->node[parent].symbol), side,
				   weight[i] * scale);
	}
	free(weight);
}

static void find_callers(struct callers *c, const struct profile_job *j, size_t row)
{
	size_t number = 0;

	strmap_init(&c->name);
	for (int s = 0; s < SIDE_NR; s++)
		for (size_t i = 0; i < j->set[s]->n; i++) {
			const struct profile *p = run_profile(&j->set[s]->run[i], NULL);

			if (!p)
				continue;
			walk_profile(c, &j->diff, number, p, s, row,
				     profdiff_scale(&j->diff, number) /
					     (double)j->diff.repeats[s]);
			number++;
		}
}

struct sorted {
	const char *name;
	double value[SIDE_NR];
};

static int largest_first(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	double va = fmax(a->value[0], a->value[1]), vb = fmax(b->value[0], b->value[1]);

	return (va < vb) - (va > vb);
}

#define MOST_CALLERS 40

static void add_callers(struct view *v, struct page *p, const struct profile_row_arg *arg)
{
	struct callers c = { 0 };
	struct sorted *sorted;

	find_callers(&c, arg->job, arg->row);
	sorted = xcalloc(c.name.n + 1, sizeof(*sorted));
	for (size_t i = 0; i < c.name.n; i++)
		sorted[i] = (struct sorted){ c.name.name[i],
					     { c.value[i][SIDE_A], c.value[i][SIDE_B] } };
	qsort(sorted, c.name.n, sizeof(*sorted), largest_first);
	figure_head(p, &v->app->data, "Called from (with all below it)");
	for (size_t i = 0; i < c.name.n && i < MOST_CALLERS; i++) {
		struct figure_row row = { sorted[i].name,
					  { sorted[i].value[0], sorted[i].value[1] },
					  .direction = -1 };

		figure_row(p, &v->app->data, &row);
	}
	if (!c.name.n)
		page_line(p, STYLE_DIM, "  the profiles have no call chains: 'schedblame "
					"collect --call-graph' records them");
	free(sorted);
	free(c.value);
	strmap_release(&c.name);
}

static void add_figures(struct view *v, struct page *p, const struct profdiff_row *r)
{
	const struct profdiff_cell *a = &r->cell[0], *b = &r->cell[1];
	const struct figure_row rows[] = {
		{ "time", { a->value, b->value }, .direction = -1 },
		{ "standard deviation over runs", { a->std, b->std } },
		{ "share of all outside idle, %", { a->share, b->share },
		  .percent_points = true },
		{ "samples", { a->samples, b->samples } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		figure_row(p, &v->app->data, &rows[i]);
	if (!data_both(&v->app->data) || isnan(b->ratio))
		return;
	page_line(p, STYLE_NORMAL, "  ratio %.3f, 95 %% CI %.3f to %.3f, p %.3f, q %.3f: %s",
		  b->ratio, b->low, b->high, b->p, b->q, verdict_name[b->verdict]);
}

static void symbol_build(struct view *v, struct page *p)
{
	const struct profile_row_arg *arg = v->model;
	const struct profdiff *d = &arg->job->diff;
	const struct profdiff_row *r = &d->row[arg->row];

	figure_head(p, &v->app->data, r->name);
	page_line(p, STYLE_DIM, "  %s%s%s%s%s%s", profile_space_name[r->space],
		  *r->module ? ", module " : "", r->module, *r->file ? ", " : "", r->file,
		  r->renamed ? ", renamed between the two" : "");
	if (*r->group)
		page_line(p, STYLE_DIM, "  group: %s", r->group);
	page_line(p, STYLE_DIM, "  in %s", profdiff_norm_caption[d->norm]);
	add_figures(v, p, r);
	if (d->by == BY_SYMBOL)
		add_callers(v, p, arg);
}

const struct view_ops view_symbol = {
	.name = "function",
	.title = "Function",
	.brief = "Func",
	.help = "One row of the profile diff: its time on both sides with scatter, ratio "
		"and confidence interval, and the functions that call it.",
	.hint = "j k scroll  P write as text",
	.size = sizeof(struct profile_row_arg),
	.open = symbol_open,
	.build = symbol_build,
};
