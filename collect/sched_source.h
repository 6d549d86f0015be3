/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else in collect/ may ask of the sched source beside its source_ops. */
#ifndef COLLECT_SCHED_H
#define COLLECT_SCHED_H

#include "schedblame/series.h"
#include "schedblame/source.h"

/*
 * Adds what was counted on these CPUs since start to set, while the programs go
 * on: counters may be some events apart. -ENOSYS when built without BPF.
 */
int sched_snapshot(struct source *src, const struct cpuset *cpus,
		   struct series_set *set, uint64_t *duration_ns, struct err *err);

#endif
