// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pairs of CPUs and which working sets are worth measuring. */
#include <stdlib.h>

#include "migcost.h"
#include "schedblame/alloc.h"

static struct migcost_path path_of(const struct topology *t, unsigned a, unsigned b)
{
	struct migcost_path p = { topology_distance(t, a, b), 0, a, b };

	if (p.path == DIST_REMOTE)
		p.node_distance = topology_node_distance(t, topology_node_of(t, a),
							 topology_node_of(t, b));
	return p;
}

static int by_distance(const void *va, const void *vb)
{
	const struct migcost_path *a = va, *b = vb;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	if (a->node_distance != b->node_distance)
		return a->node_distance < b->node_distance ? -1 : 1;
	return 0;
}

static bool known(const struct migcost_path *v, size_t n, const struct migcost_path *p)
{
	for (size_t i = 0; i < n; i++)
		if (!by_distance(&v[i], p))
			return true;
	return false;
}

static size_t walk(struct migcost_path **v, const struct topology *t,
		   const struct cpuset *usable, bool one_per_kind)
{
	size_t n = 0, cap = 0;

	*v = NULL;
	cpuset_for_each(a, usable) {
		for (int b = cpuset_next(usable, (unsigned)a + 1); b >= 0;
		     b = cpuset_next(usable, (unsigned)b + 1)) {
			struct migcost_path p = path_of(t, (unsigned)a, (unsigned)b);

			if (p.path == DIST_UNKNOWN || (one_per_kind && known(*v, n, &p)))
				continue;
			GROW(*v, n, cap);
			(*v)[n++] = p;
		}
	}
	return n;
}

size_t migcost_paths(struct migcost_path **v, const struct topology *t,
		     const struct cpuset *usable)
{
	size_t n = walk(v, t, usable, true);

	if (n)
		qsort(*v, n, sizeof(**v), by_distance);
	return n;
}

size_t migcost_pairs(struct migcost_path **v, const struct topology *t,
		     const struct cpuset *usable)
{
	return walk(v, t, usable, false);
}

/*
 * A hypervisor shows its guest the last-level cache of the whole socket, however
 * few of its cores the guest has; and large sets take long enough for every
 * repeat to be disturbed. So a task is not credited with more than this.
 */
#define TASK_MAX (4ULL << 20)
#define SIZE_MAX_BYTES (16ULL << 20)

static uint64_t at_most(uint64_t v, uint64_t max)
{
	return v < max ? v : max;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

size_t migcost_sizes(uint64_t size[MIGCOST_SIZES_MAX], size_t *counts,
		     const struct topology *t)
{
	uint64_t l1 = t->l1d_bytes ? t->l1d_bytes : 32 << 10;
	uint64_t l2 = t->l2_bytes ? t->l2_bytes : 512 << 10;
	uint64_t llc = t->llc_bytes > l2 ? t->llc_bytes : l2 * 4;
	uint64_t share = t->nr_cores && t->nr_llcs ? llc * t->nr_llcs / t->nr_cores : llc / 4;
	uint64_t task = at_most(share > l2 ? share : l2, TASK_MAX);
	uint64_t all[MIGCOST_SIZES_MAX] = { l1 / 2, at_most(l2, TASK_MAX) / 2,
					    at_most(l2, TASK_MAX), task,
					    at_most(llc / 2, SIZE_MAX_BYTES) };
	size_t n = 0;

	qsort(all, MIGCOST_SIZES_MAX, sizeof(all[0]), by_value);
	for (size_t i = 0; i < MIGCOST_SIZES_MAX; i++)
		if (!n || size[n - 1] != all[i])
			size[n++] = all[i];
	*counts = 0;
	for (size_t i = 0; i < n; i++)
		if (size[i] == task)
			*counts = i;
	return n;
}
