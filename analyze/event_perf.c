// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoint samples of a perf.data as a lane. Records stand in order of time
 * per CPU only, in rounds: what was read up to one PERF_RECORD_FINISHED_ROUND is
 * older than anything behind the next one. So events queue per CPU and a heap
 * of CPUs gives them out as far as the rounds allow. The file is read once, and
 * memory is what two rounds hold.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event_decode.h"
#include "event_open.h"
#include "file_window.h"
#include "perf_plain.h"
#include "schedblame/alloc.h"
#include "schedblame/perf_file.h"
#include "trace_dat.h"

#define QUEUED_MAX (1u << 20) /* events; beyond, half is given out in any case */
#define WINDOW (256u << 10)

/* Events of one CPU, a ring; head and tail count without end. */
struct cpu_queue {
	struct event *ev;
	uint32_t cap; /* a power of 2 */
	uint32_t head, tail;
	uint64_t last_ts;
	bool open_loss; /* the newest is a loss whose end is not known yet */
};

struct perf_lane {
	struct lane base;
	struct perf_file pf;
	struct dat_file tracing; /* formats; layouts live in it */
	struct event_layouts *layouts;
	int64_t offset;
	struct cpu_queue *queue;
	unsigned nr_queues;
	uint16_t *heap; /* CPUs with events, by the oldest */
	unsigned heap_nr, heap_cap;
	uint32_t queued;
	uint64_t newest, newest_before; /* times, as of the last two rounds */
	uint64_t give_until;
	bool at_end;
	/* plain files: records through a window; fd -1: by perf_file_next() */
	struct file_window window;
	uint64_t pos;
	struct perf_plain plain;
};

static bool is_perf_data(const unsigned char *head, size_t len)
{
	return len >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8) ||
			    !memcmp(head, "PERFFILE", 8));
}

static inline struct event *oldest(const struct cpu_queue *q)
{
	return &q->ev[q->head & (q->cap - 1)];
}

static inline uint64_t heap_key(const struct perf_lane *l, unsigned at)
{
	return oldest(&l->queue[l->heap[at]])->ts;
}

static void heap_swap(struct perf_lane *l, unsigned a, unsigned b)
{
	uint16_t t = l->heap[a];

	l->heap[a] = l->heap[b];
	l->heap[b] = t;
}

static void heap_down(struct perf_lane *l, unsigned at)
{
	for (;;) {
		unsigned child = 2 * at + 1;

		if (child >= l->heap_nr)
			return;
		if (child + 1 < l->heap_nr && heap_key(l, child + 1) < heap_key(l, child))
			child++;
		if (heap_key(l, at) <= heap_key(l, child))
			return;
		heap_swap(l, at, child);
		at = child;
	}
}

