// SPDX-License-Identifier: GPL-2.0-or-later
/* The timeline on a canvas: ruler, lanes, marks, what is under the cursor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/units.h"
#include "timeline.h"

void timeline_time(char *buf, size_t size, uint64_t ns, uint64_t step)
{
	int decimals = step >= 100000000 ? 1 : step >= 1000000 ? 3 : step >= 1000 ? 6 : 9;

	/* whole numbers: doubles lose nanoseconds after some months of uptime */
	snprintf(buf, size, "%llu.%0*llu s", (unsigned long long)(ns / NSEC_PER_SEC), decimals,
		 (unsigned long long)(ns % NSEC_PER_SEC /
				      (decimals == 1 ? 100000000 :
				       decimals == 3 ? 1000000 :
				       decimals == 6 ? 1000 :
						       1)));
}

/* 1, 2 or 5 times a power of ten that is at least min. */
static uint64_t nice_step(uint64_t min)
{
	uint64_t step = 1;

	for (;;) {
		for (int i = 0; i < 3; i++) {
			static const int factor[] = { 1, 2, 5 };

			if (step * (uint64_t)factor[i] >= min)
				return step * (uint64_t)factor[i];
		}
		if (step > UINT64_MAX / 100)
			return step;
		step *= 10;
	}
}

#define TICK_W 16

static void draw_ruler(const struct timeline *t, const struct area *a,
		       const struct tl_window *w)
{
	uint64_t span = w->to - w->from;
	uint64_t step = nice_step(span / (uint64_t)w->columns * TICK_W + 1);
	char text[64], from[64];

	timeline_time(from, sizeof(from), w->from, span / 100);
	area_printf(a, 0, 0, STYLE_BOLD, "%s + %s, %s a column", from,
		    time_text(text, sizeof(text), (double)span),
		    time_text(from + 40, sizeof(from) - 40, (double)span / w->columns));
	for (uint64_t ts = w->from / step * step; ts < w->to; ts += step) {
		int x = TL_LABEL_W + tl_column_of(w, ts);

		if (ts < w->from)
			continue;
		timeline_time(text, sizeof(text), ts, step);
		area_glyph(a, x, 1, STYLE_DIM, GLYPH_VLINE);
		area_put(a, x + 1, 1, STYLE_DIM, text);
	}
	area_glyph(a, TL_LABEL_W + t->column, 1, STYLE_KEY, GLYPH_DOWN);
}

static unsigned task_style(uint32_t task)
{
	return STYLE_RUN_1 + (task * 2654435761u >> 16) % 4;
}

static void put_shade(const struct area *a, int x, int y, unsigned style, float share)
{
	static const enum glyph shade[] = { GLYPH_LIGHT, GLYPH_MEDIUM, GLYPH_DARK,
					    GLYPH_FULL };
	int i = share < 0.25f ? 0 : share < 0.6f ? 1 : share < 0.95f ? 2 : 3;

	area_glyph(a, x, y, style, shade[i]);
}

static void put_cell(const struct timeline *t, const struct area *a, int x, int y,
		     const struct tl_column *c)
{
	if (c->lost)
		area_glyph(a, x, y, STYLE_WARN, GLYPH_LOST);
	else if (t->lanes == LANES_TASK && c->wait > c->busy)
		area_char(a, x, y, STYLE_BAD, 'w');
	else if (c->busy > 0)
		put_shade(a, x, y,
			  t->lanes == LANES_TASK ? task_style(c->cpu) : task_style(c->task),
			  c->busy);
	else
		area_glyph(a, x, y, STYLE_DIM, GLYPH_DOT);
}

/* The names of tasks stand in their bars where there is room. */
static void put_names(const struct timeline *t, const struct area *a, int y,
		      const struct tl_column *column, int n)
{
	for (int i = 0, end; i < n; i = end) {
		uint32_t id = t->lanes == LANES_TASK ? column[i].cpu : column[i].task;
		struct area bar;
		char name[64];

		for (end = i + 1; end < n && column[end].busy > 0.95f &&
				  !column[end].lost &&
				  (t->lanes == LANES_TASK ? column[end].cpu :
							    column[end].task) == id;)
			end++;
		if (end - i < 4 || column[i].busy <= 0.95f)
			continue;
		if (t->lanes == LANES_TASK)
			snprintf(name, sizeof(name), "C%u", id);
		else
			snprintf(name, sizeof(name), "%s", tl_comm(&t->job->index, id));
		bar = area_sub(a, TL_LABEL_W + i, y, end - i - 1, 1);
		area_put(&bar, 0, 0, task_style(id) | STYLE_SELECTED, name);
	}
}

