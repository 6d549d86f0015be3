// SPDX-License-Identifier: GPL-2.0-or-later
/* Lanes of a timeline out of its index: from buckets when zoomed out, from records
 * when zoomed in. */
#include "tl_lane.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

int tl_column_of(const struct tl_window *w, uint64_t ts)
{
	int at;

	if (ts < w->from)
		return -1;
	if (ts >= w->to)
		return w->columns;
	at = (int)((double)(ts - w->from) / (double)(w->to - w->from) * w->columns);
	return at >= w->columns ? w->columns - 1 : at;
}

static uint16_t add16(uint16_t a, uint32_t b)
{
	return a + b > UINT16_MAX ? UINT16_MAX : (uint16_t)(a + b);
}

#define HEAVY (1u << 30) /* no weight is greater */

static void vote(struct tl_column *c, uint32_t task, uint32_t weight)
{
	if (!c->weight || c->task == task) {
		c->task = task;
		c->weight = c->weight > HEAVY - weight ? HEAVY : c->weight + weight;
	} else if (c->weight >= weight) {
		c->weight -= weight;
	} else {
		c->task = task;
		c->weight = weight - c->weight;
	}
}

static void start(const struct tl_window *w, struct tl_column *column, int n)
{
	memset(column, 0, (size_t)n * (size_t)w->columns * sizeof(*column));
	for (int i = 0; i < n * w->columns; i++)
		column[i].task = TL_UNKNOWN;
}

static void add_bucket(struct tl_column *c, const struct tl_bucket *b)
{
	uint64_t wait = tl_wait_ns(b->worst_wait);

	c->busy += (float)((double)b->busy / UINT32_MAX);
	if (b->weight)
		vote(c, b->task, b->weight);
	c->switches = add16(c->switches, b->switches);
	c->wakeups = add16(c->wakeups, b->wakeups);
	c->migrations = add16(c->migrations, b->migrations);
	c->steals = add16(c->steals, b->steals);
	c->lost |= b->lost;
	if (wait > c->worst_wait)
		c->worst_wait = wait;
}

/* A bucket belongs to the column in which it begins; the column's share is the mean
 * of its buckets. */
static void from_buckets(const struct tl_index *ix, const struct tl_cpu *cpu,
			 const struct tl_window *w, struct tl_column *column)
{
	uint64_t first = w->from / ix->bucket_ns, last = (w->to - 1) / ix->bucket_ns;
	int at = -1, n = 0;

	if (!cpu->bucket)
		return;
	if (last >= ix->nr_buckets)
		last = ix->nr_buckets - 1;
	for (uint64_t i = first; i <= last; i++) {
		uint64_t ts = i * ix->bucket_ns;
		int c = tl_column_of(w, ts < w->from ? w->from : ts);

		if (c != at) {
			if (n > 1)
				column[at].busy /= (float)n;
			at = c;
			n = 0;
		}
		add_bucket(&column[c], &cpu->bucket[i]);
		n++;
	}
	if (n > 1)
		column[at].busy /= (float)n;
}

struct span {
	const struct tl_window *w;
	struct tl_column *column;
};

/* Adds [from, to) to the columns it overlaps. */
static void add_span(const struct span *s, uint64_t from, uint64_t to,
		     void (*add)(struct tl_column *c, double share, uint64_t ns, void *arg),
		     void *arg)
{
	const struct tl_window *w = s->w;

	if (from < w->from)
		from = w->from;
	if (to > w->to)
		to = w->to;
	if (from >= to)
		return;
	for (int c = tl_column_of(w, from); c < w->columns; c++) {
		uint64_t start_ns = tl_column_start(w, c), end = tl_column_start(w, c + 1);
		uint64_t a = from > start_ns ? from : start_ns, b = to < end ? to : end;

		if (start_ns >= to)
			break;
		if (b > a || end == start_ns)
			add(&s->column[c],
			    end > start_ns ? (double)(b - a) / (double)(end - start_ns) : 1,
			    b > a ? b - a : 1, arg);
	}
}

