/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which event of a perf.data a profile is of. */
#ifndef ANALYZE_PERF_CHOOSE_H
#define ANALYZE_PERF_CHOOSE_H

#include "schedblame/perf_file.h"

/*
 * The event of that name ("cycles" is "cycles:P" too), NULL: the first that has
 * samples; then *attr is PERF_FILE_NO_ATTR where none has. The file is walked and
 * rewound. -EINVAL with a sentence that names those it has.
 */
int perf_choose_event(struct perf_file *pf, const char *want, uint32_t *attr, struct err *err);

#endif
