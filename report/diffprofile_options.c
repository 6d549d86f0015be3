// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of diffprofile: one table that argp and the parser read. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

/* What an option does with the field at its offset in struct diffprofile_arguments. */
enum setting_kind {
	SET_BOOL,    /* bool: true */
	SET_CONSTANT, /* const char *: constant */
	SET_TEXT,    /* const char *: the argument */
	SET_BY_SIDE, /* struct by_side: the argument, the second for the second side */
	SET_NUMBER,  /* double, scaled */
	SET_COUNT,   /* size_t */
	SET_CHOICE,  /* int: index in names */
	SET_VALUE,   /* int: value */
	SET_NOTHING, /* taken, and without effect here */
	SET_SIDE,    /* -a, -b */
	SET_HELP,    /* no option: a line in the list */
};

struct setting {
	struct argp_option option; /* key 0: made from the index */
	enum setting_kind kind;
	size_t offset;
	const char *const *names; /* SET_CHOICE */
	int n;			  /* SET_CHOICE: how many; SET_VALUE, SET_SIDE: value */
	const char *constant;
	double scale;
};

#define AT(field) .offset = offsetof(struct diffprofile_arguments, field)
#define OPT(name, key, arg, help) { name, key, arg, 0, help, 1 }
#define MAN(name, arg) { name, 0, arg, OPTION_HIDDEN, NULL, 1 } /* in the man page only */

static const struct setting settings[] = {
	{ OPT("base", 'a', "FILE...", "repeats of the base side follow"), SET_SIDE, .n = 0 },
	{ OPT("new", 'b', "FILE...", "repeats of the new side follow"), SET_SIDE, .n = 1 },
	{ OPT("threshold", 't', "N", "only rows that changed by N or more"),
	  SET_NUMBER, AT(view.threshold), .scale = 1 },
	{ OPT("long", 'l', NULL, "both sides, per cent, CI, q, share"), SET_CONSTANT,
	  AT(format), .constant = "long" },
	{ OPT("annotate", 0, "SYMBOL", "its source lines and instructions, side by side"),
	  SET_TEXT, AT(view.annotate) },
	{ OPT("by", 0, "WHAT", "symbol, file, module, group or caller"), SET_CHOICE,
	  AT(diff.by), .names = profdiff_by_name, .n = NR_BY },
	{ OPT("norm", 0, "HOW", "ticks, share, work, time or factor"), SET_CHOICE,
	  AT(diff.norm), .names = profdiff_norm_name, .n = NR_NORMS },
	{ OPT("user", 0, NULL, "functions of user mode too"), SET_BOOL,
	  AT(load.user_symbols) },
	{ OPT("vmlinux", 0, "FILE", "kernel image with debug information, by side"),
	  SET_BY_SIDE, AT(vmlinux) },
	{ OPT("gate", 0, "RULES", "exit 1 if e.g. 'symbol>5%' or 'total>3%'"), SET_TEXT,
	  AT(view.gate) },
	{ OPT("format", 0, "FORMAT", "text, long, csv, json, tree, folded, svg"), SET_TEXT,
	  AT(format) },
	{ { "also, see the man page: alpha comm event for guess idle kallsyms match "
	    "min-effect no-caption no-renames no-unskid percent raw rows source unskid work", 0, NULL,
	    OPTION_DOC | OPTION_NO_USAGE, NULL, 2 }, SET_HELP },
	{ MAN("work", "A=N,B=M"), SET_TEXT, AT(work) },
	{ MAN("guess", NULL), SET_BOOL, AT(diff.guess) },
	{ MAN("rows", "N"), SET_COUNT, AT(view.rows) },
	{ MAN("percent", NULL), SET_BOOL, AT(view.percent) },
	{ MAN("idle", NULL), SET_BOOL, AT(diff.idle) },
	{ MAN("raw", NULL), SET_BOOL, AT(diff.raw) },
	{ MAN("no-renames", NULL), SET_BOOL, AT(diff.no_renames) },
	{ MAN("match", "TEXT"), SET_TEXT, AT(diff.match) },
	{ MAN("event", "NAME"), SET_TEXT, AT(load.event) },
	{ MAN("comm", "NAME"), SET_TEXT, AT(load.comm) },
	{ MAN("kallsyms", "FILE"), SET_BY_SIDE, AT(kallsyms) },
	{ MAN("source", "FOLDER"), SET_BY_SIDE, AT(source) },
	{ MAN("unskid", NULL), SET_VALUE, AT(load.unskid), .n = UNSKID_ALWAYS },
	{ MAN("no-unskid", NULL), SET_VALUE, AT(load.unskid), .n = UNSKID_NEVER },
	{ MAN("for", "WORKLOAD"), SET_TEXT, AT(view.workload) },
	{ MAN("no-caption", NULL), SET_BOOL, AT(view.no_caption) },
	{ MAN("alpha", "Q"), SET_NUMBER, AT(diff.limits.alpha), .scale = 1 },
	{ MAN("min-effect", "PCT"), SET_NUMBER, AT(diff.limits.min_effect), .scale = 0.01 },
	/* what all commands take */
	{ { "quiet", 'q', NULL, OPTION_HIDDEN, NULL, 3 }, SET_NOTHING },
	{ MAN("ascii", NULL), SET_NOTHING },
	{ MAN("force", NULL), SET_NOTHING },
};

