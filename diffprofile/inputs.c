// SPDX-License-Identifier: GPL-2.0-or-later
/* Sides of a profile diff from files, runs, run sets and folders. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/profdiff.h"

#define REPEATS_MAX 1000

void profdiff_input_init(struct profdiff_input *in)
{
	memset(in, 0, sizeof(*in));
	in->label = xstrdup("");
	in->work_unit = xstrdup("");
	in->workload = xstrdup("");
	in->kernel = xstrdup("");
}

void profdiff_input_release(struct profdiff_input *in)
{
	for (size_t i = 0; i < in->n; i++) {
		profile_release(in->profile[i]);
		free(in->profile[i]);
	}
	free(in->profile);
	free(in->work);
	free(in->label);
	free(in->work_unit);
	free(in->workload);
	free(in->kernel);
	notes_release(&in->notes);
	memset(in, 0, sizeof(*in));
}

/* Takes p over. */
static void add_profile(struct profdiff_input *in, struct profile *p, double work)
{
	size_t n = in->n;

	GROW(in->profile, n, in->cap_profile);
	GROW(in->work, n, in->cap_work);
	in->profile[n] = p;
	in->work[n] = work;
	in->n++;
	if (!*in->kernel && *p->kernel_release)
		profile_set(&in->kernel, p->kernel_release);
}

static void name_side(struct profdiff_input *in, char *label)
{
	if (!*in->label) {
		free(in->label);
		in->label = label;
	} else {
		free(label);
	}
}

static int add_file(struct profdiff_input *in, const char *path,
		    const struct profile_options *options, struct err *err)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	int ret = profile_load(p, path, options, err);

	if (ret < 0) {
		free(p);
		return ret;
	}
	add_profile(in, p, 1);
	return 0;
}

/* A run without a profile is a note; the set needs one that has it. */
static int add_run(struct profdiff_input *in, const struct run *run,
		   const struct profile_options *options)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct profile_options load = *options;
	struct err why = ERR_INIT;
	char *path = run->foreign ? xstrdup(run->path) : path_join(run->path, "profile.data");
	int ret;

	load.unskid = profile_unskid(load.unskid, run->foreign);
	ret = file_exists(path) ? profile_load(p, path, &load, &why) : -ENOENT;

	free(path);
	if (ret < 0) {
		free(p);
		if (why.code)
			notes_add(&in->notes, "%s; its profile is left out", err_text(&why));
		else
			notes_add(&in->notes, "%s recorded no profile; it is left out", run->path);
		err_release(&why);
		return ret;
	}
	if (!p->duration_ns)
		p->duration_ns = run->duration_ns;
	if (strcmp(run->work_unit, "run"))
		profile_set(&in->work_unit, run->work_unit);
	if (run->nr_metrics && *run->metric[0].workload)
		profile_set(&in->workload, run->metric[0].workload);
	if (*run->kernel_release)
		profile_set(&p->kernel_release, run->kernel_release);
	add_profile(in, p, run->work);
	return 0;
}

static int add_set(struct profdiff_input *in, const char *path,
		   const struct profile_options *options, struct err *err)
{
	struct run_set set;
	size_t before = in->n;
	int ret = run_set_open(&set, path, NULL, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < set.n; i++)
		add_run(in, &set.run[i], options);
	notes_merge(&in->notes, &set.notes);
	if (in->n == before)
		ret = err_set(err, ENODATA, "%s holds no profile: %s", path,
			      in->notes.n ? in->notes.v[in->notes.n - 1] : "no run has one");
	else
		name_side(in, xstrdup(set.label));
	run_set_close(&set);
	return ret;
}

static int is_file(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_type != DT_DIR;
}

static int add_folder(struct profdiff_input *in, const char *path,
		      const struct profile_options *options, struct err *err)
{
	struct dirent **entry;
	int n = scandir(path, &entry, is_file, versionsort), ret = 0;

	if (n < 0)
		return err_errno(err, errno, "cannot read folder %s", path);
	if (!n)
		ret = err_set(err, ENOENT, "%s is a folder without a run or a profile in it",
			      path);
	if (n > REPEATS_MAX)
		ret = err_set(err, E2BIG, "%s holds %d files; at most %d repeats are compared",
			      path, n, REPEATS_MAX);
	for (int i = 0; i < n; i++) {
		char *file = path_join(path, entry[i]->d_name);

		if (!ret && (ret = add_file(in, file, options, err)) < 0)
			err_prefix(err, "%s is no run set, and not all its files are profiles",
				   path);
		free(file);
		free(entry[i]);
	}
	free(entry);
	if (!ret)
		name_side(in, path_base(path));
	return ret;
}

