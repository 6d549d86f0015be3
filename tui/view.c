// SPDX-License-Identifier: GPL-2.0-or-later
/* What all views have in common: a page, or a table with rows above it. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "schedblame/alloc.h"

struct view *view_new(struct app *app, const struct view_ops *ops, const void *arg)
{
	struct view *v = xcalloc(1, sizeof(*v));

	v->ops = ops;
	v->app = app;
	v->stale = true;
	v->model = xcalloc(1, ops->size + 1);
	if (ops->build) {
		v->page = xcalloc(1, sizeof(*v->page));
		page_init(v->page);
	}
	if (ops->open)
		ops->open(v, arg);
	view_refresh(v);
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	if (v->ops->release)
		v->ops->release(v);
	if (v->page)
		page_release(v->page);
	free(v->page);
	free(v->model);
	free(v);
}

void view_refresh(struct view *v)
{
	v->stale = true;
	if (v->ops->refresh)
		v->ops->refresh(v);
	if (v->table)
		table_refresh(v->table);
}

static void build_page(struct view *v, int width, bool ascii)
{
	if (!v->stale && v->page->c.w == width && v->page->c.ascii == ascii)
		return;
	page_start(v->page, width, ascii);
	v->ops->build(v, v->page);
	v->stale = false;
}

void view_draw(struct view *v, const struct area *a)
{
	if (v->ops->draw) {
		v->ops->draw(v, a);
	} else if (v->page) {
		build_page(v, a->w, a->c->ascii);
		page_draw(v->page, a);
	} else if (v->table) {
		int used = v->ops->above ? v->ops->above(v, a) : 0;
		struct area rest = area_sub(a, 0, used, a->w, a->h - used);

		table_draw(v->table, &rest);
	}
}

static bool enter(struct view *v)
{
	long target = -1;

	if (v->page)
		target = page_target(v->page);
	else if (v->table && table_row(v->table) != SIZE_MAX)
		target = (long)table_row(v->table);
	if (v->ops->enter)
		v->ops->enter(v, target);
	else if (v->table && v->table->model->depth && target >= 0)
		table_act(v->table, v->table->folded[target] ? ACT_MORE : ACT_LESS);
	else
		return false;
	return true;
}

bool view_act(struct view *v, const struct key_event *ev)
{
	if (v->ops->act && v->ops->act(v, ev))
		return true;
	if (ev->action == ACT_ENTER)
		return enter(v);
	if (ev->action == ACT_COLUMNS && v->table) {
		app_push(v->app, &view_columns, v);
		return true;
	}
	if (v->table)
		return table_act(v->table, ev->action);
	return v->page && page_act(v->page, ev->action);
}

/* What stands above a table, as text. */
static void above_text(struct view *v, struct strbuf *sb, int width)
{
	struct canvas c;
	struct area a;
	int rows;

	canvas_init(&c, width, 60, true);
	a = canvas_area(&c);
	rows = v->ops->above(v, &a);
	for (int y = 0; y < rows && y < c.h; y++) {
		canvas_row(&c, y, sb);
		strbuf_addch(sb, '\n');
	}
	canvas_release(&c);
}

void view_text(struct view *v, struct strbuf *sb, int width)
{
	if (v->ops->text) {
		v->ops->text(v, sb, width);
	} else if (v->page) {
		v->stale = true;
		build_page(v, width, true);
		page_text(v->page, sb);
		v->stale = true;
	} else if (v->table) {
		if (v->ops->above)
			above_text(v, sb, width);
		table_text(v->table, sb, width, true);
	}
}
