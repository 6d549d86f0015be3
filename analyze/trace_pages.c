// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ring buffer pages to events. A page is: time of its first event, commit (its
 * length, with two flags above), then records, each a word of 5 bits type and
 * 27 bits time since the one before. Pages come through a window of the file;
 * compressed chunks are unpacked into one buffer per lane.
 */
#include "trace_pages.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event_decode.h"
#include "file_window.h"
#include "schedblame/alloc.h"

enum { TYPE_DATA_MAX = 28, TYPE_PADDING = 29, TYPE_EXTEND = 30, TYPE_STAMP = 31 };

#define COMMIT_MASK ((1u << 27) - 1)
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30) /* how many stands behind the data */
#define STAMP_MSB (0xf8ULL << 56) /* an absolute stamp lacks the upper 5 bits */

struct dat_lane {
	struct lane base;
	const struct dat_file *d;
	const struct dat_buffer *b;
	uint16_t cpu;
	bool convert; /* ts needs more than an addition */
	bool tsc;     /* it counts ticks */
	int64_t add;

	const uint8_t *data; /* the next page; end of what is at hand */
	const uint8_t *data_end;
	struct dat_cursor chunks; /* packed data still to come */
	uint32_t chunks_left;
	uint8_t *unpacked;
	size_t unpacked_cap;

	const uint8_t *rec, *page_end;
	uint64_t ts;	  /* raw */
	uint64_t last_ts; /* converted, of the last record; 0: none yet */

	struct file_window window; /* over the pages; fd -1: data is all there is */
	uint64_t offset, end;	   /* of the next page, of the last one's end */
};

static inline uint32_t load32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return swap ? bswap_32(v) : v;
}

static inline uint64_t load64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return swap ? bswap_64(v) : v;
}

/* A guest's clock becomes the host's before ticks become nanoseconds. */
static uint64_t convert(const struct dat_lane *l, uint64_t ts)
{
	const struct dat_file *d = l->d;

	if (d->shift.nr_cpus)
		ts = time_shift_apply(&d->shift, l->cpu, ts);
	if (l->tsc)
		ts = (uint64_t)(((unsigned __int128)ts * d->tsc_mult) >> d->tsc_shift);
	return ts;
}

static inline uint64_t to_ns(const struct dat_lane *l, uint64_t ts)
{
	if (__builtin_expect(l->convert, 0))
		ts = convert(l, ts);
	return ts + (uint64_t)l->add;
}

/* The next page through the window. 1, 0 at the end. */
static int next_window(struct dat_lane *l)
{
	uint64_t left = l->end - l->offset;
	size_t need = left < l->b->page_size ? (size_t)left : l->b->page_size;

	if (need <= l->d->data_offset)
		return 0;
	l->data = file_window_get(&l->window, l->offset, need);
	if (!l->data)
		return 0;
	l->data_end = l->data + need;
	l->offset += need;
	l->base.done_bytes += need;
	return 1;
}

/* Unpacks the next chunk into the lane's buffer. 1, 0 at the end, -errno. */
static int next_chunk(struct dat_lane *l, struct err *err)
{
	uint32_t packed, size;
	const uint8_t *in;
	ssize_t n;

	if (!l->chunks_left)
		return 0;
	l->chunks_left--;
	packed = dat_u32(&l->chunks);
	size = dat_u32(&l->chunks);
	in = dat_bytes(&l->chunks, packed);
	if (!in || size > DAT_CHUNK_MAX)
		return err_set(err, EBADMSG, "%s: the packed data of CPU %u is cut short or "
			       "damaged", l->d->path, l->cpu);
	if (size > l->unpacked_cap) {
		free(l->unpacked);
		l->unpacked = xmalloc(size);
		l->unpacked_cap = size;
	}
	n = dat_unpack(l->d->codec, in, packed, l->unpacked, size);
	if (n < 0)
		return err_set(err, EBADMSG, "%s: the packed data of CPU %u at offset %zu "
			       "cannot be uncompressed", l->d->path, l->cpu,
			       (size_t)(in - l->d->data));
	l->base.done_bytes += packed;
	l->data = l->unpacked;
	l->data_end = l->unpacked + n;
	return 1;
}

