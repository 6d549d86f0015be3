// SPDX-License-Identifier: GPL-2.0-or-later
/* schedblame diffprofile, also called as diffprofile. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/alloc.h"
#include "schedblame/inline.h"
#include "schedblame/units.h"

struct arguments {
	struct common_options common;
	struct profdiff_options diff;
	struct profile_options load;
	struct diffprofile_view view;
	struct { char **v; size_t n, cap; } path[PROFDIFF_SIDES_MAX];
	size_t nr_sides;
	struct { const char *v[PROFDIFF_SIDES_MAX]; size_t n; } kallsyms, vmlinux; /* by side */
	int side; /* -a, -b: arguments go here; -1: each is a side */
	const char *work;
	char *format;
};

enum {
	OPT_PERCENT = 0x100, OPT_LONG, OPT_NORM, OPT_WORK, OPT_BY, OPT_USER, OPT_RAW,
	OPT_GUESS, OPT_NO_RENAMES, OPT_IDLE, OPT_MATCH, OPT_FOR, OPT_EVENT, OPT_ROWS,
	OPT_ALPHA, OPT_MIN, OPT_NO_CAPTION, OPT_KALLSYMS, OPT_COMM, OPT_GATE,
	OPT_UNSKID, OPT_VMLINUX,
};

static const struct argp_option options[] = {
	{ "base", 'a', "FILE...", 0, "repeats of the base side follow", 1 },
	{ "new", 'b', "FILE...", 0, "repeats of the new side follow", 1 },
	{ "threshold", 't', "N", 0, "only rows that changed by N or more (default: about 40 rows)", 2 },
	{ "rows", OPT_ROWS, "N", 0, "choose the threshold so that N rows remain", 2 },
	{ "long", 'l', NULL, 0, "all columns: both sides, per cent, CI, q, share", 2 },
	{ "percent", OPT_PERCENT, NULL, 0, "a column with the change in per cent", 2 },
	{ "norm", OPT_NORM, "HOW", 0, "ticks, share, work, time or factor", 3 },
	{ "work", OPT_WORK, "A=N,B=M", 0, "units of work done by each side (--norm work)", 3 },
	{ "by", OPT_BY, "WHAT", 0, "symbol, file, module, group or caller", 3 },
	{ "user", OPT_USER, NULL, 0, "user functions too, not one line \"user mode\"", 3 },
	{ "idle", OPT_IDLE, NULL, 0, "idle functions too", 3 },
	{ "raw", OPT_RAW, NULL, 0, "keep .isra .constprop .part .cold apart", 4 },
	{ "no-renames", OPT_NO_RENAMES, NULL, 0, "match by name only", 4 },
	{ "guess", OPT_GUESS, NULL, 0, "pair gone and new functions by likeness", 4 },
	{ "match", OPT_MATCH, "TEXT", 0, "only rows whose name holds TEXT", 4 },
	{ "event", OPT_EVENT, "NAME", 0, "event of the input (default: the first)", 5 },
	{ "comm", OPT_COMM, "NAME", 0, "samples of this task name only", 5 },
	{ "kallsyms", OPT_KALLSYMS, "FILE", 0, "symbols of the kernel that was profiled; the second use is for the second side", 5 },
	{ "vmlinux", OPT_VMLINUX, "FILE", 0, "kernel with debug information: inlined functions become "
	  "rows; the second use is for the second side", 5 },
	{ "unskid", OPT_UNSKID, NULL, 0, "charge what irq-enabling functions got to their callers", 5 },
	{ "for", OPT_FOR, "WORKLOAD", 0, "named in the caption", 6 },
	{ "no-caption", OPT_NO_CAPTION, NULL, 0, "the list alone", 6 },
	{ "gate", OPT_GATE, "RULES", 0, "exit 1 when e.g. 'symbol>5%' or 'total>3%' holds", 7 },
	{ "alpha", OPT_ALPHA, "Q", 0, "largest q that counts (0.05)", 7 },
	{ "min-effect", OPT_MIN, "PCT", 0, "smallest change that counts (1)", 7 },
	{ 0 },
};

static void add_path(struct arguments *a, size_t side, char *path)
{
	GROW(a->path[side].v, a->path[side].n, a->path[side].cap);
	a->path[side].v[a->path[side].n++] = path;
	if (a->nr_sides <= side)
		a->nr_sides = side + 1;
}

static int pick(struct argp_state *state, const char *what, const char *arg,
		const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], arg))
			return i;
	argp_error(state, "there is no --%s %s", what, arg);
	return 0;
}

