/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Widgets without a cursor: histograms, bars side by side, heat maps. */
#ifndef TUI_DRAW_H
#define TUI_DRAW_H

#include "canvas.h"
#include "data.h"
#include "schedblame/histogram.h"

/* Two histograms in log2 rows, overlaid: A in the upper half of a row, B in the
 * lower. Counts are multiplied with scale; bars show the share of each side. */
struct histogram_pair {
	const struct histogram *h[SIDE_NR]; /* NULL: not there */
	double scale[SIDE_NR];
	uint64_t div;	  /* 1000: nanoseconds shown as us */
	const char *unit; /* of the rows: "usecs" */
};
/* Rows it takes, with its head and legend. */
int histogram_rows(const struct histogram_pair *p);
void histogram_draw(const struct histogram_pair *p, const struct area *a);

/* One bar of parts that sum to at most 1: a letter or colour each. */
struct bar_part {
	double fraction;
	unsigned style;
	char letter; /* drawn into the part */
};
void bar_draw(const struct area *a, int x, int y, int width,
	      const struct bar_part *part, int n);

/* A matrix of n x n numbers, row = from, column = to. */
struct heat {
	int n;
	double (*at)(const void *data, int from, int to); /* NaN: none */
	const void *data;
	const char *title, *row_word; /* "N" for node 0 as N0 */
	bool sign;  /* a difference: shown with its sign */
	int from, to; /* the cell with the cursor, -1: none */
	int top, left; /* first row and column shown */
};
/* Columns and rows it would like. */
void heat_size(const struct heat *h, bool numbers, int *w, int *ht);
/* numbers: cells as numbers; else one shade each. Returns rows used. */
int heat_draw(const struct heat *h, const struct area *a, bool numbers);
/* Greatest absolute value, 0 when there is none. */
double heat_max(const struct heat *h);
/* Shade 0..5 of v against max, by its logarithm; 0 is nothing. */
int heat_shade(double v, double max);
void heat_glyph(const struct area *a, int x, int y, int shade);

#endif
