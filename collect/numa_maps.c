// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of numa.bpf.c, copied out. */
#include "numa_private.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <string.h>

#include "schedblame/alloc.h"

void numa_read_moves(struct numa_counts *c, int fd)
{
	uint32_t cells = NUMA_EVENTS * c->nr_nodes * c->nr_nodes;

	c->move = xcalloc(cells, sizeof(*c->move));
	for (uint32_t i = 0; i < cells; i++)
		if (bpf_map_lookup_elem(fd, &i, &c->move[i]) < 0)
			c->move[i] = 0;
}

/* The programs count no more; a walk by keys sees every entry. */
void numa_read_pairs(struct numa_counts *c, int fd)
{
	struct numa_pair_key key, *last = NULL;
	struct numa_pair_count p;

	while (c->nr_pairs < NUMA_PAIRS_MAX && bpf_map_get_next_key(fd, last, &p.key) == 0) {
		key = p.key;
		last = &key;
		if (bpf_map_lookup_elem(fd, &key, &p.n) < 0)
			continue;
		GROW(c->pair, c->nr_pairs, c->cap_pairs);
		c->pair[c->nr_pairs++] = p;
	}
}

void numa_read_tasks(struct numa_counts *c, int fd)
{
	uint32_t pid, key, *last = NULL;
	struct numa_task task;

	while (c->nr_tasks < NUMA_TASKS_MAX && bpf_map_get_next_key(fd, last, &pid) == 0) {
		key = pid;
		last = &key;
		if (bpf_map_lookup_elem(fd, &key, &task) < 0)
			continue;
		GROW(c->task, c->nr_tasks, c->cap_tasks);
		c->task[c->nr_tasks++] = task;
	}
}
#else
typedef int numa_maps_need_bpf; /* ISO C forbids an empty file */
#endif
