// SPDX-License-Identifier: GPL-2.0-or-later
/* The timeline: lanes of CPUs, nodes or tasks over an index that a thread makes
 * while one looks at it. Painting: timeline_paint.c, keys: timeline_act.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "load.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "timeline.h"

/* The trace to show: of the first run of side A that has one; while sets are still
 * being read, the file itself. */
static char *find_trace(const struct app *app)
{
	const struct run_set *set = data_set(&app->data, SIDE_A);
	const char *path;
	struct stat st;

	for (size_t i = 0; set && i < set->n; i++) {
		const struct run *run = &set->run[i];
		char *trace;

		if (run->foreign)
			return xstrdup(run->path);
		trace = path_join(run->path, "trace.dat");
		if (file_exists(trace))
			return trace;
		free(trace);
	}
	path = app->loader && !set ? app->loader->item[0].path : NULL;
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? xstrdup(path) : NULL;
}

static const struct topology *trace_topology(const struct app *app)
{
	static const struct topology unknown;
	const struct topology *t = data_topology(&app->data);

	return t ? t : &unknown;
}

static void forget(struct timeline *t)
{
	tl_job_stop(t->job);
	free(t->tasks);
	free(t->why_error);
	t->job = NULL;
	t->tasks = NULL;
	t->nr_tasks = 0;
	t->why_error = NULL;
}

static void timeline_refresh(struct view *v)
{
	struct timeline *t = v->model;
	char *path = find_trace(v->app);
	struct err err = ERR_INIT;

	t->view = v;
	t->why_not = "there is no trace: 'schedblame collect --trace' records one";
	if (t->job && path && !strcmp(t->job->path, path)) {
		t->job->topology = trace_topology(v->app);
		free(path);
		return;
	}
	forget(t);
	t->from = t->to = 0;
	t->lane = t->top = 0;
	t->depth = t->next_worst = 0;
	if (path) {
		t->job = tl_job_start(path, trace_topology(v->app), &err);
		if (!t->job)
			t->why_error = xstrdup(err_text(&err));
	}
	err_release(&err);
	free(path);
}

static void timeline_release(struct view *v)
{
	forget(v->model);
}

static int longest_first(const void *x, const void *y, void *arg)
{
	const struct tl_task *task = arg;
	uint64_t a = task[*(const uint32_t *)x].run_ns, b = task[*(const uint32_t *)y].run_ns;

	return (a < b) - (a > b);
}

static void sort_tasks(struct timeline *t)
{
	const struct tl_index *ix = &t->job->index;

	if (t->nr_tasks && (t->tasks_whole || !ix->finished))
		return;
	free(t->tasks);
	t->tasks = xmalloc((ix->nr_tasks + 1) * sizeof(*t->tasks));
	t->nr_tasks = 0;
	for (uint32_t i = 1; i < ix->nr_tasks; i++)
		if (ix->task[i].pid >= 0)
			t->tasks[t->nr_tasks++] = i;
	qsort_r(t->tasks, t->nr_tasks, sizeof(*t->tasks), longest_first, ix->task);
	t->tasks_whole = ix->finished;
}

size_t timeline_nr_lanes(const struct timeline *t)
{
	if (t->lanes == LANES_TASK)
		return t->nr_tasks;
	return t->lanes == LANES_NODE ? t->job->topology->nr_nodes : t->job->index.nr_cpus;
}

uint32_t timeline_task(const struct timeline *t, size_t lane)
{
	return lane < t->nr_tasks ? t->tasks[lane] : TL_IDLE;
}

static void draw_state(const struct timeline *t, const struct area *a)
{
	const struct tl_index *ix = &t->job->index;

	if (ix->err.code)
		area_printf(a, a->w / 2, 0, STYLE_BAD, "%s", err_text(&ix->err));
	else if (!ix->finished)
		area_printf(a, a->w - 24, 0, STYLE_WARN, "indexing %3.0f %%",
			    100 * ix->progress);
}

static void timeline_draw(struct view *v, const struct area *a)
{
	struct timeline *t = v->model;

	if (!t->job) {
		area_put(a, 2, 1, STYLE_DIM, t->why_error ? t->why_error : t->why_not);
		return;
	}
	tl_lock(&t->job->index);
	if (t->lanes == LANES_TASK)
		sort_tasks(t);
	timeline_arrive(t);
	timeline_paint(t, a);
	draw_state(t, a);
	t->shown_progress = t->job->index.progress;
	tl_unlock(&t->job->index);
}

static bool timeline_tick(struct view *v)
{
	struct timeline *t = v->model;
	bool changed;

	if (!t->job)
		return false;
	tl_lock(&t->job->index);
	changed = t->job->index.progress != t->shown_progress || !t->job->index.finished;
	tl_unlock(&t->job->index);
	return changed;
}

static void timeline_text(struct view *v, struct strbuf *sb, int width)
{
	struct canvas c;
	struct area a;

	canvas_init(&c, width, 44, true);
	a = canvas_area(&c);
	timeline_draw(v, &a);
	canvas_dump(&c, sb);
	canvas_release(&c);
}

const struct view_ops view_timeline = {
	.name = "timeline",
	.title = "Timeline",
	.brief = "Time",
	.help = "What ran where, from seconds to nanoseconds: lanes of CPUs, nodes or "
		"tasks (g). The shade of a column is how busy it was, its colour who ran; "
		"idle is a dot. Below a lane, where there is room: steals, waits of over "
		"1 ms (w), other migrations, wakeups. In lanes of tasks w is waiting. "
		"+ and - zoom at the cursor, Enter zooms ten times, Esc goes back to where "
		"one was; < and > move by half a screen; w m M t jump.",
	.hint = "+ - zoom  w worst wait  m M steals  g lanes  t time",
	.size = sizeof(struct timeline),
	.release = timeline_release,
	.refresh = timeline_refresh,
	.draw = timeline_draw,
	.act = timeline_act,
	.tick = timeline_tick,
	.text = timeline_text,
};
