// SPDX-License-Identifier: GPL-2.0-or-later
/* The run over all paths and sizes, within a budget of time. */
#include "migcost.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schedblame/alloc.h"
#include "schedblame/progress.h"
#include "schedblame/units.h"

#define REPEATS 31
#define PAIR_REPEATS 9

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* What this thread was before; given back at the end. */
struct saved {
	cpu_set_t *mask;
	size_t size;
	int policy;
	struct sched_param param;
};

static void save(struct saved *s)
{
	s->size = CPU_ALLOC_SIZE(CPUSET_MAX);
	s->mask = CPU_ALLOC(CPUSET_MAX);
	if (s->mask && sched_getaffinity(0, s->size, s->mask) < 0) {
		CPU_FREE(s->mask);
		s->mask = NULL;
	}
	s->policy = sched_getscheduler(0);
	if (s->policy < 0 || sched_getparam(0, &s->param) < 0)
		s->policy = SCHED_OTHER;
}

static void restore(struct saved *s)
{
	sched_setscheduler(0, s->policy, &s->param);
	if (s->mask)
		sched_setaffinity(0, s->size, s->mask);
	CPU_FREE(s->mask);
}

static void ask_for_fifo(struct migcost_result *r)
{
	struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	r->fifo = sched_setscheduler(0, SCHED_FIFO, &param) == 0;
	r->fifo_errno = r->fifo ? 0 : errno;
}

static struct migcost_area *area_for(const struct topology *t, unsigned cpu, uint64_t bytes,
				     struct err *err)
{
	int node = topology_node_of(t, cpu);

	if (node >= 0)
		node = (int)t->node[node].os_id;
	return migcost_area_new(bytes, cpu, node, err);
}

/* The part of the time that is left, for one of the steps that are left. */
static uint64_t deadline(uint64_t end, size_t steps_left)
{
	uint64_t now = now_ns();

	return now >= end ? now : now + (end - now) / steps_left;
}

static int measure_path(struct migcost_result *r, const struct topology *t,
			const struct migcost_path *p, uint64_t end, size_t paths_left,
			struct err *err)
{
	struct migcost_area *area = area_for(t, p->a, r->size[r->nr_sizes - 1], err);
	struct migcost_entry *e;
	int ret = 0;

	if (!area)
		return -ENOMEM;
	e = migcost_add(&r->costs, p->path, p->node_distance);
	e->cpu_a = (int)p->a;
	e->cpu_b = (int)p->b;
	e->size = xcalloc(r->nr_sizes, sizeof(*e->size));
	for (size_t i = 0; i < r->nr_sizes && !ret; i++) {
		struct migcost_aim aim = { REPEATS,
			deadline(end, paths_left * r->nr_sizes - i) };

		e->size[i].bytes = r->size[i];
		ret = migcost_measure(&e->size[i], area, p->a, p->b, &aim, err);
		e->nr_sizes++;
	}
	if (!ret)
		e->cost_ns = e->size[r->counts].median_ns;
	migcost_area_free(area);
	return ret;
}

static int measure_paths(struct migcost_result *r, const struct topology *t,
			 const struct cpuset *usable, uint64_t budget_ns, struct err *err)
{
	uint64_t end = now_ns() + budget_ns;
	struct migcost_path *path;
	size_t n = migcost_paths(&path, t, usable);
	int ret = 0;

	if (!n)
		ret = err_set(err, ENODEV, "there are no two CPUs of known distance to migrate "
			      "between (%u usable): nothing to measure", cpuset_count(usable));
	for (size_t i = 0; i < n && !ret; i++) {
		progress_bar("migration cost", i, n);
		ret = measure_path(r, t, &path[i], end, n - i, err);
	}
	free(path);
	return ret;
}

static int measure_pair(struct migcost_result *r, const struct topology *t,
			const struct migcost_path *p, uint64_t until, struct err *err)
{
	struct migcost_aim aim = { PAIR_REPEATS, until };
	struct migcost_pair_cost *pair = &r->pair[r->nr_pairs];
	struct migcost_area *area = area_for(t, p->a, r->size[r->counts], err);
	int ret;

	if (!area)
		return -ENOMEM;
	*pair = (struct migcost_pair_cost){ .a = p->a, .b = p->b, .path = p->path };
	pair->size.bytes = r->size[r->counts];
	ret = migcost_measure(&pair->size, area, p->a, p->b, &aim, err);
	if (!ret)
		r->nr_pairs++;
	migcost_area_free(area);
	return ret;
}

static int measure_pairs(struct migcost_result *r, const struct topology *t,
			 const struct cpuset *usable, uint64_t budget_ns, struct err *err)
{
	uint64_t end = now_ns() + budget_ns;
	struct migcost_path *path;
	size_t n = migcost_pairs(&path, t, usable), i;
	int ret = 0;

	r->pair = xcalloc(n ? n : 1, sizeof(*r->pair));
	for (i = 0; i < n && !ret && now_ns() < end; i++) {
		progress_bar("all pairs", i, n);
		ret = measure_pair(r, t, &path[i], deadline(end, n - i), err);
	}
	r->pairs_left_out = n - i;
	free(path);
	return ret;
}

int migcost_run(struct migcost_result *r, const struct topology *t,
		const struct cpuset *usable, bool full, uint64_t budget_ns,
		struct err *err)
{
	struct saved saved;
	int ret;

	memset(r, 0, sizeof(*r));
	migcost_init(&r->costs);
	r->costs.source = xstrdup("measured now");
	r->nr_sizes = migcost_sizes(r->size, &r->counts, t);
	r->costs.working_set = r->size[r->counts];
	save(&saved);
	ask_for_fifo(r);
	ret = measure_paths(r, t, usable, budget_ns, err);
	if (!ret && full)
		ret = measure_pairs(r, t, usable, budget_ns, err);
	progress_end();
	restore(&saved);
	return ret;
}

void migcost_result_release(struct migcost_result *r)
{
	migcost_release(&r->costs);
	free(r->pair);
	memset(r, 0, sizeof(*r));
}
