// SPDX-License-Identifier: GPL-2.0-or-later
/* The index of a timeline: adding. Asking: tl_query.c. */
#include "tl_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define MOST_BUCKETS 16384u
#define BUCKET_MEMORY (64u << 20) /* over all CPUs */
#define FIRST_WIDTH 1024u	  /* ns */

void tl_init(struct tl_index *ix, unsigned nr_cpus)
{
	memset(ix, 0, sizeof(*ix));
	pthread_mutex_init(&ix->lock, NULL);
	tl_store_init(&ix->store);
	strmap_init(&ix->names);
	ix->nr_cpus = nr_cpus;
	ix->cpu = xcalloc(nr_cpus + 1, sizeof(*ix->cpu));
	ix->nr_buckets = MOST_BUCKETS;
	while (ix->nr_buckets > 256 &&
	       (uint64_t)ix->nr_buckets * nr_cpus * sizeof(struct tl_bucket) > BUCKET_MEMORY)
		ix->nr_buckets /= 2;
	ix->bucket_ns = FIRST_WIDTH;
	tl_name_task(ix, TL_IDLE, 0, "idle");
}

void tl_release(struct tl_index *ix)
{
	for (unsigned i = 0; i < ix->nr_cpus; i++) {
		tl_row_release(&ix->cpu[i].slice);
		tl_row_release(&ix->cpu[i].mark);
		free(ix->cpu[i].bucket);
	}
	free(ix->cpu);
	free(ix->task);
	tl_store_release(&ix->store);
	strmap_release(&ix->names);
	err_release(&ix->err);
	pthread_mutex_destroy(&ix->lock);
	memset(ix, 0, sizeof(*ix));
}

void tl_name_task(struct tl_index *ix, uint32_t task, int32_t pid, const char *comm)
{
	while (ix->nr_tasks <= task) {
		GROW(ix->task, ix->nr_tasks, ix->cap_tasks);
		ix->task[ix->nr_tasks++] = (struct tl_task){ .pid = -1,
							     .comm = STRMAP_NONE,
							     .first = UINT64_MAX };
	}
	ix->task[task].pid = pid;
	ix->task[task].comm = strmap_adds(&ix->names, comm);
}

static uint16_t add16(uint16_t a, uint32_t b)
{
	return a + b > UINT16_MAX ? UINT16_MAX : (uint16_t)(a + b);
}

#define HEAVY (1u << 30) /* no weight is greater */

static void vote(struct tl_bucket *b, uint32_t task, uint32_t weight)
{
	if (!b->weight || b->task == task) {
		b->task = task;
		b->weight = b->weight > HEAVY - weight ? HEAVY : b->weight + weight;
	} else if (b->weight >= weight) {
		b->weight -= weight;
	} else {
		b->task = task;
		b->weight = weight - b->weight;
	}
}

static void merge(struct tl_bucket *to, const struct tl_bucket *from)
{
	uint32_t busy = to->busy / 2 + from->busy / 2;

	vote(to, from->task, from->weight);
	to->busy = busy;
	to->switches = add16(to->switches, from->switches);
	to->wakeups = add16(to->wakeups, from->wakeups);
	to->migrations = add16(to->migrations, from->migrations);
	to->steals = add16(to->steals, from->steals);
	to->lost |= from->lost;
	if (from->worst_wait > to->worst_wait)
		to->worst_wait = from->worst_wait;
}

static void halve(struct tl_index *ix, struct tl_cpu *c)
{
	for (uint32_t i = 0; i < ix->nr_buckets / 2; i++) {
		struct tl_bucket b = c->bucket[2 * i];

		merge(&b, &c->bucket[2 * i + 1]);
		c->bucket[i] = b;
	}
	memset(c->bucket + ix->nr_buckets / 2, 0,
	       ix->nr_buckets / 2 * sizeof(*c->bucket));
}

/* Makes the buckets reach ts; a clock that leaps costs 56 doublings at most. */
static void reach(struct tl_index *ix, uint64_t ts)
{
	while (ts >= ix->bucket_ns * ix->nr_buckets) {
		for (unsigned i = 0; i < ix->nr_cpus; i++)
			if (ix->cpu[i].bucket)
				halve(ix, &ix->cpu[i]);
		ix->bucket_ns *= 2;
	}
	if (ts > ix->end)
		ix->end = ts;
}

