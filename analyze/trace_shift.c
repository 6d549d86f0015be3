// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The option: id of the host's recording (8 bytes), flags (4), number of CPUs
 * (4); per CPU the number of samples (4), their times, offsets and scalings, 8
 * bytes each; behind all CPUs, since trace-cmd 3.1, the fraction bits of each
 * sample. Times are what trace-cmd report shows, also in what is odd about it:
 * a single sample is not scaled.
 */
#include "trace_shift.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "trace_dat.h"

#define FLAG_INTERPOLATE 1u
#define SAMPLE_BYTES 24

static int compare_samples(const void *a, const void *b)
{
	const struct shift_sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* In order of time, each time once. */
static void sort_samples(struct shift_cpu *c)
{
	uint32_t n = 0;

	if (c->nr)
		qsort(c->sample, c->nr, sizeof(*c->sample), compare_samples);
	for (uint32_t i = 0; i < c->nr; i++)
		if (!n || c->sample[n - 1].time != c->sample[i].time)
			c->sample[n++] = c->sample[i];
	c->nr = n;
}

static void read_cpu(struct shift_cpu *c, struct dat_cursor *o)
{
	uint32_t nr = dat_u32(o);

	if (nr > (size_t)(o->end - o->p) / SAMPLE_BYTES)
		nr = 0;
	c->nr = nr;
	c->sample = xcalloc(nr ? nr : 1, sizeof(*c->sample));
	for (uint32_t i = 0; i < nr; i++)
		c->sample[i].time = dat_u64(o);
	for (uint32_t i = 0; i < nr; i++)
		c->sample[i].offset = (int64_t)dat_u64(o);
	for (uint32_t i = 0; i < nr; i++)
		c->sample[i].scaling = dat_u64(o);
}

void time_shift_read(struct time_shift *s, struct dat_cursor *o)
{
	uint32_t flags, nr;

	time_shift_release(s);
	dat_u64(o); /* which recording of the host */
	flags = dat_u32(o);
	nr = dat_u32(o);
	if (nr > (size_t)(o->end - o->p) / 4)
		return;
	s->interpolate = flags & FLAG_INTERPOLATE;
	s->cpu = xcalloc(nr ? nr : 1, sizeof(*s->cpu));
	s->nr_cpus = nr;
	for (uint32_t i = 0; i < nr; i++)
		read_cpu(&s->cpu[i], o);
	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < s->cpu[i].nr && o->p < o->end; k++)
			s->cpu[i].sample[k].fraction = dat_u64(o) & 63;
	for (uint32_t i = 0; i < nr; i++)
		sort_samples(&s->cpu[i]);
}

void time_shift_release(struct time_shift *s)
{
	for (uint32_t i = 0; i < s->nr_cpus; i++)
		free(s->cpu[i].sample);
	free(s->cpu);
	memset(s, 0, sizeof(*s));
}

static int64_t offset_at(const struct time_shift *s, const struct shift_sample *a,
			 const struct shift_sample *b, uint64_t ts)
{
	__int128 span = (__int128)b->time - a->time, part;

	if (!s->interpolate || !span)
		return a->offset;
	/* no clock differs so much; a damaged file may say so */
	if (__builtin_mul_overflow((__int128)ts - a->time, (__int128)b->offset - a->offset,
				   &part) || __builtin_add_overflow(part, span / 2, &part))
		return a->offset;
	return (int64_t)(uint64_t)(a->offset + part / span);
}

/* Index of the last sample not after ts that has one behind it. */
static uint32_t sample_before(const struct shift_cpu *c, uint64_t ts)
{
	uint32_t lo = 0, hi = c->nr - 1;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->sample[mid].time <= ts)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint64_t time_shift_apply(const struct time_shift *s, unsigned cpu, uint64_t ts)
{
	const struct shift_cpu *c;
	const struct shift_sample *a;
	int64_t offset;

	if (cpu >= s->nr_cpus || !s->cpu[cpu].nr)
		return ts;
	c = &s->cpu[cpu];
	if (c->nr == 1)
		return ts + (uint64_t)c->sample[0].offset;
	a = &c->sample[sample_before(c, ts)];
	offset = offset_at(s, a, a + 1, ts);
	if (a->scaling > 1 || a->fraction)
		ts = (uint64_t)(((unsigned __int128)ts * a->scaling) >> a->fraction);
	return ts + (uint64_t)offset;
}
