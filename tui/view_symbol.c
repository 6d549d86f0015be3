// SPDX-License-Identifier: GPL-2.0-or-later
/* One row of the profile diff in full: its statistics and who calls it. */
#include <math.h>
#include <stdio.h>

#include "app.h"
#include "figures.h"
#include "profile_view.h"
#include "schedblame/alloc.h"

static void symbol_open(struct view *v, const void *arg)
{
	*(struct profile_row_arg *)v->model = *(const struct profile_row_arg *)arg;
}

/* The direct callers; the whole tree is in the profile's table. */
static void add_callers(struct view *v, struct page *p, const struct profile_row_arg *arg)
{
	const struct callers *c = &arg->job->callers;

	if (!c->n)
		return;
	figure_head(p, &v->app->data, "Called from");
	for (size_t i = c->first[arg->row]; i < c->first[arg->row + 1]; i++) {
		struct figure_row row = { c->names.name[c->caller[i].name],
					  { c->caller[i].value[SIDE_A],
					    c->caller[i].value[SIDE_B] },
					  .direction = -1 };

		if (c->caller[i].depth == 1)
			figure_row(p, &v->app->data, &row);
	}
}

static void add_figures(struct view *v, struct page *p, const struct profdiff_row *r)
{
	const struct profdiff_cell *a = &r->cell[0], *b = &r->cell[1];
	const struct figure_row rows[] = {
		{ "time", { a->value, b->value }, .direction = -1 },
		{ "standard deviation over runs", { a->std, b->std } },
		{ "share of all outside idle, %", { a->share, b->share },
		  .percent_points = true },
		{ "samples, all runs", { a->samples, b->samples }, .count = true },
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
