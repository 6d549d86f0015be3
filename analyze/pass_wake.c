// SPDX-License-Identifier: GPL-2.0-or-later
/* Wakeups by distance, and who wakes whom. */
#include <stdlib.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

struct wakes {
	uint64_t n[WAIT_PREEMPT][DIST_NR]; /* by what begins */
};

static void *wake_init(struct walk *w)
{
	return xcalloc(1, sizeof(struct wakes));
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
	count_peer(s->task->row.waker, s->prev->index);
	count_peer(s->prev->row.wakee, s->task->index);
}


static void wake_finish(void *self, struct walk *w)
{
	static const char *const kinds[WAIT_PREEMPT] = { "running", "wakeup", "new" };
	struct wakes *p = self;

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
				    wake_finish, free };
