/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page: a long canvas that a view fills from top to bottom and the reader
 * scrolls. Rows may be links: the cursor goes from one to the next, Enter opens
 * what its number says (the view knows).
 */
#ifndef TUI_PAGE_H
#define TUI_PAGE_H

#include "canvas.h"
#include "keys.h"

struct page_link {
	int y;
	long target;
};

struct page {
	struct canvas c;
	int rows; /* filled so far; c.h may be more */
	int top;
	struct page_link *link; /* owned, by y */
	size_t nr_links, cap_links, cursor;
	char *search; /* owned */
	int found;    /* row of the last match, -1 */
	int height, at; /* of the last drawing: rows, the first on the canvas */
};

void page_init(struct page *p);
void page_release(struct page *p);
/* Empty, width columns wide; position and cursor stay. */
void page_start(struct page *p, int width, bool ascii);
/* The next n rows, blank, to draw on. Valid until more rows are asked for. */
struct area page_rows(struct page *p, int n);
void page_line(struct page *p, unsigned style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A blank row (not on top) and a heading. */
void page_heading(struct page *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A paragraph, wrapped, indented. */
void page_paragraph(struct page *p, unsigned style, int indent, const char *text);
/* The last row leads to target. */
void page_link(struct page *p, long target);
/* The target under the cursor, or -1. */
long page_target(const struct page *p);
/* A click on a row of the canvas: the cursor goes to its link. */
void page_click(struct page *p, int y);
bool page_act(struct page *p, enum action action);
bool page_search(struct page *p, const char *text, int dir);
void page_draw(struct page *p, const struct area *a);
void page_text(const struct page *p, struct strbuf *sb);

#endif
