// SPDX-License-Identifier: GPL-2.0-or-later
/* Drawing on a window of a canvas: the one place where text enters it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "canvas.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

struct area canvas_area(struct canvas *c)
{
	return (struct area){ c, 0, 0, c->w, c->h };
}

static int clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

struct area area_sub(const struct area *a, int x, int y, int w, int h)
{
	struct area sub = { a->c };
	int right = clamp(x + clamp(w, 0, 1 << 20), 0, a->w);
	int bottom = clamp(y + clamp(h, 0, 1 << 20), 0, a->h);

	x = clamp(x, 0, a->w);
	y = clamp(y, 0, a->h);
	sub.x = a->x + x;
	sub.y = a->y + y;
	sub.w = right > x ? right - x : 0;
	sub.h = bottom > y ? bottom - y : 0;
	return sub;
}

static struct cell *cell_at(const struct area *a, int x, int y)
{
	return a->c->cell + (size_t)(a->y + y) * (size_t)a->c->w + (a->x + x);
}

/* Overwriting one half of a wide character leaves no half behind. */
static void set_cell(const struct area *a, int x, int y, unsigned style, uint32_t ch)
{
	struct cell *cell = cell_at(a, x, y);
	int column = a->x + x;

	if (!cell->ch && ch && column > 0)
		cell[-1].ch = ' ';
	if (ch && column + 1 < a->c->w && !cell[1].ch)
		cell[1].ch = ' ';
	cell->ch = ch;
	cell->style = (uint8_t)style;
}

static bool inside(const struct area *a, int x, int y)
{
	return x >= 0 && x < a->w && y >= 0 && y < a->h;
}

/* Columns of a character: 0 for what is not drawn. */
static int char_columns(uint32_t ch)
{
	int w;

	if (ch < 0x7f)
		return 1;
	w = wcwidth((wchar_t)ch);
	return w < 0 ? 1 : w > 2 ? 2 : w;
}

void area_char(const struct area *a, int x, int y, unsigned style, uint32_t ch)
{
	int w = char_columns(ch);

	if (!w || !inside(a, x, y))
		return;
	if (w == 2 && !inside(a, x + 1, y)) {
		set_cell(a, x, y, style, '?');
		return;
	}
	set_cell(a, x, y, style, ch);
	if (w == 2) {
		struct cell *half = cell_at(a, x + 1, y);

		set_cell(a, x + 1, y, style, ' ');
		half[-1].ch = ch;
		half->ch = 0;
	}
}

/* The first character of well-formed, printable UTF-8 (text_add_utf8). */
static uint32_t next_char(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	int more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
	uint32_t ch = more ? *p & (0x3fu >> more) : *p;

	p++;
	while (more-- && *p)
		ch = ch << 6 | (*p++ & 0x3f);
	*s = (const char *)p;
	return ch;
}

static void add_safe(struct strbuf *sb, const char *s, size_t len, bool ascii)
{
	struct strbuf utf8 = STRBUF_INIT;
	const char *p;

	text_add_utf8(&utf8, s, len);
	if (!ascii) {
		strbuf_add(sb, utf8.buf, utf8.len);
	} else {
		/* one '?' a character, not a byte */
		for (p = utf8.buf; *p;) {
			uint32_t ch = next_char(&p);

			strbuf_addch(sb, ch < 127 ? (char)ch : '?');
		}
	}
	strbuf_release(&utf8);
}

int area_putn(const struct area *a, int x, int y, unsigned style, const char *s,
	      size_t len)
{
	struct strbuf sb = STRBUF_INIT;
	const char *p;

	add_safe(&sb, s, len, a->c->ascii);
	for (p = sb.buf; *p;) {
		uint32_t ch = next_char(&p);

		area_char(a, x, y, style, ch);
		x += char_columns(ch);
	}
	strbuf_release(&sb);
	return x;
}

int area_put(const struct area *a, int x, int y, unsigned style, const char *s)
{
	return area_putn(a, x, y, style, s, strlen(s));
}

int area_printf(const struct area *a, int x, int y, unsigned style,
		const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	x = area_putn(a, x, y, style, sb.buf, sb.len);
	strbuf_release(&sb);
	return x;
}

int text_columns(const char *s, bool ascii)
{
	struct strbuf sb = STRBUF_INIT;
	const char *p;
	int n = 0;

	add_safe(&sb, s, strlen(s), ascii);
	for (p = sb.buf; *p;)
		n += char_columns(next_char(&p));
	strbuf_release(&sb);
	return n;
}

int area_wrap(const struct area *a, int x, int y, unsigned style, const char *s)
{
	struct strbuf sb = STRBUF_INIT;
	char *save = NULL, *line;
	int rows = 0;

	text_wrap(&sb, s, a->w - x - 1 > 8 ? a->w - x - 1 : 8, 0);
	for (line = strtok_r(sb.buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		area_put(a, x, y + rows++, style, line);
	strbuf_release(&sb);
	return rows;
}

void area_field(const struct area *a, int x, int y, int width, bool right,
		unsigned style, const char *s)
{
	int columns = text_columns(s, a->c->ascii);
	/* x may be negative: a cut by area_sub() would shift the text */
	struct area field = *a;

	if (width <= 0)
		return;
	for (int i = 0; i < width; i++)
		area_char(a, x + i, y, style, ' ');
	if (columns > width && right)
		s = "#", columns = 1;
	if (field.w > x + width)
		field.w = x + width;
	area_put(&field, x + (right ? width - columns : 0), y, style, s);
	if (columns > width)
		area_glyph(a, x + width - 1, y, style, GLYPH_ELLIPSIS);
}

void area_glyph(const struct area *a, int x, int y, unsigned style, enum glyph g)
{
	area_char(a, x, y, style, glyph_char(g, a->c->ascii));
}

void area_hline(const struct area *a, int y, unsigned style)
{
	for (int x = 0; x < a->w; x++)
		area_glyph(a, x, y, style, GLYPH_HLINE);
}

void area_fill(const struct area *a, unsigned style, uint32_t ch)
{
	for (int y = 0; y < a->h; y++)
		for (int x = 0; x < a->w; x++)
			area_char(a, x, y, style, ch);
}

void area_select(const struct area *a, int y)
{
	for (int x = 0; x < a->w; x++)
		if (inside(a, x, y))
			cell_at(a, x, y)->style |= STYLE_SELECTED;
}

void area_restyle(const struct area *a, int x, int y, int w, unsigned style)
{
	for (int i = x; i < x + w; i++)
		if (inside(a, i, y))
			cell_at(a, i, y)->style = (uint8_t)style;
}

void area_bar(const struct area *a, int x, int y, int width, unsigned style,
	      double fraction)
{
	int eighths, full;

	if (!(fraction > 0) || width <= 0)
		return;
	eighths = fraction >= 1 ? width * 8 : (int)(fraction * width * 8);
	if (!eighths)
		eighths = 1;
	if (a->c->ascii)
		eighths = (eighths + 7) / 8 * 8;
	full = eighths / 8;
	for (int i = 0; i < full; i++)
		area_glyph(a, x + i, y, style, GLYPH_FULL);
	if (eighths % 8)
		area_char(a, x + full, y, style, (uint32_t)(0x2590 - eighths % 8));
}

void area_copy(const struct area *a, const struct canvas *src, int top)
{
	for (int y = 0; y < a->h && top + y < src->h; y++)
		for (int x = 0; x < a->w && x < src->w && top + y >= 0; x++)
			*cell_at(a, x, y) =
				src->cell[(size_t)(top + y) * (size_t)src->w + (size_t)x];
}
