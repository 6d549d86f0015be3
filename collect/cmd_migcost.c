// SPDX-License-Identifier: GPL-2.0-or-later
/* schedblame migcost: measures what a migration costs on this machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migcost.h"
#include "migcost_print.h"
#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/file.h"
#include "schedblame/units.h"

#define DEFAULT_FILE "migration-cost.json"
#define DEFAULT_BUDGET (20 * NSEC_PER_SEC)

struct migcost_options {
	struct common_options common;
	struct cpuset cpus;
	uint64_t budget_ns;
	const char *output;
	bool full;
	struct err err;
};

enum { OPT_FULL = 0x100, OPT_TIME, OPT_CPUS };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "where to (default " DEFAULT_FILE ")", 0 },
	{ "full", OPT_FULL, NULL, 0, "measure every pair of CPUs as well", 0 },
	{ "time", OPT_TIME, "T", 0, "take about T at most (default 20s)", 0 },
	{ "cpus", OPT_CPUS, "LIST", 0, "use these CPUs only", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct migcost_options *o = state->input;
	int ret = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_FULL:
		o->full = true;
		return 0;
	case OPT_TIME:
		ret = parse_duration(&o->budget_ns, arg, &o->err);
		break;
	case OPT_CPUS:
		ret = cpuset_parse(&o->cpus, arg, &o->err);
		break;
	case ARGP_KEY_ARG:
		ret = err_set(&o->err, EINVAL, "migcost takes no argument, but got %.64s", arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return ret < 0 ? EINVAL : 0;
}

static int check(struct migcost_options *o, struct err *err)
{
	const char *format = o->common.format;

	if (format && strcmp(format, "text") && strcmp(format, "json"))
		return err_set(err, EINVAL, "--format %.32s is none of text and json", format);
	if (!o->output)
		o->output = DEFAULT_FILE;
	if (!*o->output)
		return err_set(err, EINVAL, "-o wants the name of a file");
	return 0;
}

/* Nothing is measured for a file that could not be written: it may have been
 * edited by hand. */
static int check_output(const struct migcost_options *o, struct err *err)
{
	if (!strcmp(o->output, "-") || o->common.force || !file_exists(o->output))
		return 0;
	return err_set(err, EEXIST, "%s exists already and may have been edited: name another file "
		       "with -o, or use --force", o->output);
}

/* Online, allowed for us, and asked for. */
static void usable_cpus(struct cpuset *usable, const struct topology *t,
			const struct cpuset *asked)
{
	cpuset_of_thread(usable);
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		if (!t->cpu[cpu].online)
			cpuset_clear(usable, cpu);
	if (cpuset_count(asked))
		cpuset_and(usable, asked);
}

static int show(const struct migcost_options *o, const struct migcost_result *r,
		const struct topology *t, struct err *err)
{
	json_t *report = migcost_report(r, t);
	int ret = 0;

	if (o->common.format && !strcmp(o->common.format, "json")) {
		json_dumpf(report, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		struct strbuf sb = STRBUF_INIT;

		migcost_text(&sb, r, t);
		fputs(sb.buf, stdout);
		strbuf_release(&sb);
	}
	if (strcmp(o->output, "-")) {
		ret = json_file_save(report, AT_FDCWD, o->output, err);
		if (!ret && !o->common.quiet)
			fprintf(stderr, "schedblame: wrote %s: use it as --migration-cost %s\n",
				o->output, o->output);
	}
	json_decref(report);
	return ret;
}

static int measure(const struct migcost_options *o, struct err *err)
{
	struct cpuset usable = CPUSET_INIT;
	struct migcost_result result;
	struct topology topology;
	int ret;

	topology_init(&topology);
	ret = topology_load_system(&topology, err);
	if (!ret) {
		usable_cpus(&usable, &topology, &o->cpus);
		ret = migcost_run(&result, &topology, &usable, o->full, o->budget_ns, err);
		if (!ret)
			ret = show(o, &result, &topology, err);
		migcost_result_release(&result);
	}
	cpuset_release(&usable);
	topology_release(&topology);
	return ret;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = { options, parse, "",
		"Measures what moving a task to another CPU costs: the time to refill its "
		"caches, once per kind of path.\v"
		"The file is plain JSON, meant to be read and edited: man schedblame-migcost.",
		children, NULL, NULL };
	struct migcost_options o = { .budget_ns = DEFAULT_BUDGET, .err = ERR_INIT };
	struct err err = ERR_INIT;
	int code = EXIT_DONE;

	if (command_parse(&argp, argc, argv, 0, &o) || check(&o, &o.err) < 0)
		code = command_usage("migcost", &o.err);
	else if (check_output(&o, &err) < 0 || measure(&o, &err) < 0)
		code = command_fail(&err);
	cpuset_release(&o.cpus);
	return code;
}

const struct command command_migcost = {
	"migcost",
	"measure what moving a task costs on this machine",
	run,
};