static void add_running(struct tl_column *c, double share, uint64_t ns, void *arg)
{
	uint32_t task = *(const uint32_t *)arg;

	c->busy += (float)share;
	if (c->busy > 1)
		c->busy = 1;
	vote(c, task, ns > HEAVY ? HEAVY : (uint32_t)ns);
}

static void slices_of(const struct tl_index *ix, unsigned cpu, const struct span *s)
{
	const struct tl_window *w = s->w;
	size_t n = ix->cpu[cpu].slice.n, i = tl_slice_after(ix, cpu, w->from);

	for (i = i ? i - 1 : 0; i < n; i++) {
		const struct tl_slice *slice = tl_slice(ix, cpu, i);
		uint64_t end = i + 1 < n ? tl_slice(ix, cpu, i + 1)->ts : ix->end;
		uint32_t task = slice->task;
		int c;

		if (slice->ts >= w->to)
			break;
		if (task != TL_IDLE && task != TL_UNKNOWN)
			add_span(s, slice->ts, end, add_running, &task);
		c = tl_column_of(w, slice->ts);
		if (c < 0 || c >= w->columns)
			continue;
		s->column[c].switches = add16(s->column[c].switches, 1);
		if (tl_wait_ns(slice->wait) > s->column[c].worst_wait)
			s->column[c].worst_wait = tl_wait_ns(slice->wait);
	}
}

static void marks_of(const struct tl_index *ix, unsigned cpu, const struct span *s)
{
	const struct tl_window *w = s->w;
	size_t n = ix->cpu[cpu].mark.n;

	for (size_t i = tl_mark_from(ix, cpu, w->from); i < n; i++) {
		const struct tl_mark *m = tl_mark(ix, cpu, i);
		struct tl_column *c;

		if (m->ts >= w->to)
			break;
		c = &s->column[tl_column_of(w, m->ts)];
		c->wakeups = add16(c->wakeups, m->kind == TL_WAKEUP);
		c->migrations = add16(c->migrations, m->kind == TL_MIGRATE);
		c->steals = add16(c->steals,
				  m->kind == TL_MIGRATE && tl_is_steal(m->reason));
		c->lost |= m->kind == TL_LOST;
	}
}

void tl_lane_cpu(const struct tl_index *ix, unsigned cpu, const struct tl_window *w,
		 struct tl_column *column)
{
	const struct span s = { w, column };

	start(w, column, 1);
	if (cpu >= ix->nr_cpus)
		return;
	if ((w->to - w->from) / (uint64_t)w->columns >= TL_COARSE * ix->bucket_ns) {
		from_buckets(ix, &ix->cpu[cpu], w, column);
	} else {
		slices_of(ix, cpu, &s);
		marks_of(ix, cpu, &s);
	}
}

static void add_column(struct tl_column *to, const struct tl_column *from)
{
	to->busy += from->busy;
	if (from->weight)
		vote(to, from->task, from->weight);
	to->switches = add16(to->switches, from->switches);
	to->wakeups = add16(to->wakeups, from->wakeups);
	to->migrations = add16(to->migrations, from->migrations);
	to->steals = add16(to->steals, from->steals);
	to->lost |= from->lost;
	if (from->worst_wait > to->worst_wait)
		to->worst_wait = from->worst_wait;
}

void tl_lane_node(const struct tl_index *ix, const struct topology *t, int node,
		  const struct tl_window *w, struct tl_column *column)
{
	struct tl_column *one = xcalloc((size_t)w->columns + 1, sizeof(*one));
	int cpus = 0;

	start(w, column, 1);
	for (unsigned cpu = 0; cpu < ix->nr_cpus; cpu++) {
		if (topology_node_of(t, cpu) != node)
			continue;
		tl_lane_cpu(ix, cpu, w, one);
		for (int i = 0; i < w->columns; i++)
			add_column(&column[i], &one[i]);
		cpus++;
	}
	for (int i = 0; i < w->columns && cpus; i++)
		column[i].busy /= (float)cpus;
	free(one);
}

