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

static int load_side(const struct diffprofile_arguments *a, size_t s, struct profdiff_input *in,
		     struct err *err)
{
	struct profile_options load = a->load;
	struct inliner *inliner = NULL;
	struct profile_inliner hook;
	int ret = 0;

	load.kallsyms = by_side(&a->kallsyms, s);
	load.vmlinux = by_side(&a->vmlinux, s);
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

/* In one comparison all sides are treated alike: runs and other recordings are not
 * by themselves. */
static void settle_unskid(struct diffprofile_arguments *a)
{
	size_t runs = 0, others = 0;

	for (size_t s = 0; s < a->nr_sides; s++)
		for (size_t i = 0; i < a->path[s].n; i++)
			*(profdiff_input_is_runs(a->path[s].v[i]) ? &runs : &others) += 1;
	if (a->load.unskid != UNSKID_RUNS || !runs || !others)
		return;
	a->load.unskid = UNSKID_NEVER;
	fputs("schedblame: note: not all sides are runs: samples of a timer are left where they "
	      "fell (--unskid charges them to callers)\n", stderr);
}

static int load_sides(const struct diffprofile_arguments *a, struct profdiff_input *in, struct err *err)
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
static int show(const struct diffprofile_arguments *a, const struct diffprofile_format *format,
		const struct profdiff_input *in, struct err *err)
{
	struct profdiff d;
	struct diffprofile_page page = { &d, in, &a->view };
	struct strbuf sb = STRBUF_INIT;
	int ret = profdiff_make_inputs(&d, in, a->nr_sides, &a->diff, err);

	if (ret < 0)
		return ret;
	ret = a->view.annotate ? diffprofile_annotate(&sb, &page, a, err) :
				 format->render(&sb, &page, err);
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

static void free_arguments(struct diffprofile_arguments *a)
{
	for (size_t s = 0; s < PROFDIFF_SIDES_MAX; s++)
		free(a->path[s].v);
}

static int run(int argc, char **argv)
{
	struct diffprofile_arguments a = { .diff = profdiff_default_options, .side = -1 };
	struct profdiff_input in[PROFDIFF_SIDES_MAX];
	const struct diffprofile_format *format;
	struct err err = ERR_INIT;
	int ret;

	a.view.threshold = NAN;
	a.view.rows = 40;
	diffprofile_parse(&a, argc, argv);
	format = find_format(a.format ? a.format : "text");
	if (!format) {
		err_set(&err, EINVAL, "diffprofile has no --format %s", a.format);
		free_arguments(&a);
		return command_usage("diffprofile", &err);
	}
	a.load.chains = format->chains || a.diff.by == BY_CALLER || a.diff.guess;
	if (a.view.annotate) {
		a.load = (struct profile_options){ .addresses = true, .user_symbols = true,
						   .unskid = a.load.unskid,
						   .event = a.load.event, .comm = a.load.comm };
		a.diff.idle = true;
		a.diff.by = BY_SYMBOL;
	}
	settle_unskid(&a);
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
