/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs, what they share, and nodes. Loaded by hwloc; then plain arrays, so that
 * a lookup per event costs two loads.
 *
 * Invariants: cpu ids are the kernel's, 0..nr_cpus-1, with holes (present ==
 * false). node, core, llc, package are dense indexes, -1 where not known.
 * A topology with nr_cpus == 0 is "unknown": every distance is DIST_UNKNOWN
 * (except DIST_SELF), and nobody may claim more.
 */
#ifndef SCHEDBLAME_TOPOLOGY_H
#define SCHEDBLAME_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/vocab.h"

struct topology_cpu {
	int core, llc, node, package; /* dense, -1: not known */
	bool present;		      /* in the topology at all */
	bool online;
};

struct topology_node {
	unsigned os_id;
	uint64_t mem_bytes; /* 0: a node without memory */
	unsigned nr_cpus;   /* 0: a node without CPUs */
};

struct topology {
	unsigned nr_cpus; /* highest CPU id + 1 */
	struct topology_cpu *cpu;
	unsigned nr_nodes;
	struct topology_node *node;
	unsigned *node_distance; /* nr_nodes^2 as in SLIT, 0: not known */
	unsigned nr_cores, nr_llcs, nr_packages;
	uint64_t l1d_bytes, l2_bytes, llc_bytes; /* 0: not known */
	char *source; /* "this machine", a file name, a synthetic string */
};

/* An unknown topology; release works on it. */
void topology_init(struct topology *t);
void topology_release(struct topology *t);
/* This machine, offline CPUs included. */
int topology_load_system(struct topology *t, struct err *err);
/* hwloc XML file, hwloc synthetic string ("node:2 core:4 pu:2"), or the text
 * of `lscpu -p` (CPU,Core,Socket,Node,...); recognised by content. */
int topology_load(struct topology *t, const char *file_or_string, struct err *err);
/* The text of `lscpu -p` in memory; name stands in sentences and becomes the source. */
int topology_load_lscpu(struct topology *t, const char *text, const char *name,
			struct err *err);
/* hwloc XML of this machine into a new string the caller frees. */
int topology_system_xml(char **xml, struct err *err);
/* From XML text in memory; name stands in sentences. */
int topology_load_xml(struct topology *t, const char *xml, const char *name,
		      struct err *err);

enum distance topology_distance(const struct topology *t, unsigned cpu_a,
				unsigned cpu_b);
/* Dense node of a CPU, -1: unknown. */
int topology_node_of(const struct topology *t, unsigned cpu);
/* SLIT distance of two dense nodes, 0: not known. */
unsigned topology_node_distance(const struct topology *t, int a, int b);
/* One line: "2 nodes, 8 CPUs (2 packages, 4 cores, SMT 2), LLC 16 MiB". */
char *topology_summary(const struct topology *t);
/* Both describe the same machine shape (sizes of nodes may differ a little). */
bool topology_same(const struct topology *a, const struct topology *b);

#endif
