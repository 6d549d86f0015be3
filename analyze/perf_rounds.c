// SPDX-License-Identifier: GPL-2.0-or-later
/* Queues of events per CPU, and the heap that merges them as far as rounds allow. */
#include "perf_rounds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "schedblame/alloc.h"

#define SLAB_BLOCKS 512 /* 2 MiB: one huge page, one fault */

void rounds_release(struct perf_rounds *r)
{
	for (size_t i = 0; i < r->nr_slabs; i++)
		free(r->slab[i]);
	free(r->slab);
	free(r->queue);
	free(r->heap);
	memset(r, 0, sizeof(*r));
}

struct round_queue *rounds_new_queue(struct perf_rounds *r, uint32_t cpu)
{
	if (cpu >= CPU_NONE)
		return NULL;
	if (cpu >= r->nr_queues) {
		unsigned n = cpu + 1;

		struct round_queue *queue = xaligned(sizeof(*queue), n * sizeof(*queue));

		if (r->nr_queues)
			memcpy(queue, r->queue, r->nr_queues * sizeof(*queue));
		memset(queue + r->nr_queues, 0, (n - r->nr_queues) * sizeof(*queue));
		free(r->queue);
		r->queue = queue;
		r->heap = xrealloc(r->heap, n, sizeof(*r->heap));
		r->nr_queues = n;
	}
	r->queue[cpu].used = true;
	return &r->queue[cpu];
}

static void new_slab(struct perf_rounds *r)
{
	size_t size = SLAB_BLOCKS * sizeof(*r->fresh);

	GROW(r->slab, r->nr_slabs, r->cap_slabs);
	r->fresh = r->slab[r->nr_slabs++] = xaligned(size, size);
	r->fresh_end = r->fresh + SLAB_BLOCKS;
	madvise(r->fresh, size, MADV_HUGEPAGE); /* only faster */
}

_Static_assert(SLAB_BLOCKS * sizeof(struct round_block) == 2 << 20, "a huge page");

/* A block that was given back last is still in the cache. */
void rounds_new_block(struct perf_rounds *r, struct round_queue *q)
{
	struct round_block *b;

	b = r->free;
	if (b) {
		r->free = b->next;
	} else {
		if (r->fresh == r->fresh_end)
			new_slab(r);
		b = r->fresh++;
	}
	b->next = NULL;
	if (q->tail)
		q->tail->next = b;
	else
		q->head = b;
	q->tail = b;
	q->next = b->ev;
	q->room = ROUND_BLOCK;
}

/* The loss ends where the next event stands, unless it was given out before. */
void rounds_close_loss(const struct perf_rounds *r, struct round_queue *q, uint64_t ts)
{
	q->open_loss = false;
	if (q->n && q->newest->ts > r->give_until)
		q->newest->until = ts;
}

static void sift_down(struct perf_rounds *r, unsigned at)
{
	struct round_node node = r->heap[at];

	for (;;) {
		unsigned child = 2 * at + 1;

		if (child >= r->heap_nr)
			break;
		if (child + 1 < r->heap_nr && r->heap[child + 1].ts < r->heap[child].ts)
			child++;
		if (node.ts <= r->heap[child].ts)
			break;
		r->heap[at] = r->heap[child];
		at = child;
	}
	r->heap[at] = node;
}

static void sift_up(struct perf_rounds *r, struct round_node node)
{
	unsigned at = r->heap_nr++;

	for (; at && node.ts < r->heap[(at - 1) / 2].ts; at = (at - 1) / 2)
		r->heap[at] = r->heap[(at - 1) / 2];
	r->heap[at] = node;
}

static uint64_t oldest(const struct round_queue *q)
{
	return q->head->ev[q->at].ts;
}

static void show(struct perf_rounds *r)
{
	for (unsigned cpu = 0; cpu < r->nr_queues; cpu++) {
		struct round_queue *q = &r->queue[cpu];

		if (!q->shown && q->n)
			sift_up(r, (struct round_node){ oldest(q), cpu });
		q->shown = q->n;
	}
}

void rounds_end(struct perf_rounds *r)
{
	show(r);
	r->give_until = r->newest_before;
	r->newest_before = r->newest;
}

void rounds_end_half(struct perf_rounds *r)
{
	uint64_t first;

	show(r);
	if (!r->heap_nr)
		return;
	first = r->heap[0].ts;
	r->give_until = first + (r->newest - first) / 2;
}

void rounds_end_all(struct perf_rounds *r)
{
	show(r);
	r->give_until = UINT64_MAX;
}

/* Time of the second CPU in the heap. */
static uint64_t second(const struct perf_rounds *r)
{
	uint64_t ts = UINT64_MAX;

	for (unsigned at = 1; at < r->heap_nr && at <= 2; at++)
		ts = r->heap[at].ts < ts ? r->heap[at].ts : ts;
	return ts;
}

/* The first block is used up, or the queue is empty. */
static void drop_head(struct perf_rounds *r, struct round_queue *q)
{
	struct round_block *b = q->head;

	q->head = b->next;
	q->at = 0;
	if (!q->head) {
		q->tail = NULL;
		q->room = 0;
	}
	b->next = r->free;
	r->free = b;
}

/* Copies from the first block up to the time until, at least one event. */
static unsigned take(struct round_queue *q, struct event *out, unsigned max, uint64_t until)
{
	const struct event *from = &q->head->ev[q->at];
	unsigned n = 0;

	if (max > q->shown)
		max = q->shown;
	if (max > ROUND_BLOCK - q->at)
		max = ROUND_BLOCK - q->at;
	do
		out[n] = from[n];
	while (++n < max && from[n].ts <= until);
	q->at += n;
	q->n -= n;
	q->shown -= n;
	return n;
}

unsigned rounds_give(struct perf_rounds *r, struct event *out, unsigned max)
{
	unsigned n = 0;

	while (n < max && rounds_ready(r)) {
		struct round_queue *q = &r->queue[r->heap[0].cpu];
		uint64_t until = second(r);

		n += take(q, out + n, max - n, until < r->give_until ? until : r->give_until);
		if (q->at == ROUND_BLOCK || !q->n)
			drop_head(r, q);
		if (q->shown)
			r->heap[0].ts = oldest(q);
		else
			r->heap[0] = r->heap[--r->heap_nr];
		if (r->heap_nr)
			sift_down(r, 0);
	}
	r->queued -= n;
	return n;
}
