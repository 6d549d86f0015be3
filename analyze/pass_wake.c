// SPDX-License-Identifier: GPL-2.0-or-later
/* Wakeups by distance, and who wakes whom. */
#include <stdlib.h>

#include "pass_state.h"
#include "schedblame/alloc.h"
#include "schedblame/u64map.h"

struct wakes {
	uint64_t n[WAIT_PREEMPT][DIST_NR]; /* by what begins */
	/* Waker and woken: exact for the first pairs, a sketch for those beyond. */
	struct u64map pair;
	uint32_t *count; /* by id in pair */
	size_t cap;
	bool many; /* pairs beyond those came */
};

#define PAIRS_MAX 65536

static void *wake_init(struct walk *w)
{
	struct wakes *p = xcalloc(1, sizeof(*p));

	u64map_init(&p->pair);
	return p;
}

static void wake_release(void *self)
{
	struct wakes *p = self;

	u64map_release(&p->pair);
	free(p->count);
	free(p);
}

/* Space saving: a newcomer takes the place and the count of the least. */
static void count_peer(struct trace_peer peers[TRACE_PEERS], uint32_t task)
{
	struct trace_peer *least = &peers[0];

	for (int i = 0; i < TRACE_PEERS; i++) {
		if (peers[i].count && peers[i].task == task) {
			peers[i].count++;
			return;
		}
		if (peers[i].count < least->count)
			least = &peers[i];
	}
	least->task = task;
	least->count++;
}

static void count_pair(struct wakes *p, struct task *waker, struct task *woken)
{
	const uint64_t key = u64map_pair(waker->index, woken->index);
	uint32_t id = u64map_find(&p->pair, key);

	if (id == U64MAP_NONE) {
		if (p->pair.n >= PAIRS_MAX) {
			p->many = true;
			count_peer(woken->row.waker, waker->index);
			count_peer(waker->row.wakee, woken->index);
			return;
		}
		GROW(p->count, p->pair.n, p->cap);
		id = u64map_add(&p->pair, key);
		p->count[id] = 0;
	}
	p->count[id]++;
}

/* Into the place of the least, if it is more. */
static void keep_peer(struct trace_peer peers[TRACE_PEERS], uint32_t task, uint32_t count)
{
	struct trace_peer *least = &peers[0];

	for (int i = 1; i < TRACE_PEERS; i++)
		if (peers[i].count < least->count)
			least = &peers[i];
	if (count > least->count)
		*least = (struct trace_peer){ task, count };
}

static void keep_pairs(struct wakes *p, struct walk *w)
{
	for (uint32_t id = 0; id < p->pair.n; id++) {
		uint32_t waker = (uint32_t)(p->pair.key[id] >> 32);
		uint32_t woken = (uint32_t)p->pair.key[id];

		keep_peer(task_at(&w->model->tasks, woken)->row.waker, waker, p->count[id]);
		keep_peer(task_at(&w->model->tasks, waker)->row.wakee, woken, p->count[id]);
	}
}

static void wake_step(void *self, struct walk *w, const struct step *s)
{
	struct wakes *p = self;
	struct cpu *to = walk_cpu(w, s->to_cpu);

	p->n[s->wait_kind][s->distance]++;
	s->task->row.wakeups++;
	if (to)
		to->row.wakeups_here++;
	if (!s->prev)
		return;
	s->prev->row.woke++;
	count_pair(p, s->prev, s->task);
}


static void wake_finish(void *self, struct walk *w)
{
	static const char *const kinds[WAIT_PREEMPT] = { "running", "wakeup", "new" };
	struct wakes *p = self;

	keep_pairs(p, w);
	w->tables->peers_exact = !p->many;
	if (walk_saw(w, EV_WAKEUP) || walk_saw(w, EV_WAKING))
		series_declare(w->series, "wakeups");
	for (int n = 0; n < WAIT_PREEMPT; n++)
		for (int d = 0; d < DIST_NR; d++)
			if (p->n[n][d])
				series_add(w->series, "wakeups",
					   LABELS("kind", kinds[n], "distance",
						  distance_name((enum distance)d)),
					   p->n[n][d]);
}


const struct pass_ops pass_wake = { "wake", 1u << STEP_WAKEUP, wake_init, wake_step,
				    wake_finish, wake_release };
