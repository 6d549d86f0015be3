// SPDX-License-Identifier: GPL-2.0-or-later
/* The grid: storage, sizes and what is read back from it. Drawing: area.c. */
#include "canvas.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

static const struct cell blank = { ' ', STYLE_NORMAL };

static void blank_cells(struct cell *cell, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cell[i] = blank;
}

void canvas_init(struct canvas *c, int w, int h, bool ascii)
{
	memset(c, 0, sizeof(*c));
	c->ascii = ascii;
	canvas_resize(c, w, h);
}

void canvas_release(struct canvas *c)
{
	free(c->cell);
	memset(c, 0, sizeof(*c));
}

static bool size_allowed(int w, int h)
{
	return w >= 0 && h >= 0 && (uint64_t)w * (uint64_t)h <= CANVAS_MAX_CELLS;
}

bool canvas_resize(struct canvas *c, int w, int h)
{
	if (!size_allowed(w, h))
		return false;
	if (w != c->w || h != c->h) {
		free(c->cell);
		c->cell = xcalloc((size_t)w * (size_t)h + 1, sizeof(*c->cell));
		c->w = w;
		c->h = h;
	}
	canvas_clear(c);
	return true;
}

bool canvas_grow(struct canvas *c, int h)
{
	size_t have = (size_t)c->w * (size_t)c->h;

	if (h <= c->h)
		return true;
	if (!size_allowed(c->w, h))
		return false;
	c->cell = xrealloc(c->cell, (size_t)c->w * (size_t)h + 1, sizeof(*c->cell));
	blank_cells(c->cell + have, (size_t)c->w * (size_t)h - have);
	c->h = h;
	return true;
}

void canvas_clear(struct canvas *c)
{
	blank_cells(c->cell, (size_t)c->w * (size_t)c->h);
}

static void add_utf8(struct strbuf *sb, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addch(sb, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addch(sb, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addch(sb, (char)(0xe0 | c >> 12));
		} else {
			strbuf_addch(sb, (char)(0xf0 | c >> 18));
			strbuf_addch(sb, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
}

void canvas_row(const struct canvas *c, int y, struct strbuf *sb)
{
	const struct cell *row = c->cell + (size_t)y * (size_t)c->w;
	int end = c->w;

	while (end > 0 && row[end - 1].ch == ' ')
		end--;
	for (int x = 0; x < end; x++)
		if (row[x].ch)
			add_utf8(sb, row[x].ch);
}

void canvas_dump(const struct canvas *c, struct strbuf *sb)
{
	for (int y = 0; y < c->h; y++) {
		canvas_row(c, y, sb);
		strbuf_addch(sb, '\n');
	}
}

uint32_t glyph_char(enum glyph g, int ascii)
{
#define X(id, unicode, fallback) { unicode, fallback },
	static const struct {
		uint32_t unicode;
		char ascii;
	} glyph[] = { GLYPH_LIST(X) };
#undef X
	return ascii ? (uint32_t)glyph[g].ascii : glyph[g].unicode;
}

char style_letter(enum style s)
{
#define X(id, letter, fg, attr, mono) letter,
	static const char letters[] = { STYLE_LIST(X) };
#undef X
	return s < STYLE_NR ? letters[s] : '?';
}
