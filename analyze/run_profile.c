// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile of a run, loaded when first asked for: most commands never do. */
#include <errno.h>
#include <stdlib.h>

#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/input.h"
#include "schedblame/parallel.h"
#include "schedblame/profile.h"

/* Kernel functions by name (kallsyms.zst of that boot, beside the file), user mode
 * as one line, no call chains: diffprofile loads its own when asked for them. */
static struct profile *load(const char *path, bool foreign, struct err *err)
{
	const struct profile_options options = {
		.unskid = profile_unskid(UNSKID_RUNS, foreign)
	};
	struct profile *p = xcalloc(1, sizeof(*p));

	if (!profile_load(p, path, &options, err))
		return p;
	free(p);
	return NULL;
}

/* What a profile begins with; a trace may have GBs without one line's end. */
#define HEAD_MAX (256u << 10)

/* A foreign file is a profile, or a trace that has none; that is no error. */
static bool is_profile(const char *path)
{
	struct input in;
	bool is = !input_open(&in, path, NULL) &&
		  profile_recognise(in.data, in.len < HEAD_MAX ? in.len : HEAD_MAX);

	input_close(&in);
	return is;
}

static void try_profile(struct run *run)
{
	char *path;

	run->profile_tried = true;
	path = run->foreign ? xstrdup(run->path) : path_join(run->path, "profile.data");
	if (run->foreign ? is_profile(path) : file_exists(path))
		run->profile = load(path, run->foreign, &run->profile_why);
	free(path);
}

const struct profile *run_profile(struct run *run, struct err *err)
{
	if (!run->profile_tried)
		try_profile(run);
	if (run->profile_why.code)
		err_set(err, run->profile_why.code, "%s", err_text(&run->profile_why));
	return run->profile;
}

struct loading {
	struct run_set *set;
	size_t nr_sets;
};

static void load_one(void *arg, size_t i)
{
	const struct loading *l = arg;
	size_t s = i % l->nr_sets, r = i / l->nr_sets;

	if (r < l->set[s].n && !l->set[s].run[r].profile_tried)
		try_profile(&l->set[s].run[r]);
}

void run_sets_load_profiles(struct run_set *set, size_t nr_sets)
{
	struct loading l = { set, nr_sets };
	size_t most = 0;

	for (size_t i = 0; i < nr_sets; i++)
		if (set[i].n > most)
			most = set[i].n;
	parallel_for(most * nr_sets, load_one, &l);
}

void run_release_profile(struct run *run)
{
	if (run->profile)
		profile_release(run->profile);
	free(run->profile);
	run->profile = NULL;
	err_release(&run->profile_why);
}
