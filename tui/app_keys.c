// SPDX-License-Identifier: GPL-2.0-or-later
/* What keys do in every view: tabs, search, sides, units, writing as text. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "live_data.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

static void search_done(struct app *app, const char *text)
{
	struct view *v = app_view(app);
	bool found = false;

	if (!*text)
		return;
	if (v->table)
		found = table_search(v->table, text, 1);
	else if (v->page)
		found = page_search(v->page, text, 1);
	if (!found)
		app_message(app, "'%s' is not found here", text);
}

static void filter_done(struct app *app, const char *text)
{
	struct view *v = app_view(app);

	table_filter(v->table, text);
	if (v->table->filter)
		app_message(app, "%zu of %zu rows; & and Enter shows all",
			    v->table->nr_shown, v->table->nr_rows);
}

static bool act_search(struct app *app, const struct key_event *ev)
{
	struct view *v = app_view(app);

	if (!v->table && !v->page) {
		app_message(app, "there is nothing to search here");
	} else if (ev->action == ACT_SEARCH) {
		app_prompt(app, "/", search_done);
	} else {
		const char *text = v->table ? v->table->search : v->page->search;

		app_message(app, text ? "'%s' is not found here" :
					"no search yet: / searches%s",
			    text ? text : "");
	}
	return true;
}

static bool act_filter(struct app *app, const struct key_event *ev)
{
	(void)ev;
	if (app_view(app)->table)
		app_prompt(app, "show rows with: ", filter_done);
	else
		app_message(app, "there are no rows to filter here; / searches");
	return true;
}

static bool act_view(struct app *app, const struct key_event *ev)
{
	int tab = ev->key == '0' ? 9 : (int)(ev->key - '1');

	app_goto(app, app_tab_ops(tab));
	return true;
}

static bool act_next_view(struct app *app, const struct key_event *ev)
{
	int step = ev->action == ACT_NEXT_VIEW ? 1 : APP_TABS - 1;

	app_goto(app, app_tab_ops((app->current + step) % APP_TABS));
	return true;
}

static bool act_back(struct app *app, const struct key_event *ev)
{
	if (app_view(app)->below)
		app_back(app);
	else if (app->current)
		app_goto(app, app_tab_ops(0));
	else if (ev->key == 'q')
		app->quit = true;
	else
		app_message(app, "q leaves");
	return true;
}

static bool act_quit(struct app *app, const struct key_event *ev)
{
	(void)ev;
	app->quit = true;
	return true;
}

static bool act_side(struct app *app, const struct key_event *ev)
{
	if (!data_both(&app->data)) {
		app_message(app, "there is one side only; 'schedblame tui A B' shows two");
		return true;
	}
	if (ev->action == ACT_SWAP)
		data_swap(&app->data);
	else if (!data_next_other(&app->data))
		app_message(app, "there are two sets only; x swaps them");
	app_refresh(app);
	return true;
}

static bool act_show(struct app *app, const struct key_event *ev)
{
	(void)ev;
	if (!data_both(&app->data)) {
		app_message(app, "there is one side only, so no difference");
		return true;
	}
	app->data.show = (app->data.show + 1) % SHOW_NR;
	app_message(app, "showing %s", show_title(app->data.show));
	app_refresh(app);
	return true;
}

static bool act_units(struct app *app, const struct key_event *ev)
{
	(void)ev;
	app->data.unit = (app->data.unit + 1) % UNIT_NR;
	app_message(app, "counts are %s", unit_title(app->data.unit));
	app_refresh(app);
	return true;
}

static bool act_help(struct app *app, const struct key_event *ev)
{
	(void)ev;
	if (app_view(app)->ops != &view_help)
		app_push(app, &view_help, app_view(app)->ops);
	return true;
}

static bool act_live(struct app *app, const struct key_event *ev)
{
	char *said;

	if (!app->live) {
		app_message(app, "this is not live; 'schedblame tui --live' is");
	} else if (ev->action == ACT_PAUSE) {
		live_data_pause(app->live);
	} else {
		said = live_data_record(app->live);
		app_message(app, "%s", said);
		free(said);
	}
	return true;
}

static bool act_source(struct app *app, const struct key_event *ev)
{
	(void)ev;
	app_message(app, "O opens a line of annotated source: 5, and Enter on a function");
	return true;
}

static bool act_redraw(struct app *app, const struct key_event *ev)
{
	(void)ev;
	app->redraw = true;
	return true;
}

#define TEXT_WIDTH 78

/* A name not yet taken, so that nothing is overwritten. */
static int create_text(struct app *app, const char *view, char **path)
{
	int fd = -1;

	for (int i = 1; i < 1000; i++) {
		*path = xasprintf("%s%sschedblame-%s-%d.txt",
				  app->write_dir ? app->write_dir : "",
				  app->write_dir ? "/" : "", view, i);
		fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST || i == 999)
			break;
		free(*path);
	}
	return fd;
}

static bool act_write(struct app *app, const struct key_event *ev)
{
	struct view *v = app_view(app);
	struct strbuf sb = STRBUF_INIT;
	char *path = NULL;
	int fd = create_text(app, v->ops->name, &path), ret;

	(void)ev;
	if (fd < 0) {
		app_message(app, "%s cannot be written: %s", path, strerror(errno));
	} else {
		view_text(v, &sb, TEXT_WIDTH);
		ret = write_full(fd, sb.buf, sb.len);
		if (close(fd) < 0 && !ret)
			ret = -errno;
		if (ret < 0)
			app_message(app, "%s is not whole: %s", path, strerror(-ret));
		else
			app_message(app, "written to %s", path);
	}
	strbuf_release(&sb);
	free(path);
	return true;
}

bool app_global_key(struct app *app, const struct key_event *ev)
{
	static bool (*const act[ACT_NR])(struct app *, const struct key_event *) = {
		[ACT_VIEW] = act_view,	       [ACT_NEXT_VIEW] = act_next_view,
		[ACT_PREV_VIEW] = act_next_view, [ACT_BACK] = act_back,
		[ACT_QUIT] = act_quit,	       [ACT_SEARCH] = act_search,
		[ACT_NEXT] = act_search,       [ACT_PREV] = act_search,
		[ACT_FILTER] = act_filter,     [ACT_SWAP] = act_side,
		[ACT_OTHER] = act_side,	       [ACT_DIFF] = act_show,
		[ACT_UNITS] = act_units,       [ACT_HELP] = act_help,
		[ACT_REDRAW] = act_redraw,     [ACT_RECORD] = act_live,
		[ACT_PAUSE] = act_live,     [ACT_WRITE] = act_write,
		[ACT_SOURCE] = act_source,
	};

	return act[ev->action] && act[ev->action](app, ev);
}