static void add_task_run(struct tl_column *c, double share, uint64_t ns, void *arg)
{
	c->busy += (float)share;
	if (ns >= c->weight) { /* the CPU of the longest part */
		c->weight = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
		c->cpu = *(const uint16_t *)arg;
	}
}

static void add_task_wait(struct tl_column *c, double share, uint64_t ns, void *arg)
{
	(void)ns;
	(void)arg;
	c->wait += (float)share;
}

static void add_task_slice(const struct tl_index *ix, unsigned cpu, size_t i,
			   const struct span *s)
{
	const struct tl_slice *slice = tl_slice(ix, cpu, i);
	size_t n = ix->cpu[cpu].slice.n;
	uint64_t wait = tl_wait_ns(slice->wait);
	uint16_t where = (uint16_t)cpu;
	int c = tl_column_of(s->w, slice->ts);

	add_span(s, slice->ts, i + 1 < n ? tl_slice(ix, cpu, i + 1)->ts : ix->end,
		 add_task_run, &where);
	add_span(s, slice->ts > wait ? slice->ts - wait : 0, slice->ts, add_task_wait, NULL);
	if (c >= 0 && c < s->w->columns) {
		s->column[c].switches = add16(s->column[c].switches, 1);
		if (wait > s->column[c].worst_wait)
			s->column[c].worst_wait = wait;
	}
}

/* Lane of each task number, -1: none. */
static int16_t *lanes_by_task(const struct tl_index *ix, const uint32_t *task, int n)
{
	int16_t *lane = xmalloc((ix->nr_tasks + 1) * sizeof(*lane));

	memset(lane, 0xff, (ix->nr_tasks + 1) * sizeof(*lane));
	for (int i = 0; i < n; i++)
		if (task[i] < ix->nr_tasks)
			lane[task[i]] = (int16_t)i;
	return lane;
}

/* A wait that ends after the window may begin in it: the first slice of each CPU
 * behind the window is looked at too; later ones are not. */
void tl_lane_tasks(const struct tl_index *ix, const uint32_t *task, int n,
		   const struct tl_window *w, struct tl_column *column)
{
	int16_t *lane = lanes_by_task(ix, task, n);

	start(w, column, n);
	for (unsigned cpu = 0; cpu < ix->nr_cpus; cpu++) {
		size_t all = ix->cpu[cpu].slice.n, i = tl_slice_after(ix, cpu, w->from);

		for (i = i ? i - 1 : 0; i < all; i++) {
			const struct tl_slice *slice = tl_slice(ix, cpu, i);
			int16_t l = slice->task < ix->nr_tasks ? lane[slice->task] : -1;
			struct span s = { w, column + (l < 0 ? 0 : l) * w->columns };

			if (l >= 0)
				add_task_slice(ix, cpu, i, &s);
			if (slice->ts >= w->to)
				break;
		}
		for (i = tl_mark_from(ix, cpu, w->from); i < ix->cpu[cpu].mark.n; i++) {
			const struct tl_mark *m = tl_mark(ix, cpu, i);
			int16_t l = m->task < ix->nr_tasks ? lane[m->task] : -1;
			struct tl_column *c;

			if (m->ts >= w->to)
				break;
			if (l < 0)
				continue;
			c = &column[l * w->columns + tl_column_of(w, m->ts)];
			c->wakeups = add16(c->wakeups, m->kind == TL_WAKEUP);
			c->migrations = add16(c->migrations, m->kind == TL_MIGRATE);
			c->steals = add16(c->steals, m->kind == TL_MIGRATE &&
							     tl_is_steal(m->reason));
		}
	}
	free(lane);
}
