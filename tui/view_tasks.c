// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks: what each did over the trace. The tables of a run directory's trace are
 * read in the background. Enter: one task's life (view_task.c). */
#include "tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "schedblame/alloc.h"

static void read_trace(struct work_job *job)
{
	struct tasks_job *j = (struct tasks_job *)job;

	for (size_t i = 0; i < j->set->n && !j->tables; i++) {
		err_release(&j->err);
		j->tables = run_trace(&j->set->run[i], &j->err);
	}
}

struct tasks_job *tasks_job_for(struct app *app)
{
	struct run_set *set = data_set(&app->data, SIDE_A);
	struct tasks_job *j;

	if (!set || app->live)
		return NULL;
	for (j = app->tasks; j; j = j->older)
		if (j->set == set)
			return j;
	j = xcalloc(1, sizeof(*j));
	j->job.run = read_trace;
	j->set = set;
	j->older = app->tasks;
	app->tasks = j;
	work_add(&app->work, &j->job);
	return j;
}

void tasks_free_all(struct app *app)
{
	while (app->tasks) {
		struct tasks_job *j = app->tasks;

		app->tasks = j->older;
		err_release(&j->err);
		free(j);
	}
}

const struct trace_tables *tasks_tables(struct app *app, const char **why_not)
{
	struct tasks_job *j = tasks_job_for(app);

	*why_not = app->live ? "tasks are known only from a trace: 'schedblame collect "
					 "--trace' records one" : "nothing is open";
	if (!j)
		return NULL;
	*why_not = "reading the trace...";
	if (!atomic_load(&j->job.done))
		return NULL;
	*why_not = j->err.code ? err_text(&j->err) :
				 "there is no trace: 'schedblame collect --trace' records one";
	return j->tables;
}

struct tasks {
	struct view *view;
	const struct trace_tables *t; /* NULL: not (yet) there */
	struct table table;
};

enum columns_of_view { NAME, PID, RUN, RUNS, WAIT, WORST, PREEMPT, SWITCHES, WAKEUPS,
		       MOVES, REMOTE, HOT, STATE, NR_COLUMNS };

static const struct table_column columns[] = {
	[NAME] = { "task", 13, .text = true },
	[PID] = { "pid", 6 },
	[RUN] = { "run", 8, .grow = true, .help = "time on a CPU" },
	[RUNS] = { "runs", 7, .grow = true, .hidden = true,
		   .help = "times it was switched in" },
	[WAIT] = { "waited", 7, .grow = true,
		   .help = "time on a run queue, after wakeups and preemptions" },
	[WORST] = { "worst", 8, .grow = true, .help = "longest single wait" },
	[PREEMPT] = { "preempt", 7, .grow = true,
		      .help = "times it was switched out although runnable" },
	[SWITCHES] = { "block", 5, .grow = true, .help = "times it blocked" },
	[WAKEUPS] = { "woken", 7, .grow = true, .hidden = true },
	[MOVES] = { "moved", 5, .grow = true, .help = "migrations" },
	[REMOTE] = { "rem%", 4, .grow = true,
		     .help = "share of migrations that went to another node" },
	[HOT] = { "hot", 5, .grow = true,
		  .help = "moved within 500 us of having run: the kernel's own threshold" },
	[STATE] = { "prio", 4, .hidden = true,
		    .help = "kernel's priority: < 0 deadline, < 100 real time" },
};

static const struct trace_task *task_at(const void *data, size_t row)
{
	return &((const struct tasks *)data)->t->task[row];
}

static size_t nr_rows(const void *data)
{
	const struct tasks *t = data;

	return t->t ? t->t->nr_tasks : 0;
}

static double all_moves(const struct trace_task *k)
{
	double n = 0;

	for (int d = 0; d < DIST_NR; d++)
		n += (double)k->migrations[d];
	return n;
}

