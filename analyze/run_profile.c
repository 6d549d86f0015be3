// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile of a run, loaded when first asked for: kernel functions by name,
 * user mode as one line, no chains (diffprofile loads its own when asked). */
#include <errno.h>
#include <stdlib.h>

#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/profile.h"

const struct profile *run_profile(struct run *run, struct err *err)
{
	const struct profile_options options = { 0 };
	char *path;

	if (run->profile || run->profile_tried || run->foreign)
		return run->profile;
	run->profile_tried = true;
	path = path_join(run->path, "profile.data");
	if (file_exists(path)) {
		run->profile = xcalloc(1, sizeof(*run->profile));
		if (profile_from_perf(run->profile, path, &options, err) < 0) {
			free(run->profile);
			run->profile = NULL;
		}
	}
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
