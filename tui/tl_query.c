// SPDX-License-Identifier: GPL-2.0-or-later
/* The index of a timeline: asking. */
#include <stdlib.h>
#include <string.h>

#include "tl_index.h"

void tl_lock(struct tl_index *ix)
{
	atomic_fetch_add(&ix->waiting, 1);
	pthread_mutex_lock(&ix->lock);
	atomic_fetch_sub(&ix->waiting, 1);
}

void tl_unlock(struct tl_index *ix)
{
	pthread_mutex_unlock(&ix->lock);
}

const char *tl_comm(const struct tl_index *ix, uint32_t task)
{
	if (task == TL_UNKNOWN || task >= ix->nr_tasks ||
	    ix->task[task].comm == STRMAP_NONE)
		return "?";
	return ix->names.name[ix->task[task].comm];
}

size_t tl_slice_after(const struct tl_index *ix, unsigned cpu, uint64_t ts)
{
	size_t lo = 0, hi = ix->cpu[cpu].slice.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tl_slice(ix, cpu, mid)->ts <= ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t tl_mark_from(const struct tl_index *ix, unsigned cpu, uint64_t ts)
{
	size_t lo = 0, hi = ix->cpu[cpu].mark.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tl_mark(ix, cpu, mid)->ts < ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether bucket i may hold a steal that is wanted: skips long stretches. */
static bool bucket_steals(const struct tl_index *ix, unsigned cpu, uint64_t ts)
{
	const struct tl_bucket *b = ix->cpu[cpu].bucket;

	return b && b[ts / ix->bucket_ns].steals;
}

static bool steal_at(const struct tl_index *ix, unsigned cpu, size_t i)
{
	const struct tl_mark *m = tl_mark(ix, cpu, i);

	return m->kind == TL_MIGRATE && tl_is_steal(m->reason);
}

static bool steal_after(const struct tl_index *ix, unsigned cpu, uint64_t ts, uint64_t limit,
			uint64_t *at)
{
	size_t n = ix->cpu[cpu].mark.n, i = tl_mark_from(ix, cpu, ts + 1);

	while (i < n && tl_mark(ix, cpu, i)->ts < limit) {
		uint64_t t = tl_mark(ix, cpu, i)->ts;

		if (!bucket_steals(ix, cpu, t)) {
			i = tl_mark_from(ix, cpu, (t / ix->bucket_ns + 1) * ix->bucket_ns);
		} else if (steal_at(ix, cpu, i)) {
			*at = t;
			return true;
		} else {
			i++;
		}
	}
	return false;
}

static bool steal_before(const struct tl_index *ix, unsigned cpu, uint64_t ts,
			 uint64_t limit, uint64_t *at)
{
	size_t i = tl_mark_from(ix, cpu, ts);

	while (i > 0 && tl_mark(ix, cpu, i - 1)->ts >= limit) {
		uint64_t t = tl_mark(ix, cpu, i - 1)->ts;

		if (!bucket_steals(ix, cpu, t)) {
			i = tl_mark_from(ix, cpu, t / ix->bucket_ns * ix->bucket_ns);
		} else if (steal_at(ix, cpu, i - 1)) {
			*at = t;
			return true;
		} else {
			i--;
		}
	}
	return false;
}

bool tl_next_steal(const struct tl_index *ix, uint64_t ts, int dir, unsigned *cpu,
		   uint64_t *at)
{
	uint64_t limit = dir > 0 ? UINT64_MAX : 0, t;
	bool found = false;

	for (unsigned i = 0; i < ix->nr_cpus; i++) {
		if (dir > 0 ? !steal_after(ix, i, ts, limit, &t) :
			      !steal_before(ix, i, ts, limit, &t))
			continue;
		if (found && t == *at)
			continue;
		*at = limit = t;
		*cpu = i;
		found = true;
	}
	return found;
}

static int longest_first(const void *x, const void *y)
{
	const struct tl_wait *a = x, *b = y;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

bool tl_worst(const struct tl_index *ix, unsigned nth, struct tl_wait *wait)
{
	struct tl_wait sorted[TL_WORST];

	if (nth >= ix->nr_worst)
		return false;
	memcpy(sorted, ix->worst, ix->nr_worst * sizeof(sorted[0]));
	qsort(sorted, ix->nr_worst, sizeof(sorted[0]), longest_first);
	*wait = sorted[nth];
	return true;
}
