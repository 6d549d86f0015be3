/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile from a perf.data file that is open already (profile.h has the
 * shorthand by path). pf is rewound by the caller if it was read before. */
#ifndef SCHEDBLAME_PERF_PROFILE_H
#define SCHEDBLAME_PERF_PROFILE_H

#include "schedblame/perf_file.h"
#include "schedblame/profile.h"

/* Initialises p; on failure p is released. options may be NULL. */
int profile_from_perf_file(struct profile *p, struct perf_file *pf,
			   const struct profile_options *options, struct err *err);

#endif