#define FIRST_KEY 0x100

static double number(struct argp_state *state, const char *name, const char *arg)
{
	char *end;
	double v = strtod_c(arg, &end);

	if (end == arg || (*end && strcmp(end, "%")) || !(v >= 0))
		argp_error(state, "--%s needs a number, not '%s'", name, arg);
	return v;
}

static int choice(struct argp_state *state, const struct setting *s, const char *arg)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->names[i], arg))
			return i;
	argp_error(state, "there is no --%s %s", s->option.name, arg);
	return 0;
}

static void add_path(struct diffprofile_arguments *a, size_t side, char *path)
{
	GROW(a->path[side].v, a->path[side].n, a->path[side].cap);
	a->path[side].v[a->path[side].n++] = path;
	if (a->nr_sides <= side)
		a->nr_sides = side + 1;
}

static void add_by_side(struct by_side *b, const char *arg)
{
	if (b->n < PROFDIFF_SIDES_MAX)
		b->v[b->n++] = arg;
}

const char *by_side(const struct by_side *b, size_t side)
{
	return b->n > 1 ? (side < b->n ? b->v[side] : NULL) : b->n ? b->v[0] : NULL;
}

static void apply(struct diffprofile_arguments *a, const struct setting *s, char *arg,
		  struct argp_state *state)
{
	void *field = (char *)a + s->offset;

	switch (s->kind) {
	case SET_BOOL: *(bool *)field = true; break;
	case SET_CONSTANT: *(const char **)field = s->constant; break;
	case SET_TEXT: *(const char **)field = arg; break;
	case SET_BY_SIDE: add_by_side(field, arg); break;
	case SET_NUMBER: *(double *)field = number(state, s->option.name, arg) * s->scale; break;
	case SET_COUNT: *(size_t *)field = (size_t)number(state, s->option.name, arg); break;
	case SET_CHOICE: *(int *)field = choice(state, s, arg); break;
	case SET_VALUE: *(int *)field = s->n; break;
	case SET_SIDE:
		a->side = s->n;
		add_path(a, (size_t)s->n, arg);
		break;
	case SET_NOTHING:
	case SET_HELP: break;
	}
}

static int key_of(size_t i)
{
	return settings[i].option.key ? settings[i].option.key : FIRST_KEY + (int)i;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diffprofile_arguments *a = state->input;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (key == key_of(i)) {
			apply(a, settings + i, arg, state);
			return 0;
		}
	switch (key) {
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
		return ARGP_ERR_UNKNOWN;
	}
}

void diffprofile_parse(struct diffprofile_arguments *a, int argc, char **argv)
{
	struct argp_option option[ARRAY_SIZE(settings) + 1] = { { 0 } };
	const struct argp argp = {
		option, parse, "BASE NEW [NEW2...]\n-a FILE... -b FILE...",
		"Which functions got more or less expensive.\v"
		"A side is a run set, a run, a folder of profiles or a profile of any format.",
	};

	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0); /* the list is to fit a screen */
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		option[i] = settings[i].option;
		if (settings[i].kind != SET_HELP)
			option[i].key = key_of(i);
	}
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, a);
}
