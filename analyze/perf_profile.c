// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.data as a profile: not there yet. */
#include <errno.h>

#include "schedblame/profile.h"

int profile_from_perf(struct profile *p, const char *path,
		      const struct profile_options *options, struct err *err)
{
	return err_set(err, ENOSYS, "%s is perf.data, which cannot be read yet", path);
}
