// SPDX-License-Identifier: GPL-2.0-or-later
/* One task's life: where its time went, who wakes it, where it moved. Enter on the
 * longest waits shows them on the timeline. */
#include <math.h>
#include <stdlib.h>

#include "app.h"
#include "schedblame/vocab.h"
#include "tasks.h"

struct life {
	const struct trace_task *task; /* in the tables of a run, which stay */
};

enum target { TO_LANE, TO_WAKEUP_WAIT, TO_PREEMPT_WAIT };

static void life_open(struct view *v, const void *arg)
{
	((struct life *)v->model)->task = arg;
}

static void add_share(struct page *p, const char *name, uint64_t ns, double all)
{
	struct area a = page_rows(p, 1);
	char text[32];

	area_field(&a, 2, 0, 24, false, STYLE_NORMAL, name);
	area_field(&a, 26, 0, 9, true, STYLE_NORMAL,
		   time_text(text, sizeof(text), (double)ns));
	area_printf(&a, 37, 0, STYLE_NORMAL, "%5.1f %%", 100 * (double)ns / all);
	area_bar(&a, 46, 0, a.w - 47, STYLE_SIDE_A, (double)ns / all);
}

static void add_time(struct page *p, const struct trace_task *k)
{
	double all = (double)(k->last_ts - k->first_ts);

	if (all <= 0)
		all = 1;
	page_heading(p, "Where its time went");
	add_share(p, "ran", k->run_ns, all);
	page_link(p, TO_LANE);
	add_share(p, "waited after wakeups", k->wakeup.sum_ns, all);
	if (k->wakeup.count)
		page_link(p, TO_WAKEUP_WAIT);
	add_share(p, "waited when preempted", k->preempt.sum_ns, all);
	if (k->preempt.count)
		page_link(p, TO_PREEMPT_WAIT);
	for (int s = 0; s < TASK_STATE_NR; s++)
		if (k->state_ns[s])
			add_share(p, task_state_title((enum task_state)s), k->state_ns[s],
				  all);
}

static void add_waits(struct page *p, const char *what, const struct wait_sum *w)
{
	char mean[32], max[32];

	if (w->count)
		page_line(p, STYLE_NORMAL, "  %-20s %8llu, mean %s, longest %s", what,
			  (unsigned long long)w->count,
			  time_text(mean, sizeof(mean),
				    (double)w->sum_ns / (double)w->count),
			  time_text(max, sizeof(max), (double)w->max_ns));
}

static void add_peers(struct page *p, const struct trace_tables *t, const char *what,
		      const struct trace_peer peer[TRACE_PEERS])
{
	for (int i = 0; i < TRACE_PEERS; i++)
		if (peer[i].count && peer[i].task < t->nr_tasks)
			page_line(p, STYLE_NORMAL, "  %-12s %s %d, %s%u times", what,
				  t->task[peer[i].task].comm, t->task[peer[i].task].pid,
				  t->peers_exact ? "" : "at most ", peer[i].count);
}

static void life_build(struct view *v, struct page *p)
{
	const struct trace_task *k = ((struct life *)v->model)->task;
	const char *why_not;
	const struct trace_tables *t = tasks_tables(v->app, &why_not);

	page_line(p, STYLE_BOLD, "%s %d%s", k->comm, k->pid,
		  k->exited ? ", exited" : "");
	add_time(p, k);
	page_heading(p, "Waits");
	add_waits(p, "after wakeups", &k->wakeup);
	add_waits(p, "when preempted", &k->preempt);
	page_line(p, STYLE_NORMAL, "  blocked %llu times, preempted %llu times",
		  (unsigned long long)k->voluntary, (unsigned long long)k->preempted);
	page_heading(p, "Migrations by distance");
	for (int d = DIST_SMT; d < DIST_NR; d++)
		if (k->migrations[d])
			page_line(p, STYLE_NORMAL, "  %-14s %8llu",
				  distance_title((enum distance)d),
				  (unsigned long long)k->migrations[d]);
	if (k->migrations_known)
		page_line(p, STYLE_NORMAL, "  cache-hot      %8llu of %llu: it had run less than "
					   "500 us before",
			  (unsigned long long)k->migrations_hot,
			  (unsigned long long)k->migrations_known);
	if (!t)
		return;
	page_heading(p, "Wakeups");
	add_peers(p, t, "woken by", k->waker);
	add_peers(p, t, "wakes", k->wakee);
}

static void life_enter(struct view *v, long target)
{
	const struct trace_task *k = ((struct life *)v->model)->task;
	const struct wait_sum *w = target == TO_PREEMPT_WAIT ? &k->preempt : &k->wakeup;
	const char *why_not;
	const struct trace_tables *t = tasks_tables(v->app, &why_not);

	if (t && target == TO_LANE)
		timeline_at_task(v->app, k->pid, k->first_ts - t->first_ts,
				 k->last_ts - t->first_ts);
	else if (t && target >= 0)
		timeline_at(v->app, w->max_ts - t->first_ts, UINT32_MAX);
}

const struct view_ops view_task = {
	.name = "task",
	.title = "Task",
	.brief = "Task",
	.help = "One task's life: where its time went from its first to its last event, "
		"its waits, its migrations by distance, who wakes it and whom it wakes. "
		"Enter on a wait shows the longest one on the timeline, on 'ran' its lane.",
	.hint = "Enter on ran, waited: on the timeline",
	.size = sizeof(struct life),
	.open = life_open,
	.build = life_build,
	.enter = life_enter,
};
