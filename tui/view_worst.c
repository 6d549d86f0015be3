// SPDX-License-Identifier: GPL-2.0-or-later
/* The worst waits of a trace with their moment; Enter shows one on the timeline. */
#include <math.h>

#include "app.h"
#include "tasks.h"

struct worst {
	const struct trace_tables *t; /* NULL: not (yet) there */
	struct table table;
};

enum columns_of_view { WAITED, KIND, TASK, PID, CPU, FROM, WHEN, CLOCK, NR_COLUMNS };

static const struct table_column columns[] = {
	[WAITED] = { "waited", 9, .grow = true },
	[KIND] = { "after", 10, .text = true },
	[TASK] = { "task", 16, .text = true },
	[PID] = { "pid", 7 },
	[CPU] = { "CPU", 3, .help = "where it ran at last" },
	[FROM] = { "from", 5, .help = "where it had run before" },
	[WHEN] = { "until s", 9, .help = "time since the first event" },
	[CLOCK] = { "clock s", 12, .help = "the same on the trace's own clock, as the "
					       "report has it" },
};

static size_t nr_rows(const void *data)
{
	const struct worst *w = data;

	return w->t ? w->t->nr_worst : 0;
}

static double number(const void *data, size_t row, int col)
{
	const struct worst *w = data;
	const struct trace_wait *k = &w->t->worst[row];
	const double v[NR_COLUMNS] = {
		[WAITED] = (double)k->ns,
		[PID] = w->t->task[k->task].pid,
		[CPU] = k->cpu,
		[FROM] = k->from_cpu == CPU_NONE ? NAN : k->from_cpu,
		[WHEN] = (double)(k->end_ts - w->t->first_ts),
		[CLOCK] = (double)k->end_ts,
	};

	return v[col];
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct worst *w = data;
	const struct trace_wait *k = &w->t->worst[row];
	double v = number(data, row, col);
	char text[32];

	(void)style;
	if (col == TASK)
		strbuf_addstr(sb, w->t->task[k->task].comm);
	else if (col == KIND)
		strbuf_addstr(sb, k->kind == WAIT_PREEMPT ? "preemption" : "wakeup");
	else if (col == WAITED)
		strbuf_addstr(sb, time_text(text, sizeof(text), v));
	else if (col == WHEN || col == CLOCK)
		strbuf_addf(sb, "%.6f", v / 1e9);
	else if (isnan(v))
		strbuf_addch(sb, '-');
	else
		strbuf_addf(sb, "%.0f", v);
}

static const struct table_model model = {
	.column = columns,
	.nr_columns = NR_COLUMNS,
	.nr_rows = nr_rows,
	.cell = cell,
	.number = number,
};

static void worst_refresh(struct view *v)
{
	struct worst *w = v->model;

	w->t = tasks_tables(v->app, &w->table.empty);
}

static void worst_open(struct view *v, const void *arg)
{
	struct worst *w = v->model;

	(void)arg;
	table_init(&w->table, &model, w);
	v->table = &w->table;
}

static void worst_release(struct view *v)
{
	table_release(v->table);
}

static void worst_enter(struct view *v, long target)
{
	struct worst *w = v->model;

	if (target >= 0)
		timeline_at(v->app, w->t->worst[target].end_ts - w->t->first_ts,
			    w->t->worst[target].cpu);
}

const struct view_ops view_worst = {
	.name = "worst",
	.title = "Worst waits",
	.brief = "Worst",
	.help = "The longest waits of side A's trace: who, on which CPU, until when. "
		"Enter shows one on the timeline.",
	.hint = "Enter on the timeline  s sort",
	.size = sizeof(struct worst),
	.open = worst_open,
	.release = worst_release,
	.refresh = worst_refresh,
	.enter = worst_enter,
};
