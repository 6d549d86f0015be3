// SPDX-License-Identifier: GPL-2.0-or-later
/* The runs of a plan: their order, their command lines, which of them are made. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/json.h"

void plan_order(struct plan *plan)
{
	size_t cell = 0;

	for (unsigned repeat = 1; repeat <= plan->repeats; repeat++)
		for (size_t c = 0; c < plan->nr_cases; c++)
			for (size_t l = 0; l < plan->kase[c].loads.n; l++, cell++)
				for (size_t s = 0; s < plan->nr_sets; s++) {
					size_t set = (s + repeat - 1 + cell) % plan->nr_sets;

					GROW(plan->job, plan->nr_jobs, plan->cap_jobs);
					plan->job[plan->nr_jobs++] = (struct plan_job){
						.set = set, .kase = c, .load = l,
						.repeat = repeat };
				}
}

char *plan_set_path(const struct plan *plan, size_t set)
{
	return path_join(plan->output, plan->set[set].name);
}

/* Every "{load}" in text replaced. */
static char *with_load(const char *text, const char *load)
{
	struct strbuf sb = STRBUF_INIT;
	const char *at;

	while ((at = strstr(text, "{load}"))) {
		strbuf_add(&sb, text, (size_t)(at - text));
		strbuf_addstr(&sb, load);
		text = at + strlen("{load}");
	}
	strbuf_addstr(&sb, text);
	return strbuf_detach(&sb);
}

static const char *load_of(const struct plan *plan, const struct plan_job *job)
{
	return plan->kase[job->kase].loads.v[job->load];
}

char *plan_load_title(const struct plan *plan, const struct plan_job *job)
{
	const char *title = plan->kase[job->kase].title, *load = load_of(plan, job);

	return title && *load ? with_load(title, load) : xstrdup(load);
}

void plan_command(const struct plan *plan, const struct plan_job *job, struct words *out)
{
	const struct words *prefix = &plan->set[job->set].prefix;
	const struct words *command = &plan->kase[job->kase].command;

	for (size_t i = 0; i < prefix->n; i++)
		words_add(out, prefix->v[i]);
	for (size_t i = 0; i < command->n; i++) {
		char *word = with_load(command->v[i], load_of(plan, job));

		words_add(out, word);
		free(word);
	}
}

/* ---- what is there already ---- */

static bool same_command(const struct plan *plan, const struct plan_job *job,
			 const json_t *run)
{
	const json_t *list = json_object_get(run, "command");
	struct words command = { NULL, 0, 0 };
	bool same;

	plan_command(plan, job, &command);
	same = json_array_size(list) == command.n;
	for (size_t i = 0; same && i < command.n; i++) {
		const char *word = json_string_value(json_array_get(list, i));

		same = word && !strcmp(word, command.v[i]);
	}
	words_release(&command);
	return same;
}

static bool is_whole(const json_t *run)
{
	const json_t *workload = json_object_get(run, "workload");

	return json_bool(run, "complete", false) &&
	       (json_i64(workload, "exit_status", -1) == 0 ||
		json_bool(workload, "stopped", false));
}

/* Out of the way of reports, but not lost. */
static void put_aside(const char *set, const char *name, struct notes *notes)
{
	char *from = path_join(set, name), *to = xasprintf("%s/.cut-%s.%d", set, name, (int)getpid());

	if (rename(from, to) == 0)
		notes_add(notes, "%s was cut short or failed: it is now %s and is made again",
			  from, to);
	free(from);
	free(to);
}

static int check_kernel(const struct plan *plan, const struct plan_set *set,
			const char *path, const json_t *run, struct err *err)
{
	const char *release = json_str(json_object_get(run, "host"), "release", "");

	if (set->kernel || !*release || !strcmp(release, plan->release))
		return 0;
	return err_set(err, EEXIST, "%s was made by kernel %s, this is %s: say in %s which set "
		       "belongs to which kernel (line %u: set %s; kernel %s)", path, release,
		       plan->release, plan->path, set->line, set->name, release);
}

/* The job that this run has done. */
static int mark(struct plan *plan, size_t set, const char *path, const json_t *run,
		struct err *err)
{
	const char *kase = json_str(run, "case", ""), *load = json_str(run, "load", "");

	for (size_t i = 0; i < plan->nr_jobs; i++) {
		struct plan_job *job = &plan->job[i];
		char *title;
		bool same;

		if (job->set != set || job->done || strcmp(plan->kase[job->kase].name, kase))
			continue;
		title = plan_load_title(plan, job);
		same = !strcmp(title, load);
		free(title);
		if (!same)
			continue;
		if (!same_command(plan, job, run))
			return err_set(err, EEXIST, "%s ran another command for case %s than %s "
				       "says now: choose another -o", path, kase, plan->path);
		job->done = true;
		break;
	}
	return 0;
}

static int look_at(struct plan *plan, size_t set, const char *dir, const char *name,
		   struct notes *notes, struct err *err)
{
	char *path = path_join(dir, name), *file = path_join(path, "run.json");
	json_t *run = NULL;
	int ret = 0;

	if (json_file_load(&run, file, NULL) == 0) {
		if (!is_whole(run) && notes)
			put_aside(dir, name, notes);
		else if (is_whole(run))
			ret = check_kernel(plan, &plan->set[set], path, run, err);
		if (!ret && is_whole(run))
			ret = mark(plan, set, path, run, err);
	}
	json_decref(run);
	free(path);
	free(file);
	return ret;
}

static int is_run(const struct dirent *e)
{
	return e->d_name[0] && !e->d_name[strspn(e->d_name, "0123456789")];
}

int plan_find_done(struct plan *plan, struct notes *notes, struct err *err)
{
	int ret = 0;

	for (size_t s = 0; s < plan->nr_sets && !ret; s++) {
		char *dir = plan_set_path(plan, s);
		struct dirent **list = NULL;
		int n = scandir(dir, &list, is_run, alphasort);

		for (int i = 0; i < n; i++) {
			if (!ret)
				ret = look_at(plan, s, dir, list[i]->d_name, notes, err);
			free(list[i]);
		}
		free(list);
		free(dir);
	}
	return ret;
}
