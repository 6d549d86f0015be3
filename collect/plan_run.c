// SPDX-License-Identifier: GPL-2.0-or-later
/* Carries out a plan: one 'collect' of our own per run, one after the other. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "lockfile.h"
#include "plan.h"
#include "schedblame/alloc.h"
#include "schedblame/command.h"
#include "schedblame/file.h"
#include "schedblame/text.h"
#include "schedblame/units.h"
#include "stale.h"
#include "workload.h"

#define POLL_NS (500 * NSEC_PER_MSEC)

struct progress_of_plan {
	size_t done, all; /* runs of this kernel's sets */
	size_t failed;
	uint64_t spent_ns;
	size_t made;
};

static void add_option(struct words *w, const char *option, const char *value)
{
	char *word = xasprintf("%s=%s", option, value);

	words_add(w, word);
	free(word);
}

static void make_arguments(const struct plan *plan, const struct plan_job *job, bool quiet,
			   struct words *w)
{
	const struct plan_set *set = &plan->set[job->set];
	char *path = plan_set_path(plan, job->set), *load = plan_load_title(plan, job);
	char *manifest = path_join(path, "set.json"), warmup[16];

	words_add(w, "schedblame");
	words_add(w, "collect");
	if (quiet)
		words_add(w, "-q");
	if (file_exists(manifest))
		words_add(w, "--append");
	add_option(w, "--output", path);
	add_option(w, "--label", set->name);
	add_option(w, "--case", plan->kase[job->kase].name);
	add_option(w, "--load", load);
	snprintf(warmup, sizeof(warmup), "%u", plan->warmup);
	add_option(w, "--warmup", warmup);
	for (size_t i = 0; i < set->knobs.n; i++)
		add_option(w, "--set", set->knobs.v[i]);
	for (size_t i = 0; i < plan->options.n; i++)
		words_add(w, plan->options.v[i]);
	words_add(w, "--");
	plan_command(plan, job, w);
	free(manifest);
	free(path);
	free(load);
}

static void become_collect(struct words *argv)
{
	interrupt_reset();
	/* a group of its own: a key of the terminal reaches it once, through us */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execv("/proc/self/exe", argv->v);
	_exit(EXIT_FAILED);
}

/* The exit code of one collect; signals to us go on to it. */
static int run_job(const struct plan *plan, const struct plan_job *job, bool quiet)
{
	struct words argv = { NULL, 0, 0 };
	unsigned told = interrupt_count();
	int status = 0;
	pid_t pid, got = 0;

	make_arguments(plan, job, quiet, &argv);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_collect(&argv);
	while (pid > 0 && (got = waitpid(pid, &status, WNOHANG)) == 0) {
		interrupt_wait(POLL_NS);
		for (; told < interrupt_count(); told++)
			kill(pid, interrupt_signal());
	}
	words_release(&argv);
	return got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

static void describe(const struct plan *plan, const struct plan_job *job, struct strbuf *sb)
{
	char *load = plan_load_title(plan, job);

	strbuf_addf(sb, "%s, %s%s%s, repeat %u", plan->set[job->set].name,
		    plan->kase[job->kase].name, *load ? " " : "", load, job->repeat);
	free(load);
}

static void announce(const struct plan *plan, const struct plan_job *job,
		     const struct progress_of_plan *p)
{
	struct strbuf sb = STRBUF_INIT;
	char left[32];

	describe(plan, job, &sb);
	if (p->made)
		strbuf_addf(&sb, "; about %s to go",
			    format_ns(left, sizeof(left),
				      p->spent_ns / p->made * (p->all - p->done)));
	fprintf(stderr, "schedblame: run %zu of %zu: %s\n", p->done + 1, p->all, sb.buf);
	strbuf_release(&sb);
}

static bool is_made(const struct plan *plan, size_t set)
{
	for (size_t i = 0; i < plan->nr_jobs; i++)
		if (plan->job[i].set == set && !plan->job[i].done)
			return false;
	return true;
}

/* Sets that need another kernel. */
static void say_waiting(const struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_sets; i++)
		if (!plan->set[i].here && !is_made(plan, i))
			fprintf(stderr, "schedblame: set %s waits for kernel %s (this is %s): "
				"boot it and give the same command again\n", plan->set[i].name,
				plan->set[i].kernel, plan->release);
}

static int stopped(const struct plan *plan, const struct plan_job *job,
		   const struct progress_of_plan *p, int code)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	describe(plan, job, &sb);
	if (interrupt_signal())
		err_set(&err, EINTR, "stopped by signal '%s': %zu of %zu runs are made; the same "
			"command goes on with %s", strsignal(interrupt_signal()), p->done, p->all,
			sb.buf);
	else
		err_set(&err, EIO, "collect ended with code %d (%s): %zu of %zu runs are made, the "
			"same command goes on", code, sb.buf, p->done, p->all);
	strbuf_release(&sb);
	return command_fail(&err);
}

