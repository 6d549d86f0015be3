/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table widget: sort, filter, search, fold, columns, over a model that only
 * answers questions. Rows are asked for when they are drawn, so 100 thousand of
 * them cost what a screenful costs; sorting asks each row for one number.
 *
 * A tree is a table whose model has depth(): rows stand in pre-order and the
 * rows after a row with a greater depth are below it.
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "keys.h"

struct table_column {
	const char *title;
	int width;	/* columns of the screen, at least those of the title */
	bool text;	/* left-aligned, searched and filtered; the widest takes what
			 * is left of the screen */
	bool hidden;	/* at first */
	bool grow;	/* sort descending first: for a number, more is first */
	const char *help;
};

struct table_model {
	const struct table_column *column;
	int nr_columns;
	size_t (*nr_rows)(const void *data);
	/* Appends the text; *style is NORMAL before. */
	void (*cell)(const void *data, size_t row, int col, struct strbuf *text,
		     unsigned *style);
	/* The sort key of a number column; NaN sorts last. NULL: all are text. */
	double (*number)(const void *data, size_t row, int col);
	/* NULL: flat. */
	unsigned (*depth)(const void *data, size_t row);
};

#define TABLE_MAX_COLUMNS 32

struct table {
	const struct table_model *model;
	const void *data; /* borrowed */
	uint32_t *order;  /* rows in the order shown; owned */
	size_t nr_shown;
	uint8_t *folded;  /* by row, trees only; owned */
	size_t nr_rows;	  /* when order was made */
	size_t top, cursor; /* positions in order */
	int left;	  /* columns of the screen scrolled to the right */
	int sort;	  /* column, -1: as the model has them */
	bool descending, start_folded; /* new rows: folded */
	bool visible[TABLE_MAX_COLUMNS];
	char *filter, *search; /* owned, NULL: none */
	int page, at;	  /* of the last drawing: rows, row of the canvas of its head */
	const char *empty; /* a sentence for when there is no row; borrowed */
};

void table_init(struct table *t, const struct table_model *model, const void *data);
void table_release(struct table *t);
/* The data changed: order again; the cursor stays on its row where it can. */
void table_refresh(struct table *t);
/* Sort by a column, in the direction natural to it. */
void table_sort(struct table *t, int column);
void table_filter(struct table *t, const char *text);
/* Moves to the next (dir 1) or previous (-1) match; false: there is none. */
bool table_search(struct table *t, const char *text, int dir);
/* Row under the cursor in the model's numbers, or SIZE_MAX. */
size_t table_row(const struct table *t);
void table_select(struct table *t, size_t row);
/* Folds or unfolds every row with something below it. */
void table_fold_all(struct table *t, bool fold);
/* A click on a row of the canvas: the cursor goes there. */
void table_click(struct table *t, int y);
/* Handles the keys of group Move and Arrange; true: done. */
bool table_act(struct table *t, enum action action);
void table_draw(struct table *t, const struct area *a);
/* The whole table as text, width columns wide. */
void table_text(const struct table *t, struct strbuf *sb, int width, bool ascii);

/* Case-insensitive for ASCII; "" matches all. Used by all searches. */
bool text_matches(const char *text, const char *pattern);

#endif
