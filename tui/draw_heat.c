// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps and bars of parts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

#define CELL_W 7
#define HEAD_W 5

double heat_max(const struct heat *h)
{
	double max = 0;

	for (int i = 0; i < h->n; i++)
		for (int j = 0; j < h->n; j++) {
			double v = fabs(h->at(h->data, i, j));

			if (v > max)
				max = v;
		}
	return max;
}

/* Each shade is a factor of four: counts of pairs span many magnitudes. */
int heat_shade(double v, double max)
{
	int shade = 5;

	v = fabs(v);
	if (!(v > 0) || !(max > 0))
		return 0;
	for (double limit = max / 4; shade > 1 && v <= limit; limit /= 4)
		shade--;
	return shade;
}

void heat_glyph(const struct area *a, int x, int y, int shade)
{
	static const enum glyph glyph[] = { GLYPH_DOT, GLYPH_DOT, GLYPH_LIGHT,
					    GLYPH_MEDIUM, GLYPH_DARK, GLYPH_FULL };
	static const char ascii[] = " .:+%#";

	if (!shade)
		return;
	if (a->c->ascii)
		area_char(a, x, y, STYLE_HEAT_1 + (unsigned)shade - 1,
			  (uint32_t)ascii[shade]);
	else
		area_glyph(a, x, y, STYLE_HEAT_1 + (unsigned)shade - 1, glyph[shade]);
}

void heat_size(const struct heat *h, bool numbers, int *w, int *ht)
{
	*w = HEAD_W + h->n * (numbers ? CELL_W : 1);
	*ht = h->n + 2;
}

static void put_number(const struct heat *h, const struct area *a, int x, int y,
		       double v, double max)
{
	char text[32] = "";
	int shade = heat_shade(v, max);
	unsigned style = shade ? STYLE_HEAT_1 + (unsigned)shade - 1 : STYLE_DIM;

	if (isnan(v))
		return;
	if (h->sign && v > 0)
		strcpy(text, "+");
	value_text(text + strlen(text), sizeof(text) - 1, v);
	area_field(a, x, y, CELL_W - 1, true, style, text);
}

static void head_columns(const struct heat *h, const struct area *a, bool numbers)
{
	int step = numbers ? CELL_W : 1;

	for (int j = h->left; j < h->n; j++) {
		int x = HEAD_W + (j - h->left) * step;
		char *name = xasprintf("%s%d", h->row_word, j);

		if (numbers)
			area_field(a, x, 1, CELL_W - 1, true, STYLE_DIM, name);
		else if (j % 10 == 0)
			area_put(a, x, 1, STYLE_DIM, name);
		free(name);
	}
}

int heat_draw(const struct heat *h, const struct area *a, bool numbers)
{
	double max = heat_max(h);
	int y = 2, step = numbers ? CELL_W : 1;

	area_put(a, 0, 0, STYLE_BOLD, h->title);
	head_columns(h, a, numbers);
	for (int i = h->top; i < h->n && y < a->h; i++, y++) {
		area_printf(a, 0, y, STYLE_DIM, "%s%d", h->row_word, i);
		for (int j = h->left; j < h->n; j++) {
			int x = HEAD_W + (j - h->left) * step;
			double v = h->at(h->data, i, j);

			if (x >= a->w)
				break;
			if (numbers)
				put_number(h, a, x, y, v, max);
			else
				heat_glyph(a, x, y, isnan(v) ? 0 : heat_shade(v, max));
			if (i == h->from && j == h->to) {
				struct area cell = area_sub(a, x, y, numbers ? step - 1 : 1, 1);

				area_select(&cell, 0);
			}
		}
	}
	return y;
}

void bar_draw(const struct area *a, int x, int y, int width,
	      const struct bar_part *part, int n)
{
	double sum = 0;
	int at = 0;

	for (int i = 0; i < n; i++) {
		int end;

		sum += part[i].fraction > 0 ? part[i].fraction : 0;
		end = (int)((sum > 1 ? 1 : sum) * width + 0.5);
		for (; at < end; at++)
			area_char(a, x + at, y, part[i].style, (uint32_t)part[i].letter);
	}
}
