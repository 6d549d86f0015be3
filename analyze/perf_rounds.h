/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of a perf.data into the order of time. The file has them in that order
 * per CPU only, in rounds: what was read up to one PERF_RECORD_FINISHED_ROUND is
 * older than anything behind the next one. So events queue per CPU, and a heap of
 * CPUs gives them out as far as the rounds allow.
 *
 * What is pushed is not given out before rounds_end() or the like says so; so a
 * round can be read while the one before is given out, and what comes out does
 * not depend on how much of it was read by then.
 */
#ifndef ANALYZE_PERF_ROUNDS_H
#define ANALYZE_PERF_ROUNDS_H

#include "schedblame/event.h"

#define ROUND_BLOCK 127 /* events; 4 KB with the link */

struct round_block {
	struct event ev[ROUND_BLOCK];
	struct round_block *next;
} __attribute__((aligned(64)));

/* Events of one CPU in a chain of blocks; as long as a line of the cache. */
struct round_queue {
	struct round_block *head, *tail;
	struct event *next;   /* place of the next event in tail */
	struct event *newest; /* valid while n > 0 */
	uint64_t last_ts;     /* of the last one that came, 0: none yet */
	uint32_t room;	/* events that still fit into tail */
	uint32_t n;	/* events in the queue */
	uint32_t shown; /* the first so many may be given out */
	uint32_t at;	/* of the oldest event in head */
	bool used;
	bool open_loss; /* the newest is a loss whose end is not known yet */
} __attribute__((aligned(64)));

struct round_node {
	uint64_t ts;
	uint32_t cpu;
};

struct perf_rounds {
	struct round_queue *queue; /* by CPU */
	unsigned nr_queues;
	struct round_node *heap; /* CPUs with shown events, by the oldest */
	unsigned heap_nr;
	uint32_t queued;
	uint64_t newest, newest_before; /* times, as of the last two rounds */
	uint64_t give_until;
	struct round_block *free;
	struct round_block *fresh; /* of the newest slab, never used; up to fresh_end */
	struct round_block *fresh_end;
	struct round_block **slab; /* memory of blocks */
	size_t nr_slabs, cap_slabs;
};

void rounds_release(struct perf_rounds *r);

struct round_queue *rounds_new_queue(struct perf_rounds *r, uint32_t cpu);
void rounds_new_block(struct perf_rounds *r, struct round_queue *q);

/* The queue of a CPU; NULL for impossible ones. */
static inline struct round_queue *rounds_queue(struct perf_rounds *r, uint32_t cpu)
{
	if (__builtin_expect(cpu < r->nr_queues && r->queue[cpu].used, 1))
		return &r->queue[cpu];
	return rounds_new_queue(r, cpu);
}

/* Room for one more event at the queue's end; rounds_push() takes it in. */
static inline struct event *rounds_slot(struct perf_rounds *r, struct round_queue *q)
{
	if (__builtin_expect(!q->room, 0))
		rounds_new_block(r, q);
	return q->next;
}

void rounds_close_loss(const struct perf_rounds *r, struct round_queue *q, uint64_t ts);

/* Takes in the event of rounds_slot(), whose time is ts. */
static inline void rounds_push(struct perf_rounds *r, struct round_queue *q, uint64_t ts)
{
	if (__builtin_expect(q->open_loss, 0))
		rounds_close_loss(r, q, ts);
	q->newest = q->next++;
	q->last_ts = ts;
	q->room--;
	q->n++;
	r->queued++;
	r->newest = ts > r->newest ? ts : r->newest;
}

/* A round is over; what the one before allows may be given out. */
void rounds_end(struct perf_rounds *r);
/* Too many are queued without a round: the older half in time may be given out. */
void rounds_end_half(struct perf_rounds *r);
/* Nothing comes any more. */
void rounds_end_all(struct perf_rounds *r);

static inline bool rounds_ready(const struct perf_rounds *r)
{
	return r->heap_nr && r->heap[0].ts <= r->give_until;
}

/* Gives out up to max > 0 events; rounds_ready(). At least one. */
unsigned rounds_give(struct perf_rounds *r, struct event *out, unsigned max);

#endif
