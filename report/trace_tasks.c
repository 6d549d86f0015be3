// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of the trace section that are about tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/units.h"
#include "trace_report.h"

#define TASKS_SHOWN 20
#define WORST_SHOWN 10
#define STATES_SHOWN 8
#define PAIRS_SHOWN 10

/* The n tasks with the greatest key, greatest first. */
static uint32_t top_tasks(const struct trace_tables *t, uint64_t (*key)(const struct trace_task *),
			  const struct trace_task **v, uint32_t n)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < t->nr_tasks; i++) {
		uint64_t k = key(&t->task[i]);
		uint32_t at = used;

		if (!k || (used == n && key(v[n - 1]) >= k))
			continue;
		if (used < n)
			used++;
		else
			at = n - 1;
		for (; at && key(v[at - 1]) < k; at--)
			v[at] = v[at - 1];
		v[at] = &t->task[i];
	}
	return used;
}

static uint64_t by_run(const struct trace_task *t)
{
	return t->run_ns + t->wakeup.sum_ns + t->preempt.sum_ns ? t->run_ns + 1 : 0;
}

static uint64_t by_disk(const struct trace_task *t)
{
	return t->state_ns[TASK_DISK];
}

static uint64_t moves(const struct trace_task *t)
{
	uint64_t n = 0;

	for (int d = 0; d < DIST_NR; d++)
		n += t->migrations[d];
	return n;
}

static double mean_us(const struct wait_sum *a, const struct wait_sum *b)
{
	uint64_t n = a->count + b->count;

	return n ? (double)(a->sum_ns + b->sum_ns) / (double)n / 1e3 : 0;
}

static void add_us(struct strbuf *out, double us)
{
	char buf[32];

	if (us < 999.5)
		strbuf_addf(out, " %8.1f", us);
	else
		strbuf_addf(out, " %8s", format_count(buf, sizeof(buf), us));
}

static void add_task_row(const struct trace_task *t, struct strbuf *out)
{
	const struct wait_sum *worst = t->wakeup.max_ns > t->preempt.max_ns ? &t->wakeup :
									       &t->preempt;
	char buf[3][32];

	strbuf_addstr(out, "  ");
	trace_add_task(out, t, 22);
	strbuf_addf(out, " %9.1f %7s %6s", (double)t->run_ns / 1e6,
		    format_count(buf[0], 32, (double)(t->voluntary + t->preempted)),
		    format_count(buf[1], 32, (double)t->preempted));
	add_us(out, mean_us(&t->wakeup, &t->preempt));
	add_us(out, (double)worst->max_ns / 1e3);
	strbuf_addf(out, " %6s", format_count(buf[2], 32, (double)moves(t)));
	report_end_line(out);
}

void trace_add_tasks(const struct trace_tables *t, struct strbuf *out)
{
	const struct trace_task *v[TASKS_SHOWN];
	uint32_t n = top_tasks(t, by_run, v, TASKS_SHOWN);

	if (!n)
		return;
	strbuf_addstr(out, "\nTasks                      run ms    left preempt wait us   max us  "
			   "moves\n");
	for (uint32_t i = 0; i < n; i++)
		add_task_row(v[i], out);
	if (n < t->nr_tasks)
		strbuf_addf(out, "  the %u that ran longest of %u; all in --format json\n", n,
			    t->nr_tasks);
}

static const char *kind_text(enum wait_kind kind)
{
	return kind == WAIT_PREEMPT ? "preempted" : kind == WAIT_NEW ? "forked" : "woken";
}

void trace_add_worst(const struct trace_tables *t, struct strbuf *out)
{
	uint32_t n = t->nr_worst < WORST_SHOWN ? t->nr_worst : WORST_SHOWN;

	if (!n)
		return;
	strbuf_addstr(out, "\nWorst waits                 wait us  until clock s       CPU  from  "
			   "after\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_wait *w = &t->worst[i];
		char from[16] = "?";

		if (w->from_cpu != CPU_NONE)
			snprintf(from, sizeof(from), "%u", w->from_cpu);
		strbuf_addstr(out, "  ");
		trace_add_task(out, &t->task[w->task], 22);
		add_us(out, (double)w->ns / 1e3);
		strbuf_addf(out, "  %-16.6f %6u %5s  %s", (double)w->end_ts / 1e9, w->cpu, from,
			    kind_text(w->kind));
		report_end_line(out);
	}
}

static void add_state_totals(const struct trace_tables *t, struct strbuf *out)
{
	uint64_t sum[TASK_STATE_NR] = { 0 };
	const char *sep = "";
	char buf[32];
	struct strbuf sb = STRBUF_INIT;

	for (uint32_t i = 0; i < t->nr_tasks; i++)
		for (int s = 0; s < TASK_STATE_NR; s++)
			sum[s] += t->task[i].state_ns[s];
	for (int s = 0; s < TASK_STATE_NR; s++) {
		if (!sum[s])
			continue;
		strbuf_addf(&sb, "%s%s %s", sep, task_state_title((enum task_state)s),
			    format_ns(buf, sizeof(buf), sum[s]));
		sep = ", ";
	}
	if (sb.len) {
		strbuf_addch(out, '\n');
		report_pair(out, "off the CPU, all tasks", 0, sb.buf);
	}
	strbuf_release(&sb);
}

void trace_add_states(const struct trace_tables *t, struct strbuf *out)
{
	const struct trace_task *v[STATES_SHOWN];
	uint32_t n = top_tasks(t, by_disk, v, STATES_SHOWN);
	char buf[32];

	add_state_totals(t, out);
	if (!n)
		return;
	strbuf_addstr(out, "Most uninterruptible:\n");
	for (uint32_t i = 0; i < n; i++) {
		strbuf_addstr(out, "  ");
		trace_add_task(out, v[i], 22);
		strbuf_addf(out, " %s", format_ns(buf, sizeof(buf), v[i]->state_ns[TASK_DISK]));
		report_end_line(out);
	}
}

struct pair {
	uint32_t waker, wakee, count;
};

static void insert_pair(struct pair v[PAIRS_SHOWN], uint32_t *n, struct pair p)
{
	uint32_t at = *n;

	if (*n == PAIRS_SHOWN && v[*n - 1].count >= p.count)
		return;
	if (*n < PAIRS_SHOWN)
		++*n;
	else
		at = PAIRS_SHOWN - 1;
	for (; at && v[at - 1].count < p.count; at--)
		v[at] = v[at - 1];
	v[at] = p;
}

void trace_add_wakers(const struct trace_tables *t, struct strbuf *out)
{
	struct pair v[PAIRS_SHOWN];
	uint32_t n = 0;
	char buf[32];

	for (uint32_t i = 0; i < t->nr_tasks; i++)
		for (int k = 0; k < TRACE_PEERS; k++)
			if (t->task[i].wakee[k].count)
				insert_pair(v, &n, (struct pair){ i, t->task[i].wakee[k].task,
								  t->task[i].wakee[k].count });
	if (!n)
		return;
	strbuf_addf(out, "\n%-48s %10s\n", "Who wakes whom",
		    t->peers_exact ? "wakeups" : "at most");
	for (uint32_t i = 0; i < n; i++) {
		strbuf_addstr(out, "  ");
		trace_add_task(out, &t->task[v[i].waker], 22);
		strbuf_addstr(out, " -> ");
		trace_add_task(out, &t->task[v[i].wakee], 22);
		strbuf_addf(out, " %8s", format_count(buf, sizeof(buf), v[i].count));
		report_end_line(out);
	}
}
