// SPDX-License-Identifier: GPL-2.0-or-later
/* Migrations from CPU to CPU: a heat map with a cursor, for any number of CPUs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "draw.h"
#include "matrix.h"
#include "schedblame/vocab.h"
#include "view.h"

struct cpumap {
	int reason; /* -1: all */
	struct matrix m[SIDE_NR];
	int from, to, top, left;
	int rows, columns; /* of the last drawing */
};

static void cpumap_open(struct view *v, const void *arg)
{
	((struct cpumap *)v->model)->reason = *(const int *)arg;
}

static void cpumap_release(struct view *v)
{
	struct cpumap *c = v->model;

	matrix_release(&c->m[SIDE_A]);
	matrix_release(&c->m[SIDE_B]);
}

static void cpumap_refresh(struct view *v)
{
	struct cpumap *c = v->model;

	for (int s = 0; s < SIDE_NR; s++) {
		matrix_release(&c->m[s]);
		matrix_load(&c->m[s], &v->app->data, (enum side)s, MATRIX_CPUS,
			    c->reason);
	}
}

static int size(const struct cpumap *c)
{
	return c->m[SIDE_A].n > c->m[SIDE_B].n ? c->m[SIDE_A].n : c->m[SIDE_B].n;
}

static double at_side(const void *data, int from, int to)
{
	return matrix_at(data, from, to);
}

static double at_difference(const void *data, int from, int to)
{
	const struct cpumap *c = data;

	return matrix_at(&c->m[SIDE_B], from, to) - matrix_at(&c->m[SIDE_A], from, to);
}

/* The map of a side, or of the difference when s is SIDE_NR. */
static void draw_map(struct cpumap *c, const struct area *a, int s, const char *title)
{
	struct heat h = { .n = s == SIDE_NR ? size(c) : c->m[s].n,
			  .at = s == SIDE_NR ? at_difference : at_side,
			  .data = s == SIDE_NR ? (void *)c : (void *)&c->m[s],
			  .title = title, .row_word = "C", .sign = s == SIDE_NR,
			  .from = c->from, .to = c->to, .top = c->top, .left = c->left };
	int w, rows;

	heat_size(&h, true, &w, &rows);
	heat_draw(&h, a, w <= a->w);
	c->rows = a->h - 2;
	c->columns = w <= a->w ? h.n : a->w - 5;
}

static void follow(int *first, int cursor, int shown)
{
	if (*first > cursor)
		*first = cursor;
	if (shown > 0 && cursor >= *first + shown)
		*first = cursor - shown + 1;
}

static void draw_head(struct view *v, const struct area *a)
{
	struct cpumap *c = v->model;
	char ta[32], tb[32], change[32];
	double va = matrix_at(&c->m[SIDE_A], c->from, c->to);
	double vb = matrix_at(&c->m[SIDE_B], c->from, c->to);

	area_printf(a, 0, 0, STYLE_BOLD, "From CPU (rows) to CPU (columns), %s",
		    c->reason < 0 ? "all reasons" :
				    reason_title((enum reason)c->reason));
	area_printf(a, 0, 1, STYLE_NORMAL, "CPU %d to CPU %d: A %s", c->from, c->to,
		    value_text(ta, sizeof(ta), va));
	if (data_both(&v->app->data))
		area_printf(a, 34, 1, STYLE_NORMAL, "B %s  %s",
			    value_text(tb, sizeof(tb), vb),
			    change_text(change, sizeof(change), va, vb));
	area_printf(a, 60, 1, STYLE_DIM, "%s", unit_title(v->app->data.unit));
}

static void cpumap_draw(struct view *v, const struct area *a)
{
	struct cpumap *c = v->model;
	const struct data *d = &v->app->data;
	struct area map = area_sub(a, 0, 2, a->w, a->h - 2);
	struct area left = area_sub(a, 0, 2, a->w / 2 - 1, a->h - 2);
	struct area right = area_sub(a, a->w / 2 + 1, 2, a->w / 2 - 1, a->h - 2);

	if (!size(c)) {
		area_put(a, 2, 1, STYLE_DIM,
			 "migrations from CPU to CPU were not measured in these runs");
		return;
	}
	follow(&c->top, c->from, c->rows);
	follow(&c->left, c->to, c->columns);
	draw_head(v, a);
	if (!data_both(d) || d->show == SHOW_ONLY_A)
		draw_map(c, &map, SIDE_A, "A");
	else if (d->show == SHOW_ONLY_B)
		draw_map(c, &map, SIDE_B, "B");
	else if (d->show == SHOW_DIFFERENCE)
		draw_map(c, &map, SIDE_NR, "B - A");
	else {
		draw_map(c, &left, SIDE_A, "A");
		draw_map(c, &right, SIDE_B, "B");
	}
}

static void move(int *v, int by, int n)
{
	*v += by;
	if (*v >= n)
		*v = n - 1;
	if (*v < 0)
		*v = 0;
}

static bool cpumap_act(struct view *v, const struct key_event *ev)
{
	struct cpumap *c = v->model;
	int page = c->rows > 1 ? c->rows - 1 : 1, n = size(c);
	const struct {
		enum action action;
		int from, to;
	} moves[] = {
		{ ACT_DOWN, 1, 0 },	    { ACT_UP, -1, 0 },
		{ ACT_RIGHT, 0, 1 },	    { ACT_LEFT, 0, -1 },
		{ ACT_PAGE_DOWN, page, 0 }, { ACT_PAGE_UP, -page, 0 },
		{ ACT_HALF_DOWN, page / 2 + 1, 0 }, { ACT_HALF_UP, -page / 2 - 1, 0 },
		{ ACT_HOME, -n, -n },	    { ACT_END, n, n },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].action == ev->action) {
			move(&c->from, moves[i].from, n);
			move(&c->to, moves[i].to, n);
			return true;
		}
	}
	return false;
}

static void cpumap_text(struct view *v, struct strbuf *sb, int width)
{
	struct cpumap *c = v->model;
	char a[32], b[32];

	(void)width;
	strbuf_addstr(sb, "from    to           A         B\n");
	for (int i = 0; i < size(c); i++)
		for (int j = 0; j < size(c); j++) {
			double va = matrix_at(&c->m[SIDE_A], i, j);
			double vb = matrix_at(&c->m[SIDE_B], i, j);

			if (va > 0 || vb > 0)
				strbuf_addf(sb, "%4d  %4d  %10s%10s\n", i, j,
					    value_text(a, sizeof(a), va),
					    value_text(b, sizeof(b), vb));
		}
}

const struct view_ops view_cpumap = {
	.name = "cpu-migrations",
	.title = "CPU x CPU",
	.brief = "CPUs",
	.help = "Migrations from CPU to CPU for one reason. The cursor's pair is spelled "
		"out above; d shows A and B, their difference, or one alone.",
	.hint = "h j k l move  d sides",
	.size = sizeof(struct cpumap),
	.open = cpumap_open,
	.release = cpumap_release,
	.refresh = cpumap_refresh,
	.draw = cpumap_draw,
	.act = cpumap_act,
	.text = cpumap_text,
};