static double number(struct argp_state *state, const char *what, const char *arg)
{
	char *end;
	double v = strtod_c(arg, &end);

	if (end == arg || (*end && strcmp(end, "%")) || !(v >= 0))
		argp_error(state, "--%s needs a number, not '%s'", what, arg);
	return v;
}

/* The options that take a value or set a flag, by key. */
static bool set_flag(struct arguments *a, int key)
{
	switch (key) {
	case OPT_PERCENT: a->view.percent = true; return true;
	case OPT_USER: a->load.user_symbols = true; return true;
	case OPT_UNSKID: a->load.unskid = true; return true;
	case OPT_RAW: a->diff.raw = true; return true;
	case OPT_GUESS: a->diff.guess = true; return true;
	case OPT_NO_RENAMES: a->diff.no_renames = true; return true;
	case OPT_IDLE: a->diff.idle = true; return true;
	case OPT_NO_CAPTION: a->view.no_caption = true; return true;
	case 'l': a->common.format = "long"; return true;
	default: return false;
	}
}

static bool set_text(struct arguments *a, int key, const char *arg)
{
	switch (key) {
	case OPT_WORK: a->work = arg; return true;
	case OPT_MATCH: a->diff.match = arg; return true;
	case OPT_FOR: a->view.workload = arg; return true;
	case OPT_EVENT: a->load.event = arg; return true;
	case OPT_GATE: a->view.gate = arg; return true;
	case OPT_COMM: a->load.comm = arg; return true;
	case OPT_KALLSYMS:
		if (a->kallsyms.n < PROFDIFF_SIDES_MAX)
			a->kallsyms.v[a->kallsyms.n++] = arg;
		return true;
	case OPT_VMLINUX:
		if (a->vmlinux.n < PROFDIFF_SIDES_MAX)
			a->vmlinux.v[a->vmlinux.n++] = arg;
		return true;
	default: return false;
	}
}

static error_t parse_value(struct arguments *a, int key, char *arg,
			   struct argp_state *state)
{
	switch (key) {
	case 't':
		a->view.threshold = number(state, "threshold", arg);
		return 0;
	case OPT_ROWS:
		a->view.rows = (size_t)number(state, "rows", arg);
		return 0;
	case OPT_ALPHA:
		a->diff.limits.alpha = number(state, "alpha", arg);
		return 0;
	case OPT_MIN:
		a->diff.limits.min_effect = number(state, "min-effect", arg) / 100;
		return 0;
	case OPT_NORM:
		a->diff.norm = pick(state, "norm", arg, profdiff_norm_name, NR_NORMS);
		return 0;
	case OPT_BY:
		a->diff.by = pick(state, "by", arg, profdiff_by_name, NR_BY);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	if (set_flag(a, key) || set_text(a, key, arg))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->common;
		return 0;
	case 'a':
	case 'b':
		a->side = key - 'a';
		add_path(a, (size_t)a->side, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (a->side < 0 && a->nr_sides >= PROFDIFF_SIDES_MAX)
			argp_error(state, "at most %d sides are compared", PROFDIFF_SIDES_MAX);
		add_path(a, a->side < 0 ? a->nr_sides : (size_t)a->side, arg);
		return 0;
	case ARGP_KEY_END:
		if (a->nr_sides < 2 || !a->path[0].n || !a->path[1].n)
			argp_error(state, "two sides are needed: diffprofile BASE NEW");
		return 0;
	default:
		return parse_value(a, key, arg, state);
	}
}

static const struct argp_child children[] = { { &common_argp, 0, NULL, 90 }, { 0 } };
static const struct argp argp = {
	options, parse, "BASE NEW [NEW2...]\n-a FILE... -b FILE...",
	"Shows which kernel functions got more or less expensive.\v"
	"A side is a run set, a run, a folder of profiles (repeats), or a profile: "
	"perf.data, text of perf report or perf script, readprofile, opreport, folded "
	"stacks, pprof, bpftrace stacks.\n\nFormats: text, long, csv, json, tree, folded, svg.",
	children,
};

static const struct diffprofile_format *find_format(const char *name)
{
	for (size_t i = 0; diffprofile_formats[i]; i++)
		if (!strcmp(diffprofile_formats[i]->name, name))
			return diffprofile_formats[i];
	return NULL;
}

/* "A=100,B=250" or "LABEL=100,...": the same for every repeat of a side. */
static int set_work(struct profdiff_input *in, size_t n, const char *text, struct err *err)
{
	while (*text) {
		const char *eq = strchr(text, '=');
		size_t len = eq ? (size_t)(eq - text) : 0, side = n;
		char *end;
		double v;

		if (!eq)
			return err_set(err, EINVAL, "--work is SIDE=NUMBER, as in A=1000,B=1200");
		if (len == 1 && isupper((unsigned char)*text))
			side = (size_t)(*text - 'A');
		for (size_t i = 0; i < n; i++)
			if (strlen(in[i].label) == len && !strncmp(in[i].label, text, len))
				side = i;
		if (side >= n)
			return err_set(err, EINVAL, "--work: there is no side '%.*s'", (int)len, text);
		v = strtod_c(eq + 1, &end);
		if (!(v > 0) || (*end && *end != ','))
			return err_set(err, EINVAL, "--work: '%s' is no number of units above 0",
				       eq + 1);
		for (size_t i = 0; i < in[side].n; i++)
			in[side].work[i] = v;
		text = *end ? end + 1 : end;
	}
	return 0;
}

/* The file of a side: the one given for it, or the only one given. */
static const char *file_of(const char *const *v, size_t n, size_t side)
{
	return n > 1 ? (side < n ? v[side] : NULL) : n ? v[0] : NULL;
}

static int load_side(const struct arguments *a, size_t s, struct profdiff_input *in,
		     struct err *err)
{
	struct profile_options load = a->load;
	struct inliner *inliner = NULL;
	struct profile_inliner hook;
	int ret = 0;