static void lost_event(struct dat_lane *l, struct event *ev, const uint8_t *page,
		       uint64_t flags, size_t used, uint64_t until)
{
	uint64_t count = 0;

	if ((flags & MISSED_STORED) && used + l->d->commit_size <= l->b->page_size)
		count = l->d->commit_size == 8 ? load64(page + used, l->d->swap) :
						 load32(page + used, l->d->swap);
	memset(ev, 0, sizeof(*ev));
	ev->type = EV_LOST;
	ev->cpu = l->cpu;
	ev->cpu2 = CPU_NONE;
	ev->comm = COMM_NONE;
	ev->ts = l->last_ts && l->last_ts <= until ? l->last_ts : l->last_ts ? until : 0;
	ev->until = until;
	ev->count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
	l->base.counts.gaps++;
	l->base.counts.lost += count;
	l->base.counts.by_type[EV_LOST]++;
}

/*
 * Steps to the next page that holds anything. Returns 0 at the end, -errno,
 * else 1, or 2 when *ev was filled with a loss in front of the page.
 */
static int next_page(struct dat_lane *l, struct event *ev, struct err *err)
{
	const struct dat_file *d = l->d;

	for (;;) {
		const uint8_t *page = l->data;
		uint64_t commit;
		size_t used;

		if ((size_t)(l->data_end - page) <= d->data_offset) {
			int ret = l->window.fd >= 0 ? next_window(l) : next_chunk(l, err);

			if (ret <= 0)
				return ret;
			continue;
		}
		commit = d->commit_size == 8 ? load64(page + d->commit_offset, d->swap) :
					       load32(page + d->commit_offset, d->swap);
		used = d->data_offset + (commit & COMMIT_MASK);
		l->ts = load64(page, d->swap);
		l->rec = page + d->data_offset;
		if (used > l->b->page_size || used > (size_t)(l->data_end - page)) {
			l->base.counts.malformed++;
			used = d->data_offset;
		}
		l->page_end = page + used;
		l->data += (size_t)(l->data_end - page) < l->b->page_size ?
				   (size_t)(l->data_end - page) : l->b->page_size;
		if (commit & MISSED_EVENTS) {
			lost_event(l, ev, page, commit, used, to_ns(l, l->ts));
			return 2;
		}
		if (l->rec < l->page_end)
			return 1;
	}
}

static void take_stamp(struct dat_lane *l, uint64_t stamp)
{
	/* the upper bits are those of the time before, unless they just turned */
	if (l->ts & STAMP_MSB) {
		stamp |= l->ts & STAMP_MSB;
		if (stamp < l->ts && l->ts - stamp > 1ULL << 58)
			stamp += 1ULL << 59;
	}
	l->ts = stamp;
}

/* One record; returns 1 when *ev was filled. A broken one ends the page. */
static inline __attribute__((always_inline)) unsigned
take_record(struct dat_lane *l, struct event_scratch *scratch, struct event *ev, bool swap,
	    bool big_endian)
{
	const struct dat_file *d = l->d;
	const uint8_t *rec = l->rec;
	size_t left = (size_t)(l->page_end - rec), len;
	uint32_t word, type, delta;
	enum event_type what;

	if (left < 4)
		goto broken;
	word = load32(rec, swap);
	type = big_endian ? word >> 27 : word & 31;
	delta = big_endian ? word & 0x7ffffff : word >> 5;
	rec += 4;
	left -= 4;
	if (__builtin_expect(type - 1 < TYPE_DATA_MAX, 1)) {
		len = type * 4;
	} else {
		uint32_t v;

		if (type == TYPE_PADDING && !delta) {
			l->rec = l->page_end;
			return 0;
		}
		if (left < 4)
			goto broken;
		v = load32(rec, swap);
		if (type == TYPE_EXTEND || type == TYPE_STAMP) {
			uint64_t t = ((uint64_t)v << 27) + delta;

			if (type == TYPE_EXTEND)
				l->ts += t;
			else
				take_stamp(l, t);
			l->rec = rec + 4;
			return 0;
		}
		if (type == TYPE_PADDING) {
			if (v > left)
				goto broken;
			l->ts += delta;
			l->rec = rec + v;
			return 0;
		}
		if (v < 4)
			goto broken;
		rec += 4;
		left -= 4;
		len = ((size_t)v - 4 + 3) & ~(size_t)3;
	}
	if (len > left)
		goto broken;
	l->ts += delta;
	l->rec = rec + len;
	l->base.counts.events++;
	what = event_decode(d->layouts, scratch, rec, (unsigned)len, ev);
	if (what == EV_NR) {
		l->base.counts.malformed++;
		return 0;
	}
	l->last_ts = to_ns(l, l->ts);
	l->base.counts.by_type[what]++;
	if (what == EV_OTHER)
		return 0;
	ev->ts = l->last_ts;
	ev->cpu = l->cpu;
	return 1;
broken:
	l->base.counts.malformed++;
	l->rec = l->page_end;
	return 0;
}