static void put_mark(const struct area *a, int x, int y, const struct tl_column *c)
{
	if (c->steals)
		area_glyph(a, x, y, STYLE_BAD, GLYPH_STEAL);
	else if (c->worst_wait >= TL_LONG_WAIT_NS)
		area_char(a, x, y, STYLE_WARN, 'w');
	else if (c->migrations)
		area_glyph(a, x, y, STYLE_HEAT_2, GLYPH_RIGHT);
	else if (c->wakeups)
		area_glyph(a, x, y, STYLE_DIM, GLYPH_WAKE);
}

#define COMM_W 9

static void put_label(const struct timeline *t, const struct area *a, int y, size_t lane)
{
	const struct tl_index *ix = &t->job->index;
	unsigned style = lane == t->lane ? STYLE_BOLD | STYLE_SELECTED : STYLE_NORMAL;
	uint32_t task = timeline_task(t, lane);
	char text[32];

	if (t->lanes == LANES_TASK) {
		snprintf(text, sizeof(text), " %d", ix->task[task].pid);
		area_field(a, COMM_W, y, TL_LABEL_W - 1 - COMM_W, false, style, text);
		area_field(a, 0, y, COMM_W, false, style, tl_comm(ix, task));
	} else {
		snprintf(text, sizeof(text), "%s %zu",
			 t->lanes == LANES_CPU ? "CPU" : "node", lane);
		area_field(a, 0, y, TL_LABEL_W - 1, false, style, text);
	}
}

static void fill_lanes(const struct timeline *t, const struct tl_window *w, int n,
		       struct tl_column *column)
{
	const struct tl_index *ix = &t->job->index;

	if (t->lanes == LANES_TASK) {
		tl_lane_tasks(ix, t->tasks + t->top, n, w, column);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (t->lanes == LANES_CPU)
			tl_lane_cpu(ix, (unsigned)t->top + (unsigned)i, w,
				    column + i * w->columns);
		else
			tl_lane_node(ix, t->job->topology, (int)t->top + i, w,
				     column + i * w->columns);
	}
}

static void draw_lane(const struct timeline *t, const struct area *a, int y, int per_lane,
		      size_t lane, const struct tl_column *column, int columns)
{
	put_label(t, a, y, lane);
	for (int i = 0; i < columns; i++) {
		put_cell(t, a, TL_LABEL_W + i, y, &column[i]);
		if (per_lane > 1 || column[i].steals)
			put_mark(a, TL_LABEL_W + i, y + per_lane - 1, &column[i]);
	}
	put_names(t, a, y, column, columns);
	if (lane == t->lane) {
		struct area cursor = area_sub(a, TL_LABEL_W + t->column, y, 1, 1);

		area_select(&cursor, 0);
	}
}

void timeline_paint(struct timeline *t, const struct area *a)
{
	struct tl_window w;
	struct tl_column *column;
	size_t lanes = timeline_nr_lanes(t);
	int room = a->h - 4, per_lane, n;
	struct area detail = area_sub(a, 0, a->h - 2, a->w, 2);

	t->columns = a->w - TL_LABEL_W > 1 ? a->w - TL_LABEL_W : 1;
	if (t->column >= t->columns)
		t->column = t->columns - 1;
	w = timeline_window(t);
	per_lane = (size_t)room >= 2 * lanes ? 2 : 1;
	t->rows = room / per_lane > 0 ? room / per_lane : 1;
	if (t->lane >= lanes)
		t->lane = lanes ? lanes - 1 : 0;
	if (t->top > t->lane)
		t->top = t->lane;
	if (t->lane >= t->top + (size_t)t->rows)
		t->top = t->lane - (size_t)t->rows + 1;
	n = lanes - t->top < (size_t)t->rows ? (int)(lanes - t->top) : t->rows;
	column = xcalloc((size_t)w.columns * (size_t)(n + 1), sizeof(*column));
	fill_lanes(t, &w, n, column);
	draw_ruler(t, a, &w);
	for (int i = 0; i < n; i++)
		draw_lane(t, a, 2 + i * per_lane, per_lane, t->top + (size_t)i,
			  column + i * w.columns, w.columns);
	if (!lanes && t->lanes == LANES_NODE)
		area_wrap(a, 2, 3, STYLE_DIM,
			  "the trace does not tell which CPU is in which node: --topology FILE "
			  "does; g goes on to lanes of tasks");
	if (n) {
		struct area events = area_sub(a, 0, 3 + n * per_lane, a->w,
					      a->h - 5 - n * per_lane);

		timeline_events(t, &events);
	}
	if (n)
		timeline_detail(t, &detail,
				column + (int)(t->lane - t->top) * w.columns + t->column);
	free(column);
}
