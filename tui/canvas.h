/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A grid of styled characters: what every view draws on, what screen.c shows,
 * what tests and the P key read. Knows no terminal.
 *
 * All text goes through area_put(), which is where foreign bytes are made safe:
 * controls become '?', bad UTF-8 too, wide characters take two cells (the second
 * has ch 0), and a canvas in ASCII mode holds nothing else.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/strbuf.h"
#include "style.h"

/* No canvas is larger; a page that would be is cut. */
#define CANVAS_MAX_CELLS (16u << 20)

struct cell {
	uint32_t ch;   /* Unicode; 0: right half of a wide character */
	uint8_t style; /* enum style, perhaps | STYLE_SELECTED */
};

struct canvas {
	struct cell *cell; /* w * h, row by row; owned */
	int w, h;
	bool ascii;
};

void canvas_init(struct canvas *c, int w, int h, bool ascii);
void canvas_release(struct canvas *c);
/* New size, all blank; false when it would be too large (size unchanged). */
bool canvas_resize(struct canvas *c, int w, int h);
/* More rows below, blank; keeps what is there. */
bool canvas_grow(struct canvas *c, int h);
void canvas_clear(struct canvas *c);
/* Appends row y as UTF-8 without blanks at the end. */
void canvas_row(const struct canvas *c, int y, struct strbuf *sb);
/* All rows, each with its newline. */
void canvas_dump(const struct canvas *c, struct strbuf *sb);

/* A window on a canvas: what is drawn outside it is cut off. */
struct area {
	struct canvas *c;
	int x, y, w, h;
};

struct area canvas_area(struct canvas *c);
/* The part of a at (x, y) of size w x h, cut to a. */
struct area area_sub(const struct area *a, int x, int y, int w, int h);

/* Draws s from column x of row y; returns the column behind it, also when cut.
 * x may be negative: the part left of the area is cut. */
int area_put(const struct area *a, int x, int y, unsigned style, const char *s);
int area_putn(const struct area *a, int x, int y, unsigned style, const char *s,
	      size_t len);
int area_printf(const struct area *a, int x, int y, unsigned style,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Wrapped at the area's right edge, from row y on; returns the rows used. */
int area_wrap(const struct area *a, int x, int y, unsigned style, const char *s);
/* Exactly width columns: padded, or cut with a mark; right: blanks in front.
 * Numbers are never cut: a right-aligned text that does not fit is "#". */
void area_field(const struct area *a, int x, int y, int width, bool right,
		unsigned style, const char *s);
void area_char(const struct area *a, int x, int y, unsigned style, uint32_t ch);
void area_glyph(const struct area *a, int x, int y, unsigned style, enum glyph g);
void area_hline(const struct area *a, int y, unsigned style);
void area_fill(const struct area *a, unsigned style, uint32_t ch);
/* Or-s STYLE_SELECTED into a row. */
void area_select(const struct area *a, int y);
/* Changes the style of w cells, text unchanged. */
void area_restyle(const struct area *a, int x, int y, int w, unsigned style);
/* A bar of fraction (0..1) of width columns, to an eighth of a column where
 * Unicode allows; more than nothing is never shown as nothing. */
void area_bar(const struct area *a, int x, int y, int width, unsigned style,
	      double fraction);
/* Rows of src from top on, into a. */
void area_copy(const struct area *a, const struct canvas *src, int top);

/* Columns of a text as area_put() draws it. */
int text_columns(const char *s, bool ascii);

#endif
