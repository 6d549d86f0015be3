// SPDX-License-Identifier: GPL-2.0-or-later
/* schedblame report: options and nothing else. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mail.h"
#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/event.h"

#define SETS_MAX 64
#define MERGE_MAX 16

struct args {
	struct common_options common;
	struct mail_options mail;
	const struct report_format *format;
	const char *style, *sections, *migration_cost, *topology;
	const char *kase, *load;
	bool brief, verbose, against_previous;
	char *path[SETS_MAX];
	size_t nr_paths;
	/* [0] is the first set, for its offset */
	struct event_input merge[MERGE_MAX];
	unsigned nr_merge;
	char *offset[MERGE_MAX]; /* FILE=NS */
	unsigned nr_offsets;
};

enum { OPT_STYLE = 256, OPT_SECTIONS, OPT_BRIEF, OPT_COST, OPT_TOPOLOGY, OPT_MERGE,
       OPT_OFFSET, OPT_CASE, OPT_LOAD, OPT_AGAINST };

static const struct argp_option options[] = {
	{ "style", OPT_STYLE, "STYLE", 0,
	  "Layout of the benchmark table: kernel (default), tip, mmtests or lkp", 0 },
	{ "sections", OPT_SECTIONS, "LIST", 0,
	  "Only these sections, as in verdict,benchmark,cpu; a wrong name lists all", 0 },
	{ "brief", OPT_BRIEF, NULL, 0, "Only what decides: verdict, what ran, warnings, benchmark", 0 },
	{ "verbose", 'v', NULL, 0, "All differences, the whole kernel command line", 0 },
	{ "migration-cost", OPT_COST, "FILE", 0,
	  "Measured migration costs ('schedblame migcost') as threshold of a hot cache", 0 },
	{ "topology", OPT_TOPOLOGY, "FILE", 0,
	  "Topology of foreign files: hwloc XML, 'lscpu -p' text, or a description", 0 },
	{ "case", OPT_CASE, "NAME", 0, "Only runs of this case of a plan", 0 },
	{ "load", OPT_LOAD, "TEXT", 0, "Only runs under this load, as the table has it", 0 },
	{ "against", OPT_AGAINST, "WHAT", 0,
	  "Causes against the first set (base) or the one before it (previous)", 0 },
	{ "merge", OPT_MERGE, "FILE", 0,
	  "Events of FILE join those of the first trace on one line of time; repeatable", 0 },
	{ "offset", OPT_OFFSET, "FILE=NS", 0,
	  "Nanoseconds to add to the times of a trace (the first or a merged one)", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->mail;
		state->child_inputs[1] = &a->common;
		return 0;
	case OPT_STYLE:
		a->style = arg;
		return 0;
	case OPT_SECTIONS:
		a->sections = arg;
		return 0;
	case OPT_BRIEF:
		a->brief = true;
		return 0;
	case 'v':
		a->verbose = true;
		return 0;
	case OPT_COST:
		a->migration_cost = arg;
		return 0;
	case OPT_TOPOLOGY:
		a->topology = arg;
		return 0;
	case OPT_CASE:
		a->kase = arg;
		return 0;
	case OPT_LOAD:
		a->load = arg;
		return 0;
	case OPT_AGAINST:
		if (strcmp(arg, "base") && strcmp(arg, "previous"))
			argp_error(state, "--against is base or previous, not '%s'", arg);
		a->against_previous = !strcmp(arg, "previous");
		return 0;
	case OPT_MERGE:
		if (a->nr_merge + 1 >= MERGE_MAX)
			argp_error(state, "at most %d files can be merged", MERGE_MAX - 1);
		a->merge[++a->nr_merge].path = arg;
		return 0;
	case OPT_OFFSET:
		if (a->nr_offsets == MERGE_MAX || !strchr(arg, '='))
			argp_error(state, "--offset is FILE=NS, once per file, not '%s'", arg);
		a->offset[a->nr_offsets++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->nr_paths == SETS_MAX)
			argp_error(state, "at most %d sets can be compared", SETS_MAX);
		a->path[a->nr_paths++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which set? give one or more that 'schedblame collect' wrote");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &mail_argp, 0, NULL, 0 },
					     { &common_argp, 0, NULL, 0 },
					     { 0 } };
static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "SET\nBASE NEW [NEW2...]",
	.doc = "Print what a set of runs did, or what differs between sets.\v"
	       "SET is what 'schedblame collect' wrote, one run of it, or a trace.dat or "
	       "perf.data. The text is plain ASCII of at most 78 columns. FORMAT is text, json "
	       "(holds everything), mbox (a mail ready to be sent) or html (a page).",
	.children = children,
};

static int print(const struct report *r, const struct args *a, struct err *err)
{
	bool *selected = xcalloc(report_nr_sections(), sizeof(*selected));
	struct strbuf out = STRBUF_INIT;
	int ret = report_select(r, a->sections, selected, err);

	if (!ret)
		ret = a->format->render(&out, r, selected, &a->mail, err);
	if (!ret)
		fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	free(selected);
	return ret;
}

static int check_args(struct args *a, struct report *r, struct err *err)
{
	int ret = report_format_find(&a->format, a->common.format, err);

	if (ret < 0)
		return ret;
	if (mail_options_given(&a->mail) && strcmp(a->format->name, "mbox"))
		return err_set(err, EINVAL, "--to, --cc, --subject, --in-reply-to, --from and "
			       "--intro are for --format mbox");
	r->style = benchmark_style(a->style ? a->style : "kernel");
	if (!r->style)
		return err_set(err, EINVAL, "there is no style '%s'; there are kernel, tip, "
			       "mmtests and lkp", a->style);
	return 0;
}

/* --merge and --offset as what run_set_open() wants. */
static int make_merge(struct args *a, struct run_options *opts, struct err *err)
{
	if (!a->nr_merge && !a->nr_offsets)
		return 0;
	a->merge[0].path = a->path[0];
	for (unsigned i = 0; i < a->nr_offsets; i++) {
		char *equals = strrchr(a->offset[i], '='), *end;
		size_t len = (size_t)(equals - a->offset[i]);
		long long ns = strtoll(equals + 1, &end, 10);
		bool found = false;

		if (*end || end == equals + 1)
			return err_set(err, EINVAL, "--offset %s: '%s' is no number of "
				       "nanoseconds", a->offset[i], equals + 1);
		for (unsigned k = 0; k <= a->nr_merge; k++) {
			if (strncmp(a->merge[k].path, a->offset[i], len) ||
			    a->merge[k].path[len])
				continue;
			a->merge[k].offset_ns = ns;
			found = true;
		}
		if (!found)
			return err_set(err, EINVAL, "--offset %s: that file is neither the first "
				       "trace nor one given with --merge", a->offset[i]);
	}
	opts->merge = a->merge;
	opts->nr_merge = a->nr_merge + 1;
	opts->merge_into = a->path[0];
	return 0;
}

static int run(struct args *a)
{
	struct run_options run_opts = { 0 };
	struct err err = ERR_INIT;
	struct report_options open = { &run_opts, a->migration_cost, a->kase, a->load,
					  a->against_previous };
	struct report r = { 0 };
	const struct benchmark_style *style;
	int ret;

	/* files of a megabyte are read one after the other: keep the memory, mapping
	 * it anew for each run costs a third of the time */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	if (check_args(a, &r, &err) < 0 || make_merge(a, &run_opts, &err) < 0)
		return command_usage("report", &err);
	style = r.style;
	run_opts.topology = a->topology;
	if (report_open(&r, a->path, a->nr_paths, &open, &err) < 0)
		return command_fail(&err);
	r.style = style;
	r.brief = a->brief;
	r.asked = a->sections != NULL;
	r.verbose = a->verbose;
	ret = print(&r, a, &err);
	if (ret < 0)
		ret = err.code == EINVAL ? command_usage("report", &err) : command_fail(&err);
	report_close(&r);
	return ret;
}

static int run_report(int argc, char **argv)
{
	struct args a = { .style = NULL };
	int ret;

	mail_options_init(&a.mail);
	ret = command_parse(&argp, argc, argv, 0, &a);
	if (!ret)
		ret = run(&a);
	mail_options_release(&a.mail);
	return ret;
}

const struct command command_report = {
	.name = "report",
	.summary = "print a set of runs, or what differs between sets",
	.run = run_report,
};
