// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile of a run, loaded when first asked for: most commands never do. */
#include <errno.h>
#include <stdlib.h>

#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/input.h"
#include "schedblame/profile.h"

/* Kernel functions by name (kallsyms.zst of that boot, beside the file), user mode
 * as one line, no call chains: diffprofile loads its own when asked for them. */
static const struct profile_options options = { .unskid = UNSKID_ALWAYS };

static struct profile *load(const char *path, struct err *err)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	if (!profile_load(p, path, &options, err))
		return p;
	free(p);
	return NULL;
}

/* A foreign file is a profile, or a trace that has none; that is no error. */
static bool is_profile(const char *path)
{
	struct input in;
	bool is = !input_open(&in, path, NULL) && profile_recognise(in.data, in.len);

	input_close(&in);
	return is;
}

const struct profile *run_profile(struct run *run, struct err *err)
{
	char *path;

	if (run->profile || run->profile_tried)
		return run->profile;
	run->profile_tried = true;
	path = run->foreign ? xstrdup(run->path) : path_join(run->path, "profile.data");
	if (run->foreign ? is_profile(path) : file_exists(path))
		run->profile = load(path, err);
	free(path);
	return run->profile;
}

void run_release_profile(struct run *run)
{
	if (run->profile)
		profile_release(run->profile);
	free(run->profile);
	run->profile = NULL;
}
