// SPDX-License-Identifier: GPL-2.0-or-later
/* schedblame collect: records a workload into a set of run directories. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "options.h"
#include "plan.h"
#include "recording.h"
#include "run_writer.h"
#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/file.h"
#include "schedblame/migcost.h"
#include "schedblame/progress.h"
#include "session.h"
#include "stale.h"
#include "state.h"
#include "workload.h"

struct collection {
	struct collect_options opts;
	char *program; /* the file that the command's first word means */
	struct topology topology;
	struct cpuset cpus; /* that the workload may use */
	struct set_writer set;
	struct recorder recorder;
	struct recording rec;
	struct notes notes;
	size_t notes_shown;
	struct state state;
};

/* What the workload inherits; where that is not every CPU, the sources watch only
 * these, as with --cpus: the ledger counts no others either. */
static void inherit_cpus(struct collection *c)
{
	bool all = true;

	cpuset_of_thread(&c->cpus);
	for (unsigned cpu = 0; cpu < c->topology.nr_cpus; cpu++)
		all &= !c->topology.cpu[cpu].online || cpuset_test(&c->cpus, cpu);
	if (!all)
		cpuset_copy(&c->opts.config.cpus, &c->cpus);
}

/* --cpus may name only CPUs that are there and online. */
static int check_cpus(struct collection *c, struct err *err)
{
	const struct cpuset *asked = &c->opts.config.cpus;

	if (!cpuset_count(asked)) {
		inherit_cpus(c);
		return 0;
	}
	cpuset_for_each(cpu, asked) {
		if ((unsigned)cpu >= c->topology.nr_cpus || !c->topology.cpu[cpu].present)
			return err_set(err, EINVAL, "--cpus names CPU %d: there is no such CPU "
				       "here", cpu);
		if (!c->topology.cpu[cpu].online)
			return err_set(err, EINVAL, "--cpus names CPU %d, which is offline", cpu);
	}
	cpuset_copy(&c->cpus, asked);
	return 0;
}

/* The file itself is read by source sched; here it is refused in time. */
static int check_costs(const struct collection *c, struct err *err)
{
	struct migcost costs;
	int ret = 0;

	migcost_init(&costs);
	if (c->opts.config.migration_cost)
		ret = migcost_load(&costs, c->opts.config.migration_cost, err);
	migcost_release(&costs);
	return ret;
}

/* All that can be refused before anything is written or changed. */
static int prepare(struct collection *c, struct err *err)
{
	const struct collect_options *opts = &c->opts;
	enum set_mode mode = opts->append	  ? SET_APPEND :
			     opts->common.force ? SET_FORCE :
						    SET_NEW;
	int ret = 0;

	if (*opts->command)
		ret = workload_find(opts->command[0], &c->program, err);
	if (!ret)
		ret = topology_load_system(&c->topology, err);
	if (!ret)
		ret = check_cpus(c, err);
	if (!ret)
		ret = check_costs(c, err);
	/* sources hold several descriptors per CPU */
	workload_raise_files();
	if (!ret)
		ret = recorder_init(&c->recorder, &opts->config, &c->topology, opts->wish,
				    &c->notes, err);
	if (!ret)
		ret = set_writer_open(&c->set, opts->output, opts->label, mode, err);
	return ret;
}

static void show_new_notes(struct collection *c)
{
	struct notes fresh = { c->notes.v + c->notes_shown, c->notes.n - c->notes_shown };

	command_notes(&fresh);
	c->notes_shown = c->notes.n;
}