/* A run has run.json; a set has set.json or a folder 001. */
static bool is_set(const char *path)
{
	static const char *const marks[] = { "run.json", "set.json", "001/run.json" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		char *mark = path_join(path, marks[i]);
		bool found = file_exists(mark);

		free(mark);
		if (found)
			return true;
	}
	return false;
}

static bool holds_files(const char *path)
{
	struct dirent **entry;
	int n = scandir(path, &entry, is_file, NULL);

	for (int i = 0; i < n; i++)
		free(entry[i]);
	if (n >= 0)
		free(entry);
	return n > 0;
}

bool profdiff_input_is_runs(const char *path)
{
	return dir_exists(path) && is_set(path);
}

int profdiff_input_add(struct profdiff_input *in, const char *path,
		       const struct profile_options *options, struct err *err)
{
	int ret;

	if (dir_exists(path))
		return is_set(path) || !holds_files(path) ?
			       add_set(in, path, options, err) :
			       add_folder(in, path, options, err);
	ret = add_file(in, path, options, err);
	if (!ret)
		name_side(in, path_base(path));
	return ret;
}

int profdiff_make_inputs(struct profdiff *d, const struct profdiff_input *in,
			 size_t nr_inputs, const struct profdiff_options *options,
			 struct err *err)
{
	struct profdiff_side *side = xcalloc(nr_inputs ? nr_inputs : 1, sizeof(*side));
	int ret;

	for (size_t i = 0; i < nr_inputs; i++)
		side[i] = (struct profdiff_side){
			.label = in[i].label,
			.profile = (const struct profile *const *)in[i].profile,
			.n = in[i].n,
			.work = in[i].work,
		};
	ret = profdiff_make(d, side, nr_inputs, options, err);
	for (size_t i = 0; !ret && i < nr_inputs; i++)
		notes_merge(&d->notes, &in[i].notes);
	free(side);
	return ret;
}

/* Profiles of a set as run_profile() keeps them; what lacks one is a note. */
static size_t borrow_profiles(struct run_set *set, const struct profile **profile,
			      double *work, struct notes *notes)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct err why = ERR_INIT;
		const struct profile *p = run_profile(&set->run[i], &why);

		if (!p)
			notes_add(notes, "%s has no profile%s%s", set->run[i].path,
				  why.code ? ": " : "", why.code ? err_text(&why) : "");
		else {
			profile[n] = p;
			work[n++] = set->run[i].work;
		}
		err_release(&why);
	}
	return n;
}

int profdiff_make_sets(struct profdiff *d, struct run_set *const *set, size_t nr_sets,
		       const struct profdiff_options *options, struct err *err)
{
	struct profdiff_side *side = xcalloc(nr_sets ? nr_sets : 1, sizeof(*side));
	const struct profile ***profile = xcalloc(nr_sets + 1, sizeof(*profile));
	double **work = xcalloc(nr_sets + 1, sizeof(*work));
	struct notes notes = { NULL, 0 };
	int ret = 0;

	for (size_t s = 0; s < nr_sets; s++) {
		profile[s] = xcalloc(set[s]->n + 1, sizeof(**profile));
		work[s] = xcalloc(set[s]->n + 1, sizeof(**work));
		side[s].label = set[s]->label;
		side[s].profile = profile[s];
		side[s].work = work[s];
		side[s].n = borrow_profiles(set[s], profile[s], work[s], &notes);
		if (!side[s].n && !ret)
			ret = err_set(err, ENODATA, "%s recorded no profile%s%s", set[s]->label,
				      notes.n ? ": " : "",
				      notes.n ? notes.v[notes.n - 1] : "");
	}
	if (!ret)
		ret = profdiff_make(d, side, nr_sets, options, err);
	for (size_t s = 1; !ret && s < nr_sets; s++)
		if (set[s]->run[0].foreign != set[0]->run[0].foreign) {
			notes_add(&notes, "%s and %s are not of one kind: samples of a timer were "
				  "charged to callers in runs, and left where they fell in other "
				  "recordings; diffprofile treats both alike", set[0]->label,
				  set[s]->label);
			break;
		}
	if (!ret)
		notes_merge(&d->notes, &notes);
	for (size_t s = 0; s < nr_sets; s++) {
		free(profile[s]);
		free(work[s]);
	}
	free(profile);
	free(work);
	free(side);
	notes_release(&notes);
	return ret;
}
