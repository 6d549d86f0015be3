// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the lanes leave room: what happened on the cursor's CPU around the cursor,
 * one row an event. */
#include <math.h>
#include <stdio.h>

#include "timeline.h"

/* The next event of a CPU is its next slice or mark, whichever comes first. */
struct around {
	const struct tl_index *ix;
	unsigned cpu;
	size_t slice, mark; /* the next ones */
	uint64_t cursor;
};

static uint64_t slice_ts(const struct around *w, size_t i)
{
	return tl_slice(w->ix, w->cpu, i)->ts;
}

static uint64_t mark_ts(const struct around *w, size_t i)
{
	return tl_mark(w->ix, w->cpu, i)->ts;
}

/* One event back; false at the start. A mark stands before a switch of its time. */
static bool back(struct around *w)
{
	if (!w->slice && !w->mark)
		return false;
	if (!w->mark || (w->slice && slice_ts(w, w->slice - 1) >= mark_ts(w, w->mark - 1)))
		w->slice--;
	else
		w->mark--;
	return true;
}

static unsigned mark_style(const struct tl_mark *m)
{
	return m->kind == TL_LOST    ? STYLE_WARN :
	       m->kind == TL_WAKEUP  ? STYLE_DIM :
	       tl_is_steal(m->reason) ? STYLE_BAD :
					STYLE_HEAT_2;
}

static void put_when(const struct around *w, const struct area *a, int y, uint64_t ts)
{
	char text[32], when[40];

	time_text(text, sizeof(text), fabs((double)ts - (double)w->cursor));
	snprintf(when, sizeof(when), "%c%s", ts < w->cursor ? '-' : '+', text);
	area_field(a, 0, y, TL_LABEL_W - 2, true, STYLE_NORMAL, when);
}

static void put_event(const struct around *w, const struct area *a, int y, bool slice,
		      size_t i)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned style = STYLE_NORMAL;

	if (slice) {
		timeline_add_slice(w->ix, w->cpu, i, &sb);
		if (tl_wait_ns(tl_slice(w->ix, w->cpu, i)->wait) >= TL_LONG_WAIT_NS)
			style = STYLE_WARN;
	} else {
		const struct tl_mark *m = tl_mark(w->ix, w->cpu, i);

		style = mark_style(m);
		timeline_add_mark(w->ix, m, &sb);
	}
	put_when(w, a, y, slice ? slice_ts(w, i) : mark_ts(w, i));
	area_put(a, TL_LABEL_W, y, style, sb.buf);
	strbuf_release(&sb);
}

/* Puts the next event; false at the end. */
static bool put_next(struct around *w, const struct area *a, int y)
{
	bool slices = w->slice < w->ix->cpu[w->cpu].slice.n;
	bool marks = w->mark < w->ix->cpu[w->cpu].mark.n;

	if (!slices && !marks)
		return false;
	if (slices && (!marks || slice_ts(w, w->slice) < mark_ts(w, w->mark)))
		put_event(w, a, y, true, w->slice++);
	else
		put_event(w, a, y, false, w->mark++);
	return true;
}

#define LEAST_ROWS 4

void timeline_events(const struct timeline *t, const struct area *a)
{
	struct around w = { &t->job->index, (unsigned)t->lane, 0, 0, timeline_cursor(t) };

	if (t->lanes != LANES_CPU || a->h < LEAST_ROWS || w.cpu >= w.ix->nr_cpus)
		return;
	for (int x = 0; x < a->w; x++)
		area_char(a, x, 0, STYLE_HEAD, ' ');
	area_glyph(a, area_printf(a, 0, 0, STYLE_HEAD, "CPU %u, around ", w.cpu), 0,
		   STYLE_HEAD, GLYPH_DOWN);
	w.slice = tl_slice_after(w.ix, w.cpu, w.cursor);
	w.mark = tl_mark_from(w.ix, w.cpu, w.cursor);
	for (int i = 0; i < (a->h - 1) / 3 && back(&w); i++)
		;
	for (int y = 1; y < a->h && put_next(&w, a, y); y++)
		;
}