static void heap_push(struct perf_lane *l, uint16_t cpu)
{
	unsigned at = l->heap_nr;

	GROW(l->heap, l->heap_nr, l->heap_cap);
	l->heap[l->heap_nr++] = cpu;
	while (at && heap_key(l, at) < heap_key(l, (at - 1) / 2)) {
		heap_swap(l, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

static struct cpu_queue *new_queue(struct perf_lane *l, uint32_t cpu)
{
	if (cpu >= CPU_NONE)
		return NULL;
	l->queue = xrealloc(l->queue, cpu + 1, sizeof(*l->queue));
	memset(l->queue + l->nr_queues, 0, (cpu + 1 - l->nr_queues) * sizeof(*l->queue));
	l->nr_queues = cpu + 1;
	return &l->queue[cpu];
}

static inline struct cpu_queue *queue_of(struct perf_lane *l, uint32_t cpu)
{
	return cpu < l->nr_queues ? &l->queue[cpu] : new_queue(l, cpu);
}

static void grow_queue(struct cpu_queue *q)
{
	uint32_t n = q->tail - q->head, cap = q->cap ? q->cap * 2 : 256;
	struct event *ev = xmalloc(cap * sizeof(*ev));

	for (uint32_t i = 0; i < n; i++)
		ev[i] = q->ev[(q->head + i) & (q->cap - 1)];
	free(q->ev);
	q->ev = ev;
	q->cap = cap;
	q->head = 0;
	q->tail = n;
}

/* Room for one more event at the queue's end; push_done() takes it in. */
static struct event *push_slot(struct cpu_queue *q)
{
	if (q->tail - q->head == q->cap)
		grow_queue(q);
	return &q->ev[q->tail & (q->cap - 1)];
}

static void push_done(struct perf_lane *l, struct cpu_queue *q, uint64_t ts)
{
	if (q->open_loss && q->tail != q->head)
		q->ev[(q->tail - 1) & (q->cap - 1)].until = ts;
	q->open_loss = false;
	q->tail++;
	l->queued++;
	q->last_ts = ts;
	if (ts > l->newest)
		l->newest = ts;
	if (q->tail - q->head == 1)
		heap_push(l, (uint16_t)(q - l->queue));
}

/* The same of any sample; no raw data where it is no tracepoint's. */
static bool parse_sample(struct perf_lane *l, const struct perf_record *rec,
			 struct perf_sample *s)
{
	if (l->plain.is && perf_plain_parse(&l->plain, &l->pf, rec, s))
		return true;
	if (!perf_sample_parse(&l->pf, rec, s) || !s->has_time)
		return false;
	if (l->pf.attr[s->attr].type != PERF_TYPE_TRACEPOINT)
		s->raw = NULL;
	return true;
}

static void take_sample(struct perf_lane *l, const struct perf_record *rec,
			struct event_scratch *scratch)
{
	struct perf_sample s;
	struct cpu_queue *q;
	struct event *ev;
	enum event_type type;
	uint64_t ts;

	l->base.counts.events++;
	if (!parse_sample(l, rec, &s)) {
		l->base.counts.malformed++;
		return;
	}
	if (!s.raw || !s.raw_len || !(q = queue_of(l, s.cpu))) {
		l->base.counts.by_type[EV_OTHER]++;
		return;
	}
	ev = push_slot(q);
	type = event_decode(l->layouts, scratch, s.raw, s.raw_len, ev);
	if (type == EV_NR) {
		l->base.counts.malformed++;
		return;
	}
	l->base.counts.by_type[type]++;
	if (type == EV_OTHER)
		return;
	ts = s.time + (uint64_t)l->offset;
	ev->ts = ts;
	ev->cpu = (uint16_t)s.cpu;
	push_done(l, q, ts);
}

/* A loss lies between the last event of its CPU and the next one. */
static void take_lost(struct perf_lane *l, const struct perf_record *rec)
{
	uint64_t n = perf_record_lost(&l->pf, rec), ts;
	struct perf_sample s;
	struct cpu_queue *q;
	struct event *ev;

	if (!n)
		return;
	l->base.counts.lost += n;
	l->base.counts.gaps++;
	l->base.counts.by_type[EV_LOST]++;
	if (!perf_record_id(&l->pf, rec, &s) || !(q = queue_of(l, s.cpu)) || q->open_loss)
		return;
	ts = s.has_time ? s.time + (uint64_t)l->offset : q->last_ts;
	ev = push_slot(q);
	memset(ev, 0, sizeof(*ev));
	ev->type = EV_LOST;
	ev->cpu = (uint16_t)s.cpu;
	ev->cpu2 = CPU_NONE;
	ev->comm = COMM_NONE;
	ev->ts = q->last_ts && q->last_ts <= ts ? q->last_ts : ts;
	ev->until = ts;
	ev->count = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	ts = ev->ts;
	push_done(l, q, ts);
	q->open_loss = true;
}

static void end_round(struct perf_lane *l)
{
	l->give_until = l->newest_before;
	l->newest_before = l->newest;
}

/* The next record of a plain file. 1, 0 at the end or where it is damaged. */
static int next_plain(struct perf_lane *l, struct perf_record *rec)
{
	const unsigned char *p = file_window_get(&l->window, l->pos, 8);

	if (!p)
		return 0;
	rec->type = perf_u32(&l->pf, p);
	rec->misc = perf_u16(&l->pf, p + 4);
	rec->size = perf_u16(&l->pf, p + 6);
	rec->offset = l->pos;
	if (rec->size < 8 || !(p = file_window_get(&l->window, l->pos, rec->size))) {
		l->base.counts.malformed++;
		return 0;
	}
	rec->data = p;
	l->pos += rec->size;
	if (rec->type == PERF_RECORD_AUXTRACE && rec->size >= 16)
		l->pos += perf_u64(&l->pf, p + 8);
	return 1;
}

static int next_record(struct perf_lane *l, struct perf_record *rec, struct err *err)
{
	return l->window.fd >= 0 ? next_plain(l, rec) : perf_file_next(&l->pf, rec, err);
}

/* Reads records until events may be given out. */
static int read_on(struct perf_lane *l, struct event_scratch *scratch, struct err *err)
{
	struct perf_record rec;
	int ret;

	while ((ret = next_record(l, &rec, err)) > 0) {
		l->base.done_bytes = rec.offset;
		if (rec.type == PERF_RECORD_SAMPLE) {
			take_sample(l, &rec, scratch);
		} else if (rec.type == PERF_RECORD_FINISHED_ROUND) {
			end_round(l);
			if (l->heap_nr && heap_key(l, 0) <= l->give_until)
				return 0;
		} else {
			take_lost(l, &rec);
		}
		if (l->queued >= QUEUED_MAX) { /* no rounds: as good as it gets */
			uint64_t first = heap_key(l, 0);

			l->give_until = first + (l->newest - first) / 2;
			return 0;
		}
	}
	if (ret < 0)
		return ret;
	l->at_end = true;
	l->give_until = UINT64_MAX;
	return 0;
}

/* Time of the second CPU in the heap. */
static uint64_t second_key(const struct perf_lane *l)
{
	uint64_t key = UINT64_MAX;

	for (unsigned at = 1; at < l->heap_nr && at <= 2; at++)
		key = heap_key(l, at) < key ? heap_key(l, at) : key;
	return key;
}

/* Events of the first CPU, up to the time of the second one. At least one. */
static unsigned give(struct perf_lane *l, struct event *out, unsigned max)
{
	struct cpu_queue *q = &l->queue[l->heap[0]];
	uint64_t until = second_key(l);
	unsigned n = 0;

	if (until > l->give_until)
		until = l->give_until;
	do
		out[n++] = q->ev[q->head++ & (q->cap - 1)];
	while (n < max && q->head != q->tail && oldest(q)->ts <= until);
	l->queued -= n;
	if (q->head == q->tail)
		l->heap[0] = l->heap[--l->heap_nr];
	if (l->heap_nr)
		heap_down(l, 0);
	return n;
}

static int perf_fill(struct lane *base, struct event_scratch *scratch, struct event *out,
		     unsigned max, struct err *err)
{
	struct perf_lane *l = (struct perf_lane *)base;
	unsigned n = 0;

	while (n < max) {
		if (!l->heap_nr || heap_key(l, 0) > l->give_until) {
			int ret;

			if (l->at_end)
				break;
			ret = read_on(l, scratch, err);
			if (ret < 0)
				return ret;
			continue;
		}
		n += give(l, out + n, max - n);
	}
	return (int)n;
}

static void perf_close(struct lane *base)
{
	struct perf_lane *l = (struct perf_lane *)base;

	for (unsigned i = 0; i < l->nr_queues; i++)
		free(l->queue[i].ev);
	free(l->queue);
	free(l->heap);
	perf_plain_release(&l->plain);
	file_window_release(&l->window);
	dat_close(&l->tracing);
	perf_file_close(&l->pf);
	free(l);
}

static const struct lane_ops perf_lane_ops = { perf_fill, perf_close };

/* Formats: the blob is the head of a trace.dat of an older version. */
static int read_formats(struct perf_lane *l, const char *name, struct err *err)
{
	struct perf_section t = perf_file_tracing_data(&l->pf);
	struct dat_file *d = &l->tracing;
	struct dat_cursor c = { t.data, t.data, t.data + t.len, l->pf.swap, false };
	int ret;

	strbuf_init(&d->cpustat);
	strbuf_init(&d->cmdlines);
	d->path = xstrdup(name);
	d->layouts = l->layouts = event_layouts_new(l->pf.swap);
	if (!t.data)
		return err_set(err, ENODATA, "%s holds no tracepoint formats; record it with "
			       "'perf sched record' or 'perf record -e sched:*'", name);
	dat_bytes(&c, 10); /* mark */
	dat_string(&c);	   /* version "0.5", "0.6" */
	dat_bytes(&c, 2);  /* byte order, long size */
	dat_u32(&c);	   /* page size */
	ret = dat_read_headers(d, &c, err);
	if (!ret)
		ret = dat_read_ftrace_formats(d, &c, err);
	if (!ret)
		ret = dat_read_event_formats(d, &c, err);
	return ret;
}

static void take_facts(struct event_stream *base, struct perf_lane *l)
{
	char *release = perf_file_string(&l->pf, PERF_FEATURE_OSRELEASE);

	event_stream_set(&base->format, "perf.data");
	event_stream_set(&base->clock, "perf");
	if (release)
		event_stream_set(&base->kernel_release, release);
	free(release);
	for (unsigned i = 0; i < l->layouts->nr; i++)
		base->expect[l->layouts->v[i].type] = true;
	notes_merge(&base->notes, &l->pf.notes);
}

static int add_perf_data(struct lane_stream *s, const struct event_input *in,
			 const struct input *input, struct err *err)
{
	struct perf_lane *l = xcalloc(1, sizeof(*l));
	int ret = perf_file_open_memory(&l->pf, input->data, input->len, input->name, err);

	if (ret) {
		free(l);
		return ret;
	}
	l->base.ops = &perf_lane_ops;
	l->base.total_bytes = input->len;
	l->offset = in->offset_ns;
	l->window.fd = -1;
	perf_plain_find(&l->plain, &l->pf);
	l->pos = l->pf.first;
	if (input->fd >= 0 && !l->pf.pipe && !l->pf.feature[PERF_FEATURE_COMPRESSED].data)
		file_window_init(&l->window, input->fd, l->pos, l->pf.end, WINDOW);
	ret = read_formats(l, input->name, err);
	if (ret) {
		perf_close(&l->base);
		return ret;
	}
	take_facts(lane_stream_base(s), l);
	lane_stream_add(s, &l->base);
	return 0;
}

const struct event_format format_perf_data = { "perf.data", is_perf_data, add_perf_data };
