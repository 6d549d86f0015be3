// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdict and ledger on the first screen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "overview.h"
#include "schedblame/alloc.h"

/* "! CPUs the workload may use: 0-1 | 0" */
static void add_difference(const struct analysis *a, const struct difference *d,
			   struct page *p)
{
	const char *va = d->value[0], *vb = d->value[a->at[a->b]];
	char *line;

	if (!strcmp(va, vb))
		return;
	line = xasprintf("! %s: %s against %s", d->title, *va ? va : "not known",
			 *vb ? vb : "not known");
	page_paragraph(p, STYLE_WARN, 0, line);
	page_link(p, TO_setup);
	free(line);
}

void overview_add_differences(struct view *v, struct page *p)
{
	const struct analysis *a = app_analysis(v->app);
	size_t noted;

	if (!a || a->b < 0)
		return;
	noted = comparability_count(&a->comparability, DIFFER_NOTED);
	for (size_t i = 0; i < a->comparability.n; i++)
		if (a->comparability.v[i].level == DIFFER_SERIOUS)
			add_difference(a, &a->comparability.v[i], p);
	if (noted) {
		page_line(p, STYLE_WARN, "* %zu lesser difference%s: see Setup", noted,
			  noted == 1 ? "" : "s");
		page_link(p, TO_setup);
	}
}

static void add_verdict(const struct analysis *a, struct page *p)
{
	const struct blame *b = &a->blame;

	page_heading(p, "Verdict");
	page_paragraph(p, verdict_style(b->kind), 2, b->headline);
	page_link(p, TO_verdict);
	for (size_t i = 0; i < b->nr_named; i++) {
		const struct cause *c = &b->cause[i];
		char *line = xasprintf("%zu. %s (%+.1f points%s)", i + 1,
				       c->headline ? c->headline : c->mechanism->title,
				       c->points, c->priced ? "" : " at most");

		page_paragraph(p, STYLE_NORMAL, 2, line);
		page_link(p, TO_verdict);
		free(line);
	}
	if (!b->nr_named && b->needs.n) {
		char *line = xasprintf("To say more, it takes: %s", b->needs.v[0]);

		page_paragraph(p, STYLE_DIM, 2, line);
		page_link(p, TO_verdict);
		free(line);
	}
}

#define NAME_W 28
#define VALUE_W 11
#define POINTS_W 9

static void ledger_head(const struct ledger *l, struct page *p)
{
	struct area a;

	page_heading(p, "CPU time per %s", l->work_unit);
	a = canvas_area(&p->c);
	a = area_sub(&a, 0, p->rows - 1, a.w, 1);
	area_field(&a, NAME_W, 0, VALUE_W, true, STYLE_HEAD, "A");
	area_field(&a, NAME_W + VALUE_W, 0, VALUE_W, true, STYLE_HEAD, "B");
	area_field(&a, NAME_W + 2 * VALUE_W, 0, POINTS_W, true, STYLE_HEAD, "points");
	area_put(&a, NAME_W + 2 * VALUE_W + POINTS_W + 2, 0, STYLE_HEAD,
		 "- less | more +");
}

/* Growth to the right of the middle, shrinking to the left. */
static void put_bar(const struct area *a, int x, double points, double most, bool sure)
{
	int half = (a->w - x - 1) / 2, n;

	if (half > 20)
		half = 20;
	if (half < 2 || isnan(points))
		return;
	area_glyph(a, x + half, 0, STYLE_DIM, GLYPH_VLINE);
	n = (int)(fabs(points) / most * half + 0.5);
	for (int i = 1; i <= n; i++)
		area_glyph(a, points > 0 ? x + half + i : x + half - i, 0,
			   !sure ? STYLE_DIM : points > 0 ? STYLE_BAD : STYLE_GOOD,
			   GLYPH_FULL);
}

static void add_row(struct page *p, const char *name, double va, double vb, double points,
		    double most, unsigned style, bool sure)
{
	struct area a = page_rows(p, 1);
	char text[32];

	area_field(&a, 2, 0, NAME_W - 2, false, style, name);
	area_field(&a, NAME_W, 0, VALUE_W, true, style, time_text(text, sizeof(text), va));
	area_field(&a, NAME_W + VALUE_W, 0, VALUE_W, true, style,
		   time_text(text, sizeof(text), vb));
	snprintf(text, sizeof(text), isnan(points) ? "-" : "%+.1f", points);
	area_field(&a, NAME_W + 2 * VALUE_W, 0, POINTS_W, true,
		   style == STYLE_BOLD ? style : STYLE_NORMAL, text);
	if (style != STYLE_BOLD)
		put_bar(&a, NAME_W + 2 * VALUE_W + POINTS_W + 1, points, most, sure);
}

/* Rows of less than this many points on a side are not worth a row here. */

static void add_ledger(const struct ledger *l, struct page *p, bool sure)
{
	double most = BLAME_LEAST_POINTS;

	for (size_t i = 0; i < l->n; i++)
		most = fmax(most, fabs(l->row[i].points));
	ledger_head(l, p);
	for (size_t i = 0; i < l->n; i++) {
		const struct ledger_row *r = &l->row[i];

		if (fabs(r->points) < BLAME_LEAST_POINTS &&
		    fabs(r->mean_a) < l->mean_a * BLAME_LEAST_POINTS / 100)
			continue;
		add_row(p, r->name, r->mean_a, r->mean_b, r->points, most, STYLE_NORMAL,
			sure);
		page_link(p, r->group ? TO_profile : TO_cpus);
	}
	add_row(p, "all", l->mean_a, l->mean_b, l->change, most, STYLE_BOLD, sure);
}

bool overview_add_blame(struct view *v, struct page *p)
{
	const struct analysis *a = app_analysis(v->app);

	if (!data_both(&v->app->data) || v->app->live)
		return false;
	if (!a) {
		page_heading(p, "Verdict");
		page_line(p, STYLE_DIM, "  being worked out...");
		return false;
	}
	if (!a->have_blame) {
		page_heading(p, "Verdict");
		page_paragraph(p, STYLE_DIM, 2, a->why_not);
		page_link(p, TO_verdict);
		return false;
	}
	add_verdict(a, p);
	add_ledger(&a->ledger, p, a->blame.sure);
	return true;
}
