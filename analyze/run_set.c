// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of runs: a set directory, a single run directory, or a foreign file. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/parallel.h"
#include "schedblame/recognise.h"

#define RUNS_MAX 100000

struct names {
	char **v;
	size_t n, cap;
};

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
}

static bool all_digits(const char *s)
{
	if (!*s)
		return false;
	while (isdigit((unsigned char)*s))
		s++;
	return !*s;
}

/* ".003.partial": what a collect that was killed leaves behind. */
static bool is_partial(const char *name)
{
	size_t digits;

	if (*name != '.')
		return false;
	digits = strspn(name + 1, "0123456789");
	return digits && !strcmp(name + 1 + digits, ".partial");
}

static int by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t i, j;

	while (*x == '0')
		x++;
	while (*y == '0')
		y++;
	i = strlen(x);
	j = strlen(y);
	return i != j ? (i < j ? -1 : 1) : strcmp(x, y);
}

/* Numbered folders in order; partial ones become notes. */
static int list_runs(struct names *names, struct run_set *set, struct err *err)
{
	DIR *dir = opendir(set->path);
	struct dirent *e;

	if (!dir)
		return err_errno(err, errno, "cannot read folder %s", set->path);
	while ((e = readdir(dir)) && names->n < RUNS_MAX) {
		if (is_partial(e->d_name))
			notes_add(&set->notes,
				  "%s/%s is a run that was never finished; it is left out",
				  set->path, e->d_name);
		else if (all_digits(e->d_name)) {
			GROW(names->v, names->n, names->cap);
			names->v[names->n++] = xstrdup(e->d_name);
		}
	}
	closedir(dir);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_number);
	return 0;
}

static struct run *new_run(struct run_set *set)
{
	set->run = xrealloc(set->run, set->n + 1, sizeof(*set->run));
	return &set->run[set->n];
}

/* The label of a set; its folder's name where set.json has none. */
static int read_label(struct run_set *set, struct err *err)
{
	char *path = path_join(set->path, "set.json");
	struct err why = ERR_INIT;
	json_t *root = NULL;
	int ret = 0;

	if (file_exists(path) && json_file_load(&root, path, &why) < 0)
		notes_add(&set->notes, "%s; the set is named by its folder", err_text(&why));
	if (root)
		ret = json_check_version(root, path, RUN_FORMAT_NEWEST, err);
	if (!ret && *json_str(root, "label", ""))
		run_set_string(&set->label, json_str(root, "label", ""));
	json_decref(root);
	err_release(&why);
	free(path);
	return ret;
}

struct opening {
	const struct run_set *set;
	const struct names *names;
	struct run *run;  /* [names->n] */
	struct err *why; /* [names->n]; code 0: opened */
};

static void open_one(void *arg, size_t i)
{
	struct opening *o = arg;
	char *path = path_join(o->set->path, o->names->v[i]);

	run_open(&o->run[i], path, &o->why[i]);
	free(path);
}

/* Runs that cannot be opened are notes as long as one can. */
static int open_runs(struct run_set *set, const struct names *names, struct err *err)
{
	struct opening o = { .set = set, .names = names };
	struct err why = ERR_INIT;
	int ret;

	o.run = xcalloc(names->n + 1, sizeof(*o.run));
	o.why = xcalloc(names->n + 1, sizeof(*o.why));
	parallel_for(names->n, open_one, &o);
	set->run = o.run;
	for (size_t i = 0; i < names->n; i++) {
		if (!o.why[i].code) {
			set->run[set->n++] = o.run[i];
			continue;
		}
		notes_add(&set->notes, "%s; this run is left out", err_text(&o.why[i]));
		err_release(&why);
		why = o.why[i];
	}
	free(o.why);
	if (set->n) {
		err_release(&why);
		return 0;
	}
	if (!names->n && set->notes.n)
		return err_set(err, ENOENT, "%s holds no finished run: %s", set->path,
			       set->notes.v[0]);
	if (!names->n)
		return err_set(err, ENOENT,
			       "%s is neither a set nor a run: it has no run.json and no "
			       "numbered run in it; expected what 'schedblame collect' wrote",
			       set->path);
	ret = err_set(err, why.code, "%s: none of its %zu runs can be read, the last because %s",
		      set->path, names->n, err_text(&why));
	err_release(&why);
	return ret;
}

static int open_directory(struct run_set *set, struct err *err)
{
	struct names names = { NULL, 0, 0 };
	char *manifest = path_join(set->path, "run.json");
	bool single = file_exists(manifest);
	int ret;

	free(manifest);
	if (single) {
		ret = run_open(new_run(set), set->path, err);
		if (!ret)
			set->n = 1;
		if (!ret && *set->run[0].label)
			run_set_string(&set->label, set->run[0].label);
		return ret;
	}
	ret = list_runs(&names, set, err);
	if (!ret)
		ret = read_label(set, err);
	if (!ret)
		ret = open_runs(set, &names, err);
	names_release(&names);
	return ret;
}

int run_set_open(struct run_set *set, const char *path, const struct run_options *opts,
		 struct err *err)
{
	int ret;

	memset(set, 0, sizeof(*set));
	set->path = xstrdup(path);
	set->label = path_base(path);
	if (dir_exists(path)) {
		ret = open_directory(set, err);
	} else {
		struct run *run = new_run(set);

		run_init(run, path);
		ret = run_from_file(run, path, opts, err);
		if (ret)
			run_close(run);
		else
			set->n = 1;
	}
	if (ret)
		run_set_close(set);
	return ret;
}

void run_set_close(struct run_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		run_close(&set->run[i]);
	free(set->run);
	free(set->path);
	free(set->label);
	notes_release(&set->notes);
	memset(set, 0, sizeof(*set));
}
