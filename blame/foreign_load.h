/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time that others than the workload used while it ran. */
#ifndef BLAME_FOREIGN_LOAD_H
#define BLAME_FOREIGN_LOAD_H

#include "schedblame/comparability.h"

/* Of the time of the CPUs the workload may use, 0..1: user and system time less
 * what the workload's own tasks used. NaN where that is not known. */
double run_foreign_load(const struct run *run);
/* A note for each set with much of it, a difference where sets differ in it. */
void foreign_load_check(struct comparability *c, const struct run_set *const *sets);

#endif
