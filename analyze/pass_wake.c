// SPDX-License-Identifier: GPL-2.0-or-later
/* Wakeups by distance, and who wakes whom. */
#include <stdlib.h>

#include "pass_state.h"
#include "schedblame/alloc.h"

/* One waker and one task it wakes. All of it on one line of the cache. */
struct pair {
	uint32_t waker, woken; /* indexes */
	uint32_t count;	       /* 0: a free place */
	uint32_t order;	       /* of arrival */
};

struct wakes {
	uint64_t n[WAIT_PREEMPT][DIST_NR]; /* by what begins */
	/* Exact for the first pairs, a sketch for those beyond. An open table, at
	 * most half full. */
	struct pair *pair;
	uint32_t nr_pairs, bits; /* 1 << bits places */
	bool many; /* pairs beyond those came */
};

#define PAIRS_MAX 65536
#define PAIRS_FIRST_BITS 8

static void *wake_init(struct walk *w)
{
	struct wakes *p = xcalloc(1, sizeof(*p));

	p->bits = PAIRS_FIRST_BITS;
	p->pair = xcalloc(1u << p->bits, sizeof(*p->pair));
	return p;
}

static void wake_release(void *self)
{
	struct wakes *p = self;

	free(p->pair);
	free(p);
}

/* The place of the pair, or the free one where it belongs. */
static inline struct pair *find_pair(const struct wakes *p, uint32_t waker, uint32_t woken)
{
	uint64_t key = (uint64_t)waker << 32 | woken;
	uint32_t mask = (1u << p->bits) - 1;
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ULL >> (64 - p->bits));

	while (p->pair[at].count && (p->pair[at].waker != waker || p->pair[at].woken != woken))
		at = (at + 1) & mask;
	return &p->pair[at];
}

static void grow_pairs(struct wakes *p)
{
	struct pair *old = p->pair;
	uint32_t nr = 1u << p->bits++;

	p->pair = xcalloc(1u << p->bits, sizeof(*p->pair));
	for (uint32_t i = 0; i < nr; i++)
		if (old[i].count)
			*find_pair(p, old[i].waker, old[i].woken) = old[i];
	free(old);
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

static __attribute__((noinline)) void new_pair(struct wakes *p, struct task *waker,
						 struct task *woken)
{
	if (p->nr_pairs >= PAIRS_MAX) {
		p->many = true;
		count_peer(woken->row.waker, waker->index);
		count_peer(waker->row.wakee, woken->index);
		return;
	}
	if (p->nr_pairs * 2 >= 1u << p->bits)
		grow_pairs(p);
	*find_pair(p, waker->index, woken->index) =
		(struct pair){ waker->index, woken->index, 1, p->nr_pairs++ };
}

static inline void count_pair(struct wakes *p, struct task *waker, struct task *woken)
{
	struct pair *pair = find_pair(p, waker->index, woken->index);

	if (__builtin_expect(pair->count != 0, 1))
		pair->count += pair->count != UINT32_MAX;
	else
		new_pair(p, waker, woken);
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

/* In their order of arrival, which decides between equals. */
static void keep_pairs(struct wakes *p, struct walk *w)
{
	struct pair *by_order = xcalloc(p->nr_pairs, sizeof(*by_order));

	for (uint32_t i = 0; i < 1u << p->bits; i++)
		if (p->pair[i].count)
			by_order[p->pair[i].order] = p->pair[i];
	for (const struct pair *q = by_order; q < by_order + p->nr_pairs; q++) {
		keep_peer(task_at(&w->model->tasks, q->woken)->row.waker, q->waker, q->count);
		keep_peer(task_at(&w->model->tasks, q->waker)->row.wakee, q->woken, q->count);
	}
	free(by_order);
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