	load.kallsyms = file_of(a->kallsyms.v, a->kallsyms.n, s);
	load.vmlinux = file_of(a->vmlinux.v, a->vmlinux.n, s);
	if (load.vmlinux) {
		ret = inliner_open(&inliner, load.vmlinux, err);
		if (ret < 0)
			return ret;
		hook = inliner_hook(inliner);
		load.inliner = &hook;
	}
	for (size_t i = 0; !ret && i < a->path[s].n; i++)
		ret = profdiff_input_add(in, a->path[s].v[i], &load, err);
	inliner_close(inliner);
	return ret;
}

static int load_sides(const struct arguments *a, struct profdiff_input *in, struct err *err)
{
	int ret = 0;

	for (size_t s = 0; !ret && s < a->nr_sides; s++)
		ret = load_side(a, s, &in[s], err);
	return !ret && a->work ? set_work(in, a->nr_sides, a->work, err) : ret;
}

static int gate(const char *rules, const struct profdiff *d, struct err *err)
{
	struct notes found = { NULL, 0 };
	int ret = diffprofile_gate(rules, d, &found, err);

	for (size_t i = 0; i < found.n; i++)
		fprintf(stderr, "%s\n", found.v[i]);
	notes_release(&found);
	return ret;
}

/* 0, 1 when the gate found something, -errno. */
static int show(const struct arguments *a, const struct diffprofile_format *format,
		const struct profdiff_input *in, struct err *err)
{
	struct profdiff d;
	struct diffprofile_page page = { &d, in, &a->view };
	struct strbuf sb = STRBUF_INIT;
	int ret = profdiff_make_inputs(&d, in, a->nr_sides, &a->diff, err);

	if (ret < 0)
		return ret;
	ret = format->render(&sb, &page, err);
	if (!ret)
		fwrite(sb.buf, 1, sb.len, stdout);
	if (!ret)
		command_notes(&d.notes);
	if (!ret && a->view.gate)
		ret = gate(a->view.gate, &d, err);
	strbuf_release(&sb);
	profdiff_release(&d);
	return ret;
}

static void free_arguments(struct arguments *a)
{
	for (size_t s = 0; s < PROFDIFF_SIDES_MAX; s++)
		free(a->path[s].v);
}

static int run(int argc, char **argv)
{
	struct arguments a = { .diff = profdiff_default_options, .side = -1 };
	struct profdiff_input in[PROFDIFF_SIDES_MAX];
	const struct diffprofile_format *format;
	struct err err = ERR_INIT;
	int ret;

	a.view.threshold = NAN;
	a.view.rows = 40;
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a);
	format = find_format(a.common.format ? a.common.format : "text");
	if (!format) {
		err_set(&err, EINVAL, "diffprofile has no --format %s", a.common.format);
		free_arguments(&a);
		return command_usage("diffprofile", &err);
	}
	a.load.chains = format->chains || a.diff.by == BY_CALLER || a.diff.guess;
	for (size_t s = 0; s < a.nr_sides; s++)
		profdiff_input_init(&in[s]);
	ret = load_sides(&a, in, &err);
	if (!ret)
		ret = show(&a, format, in, &err);
	for (size_t s = 0; s < a.nr_sides; s++)
		profdiff_input_release(&in[s]);
	free_arguments(&a);
	return ret < 0 ? command_fail(&err) : ret ? EXIT_GATE : EXIT_DONE;
}

const struct command command_diffprofile = {
	"diffprofile", "which functions got more expensive, as in the mails of 2002", run,
};
