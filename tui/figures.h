/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows "title, A, B, change, better or worse": the overview and its like. */
#ifndef TUI_FIGURES_H
#define TUI_FIGURES_H

#include "data.h"
#include "page.h"
#include "schedblame/stats.h"

/* Where the numbers of a row stand. */
#define FIGURE_TITLE_W 30
#define FIGURE_W 14

/* A heading row "title A B change". */
void figure_head(struct page *p, const struct data *d, const char *title);
/* One row; text is value_text() of a and b unless given. */
struct figure_row {
	const char *title;
	double value[SIDE_NR];
	const char *text[SIDE_NR]; /* NULL: by itself */
	enum verdict verdict; /* better and worse are said only where it is sure */
	int direction;	  /* -1 less is better, 1 more, 0 neither */
	bool better_positive; /* + is better, whatever the direction: benchmarks */
	bool count;	      /* how many: whole numbers */
	bool percent_points; /* the values are per cents: change in points */
};
unsigned verdict_row_style(enum verdict v);
void figure_row(struct page *p, const struct data *d, const struct figure_row *row);

#endif