static struct tl_bucket *bucket_at(struct tl_index *ix, struct tl_cpu *c, uint64_t ts)
{
	if (!c->bucket)
		c->bucket = xcalloc(ix->nr_buckets, sizeof(*c->bucket));
	return &c->bucket[ts / ix->bucket_ns];
}

/* task ran on the CPU from c->filled to ts. */
static void fill(struct tl_index *ix, struct tl_cpu *c, uint32_t task, uint64_t ts)
{
	while (c->filled < ts) {
		uint64_t end = (c->filled / ix->bucket_ns + 1) * ix->bucket_ns;
		uint64_t ns = (end < ts ? end : ts) - c->filled;

		if (task != TL_IDLE && task != TL_UNKNOWN) {
			struct tl_bucket *b = bucket_at(ix, c, c->filled);
			uint64_t share = ns * UINT32_MAX / ix->bucket_ns;

			if (ix->bucket_ns > UINT32_MAX) /* no overflow above */
				share = (uint64_t)((double)ns / (double)ix->bucket_ns *
						   UINT32_MAX);
			b->busy = b->busy + share > UINT32_MAX ? UINT32_MAX :
								 (uint32_t)(b->busy + share);
			vote(b, task, (uint32_t)(ns / 64 >= HEAVY ? HEAVY : ns / 64 + 1));
		}
		c->filled += ns;
	}
}

static uint32_t running(const struct tl_index *ix, unsigned cpu)
{
	const struct tl_cpu *c = &ix->cpu[cpu];

	return c->slice.n ? tl_slice(ix, cpu, c->slice.n - 1)->task : TL_UNKNOWN;
}

static void sift_down(struct tl_wait *heap, unsigned n, unsigned i)
{
	for (;;) {
		unsigned least = i;

		for (unsigned c = 2 * i + 1; c <= 2 * i + 2 && c < n; c++)
			if (heap[c].ns < heap[least].ns)
				least = c;
		if (least == i)
			return;
		struct tl_wait t = heap[i];
		heap[i] = heap[least];
		heap[least] = t;
		i = least;
	}
}

static void keep_worst(struct tl_index *ix, const struct tl_wait *w)
{
	if (ix->nr_worst < TL_WORST) {
		ix->worst[ix->nr_worst++] = *w;
		if (ix->nr_worst == TL_WORST)
			for (unsigned i = TL_WORST / 2; i-- > 0;)
				sift_down(ix->worst, TL_WORST, i);
	} else if (w->ns > ix->worst[0].ns) {
		ix->worst[0] = *w;
		sift_down(ix->worst, TL_WORST, 0);
	}
}

static struct tl_mark *tl_mark_mut(struct tl_index *ix, unsigned cpu, size_t i)
{
	return tl_at(&ix->store, &ix->cpu[cpu].mark, i);
}

static uint32_t wait_units(uint64_t ns)
{
	uint64_t units = (ns + 63) / 64;

	return units > UINT32_MAX ? UINT32_MAX : (uint32_t)units;
}

static void account_slice(struct tl_index *ix, struct tl_cpu *c, uint64_t ts)
{
	unsigned cpu = (unsigned)(c - ix->cpu);
	uint32_t task = running(ix, cpu);

	reach(ix, ts);
	if (task != TL_UNKNOWN && task < ix->nr_tasks && ts > c->filled) {
		struct tl_task *t = &ix->task[task];

		t->run_ns += ts - c->filled;
		t->last = ts;
	}
	fill(ix, c, task, ts);
}

#define MOST_CPUS 8192

/* More CPUs than the trace promised: made as they come. */
static bool need_cpu(struct tl_index *ix, unsigned cpu)
{
	if (cpu >= MOST_CPUS)
		return false;
	if (cpu >= ix->nr_cpus) {
		ix->cpu = xrealloc(ix->cpu, cpu + 1, sizeof(*ix->cpu));
		memset(ix->cpu + ix->nr_cpus, 0,
		       (cpu + 1 - ix->nr_cpus) * sizeof(*ix->cpu));
		ix->nr_cpus = cpu + 1;
	}
	return true;
}

