// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of two sides overlaid. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"

#define LABEL_W 14
#define COUNT_W 8
#define CHANGE_W 9

struct rows {
	uint64_t count[SIDE_NR][65];
	double total[SIDE_NR];
	int first, last; /* rows with something; last < first: none */
	int step;	 /* octaves a drawn row stands for */
	double most;	 /* the greatest share of a row */
};

static void find_rows(const struct histogram_pair *p, struct rows *r)
{
	memset(r, 0, sizeof(*r));
	r->first = 65;
	r->last = -1;
	r->step = 1;
	for (int s = 0; s < SIDE_NR; s++) {
		if (!p->h[s] || !p->h[s]->count)
			continue;
		histogram_log2(p->h[s], p->div, r->count[s]);
		r->total[s] = (double)p->h[s]->count;
		for (int i = 0; i < 65; i++) {
			if (!r->count[s][i])
				continue;
			r->first = i < r->first ? i : r->first;
			r->last = i > r->last ? i : r->last;
		}
	}
}

static uint64_t row_count(const struct rows *r, int side, int row)
{
	uint64_t n = 0;

	for (int i = row; i < row + r->step && i < 65; i++)
		n += r->count[side][i];
	return n;
}

/* Fits the rows into height: the tail is what one looks for, so nothing is cut, but
 * several octaves share a row. */
static void fit_rows(struct rows *r, int height)
{
	if (r->last < r->first)
		return;
	while (r->step < 16 && (r->last - r->first) / r->step + 1 > height)
		r->step++;
	for (int row = r->first; row <= r->last; row += r->step)
		for (int s = 0; s < SIDE_NR; s++) {
			double share = r->total[s] > 0 ? (double)row_count(r, s, row) /
								 r->total[s] :
							 0;

			r->most = share > r->most ? share : r->most;
		}
}

int histogram_rows(const struct histogram_pair *p)
{
	struct rows r;

	find_rows(p, &r);
	return r.last < r.first ? 2 : r.last - r.first + 2;
}

static void add_bound(struct strbuf *sb, int exponent)
{
	static const char suffix[] = "\0KMGTPE";

	strbuf_addf(sb, "%d", 1 << exponent % 10);
	if (exponent >= 10)
		strbuf_addch(sb, suffix[exponent / 10]);
}

/* "[16, 32)" as bpftrace writes it; row 0 holds zeros. */
static void put_label(const struct area *a, int y, int row, int step)
{
	struct strbuf sb = STRBUF_INIT;

	if (row + step - 1 < 2 && step == 1) {
		strbuf_addf(&sb, "[%d]", row);
	} else {
		strbuf_addch(&sb, '[');
		if (row)
			add_bound(&sb, row - 1);
		else
			strbuf_addch(&sb, '0');
		strbuf_addstr(&sb, ", ");
		add_bound(&sb, row + step - 1);
		strbuf_addch(&sb, ')');
	}
	area_put(a, 0, y, STYLE_NORMAL, sb.buf);
	strbuf_release(&sb);
}

/* Halves of a cell: A above, B below. In ASCII: A, B and # for both. */
static void draw_overlay(const struct area *a, int x, int y, int width, double share_a,
			 double share_b)
{
	int end_a = (int)(share_a * width + 0.5), end_b = (int)(share_b * width + 0.5);

	end_a = share_a > 0 && !end_a ? 1 : end_a;
	end_b = share_b > 0 && !end_b ? 1 : end_b;
	for (int i = 0; i < width && (i < end_a || i < end_b); i++) {
		if (i < end_a && i < end_b)
			area_glyph(a, x + i, y, STYLE_NORMAL, GLYPH_FULL);
		else if (a->c->ascii)
			area_char(a, x + i, y, i < end_a ? STYLE_SIDE_A : STYLE_SIDE_B,
				  i < end_a ? 'A' : 'B');
		else
			area_glyph(a, x + i, y, i < end_a ? STYLE_SIDE_A : STYLE_SIDE_B,
				   i < end_a ? GLYPH_UPPER : GLYPH_LOWER);
	}
}

static void put_count(const struct area *a, int x, int y, double v, unsigned style)
{
	char text[32];

	area_field(a, x, y, COUNT_W, true, style, value_text(text, sizeof(text), v));
}

static void draw_pair_row(const struct histogram_pair *p, const struct rows *r,
			  const struct area *a, int y, int row)
{
	double count[SIDE_NR] = { 0 }, share[SIDE_NR] = { 0 };
	int x = LABEL_W;
	char text[32];

	put_label(a, y, row, r->step);
	for (int s = 0; s < SIDE_NR; s++) {
		if (!p->h[s])
			continue;
		count[s] = (double)row_count(r, s, row) * p->scale[s];
		share[s] = r->total[s] > 0 ? (double)row_count(r, s, row) / r->total[s] : 0;
		put_count(a, x, y, count[s], STYLE_NORMAL);
		x += COUNT_W + 1;
	}
	if (p->h[SIDE_A] && p->h[SIDE_B]) {
		area_field(a, x, y, CHANGE_W - 1, true, STYLE_NORMAL,
			   change_text(text, sizeof(text), count[SIDE_A],
				       count[SIDE_B]));
		x += CHANGE_W;
		draw_overlay(a, x, y, a->w - x, share[SIDE_A] / r->most,
			     share[SIDE_B] / r->most);
	} else {
		area_bar(a, x, y, a->w - x,
			 p->h[SIDE_A] ? STYLE_SIDE_A : STYLE_SIDE_B,
			 (share[SIDE_A] + share[SIDE_B]) / r->most);
	}
}

static void draw_legend(const struct histogram_pair *p, const struct area *a)
{
	int x = LABEL_W;

	for (int i = 0; i < a->w; i++)
		area_char(a, i, 0, STYLE_HEAD, ' ');
	area_printf(a, 0, 0, STYLE_HEAD, "@%s", p->unit);
	for (int s = 0; s < SIDE_NR; s++) {
		if (!p->h[s])
			continue;
		area_field(a, x, 0, COUNT_W, true, STYLE_HEAD, s == SIDE_A ? "A" : "B");
		x += COUNT_W + 1;
	}
	if (!p->h[SIDE_A] || !p->h[SIDE_B])
		return;
	area_field(a, x, 0, CHANGE_W - 1, true, STYLE_HEAD, "change");
	x += CHANGE_W;
	area_put(a, x, 0, STYLE_HEAD,
		 a->c->ascii ? "share: A only A, B only B, # both" :
			       "share: A upper half, B lower half");
}

void histogram_draw(const struct histogram_pair *p, const struct area *a)
{
	struct rows r;

	find_rows(p, &r);
	fit_rows(&r, a->h - 1);
	draw_legend(p, a);
	if (r.last < r.first) {
		area_put(a, 2, 1, STYLE_DIM, "empty");
		return;
	}
	for (int row = r.first, y = 1; row <= r.last; row += r.step)
		draw_pair_row(p, &r, a, y++, row);
}
