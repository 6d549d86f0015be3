/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view: one file, one ops table. It is a page, a table (with some rows above
 * it), or draws itself. Everything common (moving, searching, filtering, text
 * output) is done by app.c and view.c on the page or table a view shows.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "canvas.h"
#include "data.h"
#include "keys.h"
#include "page.h"
#include "table.h"

struct app;
struct view;

struct view_ops {
	const char *name;  /* for --view and for file names of P */
	const char *title; /* on the tab */
	const char *brief; /* on the tab of a narrow screen, at most 5 letters */
	const char *help;  /* one paragraph of the help screen */
	const char *hint;  /* keys worth knowing here, for the last line */
	size_t size;	   /* of the model, zeroed, at view->model */

	/* Makes the model. arg is what view_push() was given. NULL allowed. */
	void (*open)(struct view *v, const void *arg);
	void (*release)(struct view *v);
	/* Data, sides, unit or manner of showing changed. */
	void (*refresh)(struct view *v);
	/* What its numbers are in, for the title; NULL: the unit of u. */
	const char *(*unit)(const struct view *v);
	/* A page view fills v->page, whose width is set. */
	void (*build)(struct view *v, struct page *page);
	/* A table view may draw above its table; returns rows used. */
	int (*above)(struct view *v, const struct area *a);
	/* Neither: draws itself. */
	void (*draw)(struct view *v, const struct area *a);
	/* Enter. target: of the page's link or row of the table, -1: none. */
	void (*enter)(struct view *v, long target);
	/* Keys that only this view has; true: done. */
	bool (*act)(struct view *v, const struct key_event *ev);
	/* Text of the whole view for P where page and table do not say it. */
	void (*text)(struct view *v, struct strbuf *sb, int width);
	/* Called between keys; true: draw again. */
	bool (*tick)(struct view *v);
};

struct view {
	const struct view_ops *ops;
	struct app *app;
	void *model;	     /* ops->size bytes; owned */
	struct page *page;   /* page views; owned */
	struct table *table; /* table views: in the model, released by it */
	struct view *below;  /* where Esc goes; owned by the stack */
	bool stale;	     /* the page must be built again */
};

/* The views with a number, in order; the tenth is 0. */
#define VIEW_LIST(X)                                                           \
	X(overview)                                                            \
	X(latency)                                                             \
	X(migrations)                                                          \
	X(steals)                                                              \
	X(profile)                                                             \
	X(tasks)                                                               \
	X(cpus)                                                                \
	X(timeline)                                                            \
	X(bench)                                                               \
	X(setup)
#define X(name) extern const struct view_ops view_##name;
VIEW_LIST(X)
#undef X
extern const struct view_ops view_help;
extern const struct view_ops view_columns; /* arg: the view whose table */

struct view *view_new(struct app *app, const struct view_ops *ops, const void *arg);
void view_free(struct view *v);
void view_refresh(struct view *v);
void view_draw(struct view *v, const struct area *a);
bool view_act(struct view *v, const struct key_event *ev);
void view_text(struct view *v, struct strbuf *sb, int width);

#endif
