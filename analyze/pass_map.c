// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A map of busy time, CPU by time. The length of the trace is not known before
 * its end: bins begin narrow, and each time they run out two become one.
 */
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

#define BIN_FIRST_SHIFT 10

struct map {
	uint64_t (*busy)[TRACE_MAP_BINS];
	unsigned nr_cpus;
	uint64_t start;
	unsigned shift; /* a bin is 1 << shift ns */
};

static void *map_init(struct walk *w)
{
	struct map *m = xcalloc(1, sizeof(*m));

	m->shift = BIN_FIRST_SHIFT;
	return m;
}

static void halve(struct map *m)
{
	for (unsigned c = 0; c < m->nr_cpus; c++) {
		uint64_t *b = m->busy[c];

		for (int i = 0; i < TRACE_MAP_BINS / 2; i++)
			b[i] = b[2 * i] + b[2 * i + 1];
		memset(b + TRACE_MAP_BINS / 2, 0, TRACE_MAP_BINS / 2 * sizeof(*b));
	}
	m->shift++;
}

static __attribute__((noinline)) void add_bins(struct map *m, unsigned cpu, uint64_t from,
						 uint64_t until)
{
	while ((until - m->start) >> m->shift >= TRACE_MAP_BINS)
		halve(m);
	for (uint64_t bin = (from - m->start) >> m->shift; from < until; bin++) {
		uint64_t end = m->start + ((bin + 1) << m->shift);

		if (end > until)
			end = until;
		m->busy[cpu][bin] += end - from;
		from = end;
	}
}

static inline void add(struct map *m, unsigned cpu, uint64_t from, uint64_t until)
{
	uint64_t bin = (from - m->start) >> m->shift, last = (until - m->start) >> m->shift;

	if (__builtin_expect(bin == last && bin < TRACE_MAP_BINS, 1))
		m->busy[cpu][bin] += until - from;
	else
		add_bins(m, cpu, from, until);
}

static __attribute__((noinline)) void add_cpus(struct map *m, unsigned n)
{
	m->busy = xrealloc(m->busy, n, sizeof(*m->busy));
	memset(m->busy + m->nr_cpus, 0, (n - m->nr_cpus) * sizeof(*m->busy));
	m->nr_cpus = n;
}

static void map_step(void *self, struct walk *w, const struct step *s)
{
	struct map *m = self;
	uint64_t from;

	if (__builtin_expect(s->to_cpu >= m->nr_cpus, 0))
		add_cpus(m, s->to_cpu + 1u);
	if (__builtin_expect(!m->start, 0))
		m->start = w->first_ts;
	if (!s->prev || s->spent_ns == UNKNOWN_NS)
		return;
	from = s->ev->ts - (uint64_t)s->spent_ns;
	if (from >= m->start)
		add(m, s->to_cpu, from, s->ev->ts);
}

static void map_finish(void *self, struct walk *w)
{
	struct map *m = self;

	if (!m->nr_cpus || w->nr_cpus < m->nr_cpus)
		return;
	w->tables->map = xcalloc((size_t)w->nr_cpus * TRACE_MAP_BINS, sizeof(uint64_t));
	memcpy(w->tables->map, m->busy, m->nr_cpus * sizeof(*m->busy));
	w->tables->map_bin_ns = 1ULL << m->shift;
}

static void map_release(void *self)
{
	struct map *m = self;

	free(m->busy);
	free(m);
}

const struct pass_ops pass_map = { "map", 1u << STEP_SWITCH, map_init, map_step, map_finish,
				   map_release };
