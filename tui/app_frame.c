// SPDX-License-Identifier: GPL-2.0-or-later
/* The frame: sides on the first row, tabs on the second, the last for messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "live_data.h"
#include "schedblame/alloc.h"
#include "schedblame/progress.h"

#define MIN_W 40
#define MIN_H 8

static int put_side(const struct app *app, const struct area *a, int x, enum side s)
{
	const struct run_set *set = data_set(&app->data, s);

	if (!set)
		return x;
	x = area_printf(a, x, 0, STYLE_TITLE, "  %c: ", s == SIDE_A ? 'A' : 'B');
	x = area_put(a, x, 0, STYLE_TITLE, set->label ? set->label : "?");
	if (set->n > 1)
		x = area_printf(a, x, 0, STYLE_TITLE, " (%zu runs)", set->n);
	return x;
}

/* "reading...  43 %", "" when nothing goes on that one waits for. */
static const char *app_busy(const struct app *app, char *buf, size_t size)
{
	double part = progress_part();

	if (!app->busy)
		return "";
	if (part < 0)
		return app->busy;
	snprintf(buf, size, "%s %.0f %%", app->busy, 100 * part);
	return buf;
}

static void draw_title(const struct app *app, const struct area *all)
{
	char busy[64];
	const char *state = app->live ? live_data_state(app->live) :
					app_busy(app, busy, sizeof(busy));
	const struct view *v = app_view(app);
	const char *unit = v->ops->unit ? v->ops->unit(v) : unit_title(app->data.unit);
	char *right = xasprintf(" %s%s%s ", state, *state ? "  " : "",
				unit ? unit : "");
	int width = text_columns(right, app->ascii), x;
	struct area a = area_sub(all, 0, 0, all->w, 1);

	for (x = 0; x < a.w; x++)
		area_char(&a, x, 0, STYLE_TITLE, ' ');
	area_put(&a, a.w - width, 0, STYLE_TITLE, right);
	a = area_sub(all, 0, 0, all->w - width, 1);
	x = area_put(&a, 0, 0, STYLE_TITLE, " schedblame");
	x = put_side(app, &a, x, SIDE_A);
	x = put_side(app, &a, x, SIDE_B);
	if (data_both(&app->data) && app->data.show != SHOW_BOTH)
		area_printf(&a, x, 0, STYLE_TITLE, "  [%s]",
			    show_title(app->data.show));
	free(right);
}

static int tabs_width(bool full)
{
	int w = 0;

	for (int i = 0; i < APP_TABS; i++)
		w += 4 + (int)strlen(full ? app_tab_ops(i)->title :
					    app_tab_ops(i)->brief);
	return w;
}

static char *tab_text(int tab, bool full)
{
	const struct view_ops *ops = app_tab_ops(tab);

	return xasprintf("%s%d %s%s", full ? " " : "", (tab + 1) % 10,
			 full ? ops->title : ops->brief, full ? " " : "");
}

static void draw_tabs(const struct app *app, const struct area *a)
{
	bool full = tabs_width(true) <= a->w;
	int x = 0;

	for (int i = 0; i < APP_TABS; i++) {
		char *text = tab_text(i, full);

		x = area_put(a, x, 1, i == app->current ? STYLE_TAB_ON : STYLE_TAB, text) + 1;
		free(text);
	}
}

int app_tab_at(const struct app *app, int x)
{
	bool full = tabs_width(true) <= app->canvas.w;

	for (int i = 0, from = 0; i < APP_TABS; i++) {
		char *text = tab_text(i, full);
		int w = (int)strlen(text);

		free(text);
		if (x >= from && x < from + w)
			return i;
		from += w + 1;
	}
	return -1;
}

static void draw_last(const struct app *app, const struct area *a)
{
	int y = a->h - 1, x;
	const struct view *v = app_view(app);

	if (app->prompt.label) {
		x = area_put(a, 0, y, STYLE_KEY, app->prompt.label);
		x = area_put(a, x, y, STYLE_NORMAL, app->prompt.text.buf);
		area_char(a, x, y, STYLE_TITLE, ' ');
	} else if (app->message) {
		area_put(a, 0, y, STYLE_BOLD, app->message);
	} else {
		x = area_put(a, 0, y, STYLE_DIM, v->ops->hint ? v->ops->hint : "");
		x = area_put(a, x, y, STYLE_DIM, x ? "  " : "");
		area_put(a, x, y, STYLE_DIM,
			 v->below ? "Esc back  ? help" : "? help  Q leave");
	}
}

void app_draw_frame(struct app *app, struct area *view)
{
	struct area all = canvas_area(&app->canvas);

	*view = area_sub(&all, 0, 0, 0, 0);
	if (all.w < MIN_W || all.h < MIN_H) {
		area_printf(&all, 0, 0, STYLE_NORMAL, "needs %dx%d", MIN_W, MIN_H);
		return;
	}
	draw_title(app, &all);
	draw_tabs(app, &all);
	draw_last(app, &all);
	*view = area_sub(&all, 0, 2, all.w, all.h - 3);
}
