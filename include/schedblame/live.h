/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters while they count: what the sched source has seen so far, for a
 * screen that is redrawn. Nothing is written to disk. Needs what the source
 * needs (root, BTF); a refusal is a sentence.
 */
#ifndef SCHEDBLAME_LIVE_H
#define SCHEDBLAME_LIVE_H

#include "schedblame/err.h"
#include "schedblame/series.h"
#include "schedblame/source.h"
#include "schedblame/topology.h"

struct live;

/* Starts to count. config: cpus and grace_ns are looked at; NULL: defaults. */
int live_open(struct live **live, const struct collect_config *config,
	      struct err *err);
/* Adds all that was counted since live_open() to out, which the caller made by
 * series_init(), and its time to *duration_ns. Programs go on counting. */
int live_snapshot(struct live *live, struct series_set *out, uint64_t *duration_ns,
		  struct err *err);
const struct topology *live_topology(const struct live *live);
/* Unloads everything; NULL is allowed. */
void live_close(struct live *live);

#endif