static int record_all(struct collection *c, struct err *err)
{
	const struct collect_options *opts = &c->opts;
	json_t *knobs = NULL;
	int ret = 0;

	if (opts->knobs.n)
		ret = knobs_apply(&c->opts.knobs, &c->state, err);
	if (!ret)
		knobs = knobs_to_json(&opts->knobs);
	c->rec = (struct recording){ .opts = opts, .program = c->program,
				     .cpus = &c->cpus,
				     .recorder = &c->recorder, .set = &c->set,
				     .state = &c->state, .knobs = knobs,
				     .notes = &c->notes };
	show_new_notes(c);
	for (unsigned i = 1; !ret && i <= opts->warmup && !interrupt_signal(); i++)
		ret = recording_warmup(&c->rec, i, err);
	for (unsigned i = 1; !ret && i <= opts->repeats && !interrupt_signal(); i++) {
		ret = recording_run(&c->rec, i, err);
		show_new_notes(c);
	}
	if (knobs_restore(&c->opts.knobs, &c->state, &c->notes) < 0 && !ret)
		ret = err_set(err, EIO, "not all knobs could be set back");
	json_decref(knobs);
	show_new_notes(c);
	return ret;
}

static int fail_with_runs(const struct collection *c, struct err *err)
{
	struct err whole = ERR_INIT;

	if (c->set.kept)
		err_set(&whole, err->code, "%s; %u run%s kept in %s%s", err_text(err),
			c->set.kept, c->set.kept == 1 ? " is" : "s are", c->set.work,
			c->rec.incomplete ? ", the last one marked as cut short" : "");
	else if (interrupt_signal())
		err_set(&whole, err->code, "%s before a run began: nothing is kept%s%s",
			err_text(err), c->set.created ? "" : ", as it was is ",
			c->set.created ? "" : c->set.path);
	else
		err_set(&whole, err->code, "%s", err_text(err));
	err_release(err);
	return command_fail(&whole);
}

/* What became of it, in one sentence; the exit code. */
static int conclude(struct collection *c)
{
	const struct recording *rec = &c->rec;
	struct err err = ERR_INIT;
	int sig = interrupt_signal();

	if (sig) {
		err_set(&err, EINTR, "stopped by signal '%s'", strsignal(sig));
		return fail_with_runs(c, &err);
	}
	if (rec->workload_failures) {
		err_set(&err, ECHILD, "the command failed in %u of %u run%s; see "
			"%s/workload.err%s%s", rec->workload_failures, c->set.kept,
			c->set.kept == 1 ? "" : "s",
			rec->first_failure ? rec->first_failure : c->set.work,
			c->set.replaces ? "; not replaced: " : "",
			c->set.replaces ? c->set.path : "");
		command_fail(&err);
		return EXIT_WORKLOAD;
	}
	if (set_writer_finish(&c->set, &err) < 0)
		return command_fail(&err);
	if (!c->opts.common.quiet)
		fprintf(stderr, "schedblame: %u run%s in %s\n", c->set.kept,
			c->set.kept == 1 ? "" : "s", c->set.path);
	return EXIT_DONE;
}

static int run(struct collection *c)
{
	struct err err = ERR_INIT;

	interrupt_init();
	if (state_open(&c->state, &err) < 0) {
		if (c->opts.knobs.n) /* they must come back whatever happens */
			return command_fail(&err);
		notes_add(&c->notes, "nothing can be undone after a kill -9: %s", err_text(&err));
		err_release(&err);
	}
	stale_cleanup(&c->notes);
	patterns_load_installed(&c->opts.patterns, &c->notes);
	if (prepare(c, &err) < 0)
		return command_fail(&err);
	if (record_all(c, &err) < 0)
		return fail_with_runs(c, &err);
	return conclude(c);
}

static int collect_main(int argc, char **argv)
{
	struct collection c;
	int code;

	memset(&c, 0, sizeof(c));
	c.state.lock_fd = -1;
	topology_init(&c.topology);
	code = collect_options_parse(&c.opts, argc, argv);
	if (!code)
		code = c.opts.plan ? plan_main(&c.opts) : run(&c);
	recorder_release(&c.recorder);
	set_writer_release(&c.set);
	topology_release(&c.topology);
	cpuset_release(&c.cpus);
	notes_release(&c.notes);
	free(c.program);
	free(c.rec.first_failure);
	collect_options_release(&c.opts);
	state_close(&c.state);
	return code;
}

const struct command command_collect = {
	"collect",
	"run a workload and record what the scheduler did",
	collect_main,
};