int tl_add_slice(struct tl_index *ix, unsigned cpu, uint64_t ts, uint32_t task,
		 unsigned state, uint64_t wait_ns)
{
	struct tl_cpu *c;
	struct tl_slice *slice;
	struct tl_bucket *b;

	if (ts > TL_MAX_TIME || !need_cpu(ix, cpu))
		return 0;
	c = &ix->cpu[cpu];
	if (ts < c->filled) /* backwards: records stay sorted */
		ts = c->filled;
	account_slice(ix, c, ts);
	slice = tl_store_add(&ix->store, &c->slice, &ix->err);
	if (!slice)
		return -ix->err.code;
	*slice = (struct tl_slice){ ts, (uint8_t)state, task, wait_units(wait_ns) };
	b = bucket_at(ix, c, ts);
	b->switches = add16(b->switches, 1);
	if (slice->wait > b->worst_wait)
		b->worst_wait = slice->wait;
	if (wait_ns && task < ix->nr_tasks)
		keep_worst(ix, &(struct tl_wait){ ts, wait_ns, task, (uint16_t)cpu });
	if (task < ix->nr_tasks) {
		ix->task[task].cpu = (uint16_t)cpu;
		if (ts < ix->task[task].first)
			ix->task[task].first = ts;
	}
	ix->events++;
	return 0;
}

bool tl_is_steal(unsigned reason)
{
	return reason == REASON_STEAL || reason == REASON_STEAL_NEWIDLE ||
	       reason == REASON_STEAL_IDLE || reason == REASON_STEAL_BUSY;
}

static void account_mark(struct tl_index *ix, struct tl_bucket *b, const struct tl_mark *m)
{
	switch ((enum tl_mark_kind)m->kind) {
	case TL_WAKEUP:
		b->wakeups = add16(b->wakeups, 1);
		break;
	case TL_MIGRATE:
		b->migrations = add16(b->migrations, 1);
		if (m->task < ix->nr_tasks)
			ix->task[m->task].migrations++;
		if (tl_is_steal(m->reason)) {
			b->steals = add16(b->steals, 1);
			ix->steals++;
		}
		break;
	case TL_LOST:
		b->lost = 1;
		ix->lost++;
		break;
	}
}

/* Why a task moved may be known only some events later: such a mark comes late and
 * is put where it belongs, past at most LATE others. */
#define LATE 1000

static struct tl_mark *sorted_place(struct tl_index *ix, struct tl_cpu *c, uint64_t ts)
{
	unsigned cpu = (unsigned)(c - ix->cpu);
	size_t i = c->mark.n - 1;

	for (unsigned steps = 0; i > 0 && steps < LATE; steps++, i--) {
		if (tl_mark(ix, cpu, i - 1)->ts <= ts)
			break;
		*tl_mark_mut(ix, cpu, i) = *tl_mark(ix, cpu, i - 1);
	}
	return tl_mark_mut(ix, cpu, i);
}

int tl_add_mark(struct tl_index *ix, unsigned cpu, uint64_t ts, enum tl_mark_kind kind,
		uint32_t task, unsigned other_cpu, unsigned reason)
{
	struct tl_cpu *c;
	struct tl_mark *mark;

	if (ts > TL_MAX_TIME || !need_cpu(ix, cpu))
		return 0;
	c = &ix->cpu[cpu];
	reach(ix, ts);
	if (!tl_store_add(&ix->store, &c->mark, &ix->err))
		return -ix->err.code;
	mark = sorted_place(ix, c, ts);
	*mark = (struct tl_mark){ ts, (uint8_t)kind, task, (uint16_t)other_cpu,
				  (uint16_t)reason };
	account_mark(ix, bucket_at(ix, c, ts), mark);
	ix->events++;
	return 0;
}

static int longest_first(const void *x, const void *y)
{
	const struct tl_wait *a = x, *b = y;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

void tl_finish(struct tl_index *ix)
{
	for (unsigned i = 0; i < ix->nr_cpus; i++)
		if (ix->cpu[i].slice.n)
			account_slice(ix, &ix->cpu[i], ix->end);
	qsort(ix->worst, ix->nr_worst, sizeof(ix->worst[0]), longest_first);
	ix->finished = true;
	ix->progress = 1;
}
