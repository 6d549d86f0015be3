// SPDX-License-Identifier: GPL-2.0-or-later
/* Emptying the rings: records go from the ring to the file as they are. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf_event.h"

/* What perf's session layer calls the end of one look at all rings; it sorts
 * by time no further back than one round. */
#define RECORD_FINISHED_ROUND 68

/* A ring's content, which may wrap around its end. */
struct ring_view {
	const char *data;
	size_t mask;
	uint64_t tail, head;
};

static struct ring_view view(const struct sampler *s, const struct sampler_cpu *c)
{
	const struct perf_event_mmap_page *page = c->map;

	return (struct ring_view){
		.data = (const char *)c->map + sysconf(_SC_PAGESIZE),
		.mask = s->ring_size - 1,
		.tail = page->data_tail,
		.head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE),
	};
}

/* Records start at multiples of 8 but may wrap at any such place. */
static uint64_t get_u64(const struct ring_view *v, uint64_t at)
{
	uint64_t x;

	memcpy(&x, v->data + (at & v->mask), sizeof(x));
	return x;
}

static void count_sample(struct sampler *s, uint64_t time)
{
	s->samples++;
	if (!s->first_ns || time < s->first_ns)
		s->first_ns = time;
	if (time > s->last_ns)
		s->last_ns = time;
}

/* Counts samples and losses; returns the number of samples. */
static uint64_t count(struct sampler *s, const struct ring_view *v)
{
	uint64_t before = s->samples, at = v->tail;

	while (at < v->head) {
		struct perf_event_header h;
		uint64_t word = get_u64(v, at);

		memcpy(&h, &word, sizeof(h));
		if (h.size < sizeof(h))
			break;
		if (h.type == PERF_RECORD_SAMPLE)
			count_sample(s, get_u64(v, at + SAMPLE_TIME_OFFSET));
		else if (h.type == PERF_RECORD_LOST)
			s->lost += get_u64(v, at + 16);
		else if (h.type == PERF_RECORD_LOST_SAMPLES)
			s->lost += get_u64(v, at + 8);
		else if (h.type == PERF_RECORD_THROTTLE)
			s->throttled++;
		at += h.size;
	}
	return s->samples - before;
}

static void drain(struct sampler *s, struct sampler_cpu *c, struct perf_writer *w)
{
	struct perf_event_mmap_page *page = c->map;
	struct ring_view v = view(s, c);
	size_t len = (size_t)(v.head - v.tail), first = s->ring_size - (v.tail & v.mask);
	uint64_t samples;

	if (!len)
		return;
	if (first > len)
		first = len;
	samples = count(s, &v);
	if (!perf_writer_add(w, v.data + (v.tail & v.mask), first, v.data, len - first)) {
		s->samples -= samples;
		s->dropped += samples;
	}
	__atomic_store_n(&page->data_tail, v.head, __ATOMIC_RELEASE);
}

/* A look at the rings costs two loads; the disk is asked when half is full. */
static bool worth_it(const struct sampler *s)
{
	for (size_t i = 0; i < s->nr_cpus; i++) {
		struct ring_view v = view(s, s->cpu + i);

		if (v.head - v.tail > s->ring_size / 4)
			return true;
	}
	return false;
}

void sampler_drain(struct sampler *s, struct perf_writer *w, bool all)
{
	static const struct perf_event_header round = {
		.type = RECORD_FINISHED_ROUND, .size = sizeof(round)
	};

	if (!all && !worth_it(s))
		return;
	for (size_t i = 0; i < s->nr_cpus; i++)
		drain(s, s->cpu + i, w);
	perf_writer_put(w, &round, sizeof(round));
}

/* The kernel's own count of lost records of one event; 0 where it keeps none. */
static uint64_t event_lost(const struct sampler *s, int fd)
{
	uint64_t value[3] = { 0 };

	if (!(s->attr.read_format & PERF_FORMAT_LOST) ||
	    read(fd, value, sizeof(value)) < (ssize_t)sizeof(value))
		return 0;
	return value[2];
}

void sampler_count_lost(struct sampler *s, struct perf_writer *w)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->nr_cpus; i++)
		total += event_lost(s, s->cpu[i].fd) + event_lost(s, s->cpu[i].dummy_fd);
	if (total > s->lost) {
		struct {
			struct perf_event_header header;
			uint64_t id, lost;
			char sample_id[SAMPLE_ID_SIZE];
		} record = {
			.header = { .type = PERF_RECORD_LOST, .size = sizeof(record) },
			.id = s->cpu[0].id,
			.lost = total - s->lost,
		};

		perf_writer_put(w, &record, sizeof(record));
		s->lost = total;
	}
}
