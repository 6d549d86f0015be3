// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of figures on a page. */
#include "figures.h"

#include <math.h>
#include <stdio.h>

#define CHANGE_W 12

static bool shown(const struct data *d, enum side s)
{
	return data_set(d, s) && (s == SIDE_A || data_both(d));
}

void figure_head(struct page *p, const struct data *d, const char *title)
{
	struct area a;
	int x = FIGURE_TITLE_W;

	page_heading(p, "%s", title);
	a = canvas_area(&p->c);
	a = area_sub(&a, 0, p->rows - 1, a.w, 1);
	for (int s = 0; s < SIDE_NR; s++) {
		if (!shown(d, (enum side)s))
			continue;
		area_field(&a, x, 0, FIGURE_W, true, STYLE_HEAD,
			   s == SIDE_A ? "A" : "B");
		x += FIGURE_W;
	}
	if (data_both(d))
		area_field(&a, x, 0, CHANGE_W, true, STYLE_HEAD, "B against A");
}

unsigned verdict_row_style(enum verdict v)
{
	return v == VERDICT_BETTER ? STYLE_GOOD : v == VERDICT_WORSE ? STYLE_BAD : STYLE_NORMAL;
}

void figure_row(struct page *p, const struct data *d, const struct figure_row *row)
{
	struct area a = page_rows(p, 1);
	double va = row->value[SIDE_A], vb = row->value[SIDE_B];
	int x = FIGURE_TITLE_W;
	char text[64];

	area_field(&a, 2, 0, FIGURE_TITLE_W - 2, false, STYLE_NORMAL, row->title);
	for (int s = 0; s < SIDE_NR; s++) {
		if (!shown(d, (enum side)s))
			continue;
		area_field(&a, x, 0, FIGURE_W, true, STYLE_NORMAL,
			   row->text[s] ? row->text[s] :
			   row->count	? count_text(text, sizeof(text), row->value[s]) :
					  value_text(text, sizeof(text), row->value[s]));
		x += FIGURE_W;
	}
	if (!data_both(d))
		return;
	if (row->better_positive)
		snprintf(text, sizeof(text), isnan(change_percent(va, vb)) ? "-" : "%+.1f%%",
			 row->direction * change_percent(va, vb));
	else if (!row->percent_points)
		change_text(text, sizeof(text), va, vb);
	else if (isnan(va) || isnan(vb))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%+.1f pts", vb - va);
	area_field(&a, x, 0, CHANGE_W, true, verdict_row_style(row->verdict), text);
	area_put(&a, x + CHANGE_W + 1, 0, verdict_row_style(row->verdict),
		 row->verdict == VERDICT_BETTER ? "better" :
		 row->verdict == VERDICT_WORSE	? "worse" :
						  "");
}
