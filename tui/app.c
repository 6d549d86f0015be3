// SPDX-License-Identifier: GPL-2.0-or-later
/* Tabs, stacks of views, the prompt. */
#include "app.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_job.h"
#include "live_data.h"
#include "profile_view.h"
#include "schedblame/alloc.h"
#include "schedblame/progress.h"
#include "tasks.h"

#define X(name) &view_##name,
static const struct view_ops *const tabs[] = { VIEW_LIST(X) };
#undef X
_Static_assert(ARRAY_SIZE(tabs) == APP_TABS, "one digit per tab");

const struct view_ops *app_tab_ops(int tab)
{
	return tabs[tab];
}

void app_init(struct app *app, int w, int h, bool ascii)
{
	memset(app, 0, sizeof(*app));
	app->ascii = ascii;
	app->data.side[SIDE_B] = -1;
	strbuf_init(&app->prompt.text);
	canvas_init(&app->canvas, w, h, ascii);
	work_init(&app->work);
}

static void free_stack(struct view *v)
{
	while (v) {
		struct view *below = v->below;

		view_free(v);
		v = below;
	}
}

void app_release(struct app *app)
{
	work_release(&app->work);
	for (int i = 0; i < APP_TABS; i++)
		free_stack(app->tab[i]);
	analysis_free_all(&app->analyses);
	tasks_free_all(app);
	annotate_free_all(app);
	profile_free_all(app);
	free(app->edit_path);
	canvas_release(&app->canvas);
	strbuf_release(&app->prompt.text);
	free(app->message);
	memset(app, 0, sizeof(*app));
}

struct view *app_view(const struct app *app)
{
	return app->tab[app->current];
}

static void need_view(struct app *app)
{
	if (!app->tab[app->current])
		app->tab[app->current] = view_new(app, tabs[app->current], NULL);
}

void app_push(struct app *app, const struct view_ops *ops, const void *arg)
{
	struct view *v = view_new(app, ops, arg);

	v->below = app->tab[app->current];
	app->tab[app->current] = v;
}

void app_back(struct app *app)
{
	struct view *v = app_view(app);

	if (!v || !v->below)
		return;
	app->tab[app->current] = v->below;
	view_free(v);
}

void app_goto(struct app *app, const struct view_ops *ops)
{
	for (int i = 0; i < APP_TABS; i++)
		if (tabs[i] == ops)
			app->current = i;
	need_view(app);
}

void app_refresh(struct app *app)
{
	for (int i = 0; i < APP_TABS; i++)
		for (struct view *v = app->tab[i]; v; v = v->below)
			view_refresh(v);
}

void app_resize(struct app *app, int w, int h)
{
	if (w < 1)
		w = 1;
	if (h < 1)
		h = 1;
	canvas_resize(&app->canvas, w, h);
}

void app_message(struct app *app, const char *fmt, ...)
{
	va_list ap;

	free(app->message);
	va_start(ap, fmt);
	app->message = xvasprintf(fmt, ap);
	va_end(ap);
}

void app_edit(struct app *app, const char *folder, const char *file, unsigned line)
{
	free(app->edit_path);
	app->edit_path = annotation_source_path(folder, file);
	app->edit_line = line;
	if (!app->edit_path)
		app_message(app, "%s is not here; --source gives the folder of the source tree",
			    file);
	else if (app->scripted)
		app_message(app, "would open line %u of %s", line, app->edit_path);
}

void app_prompt(struct app *app, const char *label,
		void (*done)(struct app *app, const char *text))
{
	app->prompt.label = label;
	app->prompt.done = done;
	strbuf_reset(&app->prompt.text);
}

static void add_char(struct strbuf *sb, uint32_t key)
{
	char utf8[8];

	if (key < 0x80)
		snprintf(utf8, sizeof(utf8), "%c", (char)key);
	else if (key < 0x800)
		snprintf(utf8, sizeof(utf8), "%c%c", 0xc0 | key >> 6, 0x80 | (key & 63));
	else
		snprintf(utf8, sizeof(utf8), "%c%c%c", 0xe0 | (key >> 12 & 15),
			 0x80 | (key >> 6 & 63), 0x80 | (key & 63));
	strbuf_addstr(sb, utf8);
}

static void drop_char(struct strbuf *sb)
{
	while (sb->len) {
		char last = sb->buf[sb->len - 1];

		strbuf_setlen(sb, sb->len - 1);
		if ((last & 0xc0) != 0x80)
			return;
	}
}

#define CONTROL(c) ((c) & 0x1f)
#define PROMPT_MAX 200

static void prompt_key(struct app *app, uint32_t key)
{
	struct prompt *p = &app->prompt;

	if (key == SKEY_ENTER) {
		void (*done)(struct app *, const char *) = p->done;
		char *text = xstrdup(p->text.buf);

		p->label = NULL;
		done(app, text);
		free(text);
	} else if (key == SKEY_ESC || key == CONTROL('c')) {
		p->label = NULL;
	} else if (key == CONTROL('u')) {
		strbuf_reset(&p->text);
	} else if (key == SKEY_BACKSPACE) {
		drop_char(&p->text);
	} else if (key >= ' ' && key < 0x10000 && p->text.len < PROMPT_MAX) {
		add_char(&p->text, key);
	}
}

#define TABS_ROW 1

static void click(struct app *app, int x, int y)
{
	struct view *v = app_view(app);
	int tab = y == TABS_ROW ? app_tab_at(app, x) : -1;

	if (tab >= 0)
		app_goto(app, app_tab_ops(tab));
	else if (v->table)
		table_click(v->table, y);
	else if (v->page)
		page_click(v->page, y);
}

void app_key(struct app *app, uint32_t key)
{
	struct key_event ev = { key, key_action(key) };

	free(app->message);
	app->message = NULL;
	need_view(app);
	if (key >= KEY_CLICK && !app->prompt.label)
		click(app, (int)(key & 0xfff), (int)(key >> 12 & 0xfff));
	else if (app->prompt.label)
		prompt_key(app, key);
	else if (!view_act(app_view(app), &ev) && !app_global_key(app, &ev) &&
		 ev.action == ACT_NONE && key)
		app_message(app, "this key does nothing here; ? shows what keys do");
	need_view(app);
}

const struct analysis *app_analysis(struct app *app)
{
	if (app->live) /* its numbers change under way; one run a side is no verdict */
		return NULL;
	return analysis_done(analysis_for(&app->analyses, &app->work, &app->data,
					  app->migcost));
}

/* Whether the per cents on screen have become wrong. */
static bool app_progress(struct app *app)
{
	int percent = (int)(100 * progress_part());
	bool changed = percent != app->shown_percent;

	app->shown_percent = percent;
	return changed;
}

bool app_tick(struct app *app)
{
	struct view *v = app_view(app);

	if (app->live && live_data_tick(app->live)) {
		app_refresh(app);
		return true;
	}
	if (work_news(&app->work)) {
		app_refresh(app);
		return true;
	}
	if (v && v->ops->tick && v->ops->tick(v))
		return true;
	return app->busy && app_progress(app);
}

void app_draw(struct app *app)
{
	struct area view;

	need_view(app);
	canvas_clear(&app->canvas);
	app_draw_frame(app, &view);
	if (view.h > 0 && view.w > 0)
		view_draw(app_view(app), &view);
}