static int carry_out(struct plan *plan, struct progress_of_plan *p, bool quiet)
{
	for (size_t i = 0; i < plan->nr_jobs; i++) {
		const struct plan_job *job = &plan->job[i];
		uint64_t start = monotonic_ns();
		int code;

		if (job->done || !plan->set[job->set].here)
			continue;
		if (interrupt_signal())
			return stopped(plan, job, p, 0);
		if (!quiet)
			announce(plan, job, p);
		code = run_job(plan, job, quiet);
		if (interrupt_signal() || (code != EXIT_DONE && code != EXIT_WORKLOAD))
			return stopped(plan, job, p, code);
		p->failed += code == EXIT_WORKLOAD;
		p->spent_ns += monotonic_ns() - start;
		p->made++;
		p->done++;
	}
	return EXIT_DONE;
}

static int conclude(struct plan *plan, const struct progress_of_plan *p, bool quiet)
{
	struct strbuf sets = STRBUF_INIT;

	if (p->failed) {
		struct err err = ERR_INIT;

		err_set(&err, ECHILD, "the command failed in %zu of %zu runs; their workload.err "
			"tells why, and the same command makes them again", p->failed, p->all);
		command_fail(&err);
		return EXIT_WORKLOAD;
	}
	say_waiting(plan);
	for (size_t i = 0; i < plan->nr_sets; i++) {
		char *path = plan_set_path(plan, i);

		if (plan->set[i].here || dir_exists(path)) {
			strbuf_addch(&sets, ' ');
			text_add_shell(&sets, path);
		}
		free(path);
	}
	if (!quiet)
		fprintf(stderr, "schedblame: all %zu runs of this kernel are made: schedblame "
			"report%s\n", p->all, sets.buf);
	strbuf_release(&sets);
	return EXIT_DONE;
}

/* --dry-run: the runs in their order, as command lines. */
static void list(const struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_jobs; i++) {
		const struct plan_job *job = &plan->job[i];
		struct words command = { NULL, 0, 0 };
		struct strbuf sb = STRBUF_INIT, line = STRBUF_INIT;

		plan_command(plan, job, &command);
		strbuf_addf(&line, "%-7s ", job->done ? "made" :
			    plan->set[job->set].here ? "to do" : "waits");
		describe(plan, job, &line);
		strbuf_addch(&line, ':');
		for (size_t k = 0; k < command.n; k++) {
			strbuf_addch(&line, ' ');
			text_add_shell(&line, command.v[k]);
		}
		text_add_utf8(&sb, line.buf, line.len);
		puts(sb.buf);
		strbuf_release(&sb);
		strbuf_release(&line);
		words_release(&command);
	}
}

/* The first run would find out, too, but after all the others were announced. */
static int check_commands(const struct plan *plan, struct err *err)
{
	for (size_t i = 0; i < plan->nr_jobs; i++) {
		struct words command = { NULL, 0, 0 };
		char *program = NULL;
		int ret = 0;

		if (plan->job[i].repeat > 1)
			continue;
		plan_command(plan, &plan->job[i], &command);
		ret = workload_find(command.v[0], &program, err);
		free(program);
		words_release(&command);
		if (ret < 0) {
			err_prefix(err, "%s:%u", plan->path, plan->kase[plan->job[i].kase].line);
			return ret;
		}
	}
	return 0;
}

/* One at a time in a folder: two would make the same runs, and count each other's. */
static int lock_output(const struct plan *plan, char **path, struct err *err)
{
	int fd;

	make_dirs(plan->output, NULL);
	*path = path_join(plan->output, ".plan.lock");
	fd = lockfile_take(*path, false);
	if (fd == -EWOULDBLOCK)
		return err_set(err, EWOULDBLOCK, "another collect --plan is at work in %s: wait for "
			       "its end, or choose another -o", plan->output);
	return fd < 0 ? err_errno(err, -fd, "cannot write %s", *path) : fd;
}

/* What is made already; then all that is left. */
static int go_on(struct plan *plan, const struct collect_options *opts, struct notes *notes)
{
	struct progress_of_plan p = { 0 };
	struct err err = ERR_INIT;
	int code;

	if (plan_find_done(plan, opts->dry_run ? NULL : notes, &err) < 0)
		return command_fail(&err);
	command_notes(notes);
	for (size_t i = 0; i < plan->nr_jobs; i++) {
		p.all += plan->set[plan->job[i].set].here;
		p.done += plan->job[i].done && plan->set[plan->job[i].set].here;
	}
	if (opts->dry_run) {
		list(plan);
		return command_flush(EXIT_DONE);
	}
	code = carry_out(plan, &p, opts->common.quiet);
	return code == EXIT_DONE ? conclude(plan, &p, opts->common.quiet) : code;
}

int plan_main(const struct collect_options *opts)
{
	struct notes notes = { 0 };
	struct err err = ERR_INIT;
	char *lock_path = NULL;
	struct plan plan;
	int lock = 0, code; /* below 0: failed, err says how */

	interrupt_init();
	stale_cleanup(&notes);
	if (plan_load(&plan, opts->plan, opts->output, &err) < 0)
		return command_fail(&err);
	plan_order(&plan);
	if (!opts->dry_run) /* a plan that cannot be run makes no folder */
		lock = check_commands(&plan, &err);
	if (!opts->dry_run && !lock)
		lock = lock_output(&plan, &lock_path, &err);
	code = lock < 0 ? command_fail(&err) : go_on(&plan, opts, &notes);
	if (lock_path && lock >= 0)
		lockfile_drop(lock_path, lock);
	free(lock_path);
	plan_release(&plan);
	notes_release(&notes);
	return code;
}