static double remote_share(const struct trace_task *k)
{
	double known = all_moves(k) - (double)k->migrations[DIST_UNKNOWN];

	return known > 0 ? 100 * (double)k->migrations[DIST_REMOTE] / known : NAN;
}

static double number(const void *data, size_t row, int col)
{
	const struct trace_task *k = task_at(data, row);
	const double v[NR_COLUMNS] = {
		[PID] = k->pid,
		[RUN] = (double)k->run_ns,
		[RUNS] = (double)k->runs,
		[WAIT] = (double)(k->wakeup.sum_ns + k->preempt.sum_ns),
		[WORST] = (double)(k->wakeup.max_ns > k->preempt.max_ns ?
					   k->wakeup.max_ns :
					   k->preempt.max_ns),
		[PREEMPT] = (double)k->preempted,
		[SWITCHES] = (double)k->voluntary,
		[WAKEUPS] = (double)k->wakeups,
		[MOVES] = all_moves(k),
		[REMOTE] = remote_share(k),
		[HOT] = k->migrations_known ? (double)k->migrations_hot : NAN,
		[STATE] = k->prio,
	};

	return v[col];
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	double v = number(data, row, col);
	char text[32];

	(void)style;
	if (col == NAME)
		strbuf_addstr(sb, task_at(data, row)->comm);
	else if (col == PID || col == STATE)
		strbuf_addf(sb, "%.0f", v);
	else if (col == RUN || col == WAIT || col == WORST)
		strbuf_addstr(sb, time_text(text, sizeof(text), v));
	else if (col == REMOTE)
		strbuf_addf(sb, isnan(v) ? "-" : "%.1f", v);
	else
		strbuf_addstr(sb, count_text(text, sizeof(text), v));
}

static const struct table_model model = {
	.column = columns,
	.nr_columns = NR_COLUMNS,
	.nr_rows = nr_rows,
	.cell = cell,
	.number = number,
};

static void tasks_refresh(struct view *v)
{
	struct tasks *t = v->model;

	t->t = tasks_tables(v->app, &t->table.empty);
}

static void tasks_open(struct view *v, const void *arg)
{
	struct tasks *t = v->model;

	(void)arg;
	t->view = v;
	table_init(&t->table, &model, t);
	v->table = &t->table;
	t->table.sort = RUN;
	t->table.descending = true;
}

static void tasks_release(struct view *v)
{
	table_release(v->table);
}

static int tasks_above(struct view *v, const struct area *a)
{
	struct tasks *t = v->model;
	char text[32];

	if (!t->t)
		return 0;
	area_printf(a, 0, 0, STYLE_NORMAL,
		    "%u tasks, %llu events in %s, at most %llu runnable at once",
		    t->t->nr_tasks, (unsigned long long)t->t->counts.events,
		    time_text(text, sizeof(text), (double)(t->t->last_ts - t->t->first_ts)),
		    (unsigned long long)t->t->max_running);
	if (t->t->counts.lost || t->t->counts.gaps)
		area_printf(a, 0, 1, STYLE_WARN, "%llu events were lost, in %llu places",
			    (unsigned long long)t->t->counts.lost,
			    (unsigned long long)t->t->counts.gaps);
	return t->t->counts.lost || t->t->counts.gaps ? 3 : 2;
}

static void tasks_enter(struct view *v, long target)
{
	struct tasks *t = v->model;

	if (target >= 0)
		app_push(v->app, &view_task, &t->t->task[target]);
}

const struct view_ops view_tasks = {
	.name = "tasks",
	.title = "Tasks",
	.brief = "Tasks",
	.help = "Each task of side A's trace: how long it ran and waited, how often it "
		"was preempted, blocked and moved, and which share of its moves crossed "
		"nodes. Enter shows one task's life.",
	.hint = "Enter one task  s sort  & filter  f columns",
	.size = sizeof(struct tasks),
	.open = tasks_open,
	.release = tasks_release,
	.refresh = tasks_refresh,
	.above = tasks_above,
	.enter = tasks_enter,
};
