// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile of a run, loaded when first asked for. */
#include <errno.h>
#include <stdlib.h>

#include "run_parts.h"

const struct profile *run_profile(struct run *run, struct err *err)
{
	(void)err;
	return run->profile;
}

void run_release_profile(struct run *run)
{
	free(run->profile);
	run->profile = NULL;
}
