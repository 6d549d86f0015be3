// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoding threads and the merge. One mutex guards the states of batches; it
 * is taken once per batch, not per event. The heap is keyed by each lane's next
 * time; the reader stays in the first lane while it is not later than the
 * second (event_stream.limit), so that a merge of two CPUs costs one compare.
 *
 * Whoever ran out of batches sleeps until there are several again, the reader as the
 * decoders: a wakeup costs as much as a batch, more so in a virtual machine.
 */
#include "event_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"

#define BATCH_BYTES (16u << 20) /* of all lanes together */
#define BATCH_MAX 2048
#define BATCH_MIN 64
#define THREADS_MAX 16
#define THREADS_WORTH (1u << 20) /* bytes; below, threads cost more than they give */

/* The key beside the lane: no look into the lanes while sifting. */
struct heap_node {
	uint64_t ts;
	uint32_t lane;
};

struct lane_stream {
	struct event_stream base;
	struct lane **lane;
	unsigned nr, cap;
	unsigned batch_max;
	struct lane_owner *own;
	size_t nr_own, cap_own;

	struct heap_node *heap; /* of lanes that have a next event */
	unsigned heap_nr;
	struct lane *top; /* whose events the base hands out; NULL: none yet */
	bool built;

	pthread_mutex_t lock;
	pthread_cond_t work, ready;
	pthread_t *thread;
	unsigned nr_threads;
	bool stop;
	uint32_t *queue; /* ring of lanes that have an empty batch */
	unsigned q_head, q_nr;
	struct lane *awaited;

	pthread_mutex_t comm_lock;
	struct event_scratch scratch; /* the reader's own */
};

struct event_stream *lane_stream_base(struct lane_stream *s)
{
	return &s->base;
}

void lane_stream_add(struct lane_stream *s, struct lane *l)
{
	GROW(s->lane, s->nr, s->cap);
	s->lane[s->nr++] = l;
	s->base.total_bytes += l->total_bytes;
}

void lane_stream_own(struct lane_stream *s, void (*close)(void *), void *owner)
{
	GROW(s->own, s->nr_own, s->cap_own);
	s->own[s->nr_own++] = (struct lane_owner){ close, owner };
}

/* Lock held. Whether the caller may fill the lane now; then it is busy. */
static bool claim(struct lane *l)
{
	if (l->busy || l->ended || l->batch[l->filling].state != BATCH_EMPTY)
		return false;
	l->busy = true;
	return true;
}

/* Lock held on entry and exit, not while decoding. */
static void fill_claimed(struct lane_stream *s, struct lane *l, struct event_scratch *scratch)
{
	struct batch *b = &l->batch[l->filling];
	int n;

	pthread_mutex_unlock(&s->lock);
	if (!b->ev)
		b->ev = xmalloc(s->batch_max * sizeof(*b->ev));
	n = l->ops->fill(l, scratch, b->ev, s->batch_max, &l->err);
	pthread_mutex_lock(&s->lock);
	b->n = n;
	b->bytes = l->done_bytes;
	b->state = BATCH_READY;
	l->nr_ready++;
	l->ended = n <= 0;
	l->filling = (l->filling + 1) % LANE_BATCHES;
	l->busy = false;
	if (s->awaited == l && (l->ended || l->nr_ready >= LANE_BATCHES / 2))
		pthread_cond_signal(&s->ready);
}

static void enqueue(struct lane_stream *s, struct lane *l, uint32_t index)
{
	if (l->queued || l->ended || !s->nr_threads || l->nr_ready > LANE_BATCHES / 2)
		return;
	l->queued = true;
	s->queue[(s->q_head + s->q_nr++) % s->nr] = index;
	pthread_cond_signal(&s->work);
}

static void *decode(void *arg)
{
	struct lane_stream *s = arg;
	struct event_scratch *scratch = xmalloc(sizeof(*scratch));

	event_scratch_init(scratch, &s->base.comms, &s->comm_lock);
	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		if (!s->q_nr) {
			pthread_cond_wait(&s->work, &s->lock);
			continue;
		}
		struct lane *l = s->lane[s->queue[s->q_head]];

		s->q_head = (s->q_head + 1) % s->nr;
		s->q_nr--;
		l->queued = false;
		while (!s->stop && claim(l))
			fill_claimed(s, l, scratch);
	}
	pthread_mutex_unlock(&s->lock);
	free(scratch);
	return NULL;
}

/*
 * Makes the lane's next batch its pos..end. Returns 1, 0 at the end of the
 * lane, -errno. The batch read so far is given back.
 */
