/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program between keys and screen: tabs, the stack of views on each, the
 * prompt, what keys do everywhere. Draws on a canvas; knows no curses. Driven by
 * loop.c (a terminal), script.c (keys from a string) and the fuzzer.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include "analysis.h"
#include "data.h"
#include "schedblame/strbuf.h"
#include "view.h"

#define APP_TABS 10

struct live_data;

struct prompt {
	const char *label; /* NULL: no prompt is open */
	struct strbuf text;
	void (*done)(struct app *app, const char *text);
};

struct app {
	struct data data;
	struct canvas canvas;
	bool ascii;
	struct view *tab[APP_TABS]; /* top of each tab's stack; NULL: not yet seen */
	int current;
	struct prompt prompt;
	char *message;	 /* last line until the next key; owned */
	bool quit, redraw;
	int shown_percent;
	const char *busy; /* what goes on in the background, NULL: nothing */
	struct work work;  /* what takes long */
	struct analysis *analyses;
	struct tasks_job *tasks;
	struct profile_job *profiles;
	struct profile_inputs *inputs;
	struct annotate_job *annotations;
	/* by set, NULL where not given: kernel image, folder of the source tree */
	const char *vmlinux[TUI_MAX_SETS], *source[TUI_MAX_SETS];
	char *edit_path; /* a file to open in an editor, by who has the terminal; owned */
	unsigned edit_line;
	struct live_data *live; /* --live; NULL */
	const struct migcost *migcost; /* --migration-cost; NULL */
	struct loader *loader; /* what is being read; NULL: all is there */
	const char *write_dir; /* where P writes; NULL: the current folder */
	bool scripted;	 /* no child processes, no terminal */
};

void app_init(struct app *app, int w, int h, bool ascii);
void app_release(struct app *app);
void app_resize(struct app *app, int w, int h);
void app_key(struct app *app, uint32_t key);
/* Lets the views work in the background; true: something to draw. */
bool app_tick(struct app *app);
void app_draw(struct app *app);
/* Data changed: every view makes itself anew. */
void app_refresh(struct app *app);

/* What blame/ says about the sides; NULL while it is being made. */
const struct analysis *app_analysis(struct app *app);

/* For views. */
struct view *app_view(const struct app *app);
void app_push(struct app *app, const struct view_ops *ops, const void *arg);
void app_back(struct app *app);
void app_goto(struct app *app, const struct view_ops *ops);
void app_message(struct app *app, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Asks for a file of source at a line to be opened in the editor; says so when the
 * file is not to be found below folder (may be NULL). */
void app_edit(struct app *app, const char *folder, const char *file, unsigned line);
void app_prompt(struct app *app, const char *label,
		void (*done)(struct app *app, const char *text));

/* Keys that mean the same in every view; true: done. app_keys.c. */
bool app_global_key(struct app *app, const struct key_event *ev);
/* The frame around the view. app_frame.c. */
void app_draw_frame(struct app *app, struct area *view);
const struct view_ops *app_tab_ops(int tab);
/* The tab at column x of its row, -1: none. */
int app_tab_at(const struct app *app, int x);

#endif
