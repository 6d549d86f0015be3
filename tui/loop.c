// SPDX-License-Identifier: GPL-2.0-or-later
/* The event loop at a terminal, and the one of scripts. */
#include "loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "load.h"
#include "screen.h"

#define TICK_MS 100

/* What is being read has arrived: every view makes itself anew. */
static int take_loaded(struct app *app, int timeout_ms, struct err *err)
{
	int ret;

	if (!app->loader || !loader_done(app->loader, timeout_ms))
		return 0;
	ret = loader_take(app->loader, &app->data, err);
	app->loader = NULL;
	app->busy = NULL;
	if (ret < 0)
		return ret;
	app_refresh(app);
	return 1;
}

static bool follow_size(struct app *app)
{
	int w, h;

	screen_size(&w, &h);
	if (w == app->canvas.w && h == app->canvas.h)
		return false;
	app_resize(app, w, h);
	app->redraw = true;
	return true;
}

/* Gives the terminal to the editor, and takes it back. */
static void run_editor(struct app *app)
{
	char line[32];
	int status = -1;
	pid_t pid;

	snprintf(line, sizeof(line), "+%u", app->edit_line);
	screen_suspend();
	pid = fork();
	if (!pid) {
		execlp("sh", "sh", "-c", "exec ${VISUAL:-${EDITOR:-vi}} \"$@\"", "sh", line,
		       app->edit_path, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	screen_resume();
	if (status)
		app_message(app, "the editor (VISUAL, EDITOR or vi) could not be run, or failed");
	free(app->edit_path);
	app->edit_path = NULL;
	app->redraw = true;
}

int loop_run(struct app *app, struct err *err)
{
	bool changed = true;

	while (!app->quit) {
		uint32_t key;
		int ret = take_loaded(app, 0, err);

		if (ret < 0)
			return ret;
		changed |= ret > 0;
		changed |= follow_size(app);
		changed |= app_tick(app);
		if (changed) {
			app_draw(app);
			screen_show(&app->canvas, app->redraw);
			app->redraw = false;
		}
		key = screen_key(TICK_MS);
		changed = key != 0;
		if (key)
			app_key(app, key);
		if (app->edit_path)
			run_editor(app);
	}
	return 0;
}

/* Draws until a tick has nothing more to say; two minutes at most. */
static void wait_idle(struct app *app)
{
	const struct timespec pause = { 0, 2000000 };

	for (int i = 0; i < 60000 && (app_tick(app) || app->busy); i++) {
		app_draw(app);
		nanosleep(&pause, NULL);
	}
}

static bool script_word(struct app *app, const char **s)
{
	int w, h, len = 0;
	unsigned x, y;

	if (sscanf(*s, "<Resize:%dx%d>%n", &w, &h, &len) == 2 && len) {
		app_resize(app, w < 1000 ? w : 1000, h < 1000 ? h : 1000);
	} else if (sscanf(*s, "<Click:%u,%u>%n", &x, &y, &len) == 2 && len) {
		app_key(app, KEY_CLICK | (y & 0xfff) << 12 | (x & 0xfff));
	} else if (!strncmp(*s, "<Second>", 8)) { /* for what is live */
		len = 8;
		sleep(1);
		app_tick(app);
	} else if (!strncmp(*s, "<Wait>", 6)) {
		len = 6;
		wait_idle(app);
	} else {
		return false;
	}
	*s += len;
	app_draw(app);
	return true;
}

/* Draws, and again when what the views asked for is made. */
static void settle(struct app *app)
{
	app_draw(app);
	for (int i = 0; i < 10 && (!work_idle(&app->work) || work_news(&app->work)); i++) {
		work_drain(&app->work);
		work_news(&app->work);
		app_refresh(app);
		app_draw(app);
	}
}

int script_run(struct app *app, const char *keys, struct err *err)
{
	int ret = take_loaded(app, -1, err);
	uint32_t key;

	if (ret < 0)
		return ret;
	settle(app);
	while (*keys && !app->quit) {
		if (script_word(app, &keys))
			continue;
		ret = key_parse(&keys, &key, err);
		if (ret < 0)
			return ret;
		app_key(app, key);
		settle(app);
	}
	return 0;
}
