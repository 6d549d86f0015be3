/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topology in the header of a perf.data (CPU_TOPOLOGY, NUMA_TOPOLOGY, CACHE). */
#ifndef ANALYZE_PERF_TOPOLOGY_H
#define ANALYZE_PERF_TOPOLOGY_H

#include <stdbool.h>

#include "schedblame/perf_file.h"
#include "schedblame/topology.h"

/* Fills t, which was initialised; false, and t unknown, when the file does not tell. */
bool perf_file_topology(const struct perf_file *pf, struct topology *t);

#endif
