/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the loaders of a topology; not for others. */
#ifndef MODEL_TOPOLOGY_BUILD_H
#define MODEL_TOPOLOGY_BUILD_H

#include "schedblame/topology.h"

#define TOPOLOGY_NODES_MAX 1024 /* the kernel's largest MAX_NUMNODES */

/* Makes room for CPUs 0..nr-1; new ones are not present, with indexes -1. */
void topology_set_nr_cpus(struct topology *t, unsigned nr);
/* nr nodes with no memory, no CPUs, and unknown distances except to themselves. */
void topology_set_nr_nodes(struct topology *t, unsigned nr);
/* Counts CPUs per node. */
void topology_finish(struct topology *t, const char *source);
int topology_load_synthetic(struct topology *t, const char *description,
			    struct err *err);

#endif
