// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoint samples of a perf.data as a lane: records to events, and the events
 * into the order of time, round by round (perf_rounds.h). The file is read once,
 * and memory is bounded by QUEUED_MAX events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event_decode.h"
#include "event_open.h"
#include "file_window.h"
#include "perf_plain.h"
#include "perf_rounds.h"
#include "schedblame/alloc.h"
#include "schedblame/perf_file.h"
#include "trace_dat.h"

#define QUEUED_MAX (1u << 20) /* events; beyond, half is given out in any case */
#define AHEAD (128u << 10)	 /* events; with so many queued nothing is read ahead */
#define WINDOW (256u << 10)

/* Why reading paused. */
enum pause { PAUSE_NONE, PAUSE_ROUND, PAUSE_FULL, PAUSE_END, PAUSE_FAILED };

struct perf_lane {
	struct lane base;
	struct perf_file pf;
	struct dat_file tracing; /* formats; layouts live in it */
	struct event_layouts *layouts;
	int64_t offset;
	struct perf_rounds rounds;
	enum pause pause;
	int error; /* of PAUSE_FAILED */
	uint64_t given; /* events, so far */
	/* plain files: records through a window; fd -1: by perf_file_next() */
	struct file_window window;
	uint64_t pos;
	struct perf_plain plain;
	bool fixed; /* the window's samples by fixed places, in our byte order */
};

static bool is_perf_data(const unsigned char *head, size_t len)
{
	return len >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8) ||
			    !memcmp(head, "PERFFILE", 8));
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
	struct round_queue *q;
	struct event *ev;
	enum event_type type;

	l->base.counts.events++;
	if (!parse_sample(l, rec, &s)) {
		l->base.counts.malformed++;
		return;
	}
	if (!s.raw || !s.raw_len || !(q = rounds_queue(&l->rounds, s.cpu))) {
		l->base.counts.by_type[EV_OTHER]++;
		return;
	}
	ev = rounds_slot(&l->rounds, q);
	type = event_decode(l->layouts, scratch, s.raw, s.raw_len, ev);
	if (type == EV_NR) {
		l->base.counts.malformed++;
		return;
	}
	l->base.counts.by_type[type]++;
	if (type == EV_OTHER)
		return;
	ev->ts = s.time + (uint64_t)l->offset;
	ev->cpu = (uint16_t)s.cpu;
	rounds_push(&l->rounds, q, ev->ts);
}

