// SPDX-License-Identifier: GPL-2.0-or-later
/* The command `schedblame tui`. */
#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "live_data.h"
#include "load.h"
#include "loop.h"
#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/progress.h"
#include "screen.h"

struct options {
	struct run_options run;
	bool ascii, no_color, mouse, live, dump, dump_styles, list_keys;
	const char *view, *keys, *write_dir, *migration_cost;
	int w, h;
	const char *vmlinux[TUI_MAX_SETS], *source[TUI_MAX_SETS];
	int nr_vmlinux, nr_sources;
	char **paths;
	int nr_paths;
};

enum { OPT_ASCII = 256, OPT_NO_COLOR, OPT_VIEW, OPT_TOPOLOGY, OPT_KEYS, OPT_SIZE, OPT_DUMP,
       OPT_WRITE_DIR, OPT_LIST_KEYS, OPT_LIVE, OPT_COST, OPT_VMLINUX, OPT_SOURCE, OPT_MOUSE };

static const struct argp_option arguments[] = {
	{ "view", OPT_VIEW, "NAME", 0, "begin with this view: latency, steals, ...", 0 },
	{ "topology", OPT_TOPOLOGY, "FILE", 0,
	  "topology of a foreign trace: hwloc XML, 'node:2 core:4 pu:2' or lscpu -p", 0 },
	{ "ascii", OPT_ASCII, NULL, 0, "no character outside ASCII", 0 },
	{ "no-color", OPT_NO_COLOR, NULL, 0, "no colours; so does NO_COLOR", 0 },
	{ "write-dir", OPT_WRITE_DIR, "DIR", 0, "where P writes text (default: here)", 0 },
	{ "migration-cost", OPT_COST, "FILE", 0,
	  "measured migration costs ('schedblame migcost') as threshold of a hot cache", 0 },
	{ "mouse", OPT_MOUSE, NULL, 0, "a click selects, the wheel scrolls", 0 },
	{ "vmlinux", OPT_VMLINUX, "FILE", 0,
	  "kernel image with debug information, for annotated source; the nth of the "
	  "nth set, one of all", 0 },
	{ "source", OPT_SOURCE, "DIR", 0, "its source tree, likewise", 0 },
	{ "live", OPT_LIVE, NULL, 0,
	  "the running system, refreshed each second; what follows is a command", 0 },
	{ "keys", OPT_KEYS, "KEYS", OPTION_HIDDEN, NULL, 0 },
	{ "size", OPT_SIZE, "WxH", OPTION_HIDDEN, NULL, 0 },
	{ "dump", OPT_DUMP, "styles", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0 },
	{ "list-keys", OPT_LIST_KEYS, NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

static error_t add_path(const char **list, int *n, const char *path,
			struct argp_state *state)
{
	if (*n >= TUI_MAX_SETS)
		argp_error(state, "at most %d sets can be shown at a time", TUI_MAX_SETS);
	list[(*n)++] = path;
	return 0;
}

/* The nth is of the nth set; one alone is of all. */
static void take_paths(const char **by_set, const char *const *list, int n)
{
	for (int i = 0; i < TUI_MAX_SETS; i++)
		by_set[i] = n == 1 ? list[0] : i < n ? list[i] : NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_VIEW:
		o->view = arg;
		return 0;
	case OPT_TOPOLOGY:
		o->run.topology = arg;
		return 0;
	case OPT_ASCII:
		o->ascii = true;
		return 0;
	case OPT_NO_COLOR:
		o->no_color = true;
		return 0;
	case OPT_WRITE_DIR:
		o->write_dir = arg;
		return 0;
	case OPT_KEYS:
		o->keys = arg;
		return 0;
	case OPT_SIZE:
		if (sscanf(arg, "%dx%d", &o->w, &o->h) != 2 || o->w < 1 || o->h < 1 ||
		    o->w > 1000 || o->h > 1000)
			argp_error(state, "--size is WIDTHxHEIGHT");
		return 0;
	case OPT_DUMP:
		o->dump = true;
		o->dump_styles = arg && !strcmp(arg, "styles");
		return 0;
	case OPT_COST:
		o->migration_cost = arg;
		return 0;
	case OPT_VMLINUX:
		return add_path(o->vmlinux, &o->nr_vmlinux, arg, state);
	case OPT_SOURCE:
		return add_path(o->source, &o->nr_sources, arg, state);
	case OPT_MOUSE:
		o->mouse = true;
		return 0;
	case OPT_LIVE:
		o->live = true;
		return 0;
	case OPT_LIST_KEYS:
		o->list_keys = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->paths = state->argv + state->next;
		o->nr_paths = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = arguments,
	.parser = parse,
	.args_doc = "RUN|SET|FILE [OTHER...]\n--live [-- COMMAND [ARG...]]",
	.doc = "Shows one run, or compares two and more, in the terminal.\v"
	       "The first set is side A, the second side B; x swaps them, b takes the "
	       "next set as B. ? shows all keys.",
};

static int find_view(struct app *app, const char *name, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret;

	for (int i = 0; name && i < APP_TABS; i++) {
		if (!strcmp(app_tab_ops(i)->name, name)) {
			app->current = i;
			name = NULL;
		} else {
			strbuf_addf(&names, "%s%s", i ? ", " : "", app_tab_ops(i)->name);
		}
	}
	ret = name ? err_set(err, EINVAL, "there is no view '%s'; there are %s", name,
			     names.buf) :
		     0;
	strbuf_release(&names);
	return ret;
}

static int show(struct app *app, const struct options *o, struct err *err)
{
	struct screen_options screen = { .no_color = o->no_color, .mouse = o->mouse };
	const char *no_color = getenv("NO_COLOR");
	int ret;

	if (no_color && *no_color)
		screen.no_color = true;
	if (o->keys || o->dump) {
		screen.w = o->w ? o->w : 80;
		screen.h = o->h ? o->h : 24;
		app_resize(app, screen.w, screen.h);
		app->scripted = true;
		ret = script_run(app, o->keys ? o->keys : "", err);
		screen.w = app->canvas.w;
		screen.h = app->canvas.h;
	} else {
		ret = app->loader && loader_done(app->loader, 150) &&
				      app->loader->err.code ?
			      loader_take(app->loader, &app->data, err) :
			      0;
	}
	if (ret < 0)
		return ret;
	ret = screen_open(&screen, err);
	if (ret < 0)
		return ret;
	if (o->dump) {
		struct strbuf sb = STRBUF_INIT;

		app_draw(app);
		screen_show(&app->canvas, true);
		screen_dump(&sb, o->dump_styles);
		screen_close();
		fwrite(sb.buf, 1, sb.len, stdout);
		strbuf_release(&sb);
		return 0;
	}
	if (!app->scripted)
		ret = loop_run(app, err);
	screen_close();
	return ret;
}

static int run_live(struct app *app, const struct options *o, struct err *err)
{
	int ret = live_data_open(&app->live, o->nr_paths ? o->paths : NULL, err);

	if (ret < 0)
		return ret;
	live_data_take(app->live, &app->data);
	live_data_tick(app->live);
	ret = show(app, o, err);
	live_data_close(app->live);
	app->live = NULL;
	return ret;
}

static int run_with(struct app *app, struct loader *loader, struct migcost *migcost,
		    const struct options *o, struct err *err)
{
	int ret = find_view(app, o->view, err);

	if (!ret && o->migration_cost)
		ret = migcost_load(migcost, o->migration_cost, err);
	if (ret < 0)
		return ret;
	app->migcost = o->migration_cost ? migcost : NULL;
	progress_quiet(true); /* stderr is the screen */
	app->write_dir = o->write_dir;
	take_paths(app->vmlinux, o->vmlinux, o->nr_vmlinux);
	take_paths(app->source, o->source, o->nr_sources);
	if (o->live)
		return run_live(app, o, err);
	ret = loader_start(loader, o->paths, o->nr_paths, &o->run, err);
	if (ret < 0)
		return ret;
	app->loader = loader;
	app->busy = "reading...";
	ret = show(app, o, err);
	/* a long file is not read to its end for one who leaves */
	if (!loader_done(loader, 0) || !work_idle(&app->work)) {
		fflush(stdout);
		_exit(ret < 0 ? command_fail(err) : EXIT_DONE);
	}
	return ret;
}

static int list_keys(void)
{
	struct strbuf sb = STRBUF_INIT;

	keys_table(&sb);
	fwrite(sb.buf, 1, sb.len, stdout);
	strbuf_release(&sb);
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	static struct loader loader; /* large */
	struct err err = ERR_INIT;
	struct options o = { 0 };
	struct migcost migcost;
	struct app app;
	int ret;

	command_parse(&argp, argc, argv, 0, &o);
	if (o.list_keys)
		return list_keys();
	if (!o.nr_paths && !o.live) {
		err_set(&err, EINVAL, "which run, set or file is to be shown?");
		return command_usage("tui", &err);
	}
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		o.ascii = true;
	app_init(&app, 80, 24, o.ascii);
	migcost_init(&migcost);
	ret = run_with(&app, &loader, &migcost, &o, &err);
	app_release(&app);
	loader_release(&loader);
	migcost_release(&migcost);
	return ret < 0 ? command_fail(&err) : EXIT_DONE;
}

const struct command command_tui = {
	.name = "tui",
	.summary = "look at runs and compare them in the terminal",
	.run = run,
};
