// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages: filled by a view, scrolled by the reader. */
#include "page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/text.h"

void page_init(struct page *p)
{
	memset(p, 0, sizeof(*p));
	p->found = -1;
	canvas_init(&p->c, 0, 0, true);
}

void page_release(struct page *p)
{
	canvas_release(&p->c);
	free(p->link);
	free(p->search);
	memset(p, 0, sizeof(*p));
}

void page_start(struct page *p, int width, bool ascii)
{
	p->c.ascii = ascii;
	canvas_resize(&p->c, width > 1 ? width : 1, 64);
	p->rows = 0;
	p->nr_links = 0;
}

struct area page_rows(struct page *p, int n)
{
	struct area all;

	if (p->rows + n > p->c.h && !canvas_grow(&p->c, (p->rows + n) * 2) &&
	    !canvas_grow(&p->c, p->rows + n))
		n = p->c.h - p->rows;
	all = canvas_area(&p->c);
	p->rows += n;
	return area_sub(&all, 0, p->rows - n, p->c.w, n);
}

void page_line(struct page *p, unsigned style, const char *fmt, ...)
{
	struct area a = page_rows(p, 1);
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	area_putn(&a, 0, 0, style, sb.buf, sb.len);
	strbuf_release(&sb);
}

void page_heading(struct page *p, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	struct area a;
	va_list ap;

	if (p->rows)
		page_rows(p, 1);
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	a = page_rows(p, 1);
	for (int x = 0; x < a.w; x++)
		area_char(&a, x, 0, STYLE_HEAD, ' ');
	area_put(&a, 0, 0, STYLE_HEAD, sb.buf);
	strbuf_release(&sb);
}

void page_paragraph(struct page *p, unsigned style, int indent, const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	char *save = NULL, *line;

	strbuf_addchn(&sb, ' ', (size_t)indent);
	text_wrap(&sb, text, p->c.w - indent - 1, 0);
	line = strtok_r(sb.buf + indent, "\n", &save);
	for (; line; line = strtok_r(NULL, "\n", &save))
		page_line(p, style, "%*s%s", indent, "", line);
	strbuf_release(&sb);
}

void page_link(struct page *p, long target)
{
	GROW(p->link, p->nr_links, p->cap_links);
	p->link[p->nr_links++] = (struct page_link){ p->rows - 1, target };
}

long page_target(const struct page *p)
{
	return p->cursor < p->nr_links ? p->link[p->cursor].target : -1;
}

static void scroll(struct page *p, int by)
{
	int most = p->rows > p->height ? p->rows - p->height : 0;

	p->top += by;
	if (p->top > most)
		p->top = most;
	if (p->top < 0)
		p->top = 0;
}

static bool visible(const struct page *p, size_t link)
{
	int y = p->link[link].y;

	return y >= p->top && y < p->top + p->height;
}

/* To the next link when it is at most a page away, else by a row. */
static void step(struct page *p, int dir)
{
	size_t next = p->cursor + (size_t)dir;

	if (next < p->nr_links &&
	    abs(p->link[next].y - p->link[p->cursor].y) < p->height) {
		p->cursor = next;
		if (!visible(p, next))
			scroll(p, p->link[next].y -
					  (dir > 0 ? p->top + p->height - 1 : p->top));
	} else {
		scroll(p, dir);
	}
}

static void cursor_into_view(struct page *p)
{
	for (size_t i = 0; i < p->nr_links && !visible(p, p->cursor); i++)
		if (visible(p, i))
			p->cursor = i;
}

void page_click(struct page *p, int y)
{
	for (size_t i = 0; i < p->nr_links; i++)
		if (p->link[i].y == y - p->at + p->top)
			p->cursor = i;
}

bool page_act(struct page *p, enum action action)
{
	const struct {
		enum action action;
		int by;
	} moves[] = {
		{ ACT_PAGE_DOWN, p->height - 1 }, { ACT_PAGE_UP, 1 - p->height },
		{ ACT_HALF_DOWN, p->height / 2 }, { ACT_HALF_UP, -p->height / 2 },
		{ ACT_END, p->rows },		  { ACT_HOME, -p->rows },
	};

	if (action == ACT_DOWN || action == ACT_UP) {
		step(p, action == ACT_DOWN ? 1 : -1);
		return true;
	}
	if (action == ACT_NEXT || action == ACT_PREV)
		return !p->search ||
		       page_search(p, p->search, action == ACT_NEXT ? 1 : -1);
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		if (moves[i].action == action) {
			scroll(p, moves[i].by);
			if (action == ACT_HOME)
				p->cursor = 0;
			else if (action == ACT_END && p->nr_links)
				p->cursor = p->nr_links - 1;
			cursor_into_view(p);
			return true;
		}
	}
	return false;
}

bool page_search(struct page *p, const char *text, int dir)
{
	struct strbuf row = STRBUF_INIT;
	int from = p->found >= p->top && p->found < p->top + p->height ? p->found :
									  p->top - 1;
	bool found = false;

	if (text != p->search) {
		free(p->search);
		p->search = xstrdup(text);
	}
	for (int step = 1; step <= p->rows && !found; step++) {
		int y = (from + dir * step + 2 * p->rows) % p->rows;

		strbuf_reset(&row);
		canvas_row(&p->c, y, &row);
		if (strcasestr(row.buf, p->search)) {
			found = true;
			p->found = y;
			if (y < p->top || y >= p->top + p->height)
				p->top = y;
			cursor_into_view(p);
		}
	}
	strbuf_release(&row);
	return found;
}

static void mark_matches(const struct page *p, const struct area *a)
{
	struct strbuf row = STRBUF_INIT;
	int len = p->search ? (int)strlen(p->search) : 0;

	for (int y = 0; len && y < a->h && p->top + y < p->rows; y++) {
		const char *at;

		strbuf_reset(&row);
		canvas_row(&p->c, p->top + y, &row);
		for (at = row.buf; (at = strcasestr(at, p->search)); at += len) {
			char *before = xstrndup(row.buf, (size_t)(at - row.buf));

			area_restyle(a, text_columns(before, p->c.ascii), y, len,
				     STYLE_MATCH);
			free(before);
		}
	}
	strbuf_release(&row);
}

void page_draw(struct page *p, const struct area *a)
{
	struct area rows = *a;

	p->height = a->h;
	p->at = a->y;
	scroll(p, 0);
	if (p->cursor >= p->nr_links)
		p->cursor = p->nr_links ? p->nr_links - 1 : 0;
	if (rows.h > p->rows - p->top)
		rows.h = p->rows - p->top;
	area_copy(&rows, &p->c, p->top);
	mark_matches(p, &rows);
	if (p->nr_links && visible(p, p->cursor))
		area_select(&rows, p->link[p->cursor].y - p->top);
}

void page_text(const struct page *p, struct strbuf *sb)
{
	for (int y = 0; y < p->rows; y++) {
		canvas_row(&p->c, y, sb);
		strbuf_addch(sb, '\n');
	}
}
