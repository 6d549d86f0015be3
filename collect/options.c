// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of collect. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"

#define FREQUENCY_DEFAULT 499 /* not in step with the tick; costs half of 999 */
#define GRACE_DEFAULT NSEC_PER_MSEC
#define TRACE_KB_DEFAULT 4096
#define REPEATS_MAX 9999

enum { OPT_WARMUP = 0x100, OPT_WITH, OPT_WITHOUT, OPT_CPUS, OPT_DURATION, OPT_TRACE,
       OPT_SET, OPT_METRIC, OPT_LATENCY, OPT_MIGRATION_COST, OPT_CALL_GRAPH, OPT_APPEND,
       OPT_WORKLOAD, OPT_CASE, OPT_LOAD, OPT_PLAN, OPT_DRY_RUN };

static const struct argp_option options[] = {
	{ "output", 'o', "SET", 0, "folder to write (default COMMAND-KERNEL)", 1 },
	{ "label", 'l', "LABEL", 0, "its name in reports" },
	{ "append", OPT_APPEND, NULL, 0, "add runs to an existing SET" },
	{ "repeats", 'r', "N", 0, "record the command N times" },
	{ "warmup", OPT_WARMUP, "N", 0, "first run it N times unrecorded" },
	{ "duration", OPT_DURATION, "T", 0, "stop after T (10, 90s, 2m)" },
	{ "cpus", OPT_CPUS, "LIST", 0, "keep the command to these CPUs" },
	{ "case", OPT_CASE, "NAME", 0, "its row in the benchmark table" },
	{ "load", OPT_LOAD, "TEXT", 0, "its load there, as in '4 groups'" },
	{ "plan", OPT_PLAN, "FILE", 0, "run all that FILE lists; see the manual" },
	{ "dry-run", OPT_DRY_RUN, NULL, 0, "only list the runs of the plan" },
	{ "set", OPT_SET, "KNOB=VALUE", 0, "a tunable, for this time only", 2 },
	{ "metric", OPT_METRIC, "NAME:UNIT:higher|lower:REGEX", 0,
	  "a number in the output" },
	{ "workload", OPT_WORKLOAD, "FILE", 0, "more patterns for numbers" },
	{ "with", OPT_WITH, "S,..", 0, "sources to use besides, or fail", 3 },
	{ "without", OPT_WITHOUT, "S,..", 0, "sources to leave out" },
	{ "frequency", 'F', "HZ", 0, "profile samples per second" },
	{ "call-graph", OPT_CALL_GRAPH, NULL, 0, "profile with call chains" },
	{ "trace", OPT_TRACE, NULL, 0, "record a trace.dat as well" },
	{ "latency", OPT_LATENCY, "LIST", 0, "time inside these functions" },
	{ "migration-cost", OPT_MIGRATION_COST, "FILE", 0, "of migcost, for hot tasks" },
	{ 0 },
};

static int asked(struct collect_options *opts, const char *list, struct err *err)
{
	return sources_choose(opts->wish, list, SOURCE_ASKED, err);
}

static int parse_what(struct collect_options *opts, int key, const char *arg,
		      struct err *err)
{
	uint64_t hz;

