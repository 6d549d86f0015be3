/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measuring what a migration costs: which pairs of CPUs (paths), how much memory
 * (sizes), one measurement (touch), and the run over all of them.
 */
#ifndef COLLECT_MIGCOST_H
#define COLLECT_MIGCOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/migcost.h"
#include "schedblame/topology.h"

/* A task that ran on CPU a moves to CPU b. */
struct migcost_path {
	enum distance path;
	unsigned node_distance; /* REMOTE only */
	unsigned a, b;
};

/* One pair per kind of path among the usable CPUs, near to far; *v is the
 * caller's to free. Pairs of unknown distance are left out. */
size_t migcost_paths(struct migcost_path **v, const struct topology *t,
		     const struct cpuset *usable);
/* Every pair a < b. */
size_t migcost_pairs(struct migcost_path **v, const struct topology *t,
		     const struct cpuset *usable);

#define MIGCOST_SIZES_MAX 5
/*
 * Working sets worth measuring, ascending: half of L1, half of L2, L2, a CPU's
 * fair share of the last-level cache, half of that cache. What the topology does
 * not know is replaced by common sizes. *counts is the index of the one that
 * stands for a task: the larger of L2 and the fair share,
 * at most 4 MiB.
 */
size_t migcost_sizes(uint64_t size[MIGCOST_SIZES_MAX], size_t *counts,
		     const struct topology *t);

/* The memory that is dirtied and read; bound to the node of one CPU. */
struct migcost_area;
/* node_os_id -1: no binding. NULL with a sentence when there is no memory. */
struct migcost_area *migcost_area_new(size_t bytes, unsigned cpu, int node_os_id,
				      struct err *err);
void migcost_area_free(struct migcost_area *area);

struct migcost_aim {
	unsigned repeats;      /* undisturbed ones wanted */
	uint64_t deadline_ns;  /* CLOCK_MONOTONIC; at least one try is made */
};
/*
 * Fills s (bytes is set by the caller, at most the area's). 0, or -errno when a
 * CPU cannot be used. With s->repeats == 0 every try was disturbed: the numbers
 * are those of the disturbed ones.
 */
int migcost_measure(struct migcost_size *s, struct migcost_area *area, unsigned a,
		    unsigned b, const struct migcost_aim *aim, struct err *err);

struct migcost_pair_cost {
	unsigned a, b;
	struct migcost_size size;
	enum distance path;
};

struct migcost_result {
	struct migcost costs;
	bool fifo;	/* SCHED_FIFO was allowed */
	int fifo_errno; /* why not */
	size_t counts;	/* index of the size behind cost_ns */
	uint64_t size[MIGCOST_SIZES_MAX];
	size_t nr_sizes;
	struct migcost_pair_cost *pair; /* --full */
	size_t nr_pairs, pairs_left_out; /* for lack of time */
};

/* budget_ns bounds the whole (--full: pairs come on top of the paths, with the
 * same budget once more). */
int migcost_run(struct migcost_result *r, const struct topology *t,
		const struct cpuset *usable, bool full, uint64_t budget_ns,
		struct err *err);
void migcost_result_release(struct migcost_result *r);

/* Median of n values (reorders them), 0 for none. */
uint64_t migcost_median(uint64_t *v, size_t n);
/* A pass whose slowest chunk stands out was interrupted: see the .c file. */
bool migcost_has_gap(const uint32_t *chunk_ns, size_t n);

#endif
