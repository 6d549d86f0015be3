/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What moving a task costs here, by kind of path: measured by `schedblame
 * migcost`, corrected by hand where somebody knows better (docs/migcost.md),
 * read by collect, report and blame as --migration-cost FILE.
 *
 * Invariants: at most one entry per (path, node distance); SELF and UNKNOWN are
 * no paths; node_distance is 0 for every path but REMOTE.
 */
#ifndef SCHEDBLAME_MIGCOST_H
#define SCHEDBLAME_MIGCOST_H

#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/json.h"
#include "schedblame/vocab.h"

#define MIGCOST_VERSION 1

/* One size of working set on one path. All times are per migration. */
struct migcost_size {
	uint64_t bytes;
	uint64_t local_ns;  /* median: the set touched where it is warm */
	uint64_t median_ns; /* touched on the other CPU, less local_ns */
	uint64_t worst_ns;  /* the slowest undisturbed repeat, less local_ns */
	unsigned repeats;   /* undisturbed ones: what the numbers rest on */
	unsigned disturbed; /* repeats that were thrown away */
};

struct migcost_entry {
	enum distance path;
	unsigned node_distance; /* SLIT, for REMOTE; 0: not known */
	uint64_t cost_ns;	/* what everybody uses; edit this one */
	int cpu_a, cpu_b;	/* that were measured, -1: edited by hand */
	struct migcost_size *size;
	size_t nr_sizes;
};

struct migcost {
	char *source; /* file name or "measured now", for reports; owned */
	uint64_t working_set; /* bytes behind cost_ns, 0: not known */
	struct migcost_entry *entry; /* sorted: near to far */
	size_t nr_entries;
};

void migcost_init(struct migcost *m);
void migcost_release(struct migcost *m);
/* Reads FILE. A file that names no path at all, names one twice or has a
 * negative cost is refused. m must be initialised. */
int migcost_load(struct migcost *m, const char *path, struct err *err);
/* The same from an object that is already loaded; name stands in sentences. */
int migcost_from_json(struct migcost *m, const json_t *root, const char *name,
		      struct err *err);
/* A new reference. Keys of the caller (host, method) may be added to it. */
json_t *migcost_to_json(const struct migcost *m);
/* Adds an entry, keeping the order; the pointer is valid until the next add. */
struct migcost_entry *migcost_add(struct migcost *m, enum distance path,
				  unsigned node_distance);

/*
 * ns that one migration over this path costs; 0 where nothing is known (then use
 * the kernel's sched_migration_cost_ns, and say so), and for the same CPU.
 * A path that the file lacks costs what the next nearer known one does: never
 * less than that, so the error is on the careful side. Remote: the listed node
 * distance that is the greatest of those not above the one asked for, else the
 * smallest listed.
 */
uint64_t migration_cost_ns(const struct migcost *m, enum distance path,
			   unsigned node_distance);

#endif
