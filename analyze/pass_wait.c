// SPDX-License-Identifier: GPL-2.0-or-later
/* Run queue waits: histograms by distance, sums per task, the worst moments. */
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

struct waits {
	struct histogram wakeup[DIST_NR], preempt[DIST_NR], fork;
	struct trace_wait worst[TRACE_WORST]; /* a heap, the shortest first */
	uint32_t nr_worst;
	uint64_t floor; /* shorter ones are not among the worst */
};

static void *wait_init(struct walk *w)
{
	return xcalloc(1, sizeof(struct waits));
}

static void sift_down(struct trace_wait *v, uint32_t n, uint32_t at)
{
	for (;;) {
		uint32_t child = 2 * at + 1;
		struct trace_wait swap;

		if (child >= n)
			return;
		if (child + 1 < n && v[child + 1].ns < v[child].ns)
			child++;
		if (v[at].ns <= v[child].ns)
			return;
		swap = v[at];
		v[at] = v[child];
		v[child] = swap;
		at = child;
	}
}

static __attribute__((noinline)) void remember_worst(struct waits *p, const struct step *s,
						       uint64_t ns)
{
	const struct trace_wait wait = { ns, s->ev->ts, s->task->index, s->to_cpu, s->from_cpu,
				   s->wait_kind };

	if (p->nr_worst < TRACE_WORST) {
		p->worst[p->nr_worst++] = wait;
		if (p->nr_worst == TRACE_WORST)
			for (uint32_t i = TRACE_WORST / 2; i-- > 0;)
				sift_down(p->worst, TRACE_WORST, i);
	} else {
		p->worst[0] = wait;
		sift_down(p->worst, TRACE_WORST, 0);
	}
	if (p->nr_worst == TRACE_WORST)
		p->floor = p->worst[0].ns + 1;
}

static void wait_step(void *self, struct walk *w, const struct step *s)
{
	struct waits *p = self;
	struct wait_sum *sum;
	uint64_t ns;

	if (s->waited_ns == UNKNOWN_NS || !s->task)
		return;
	ns = (uint64_t)s->waited_ns;
	if (s->wait_kind == WAIT_WAKEUP) {
		histogram_add(&p->wakeup[s->distance], ns);
		sum = &s->task->row.wakeup;
	} else if (s->wait_kind == WAIT_NEW) {
		histogram_add(&p->fork, ns);
		sum = &s->task->row.wakeup;
	} else {
		histogram_add(&p->preempt[s->distance], ns);
		sum = &s->task->row.preempt;
	}
	sum->count++;
	sum->sum_ns += ns;
	if (ns >= sum->max_ns) {
		sum->max_ns = ns;
		sum->max_ts = s->ev->ts;
	}
	if (ns >= p->floor)
		remember_worst(p, s, ns);
}

static int longer_first(const void *a, const void *b)
{
	const struct trace_wait *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->end_ts < y->end_ts ? -1 : x->end_ts > y->end_ts;
}

static void add_all(struct walk *w, const char *name, const struct histogram h[DIST_NR])
{
	series_declare(w->series, name);
	for (int d = 0; d < DIST_NR; d++)
		if (h[d].count)
			series_add_hist(w->series, name,
					LABELS("distance", distance_name((enum distance)d)),
					&h[d]);
}

static void wait_finish(void *self, struct walk *w)
{
	struct waits *p = self;

	if (walk_saw(w, EV_WAKEUP) || walk_saw(w, EV_WAKING))
		add_all(w, "wakeup_latency", p->wakeup);
	if (walk_saw(w, EV_SWITCH))
		add_all(w, "preemption_wait", p->preempt);
	if (walk_saw(w, EV_WAKEUP_NEW))
		series_add_hist(w->series, "fork_wait", NO_LABELS, &p->fork);
	qsort(p->worst, p->nr_worst, sizeof(p->worst[0]), longer_first);
	memcpy(w->tables->worst, p->worst, sizeof(p->worst));
	w->tables->nr_worst = p->nr_worst;
}

const struct pass_ops pass_wait = { "wait", 1u << STEP_SWITCH, wait_init, wait_step,
				    wait_finish, free };
