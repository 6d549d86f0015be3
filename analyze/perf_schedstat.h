/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to analyze: the copies of /proc/schedstat in a `perf sched stats` file. */
#ifndef ANALYZE_PERF_SCHEDSTAT_H
#define ANALYZE_PERF_SCHEDSTAT_H

#include "schedblame/perf_file.h"
#include "schedblame/strbuf.h"

/*
 * Gives both copies in the words of /proc/schedstat, first and last. False when
 * the file has none. Walks the file, which is rewound afterwards.
 */
bool perf_schedstat_text(struct perf_file *pf, struct strbuf *before,
			 struct strbuf *after);

#endif
