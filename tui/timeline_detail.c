// SPDX-License-Identifier: GPL-2.0-or-later
/* What is under the cursor of the timeline, in words. */
#include <stdio.h>
#include <string.h>

#include "schedblame/event.h"
#include "timeline.h"

static void add_task(const struct tl_index *ix, uint32_t task, struct strbuf *sb)
{
	if (task == TL_UNKNOWN || task >= ix->nr_tasks)
		strbuf_addstr(sb, "not known");
	else if (task == TL_IDLE)
		strbuf_addstr(sb, "idle");
	else
		strbuf_addf(sb, "%s %d", tl_comm(ix, task), ix->task[task].pid);
}

void timeline_add_slice(const struct tl_index *ix, unsigned cpu, size_t i,
			struct strbuf *sb)
{
	size_t n = ix->cpu[cpu].slice.n;
	const struct tl_slice *s = tl_slice(ix, cpu, i);
	uint64_t end = i + 1 < n ? tl_slice(ix, cpu, i + 1)->ts : ix->end;
	char text[32];

	add_task(ix, s->task, sb);
	strbuf_addf(sb, ", for %s", time_text(text, sizeof(text), (double)(end - s->ts)));
	if (s->wait)
		strbuf_addf(sb, ", waited %s",
			    time_text(text, sizeof(text), (double)tl_wait_ns(s->wait)));
	if (i + 1 < n && s->task != TL_IDLE && s->task != TL_UNKNOWN)
		strbuf_addf(sb, ", then %s", task_state_title(tl_slice(ix, cpu, i + 1)->state));
}

void timeline_add_mark(const struct tl_index *ix, const struct tl_mark *m,
		       struct strbuf *sb)
{
	switch ((enum tl_mark_kind)m->kind) {
	case TL_WAKEUP:
		strbuf_addstr(sb, "wakeup of ");
		add_task(ix, m->task, sb);
		if (m->cpu != CPU_NONE)
			strbuf_addf(sb, " by CPU %u", m->cpu);
		break;
	case TL_MIGRATE:
		strbuf_addf(sb, "%s%s: ", m->reason == REASON_UNKNOWN ? "moved, reason " : "",
			    reason_title((enum reason)m->reason));
		add_task(ix, m->task, sb);
		strbuf_addf(sb, " from CPU %u", m->cpu);
		break;
	case TL_LOST:
		strbuf_addstr(sb, "events were lost here");
		break;
	}
}

/* Of the marks of a column the one that matters most: loss, steal, move, wakeup. */
static const struct tl_mark *main_mark(const struct tl_index *ix, unsigned cpu,
				       uint64_t from, uint64_t to)
{
	const struct tl_mark *best = NULL;
	int best_rank = -1;

	for (size_t i = tl_mark_from(ix, cpu, from), n = 0; i < ix->cpu[cpu].mark.n; i++) {
		const struct tl_mark *m = tl_mark(ix, cpu, i);
		int rank = m->kind == TL_LOST	      ? 3 :
			   m->kind == TL_WAKEUP	      ? 0 :
			   tl_is_steal(m->reason) ? 2 :
							    1;

		if (m->ts >= to || n++ > 10000)
			break;
		if (rank > best_rank) {
			best = m;
			best_rank = rank;
		}
	}
	return best;
}

static void add_counts(const struct tl_column *c, struct strbuf *sb)
{
	strbuf_addf(sb, "busy %.0f %%, %u switches, %u wakeups, %u migrations, %u steals",
		    100.0 * c->busy, c->switches, c->wakeups, c->migrations, c->steals);
}

static void add_worst(const struct tl_column *c, struct strbuf *sb)
{
	char text[32];

	if (c->worst_wait)
		strbuf_addf(sb, "worst wait %s; ",
			    time_text(text, sizeof(text), (double)c->worst_wait));
}

static void detail_cpu(const struct timeline *t, const struct tl_window *w,
		       const struct tl_column *c, struct strbuf *first,
		       struct strbuf *second)
{
	const struct tl_index *ix = &t->job->index;
	unsigned cpu = (unsigned)t->lane;
	uint64_t from = tl_column_start(w, t->column);
	uint64_t to = tl_column_start(w, t->column + 1);
	size_t n;
	const struct tl_mark *m;

	if (cpu >= ix->nr_cpus)
		return;
	n = tl_slice_after(ix, cpu, c->switches ? to - 1 : from);
	if (c->switches < 2 && n) {
		timeline_add_slice(ix, cpu, n - 1, first);
	} else if (c->switches < 2) {
		strbuf_addstr(first, "not known: before the first switch");
	} else {
		add_counts(c, first);
		add_worst(c, second);
		strbuf_addstr(second, "mostly ");
		add_task(ix, c->task, second);
		strbuf_addstr(second, "; ");
	}
	m = main_mark(ix, cpu, from, to > from ? to : from + 1);
	if (m)
		timeline_add_mark(ix, m, second);
}

static void detail_task(const struct timeline *t, const struct tl_column *c,
			struct strbuf *first, struct strbuf *second)
{
	const struct tl_index *ix = &t->job->index;
	uint32_t task = timeline_task(t, t->lane);
	char run[32];

	add_task(ix, task, first);
	if (c->busy > 0)
		strbuf_addf(first, ", ran %.0f %% here on CPU %u", 100.0 * c->busy, c->cpu);
	if (c->wait > 0)
		strbuf_addf(first, ", waited %.0f %%", 100.0 * c->wait);
	strbuf_addf(second, "in all: ran %s, %u migrations",
		    time_text(run, sizeof(run), (double)ix->task[task].run_ns),
		    ix->task[task].migrations);
}

void timeline_detail(struct timeline *t, const struct area *a,
		     const struct tl_column *column)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct tl_window w = timeline_window(t);
	char text[64];
	int x;

	timeline_time(text, sizeof(text), timeline_cursor(t), 1);
	x = area_printf(a, 0, 0, STYLE_BOLD, "%s  ", text);
	if (t->lanes == LANES_CPU)
		detail_cpu(t, &w, column, &first, &second);
	else if (t->lanes == LANES_TASK)
		detail_task(t, column, &first, &second);
	else {
		add_counts(column, &first);
		add_worst(column, &second);
	}
	area_put(a, x, 0, STYLE_NORMAL, first.buf);
	area_put(a, x, 1, STYLE_NORMAL, second.buf);
	strbuf_release(&first);
	strbuf_release(&second);
}