/* Records of this page while there is room; byte orders are constants for the
 * compiler, so that the usual one has no tests left. */
static inline __attribute__((always_inline)) unsigned
take_records(struct dat_lane *l, struct event_scratch *scratch, struct event *out,
	     unsigned max, bool swap, bool big_endian)
{
	unsigned n = 0;

	while (n < max && l->rec < l->page_end)
		n += take_record(l, scratch, &out[n], swap, big_endian);
	return n;
}

static int lane_fill(struct lane *base, struct event_scratch *scratch, struct event *out,
		     unsigned max, struct err *err)
{
	struct dat_lane *l = (struct dat_lane *)base;
	const struct dat_file *d = l->d;
	unsigned n = 0;

	while (n < max) {
		if (l->rec >= l->page_end) {
			int ret = next_page(l, &out[n], err);

			if (ret < 0)
				return ret;
			if (!ret)
				break;
			n += ret == 2;
			continue;
		}
		if (!d->swap && !d->big_endian)
			n += take_records(l, scratch, &out[n], max - n, false, false);
		else
			n += take_records(l, scratch, &out[n], max - n, d->swap,
					  d->big_endian);
	}
	return (int)n;
}

static void lane_close(struct lane *base)
{
	struct dat_lane *l = (struct dat_lane *)base;

	free(l->unpacked);
	file_window_release(&l->window);
	free(l);
}

static const struct lane_ops dat_lane_ops = { lane_fill, lane_close };

struct lane *dat_lane_new(const struct dat_file *d, const struct dat_buffer *b,
			  const struct dat_cpu *cpu, int64_t offset_ns, size_t window)
{
	struct dat_lane *l = xcalloc(1, sizeof(*l));
	const uint8_t *at = d->data + cpu->offset;
	const char *clock = *b->clock ? b->clock : d->clock; /* version 6: one for all */

	l->base.ops = &dat_lane_ops;
	l->base.total_bytes = cpu->size;
	l->d = d;
	l->b = b;
	l->cpu = (uint16_t)cpu->cpu;
	l->tsc = d->tsc_mult && clock && strstr(clock, "tsc");
	l->convert = l->tsc || d->shift.nr_cpus;
	l->add = d->ts_offset + offset_ns;
	l->window.fd = -1;
	if (b->compressed) {
		/* the size told does not count the number of chunks in front */
		l->chunks = (struct dat_cursor){ at, at, d->data + d->len, d->swap, false };
		l->chunks_left = cpu->size >= 4 ? dat_u32(&l->chunks) : 0;
		l->data = l->data_end = d->data;
	} else if (d->fd >= 0) {
		l->offset = cpu->offset;
		l->end = cpu->offset + cpu->size;
		file_window_init(&l->window, d->fd, l->offset, l->end,
				 (window + b->page_size - 1) / b->page_size * b->page_size);
		l->data = l->data_end = d->data;
	} else {
		l->data = at;
		l->data_end = at + cpu->size;
	}
	return &l->base;
}