static int next_batch(struct lane_stream *s, uint32_t index, struct err *err)
{
	struct lane *l = s->lane[index];
	struct batch *b;

	pthread_mutex_lock(&s->lock);
	if (l->end) {
		l->batch[l->reading].state = BATCH_EMPTY;
		l->nr_ready--;
		l->reading = (l->reading + 1) % LANE_BATCHES;
		enqueue(s, l, index);
	}
	b = &l->batch[l->reading];
	while (b->state != BATCH_READY) {
		if (claim(l)) {
			fill_claimed(s, l, &s->scratch);
			enqueue(s, l, index);
			continue;
		}
		s->awaited = l;
		pthread_cond_wait(&s->ready, &s->lock);
		s->awaited = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	s->base.done_bytes += b->bytes - l->seen_bytes;
	l->seen_bytes = b->bytes;
	if (b->n < 0) {
		err_set(err, -b->n, "%s", err_text(&l->err));
		return b->n;
	}
	l->pos = b->ev;
	l->end = b->ev + b->n;
	return b->n > 0;
}

static void sift_down(struct lane_stream *s, unsigned at)
{
	struct heap_node node = s->heap[at];

	for (;;) {
		unsigned child = 2 * at + 1;

		if (child >= s->heap_nr)
			break;
		if (child + 1 < s->heap_nr)
			child += s->heap[child + 1].ts < s->heap[child].ts;
		if (node.ts <= s->heap[child].ts)
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = node;
}

static int build_heap(struct lane_stream *s, struct err *err)
{
	s->built = true;
	for (uint32_t i = 0; i < s->nr; i++) {
		int ret = next_batch(s, i, err);

		if (ret < 0)
			return ret;
		if (ret)
			s->heap[s->heap_nr++] = (struct heap_node){ s->lane[i]->pos->ts, i };
	}
	for (unsigned i = s->heap_nr / 2; i-- > 0;)
		sift_down(s, i);
	return 0;
}

/* Hands out the events of the first lane up to the time of the second. */
static void expose_top(struct lane_stream *s)
{
	s->top = s->lane[s->heap[0].lane];
	s->base.pos = s->top->pos;
	s->base.end = s->top->end;
	/* where there are many lanes, this one's next event is far from any cache */
	__builtin_prefetch(s->top->pos + 2);
	s->base.limit = UINT64_MAX;
	if (s->heap_nr > 1)
		s->base.limit = s->heap[1].ts;
	if (s->heap_nr > 2 && s->heap[2].ts < s->base.limit)
		s->base.limit = s->heap[2].ts;
}

static void sum_counts(struct lane_stream *s)
{
	struct event_counts *sum = &s->base.counts;

	memset(sum, 0, sizeof(*sum));
	for (unsigned i = 0; i < s->nr; i++) {
		const struct event_counts *c = &s->lane[i]->counts;

		sum->events += c->events;
		sum->malformed += c->malformed;
		sum->lost += c->lost;
		sum->gaps += c->gaps;
		for (int t = 0; t < EV_NR; t++)
			sum->by_type[t] += c->by_type[t];
	}
}

static int lanes_refill(struct event_stream *base, struct err *err)
{
	struct lane_stream *s = (struct lane_stream *)base;
	int ret = 0;

	if (!s->built) {
		ret = build_heap(s, err);
		if (ret < 0)
			return ret;
	} else if (s->heap_nr) {
		s->top->pos = base->pos;
		if (base->pos == base->end) {
			ret = next_batch(s, s->heap[0].lane, err);
			if (ret < 0)
				return ret;
			if (!ret)
				s->heap[0] = s->heap[--s->heap_nr];
		}
		if (s->heap_nr) {
			s->heap[0].ts = s->lane[s->heap[0].lane]->pos->ts;
			sift_down(s, 0);
		}
	}
	if (!s->heap_nr) {
		base->pos = base->end = NULL;
		sum_counts(s);
		return 0;
	}
	expose_top(s);
	return 1;
}

static void lanes_close(struct event_stream *base)
{
	struct lane_stream *s = (struct lane_stream *)base;

	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->work);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < s->nr_threads; i++)
		pthread_join(s->thread[i], NULL);
	for (unsigned i = 0; i < s->nr; i++) {
		for (int b = 0; b < LANE_BATCHES; b++)
			free(s->lane[i]->batch[b].ev);
		err_release(&s->lane[i]->err);
		s->lane[i]->ops->close(s->lane[i]);
	}
	for (size_t i = 0; i < s->nr_own; i++)
		s->own[i].close(s->own[i].owner);
	free(s->own);
	free(s->lane);
	free(s->heap);
	free(s->queue);
	free(s->thread);
	strmap_release(&base->comms);
	notes_release(&base->notes);
	free(base->names);
	free(base->clock);
	free(base->uname);
	free(base->kernel_release);
	free(base->format);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->comm_lock);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->ready);
	free(s);
}

static const struct event_stream_ops lanes_ops = { lanes_refill, lanes_close };

struct lane_stream *lane_stream_new(void)
{
	struct lane_stream *s = xcalloc(1, sizeof(*s));

	s->base.ops = &lanes_ops;
	s->base.unit_known = true;
	s->base.comm_lock = &s->comm_lock;
	strmap_init(&s->base.comms);
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->comm_lock, NULL);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->ready, NULL);
	event_scratch_init(&s->scratch, &s->base.comms, &s->comm_lock);
	return s;
}

static unsigned threads_wanted(const struct lane_stream *s)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = cpus > 1 ? (unsigned)cpus - 1 : 0;

	if (s->base.total_bytes < THREADS_WORTH)
		return 0;
	if (n > s->nr)
		n = s->nr;
	return n > THREADS_MAX ? THREADS_MAX : n;
}

void lane_stream_start(struct lane_stream *s)
{
	unsigned want = threads_wanted(s);

	s->heap = xcalloc(s->nr ? s->nr : 1, sizeof(*s->heap));
	s->queue = xcalloc(s->nr ? s->nr : 1, sizeof(*s->queue));
	s->thread = xcalloc(want ? want : 1, sizeof(*s->thread));
	s->batch_max = BATCH_BYTES / LANE_BATCHES / sizeof(struct event) / (s->nr ? s->nr : 1);
	if (s->batch_max > BATCH_MAX)
		s->batch_max = BATCH_MAX;
	if (s->batch_max < BATCH_MIN)
		s->batch_max = BATCH_MIN;
	for (; s->nr_threads < want; s->nr_threads++)
		if (pthread_create(&s->thread[s->nr_threads], NULL, decode, s))
			break;
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < s->nr; i++)
		enqueue(s, s->lane[i], i);
	pthread_mutex_unlock(&s->lock);
}
