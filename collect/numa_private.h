/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What source numa read from its maps, and the series made of it. */
#ifndef COLLECT_NUMA_PRIVATE_H
#define COLLECT_NUMA_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numa_shared.h"
#include "schedblame/series.h"
#include "schedblame/topology.h"

struct numa_pair_count {
	struct numa_pair_key key;
	struct numa_pair n;
};

struct numa_counts {
	unsigned nr_nodes; /* highest kernel node + 1 */
	bool faults_seen;
	uint64_t *move; /* [event][from][to] */
	struct numa_pair_count *pair;
	size_t nr_pairs, cap_pairs;
	struct numa_task *task;
	size_t nr_tasks, cap_tasks;
	uint64_t lost_pairs, lost_tasks, lost_moves;
};

void numa_read_moves(struct numa_counts *c, int fd);
void numa_read_pairs(struct numa_counts *c, int fd);
void numa_read_tasks(struct numa_counts *c, int fd);
void numa_counts_release(struct numa_counts *c);
/* Names as in docs/series.md; nodes become the topology's dense indexes. The
 * groups with the most pages get rows of their own, the others are one. */
void numa_counts_to_series(const struct numa_counts *c, const struct topology *t,
			   struct series_set *set);

#endif
