/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel profile of a run by symbol group (data/symbol-groups.tsv). */
#ifndef BLAME_GROUPS_H
#define BLAME_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/run.h"

/* Groups in the order of the data file, "other" last. */
size_t groups_count(void);
const char *groups_name(size_t group);
/* Group of a kernel function. */
size_t groups_of(const char *symbol);
/* Shares of kernel time outside idle, share[groups_count()], sum 1. */
void groups_shares(const struct run *run, double *share);
/* Has every run of the set a kernel profile? If not, notes say which has none. */
bool groups_usable(const struct run_set *set, struct notes *notes);

#endif