/* A loss lies between the last event of its CPU and the next one. */
static void take_lost(struct perf_lane *l, const struct perf_record *rec)
{
	uint64_t n = perf_record_lost(&l->pf, rec), ts;
	struct perf_sample s;
	struct round_queue *q;
	struct event *ev;

	if (!n)
		return;
	l->base.counts.lost += n;
	l->base.counts.gaps++;
	l->base.counts.by_type[EV_LOST]++;
	if (!perf_record_id(&l->pf, rec, &s) || !(q = rounds_queue(&l->rounds, s.cpu)) ||
	    q->open_loss)
		return;
	ts = s.has_time ? s.time + (uint64_t)l->offset : q->last_ts;
	ev = rounds_slot(&l->rounds, q);
	memset(ev, 0, sizeof(*ev));
	ev->type = EV_LOST;
	ev->cpu = (uint16_t)s.cpu;
	ev->cpu2 = CPU_NONE;
	ev->comm = COMM_NONE;
	ev->ts = q->last_ts && q->last_ts <= ts ? q->last_ts : ts;
	ev->until = ts;
	ev->count = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	rounds_push(&l->rounds, q, ev->ts);
	q->open_loss = true;
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

/* Where things stand in a sample, from its header on; the loop's own copy. */
struct fixed {
	const uint8_t *id; /* see perf_plain */
	uint64_t first_id, nr_ids;
	unsigned time, cpu, raw;
	unsigned need; /* bytes of raw data that hold the type */
	unsigned type;
};

static struct fixed fixed_places(const struct perf_lane *l)
{
	const struct perf_layout *at = &l->plain.attr.sample;

	return (struct fixed){ l->plain.id, l->plain.first_id, l->plain.nr_ids,
			       PERF_HEADER + (unsigned)at->time, PERF_HEADER + (unsigned)at->cpu,
			       PERF_HEADER + (unsigned)at->fixed + 4, l->layouts->type_offset + 2,
			       l->layouts->type_offset };
}

static inline bool has_fixed_places(const struct fixed *f, const uint8_t *rec, unsigned size,
				    uint32_t *raw_len)
{
	uint64_t id;

	if (size < f->raw + f->need)
		return false;
	memcpy(raw_len, rec + f->raw - 4, 4);
	if (*raw_len < f->need || *raw_len > size - f->raw)
		return false;
	if (!f->id)
		return true;
	memcpy(&id, rec + PERF_HEADER, 8);
	id -= f->first_id;
	return id < f->nr_ids && f->id[id];
}

/* A sample by fixed places. False: it needs a closer look. */
static inline bool take_fixed_sample(struct perf_lane *l, const struct fixed *f,
				     struct event_scratch *scratch, const uint8_t *rec,
				     unsigned size, uint64_t *others)
{
	const struct event_layout *e;
	struct round_queue *q;
	struct event *ev;
	uint32_t raw_len, cpu;
	uint64_t time;
	uint16_t type;

	if (!has_fixed_places(f, rec, size, &raw_len))
		return false;
	memcpy(&type, rec + f->raw + f->type, 2);
	e = &l->layouts->v[l->layouts->by_id[type]];
	if (e->type == EV_OTHER) {
		++*others;
		return true;
	}
	memcpy(&cpu, rec + f->cpu, 4);
	if (!e->plain || raw_len < e->min_len || !(q = rounds_queue(&l->rounds, cpu)))
		return false;
	ev = rounds_slot(&l->rounds, q);
	event_decode_plain(e, scratch, rec + f->raw, ev);
	memcpy(&time, rec + f->time, 8);
	ev->ts = time + (uint64_t)l->offset;
	ev->cpu = (uint16_t)cpu;
	l->base.counts.by_type[e->type]++;
	rounds_push(&l->rounds, q, ev->ts);
	return true;
}

/* Samples by fixed places, as many as the window holds in a row. */
static void take_fixed(struct perf_lane *l, struct event_scratch *scratch, uint64_t records)
{
	const struct fixed f = fixed_places(l);
	uint64_t others = 0, n = 0, room = QUEUED_MAX - l->rounds.queued;
	size_t left;
	const uint8_t *p = file_window_rest(&l->window, l->pos, &left);

	if (records > room)
		records = room;
	for (; n < records && left >= PERF_HEADER; n++) {
		struct perf_event_header h;

		memcpy(&h, p, sizeof(h));
		if (h.type != PERF_RECORD_SAMPLE || h.size > left ||
		    !take_fixed_sample(l, &f, scratch, p, h.size, &others))
			break;
		p += h.size;
		left -= h.size;
		l->pos += h.size;
	}
	l->base.counts.events += n;
	l->base.counts.by_type[EV_OTHER] += others;
	l->base.done_bytes = l->pos;
	if (l->rounds.queued >= QUEUED_MAX)
		l->pause = PAUSE_FULL;
}

/* One record in any way; a round's end, too many events or the file's end pause. */
static void read_record(struct perf_lane *l, struct event_scratch *scratch, struct err *err)
{
	struct perf_record rec;
	int ret = next_record(l, &rec, err);

	if (ret <= 0) {
		l->pause = ret ? PAUSE_FAILED : PAUSE_END;
		l->error = ret;
		return;
	}
	l->base.done_bytes = rec.offset;
	if (rec.type == PERF_RECORD_SAMPLE)
		take_sample(l, &rec, scratch);
	else if (rec.type == PERF_RECORD_FINISHED_ROUND)
		l->pause = PAUSE_ROUND;
	else
		take_lost(l, &rec);
	if (!l->pause && l->rounds.queued >= QUEUED_MAX)
		l->pause = PAUSE_FULL;
}

/* Reads up to so many records, or until something pauses. */
static void read_on(struct perf_lane *l, struct event_scratch *scratch, uint64_t records,
		    struct err *err)
{
	const uint64_t from = l->base.counts.events;

	while (!l->pause && l->base.counts.events - from < records) {
		if (l->fixed)
			take_fixed(l, scratch, records - (l->base.counts.events - from));
		if (!l->pause)
			read_record(l, scratch, err);
	}
}

/*
 * Nothing may go any more: reads to the end of the round and lets those events go
 * that it allows. 1, 0 at the end of all, -errno.
 */
static int next_round(struct perf_lane *l, struct event_scratch *scratch, struct err *err)
{
	enum pause pause;

	if (l->pause == PAUSE_FULL && l->rounds.queued < QUEUED_MAX)
		l->pause = PAUSE_NONE; /* it was full of what has gone since */
	read_on(l, scratch, UINT64_MAX, err);
	pause = l->pause;
	l->pause = PAUSE_NONE;
	switch (pause) {
	case PAUSE_ROUND:
		rounds_end(&l->rounds);
		return 1;
	case PAUSE_END:
		rounds_end_all(&l->rounds);
		l->pause = PAUSE_END;
		return rounds_ready(&l->rounds);
	case PAUSE_FULL: /* no rounds: as good as it gets */
		rounds_end_half(&l->rounds);
		return 1;
	default:
		return l->error;
	}
}

/*
 * Reads on after n events were given out, about twice as many as went, through the
 * ends of rounds: a round may be a hundred times as long as the one before it, and
 * whoever takes the events must not wait until it is read.
 */
static void read_ahead(struct perf_lane *l, struct event_scratch *scratch, unsigned n,
		       struct err *err)
{
	const uint64_t from = l->base.counts.events;
	const uint64_t want = 2 * n * from / (l->given + l->rounds.queued);

	while (l->rounds.queued < AHEAD) {
		uint64_t done = l->base.counts.events - from;

		if (done < want)
			read_on(l, scratch, want - done, err);
		if (l->pause != PAUSE_ROUND)
			break;
		rounds_end(&l->rounds);
		l->pause = PAUSE_NONE;
	}
}

/* Gives out what may go, then reads on, so that the next events may go soon. */
static int perf_fill(struct lane *base, struct event_scratch *scratch, struct event *out,
		     unsigned max, struct err *err)
{
	struct perf_lane *l = (struct perf_lane *)base;
	unsigned n = 0;

	while (n < max) {
		if (rounds_ready(&l->rounds)) {
			n += rounds_give(&l->rounds, out + n, max - n);
		} else {
			int ret = next_round(l, scratch, err);

			if (ret < 0)
				return ret;
			if (!ret)
				break;
		}
	}
	l->given += n;
	if (n)
		read_ahead(l, scratch, n, err);
	return (int)n;
}

static void perf_close(struct lane *base)
{
	struct perf_lane *l = (struct perf_lane *)base;

	rounds_release(&l->rounds);
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
	struct dat_cursor c;
	int ret;

	strbuf_init(&d->cpustat);
	strbuf_init(&d->cmdlines);
	d->path = xstrdup(name);
	d->layouts = l->layouts = event_layouts_new(l->pf.swap);
	if (!t.data)
		return err_set(err, ENODATA, "%s holds no tracepoint formats; record it with "
			       "'perf sched record' or 'perf record -e sched:*'", name);
	c = (struct dat_cursor){ t.data, t.data, t.data + t.len, l->pf.swap, false };
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
	l->fixed = l->window.fd >= 0 && l->plain.is && !l->pf.swap;
	take_facts(lane_stream_base(s), l);
	lane_stream_add(s, &l->base);
	return 0;
}

const struct event_format format_perf_data = { "perf.data", is_perf_data, add_perf_data };