	switch (key) {
	case 'F':
		if (parse_u64(&hz, arg, 1, 100000, "-F", err) < 0)
			return -EINVAL;
		opts->config.frequency = (uint32_t)hz;
		return 0;
	case OPT_WITH:
		return asked(opts, arg, err);
	case OPT_WITHOUT:
		return sources_choose(opts->wish, arg, SOURCE_OFF, err);
	case OPT_CALL_GRAPH:
		opts->config.callchains = true;
		return 0;
	case OPT_TRACE:
		return asked(opts, "trace", err);
	case OPT_LATENCY:
		opts->config.latency = arg;
		return asked(opts, "latency", err);
	case OPT_MIGRATION_COST:
		opts->config.migration_cost = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int parse_how(struct collect_options *opts, int key, char *arg, struct err *err)
{
	switch (key) {
	case 'o':
		free(opts->output);
		opts->output = xstrdup(arg);
		return *arg ? 0 : err_set(err, EINVAL, "-o wants the name of a folder");
	case 'l':
		opts->label = arg;
		return 0;
	case OPT_APPEND:
		opts->append = true;
		return 0;
	case 'r':
		return parse_u64(&opts->repeats, arg, 1, REPEATS_MAX, "-r", err);
	case OPT_WARMUP:
		return parse_u64(&opts->warmup, arg, 0, REPEATS_MAX, "--warmup", err);
	case OPT_DURATION:
		if (parse_duration(&opts->duration_ns, arg, err) < 0)
			return -EINVAL;
		return opts->duration_ns ? 0 : err_set(err, EINVAL, "--duration 0 records nothing");
	case OPT_CPUS:
		if (cpuset_parse(&opts->config.cpus, arg, err) < 0)
			return -EINVAL;
		return cpuset_count(&opts->config.cpus) ? 0 :
			err_set(err, EINVAL, "--cpus names no CPU");
	case OPT_CASE:
		opts->kase = arg;
		return 0;
	case OPT_LOAD:
		opts->load = arg;
		return 0;
	case OPT_PLAN:
		opts->plan = arg;
		return 0;
	case OPT_DRY_RUN:
		opts->dry_run = true;
		return 0;
	case OPT_SET:
		return knobs_parse(&opts->knobs, arg, err);
	case OPT_METRIC:
		return patterns_add_option(&opts->patterns, arg, err);
	case OPT_WORKLOAD:
		return patterns_load(&opts->patterns, arg, true, err);
	default:
		return parse_what(opts, key, arg, err);
	}
}

struct parser {
	struct collect_options *opts;
	struct err err;
	int argc;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct parser *p = state->input;
	int ret;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &p->opts->common;
		return 0;
	}
	if (key == ARGP_KEY_ARG) { /* the command: all that follows is its own */
		p->opts->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	}
	ret = parse_how(p->opts, key, arg, &p->err);
	/* argp would print a message of its own: keep ours and stop */
	return ret == ARGP_ERR_UNKNOWN || ret == 0 ? ret : EINVAL;
}

/* "hackbench-6.18.44": letters that are safe in a file name. */
static char *default_output(const struct collect_options *opts)
{
	char *base = *opts->command ? path_base(opts->command[0]) : xstrdup("system");
	struct utsname u;
	char *name;

	uname(&u);
	name = xasprintf("%s-%s", base, u.release);
	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._+-", *p))
			*p = '_';
	if (*name == '.')
		*name = '_';
	free(base);
	return name;
}

/* "dir/hackbench.plan" -> "hackbench" */
static char *plan_output(const char *plan)
{
	char *base = path_base(plan), *dot = strrchr(base, '.');

	if (dot && dot != base)
		*dot = '\0';
	return base;
}

/* What a plan says for every set cannot be said beside it. */
static int check_plan(struct collect_options *opts, struct err *err)
{
	if (opts->command || opts->repeats != 1 || opts->warmup || opts->append ||
	    opts->label || opts->duration_ns || opts->knobs.n || opts->kase || opts->load ||
	    opts->common.force)
		return err_set(err, EINVAL, "with --plan there are only -o, -q and --dry-run: "
			       "commands, repeats, knobs and all else stand in the plan");
	if (!opts->output)
		opts->output = plan_output(opts->plan);
	return 0;
}

static int check(struct collect_options *opts, struct err *err)
{
	static char *const nothing[] = { NULL };

	if (opts->plan)
		return check_plan(opts, err);
	if (opts->dry_run)
		return err_set(err, EINVAL, "--dry-run belongs to --plan");
	if (!opts->command)
		opts->command = nothing;
	if (!*opts->command && !opts->duration_ns)
		return err_set(err, EINVAL, "no command to record: give one, or --duration T "
					    "to record the system as it is");
	if (!*opts->command && opts->warmup)
		return err_set(err, EINVAL, "--warmup wants a command");
	if (opts->append && opts->common.force)
		return err_set(err, EINVAL, "--append and --force exclude each other");
	if (opts->common.format)
		return err_set(err, EINVAL, "collect has no --format: it writes a folder");
	if (!opts->output)
		opts->output = default_output(opts);
	return 0;
}

void collect_config_init(struct collect_config *config)
{
	memset(config, 0, sizeof(*config));
	config->frequency = FREQUENCY_DEFAULT;
	config->grace_ns = GRACE_DEFAULT;
	config->trace_buffer_kb = TRACE_KB_DEFAULT;
}

int collect_options_parse(struct collect_options *opts, int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp }, { 0 } };
	static const struct argp argp = {
		options, parse, "[--] [COMMAND [ARG...]]",
		"Runs COMMAND and records what the scheduler did meanwhile into the folder SET.\v"
		"Sources, man schedblame-collect; what works here, schedblame doctor.",
		children,
	};
	struct parser p = { .opts = opts, .err = ERR_INIT };
	int ret;

	memset(opts, 0, sizeof(*opts));
	opts->repeats = 1;
	collect_config_init(&opts->config);
	sources_default(opts->wish);
	ret = command_parse(&argp, argc, argv, ARGP_IN_ORDER, &p);
	if (!ret)
		ret = check(opts, &p.err);
	return ret ? command_usage("collect", &p.err) : 0;
}

void collect_options_release(struct collect_options *opts)
{
	free(opts->output);
	patterns_release(&opts->patterns);
	cpuset_release(&opts->config.cpus);
	knobs_release(&opts->knobs);
}
