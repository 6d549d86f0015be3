// SPDX-License-Identifier: GPL-2.0-or-later
/* The hands of the timeline: moving, zooming, jumping, and back. */
#include <string.h>

#include "schedblame/units.h"
#include "tasks.h"
#include "timeline.h"

#define LEAST_COLUMN_NS 10

struct tl_window timeline_window(const struct timeline *t)
{
	struct tl_window w = { t->from, t->to, t->columns > 0 ? t->columns : 1 };

	if (!w.to) {
		w.from = 0;
		w.to = t->job->index.end + 1;
	}
	if (w.to - w.from < (uint64_t)w.columns)
		w.to = w.from + (uint64_t)w.columns;
	return w;
}

uint64_t timeline_cursor(const struct timeline *t)
{
	struct tl_window w = timeline_window(t);

	return tl_column_start(&w, t->column);
}

void timeline_show(struct timeline *t, uint64_t from, uint64_t to, uint64_t ts,
		   bool remember)
{
	struct tl_window w;

	if (remember && t->depth < TL_HISTORY) {
		t->history[t->depth].from = t->from;
		t->history[t->depth].to = t->to;
		t->history[t->depth].column = t->column;
		t->depth++;
	}
	t->from = from;
	t->to = to;
	w = timeline_window(t);
	t->column = tl_column_of(&w, ts);
	if (t->column < 0)
		t->column = 0;
	if (t->column >= w.columns)
		t->column = w.columns - 1;
}

static void go_back(struct timeline *t)
{
	t->depth--;
	t->from = t->history[t->depth].from;
	t->to = t->history[t->depth].to;
	t->column = t->history[t->depth].column;
}

/* The span around ts, which keeps its place on the screen; never beyond the trace
 * by more than the span. */
static void zoom_to(struct timeline *t, uint64_t span, uint64_t ts, bool remember)
{
	struct tl_window w = timeline_window(t);
	uint64_t all = t->job->index.end + 1, before;

	if (span < (uint64_t)w.columns * LEAST_COLUMN_NS)
		span = (uint64_t)w.columns * LEAST_COLUMN_NS;
	if (span >= all) {
		timeline_show(t, 0, 0, ts, remember);
		return;
	}
	/* in the middle of the cursor's column, not on its edge */
	before = (uint64_t)((double)span * (t->column + 0.5) / w.columns);
	timeline_show(t, ts > before ? ts - before : 0,
		      (ts > before ? ts - before : 0) + span, ts, remember);
}

static void zoom(struct timeline *t, double factor, bool remember)
{
	struct tl_window w = timeline_window(t);

	zoom_to(t, (uint64_t)((double)(w.to - w.from) * factor), timeline_cursor(t),
		remember);
}

/* Moves the window by columns; stops at both ends. */
static void pan(struct timeline *t, int columns)
{
	struct tl_window w = timeline_window(t);
	uint64_t all = t->job->index.end + 1, span = w.to - w.from;
	uint64_t by = (uint64_t)((double)span / w.columns * (columns < 0 ? -columns : columns));

	if (!t->to)
		return;
	if (columns < 0) {
		t->from = t->from > by ? t->from - by : 0;
	} else {
		t->from += by;
		if (t->from + span > all)
			t->from = all > span ? all - span : 0;
	}
	t->to = t->from + span;
}

static void move_cursor(struct timeline *t, int by)
{
	int column = t->column + by;

	if (column < 0 || column >= t->columns) {
		pan(t, column < 0 ? column : column - t->columns + 1);
		column = column < 0 ? 0 : t->columns - 1;
	}
	t->column = column;
}

static void move_lane(struct timeline *t, long by)
{
	long n = (long)timeline_nr_lanes(t), lane = (long)t->lane + by;

	t->lane = lane < 0 || !n ? 0 : lane >= n ? (size_t)n - 1 : (size_t)lane;
}

/* A window of about 2 ms around an event, unless one is closer already. */
#define JUMP_SPAN_NS 2000000

static void jump(struct timeline *t, uint64_t ts, unsigned cpu)
{
	struct tl_window w = timeline_window(t);
	uint64_t span = w.to - w.from < JUMP_SPAN_NS ? w.to - w.from : JUMP_SPAN_NS;

	t->column = w.columns / 2;
	zoom_to(t, span, ts, true);
	if (t->lanes == LANES_CPU)
		t->lane = cpu;
}

static void jump_worst(struct timeline *t)
{
	struct tl_wait wait;
	char text[32];

	if (!tl_worst(&t->job->index, t->next_worst, &wait)) {
		app_message(t->view->app, t->next_worst ? "no more waits were kept; w begins "
							  "again with the worst" :
							  "no wait was measured");
		t->next_worst = 0;
		return;
	}
	jump(t, wait.end, wait.cpu);
	t->next_worst++;
	app_message(t->view->app, "wait %u of %u: %s %d waited %s until here", t->next_worst,
		    t->job->index.nr_worst, tl_comm(&t->job->index, wait.task),
		    t->job->index.task[wait.task].pid,
		    time_text(text, sizeof(text), (double)wait.ns));
}

static void jump_steal(struct timeline *t, int dir)
{
	struct tl_window w = timeline_window(t);
	uint64_t ts = timeline_cursor(t), at;
	unsigned cpu;

	/* steals in the cursor's own column count as behind it */
	if (dir > 0 && t->depth)
		ts = tl_column_start(&w, t->column + 1) - 1;
	if (tl_next_steal(&t->job->index, ts, dir, &cpu, &at))
		jump(t, at, cpu);
	else
		app_message(t->view->app, "no steal %s here%s",
			    dir > 0 ? "after" : "before",
			    t->job->index.finished ? "" : " as far as it is read");
}

static void goto_done(struct app *app, const char *text)
{
	struct timeline *t = app_view(app)->model;
	struct err err = ERR_INIT;
	uint64_t ns;

	if (!*text)
		return;
	if (parse_duration(&ns, text, &err) < 0)
		app_message(app, "%s", err_text(&err));
	else if (ns > t->job->index.end)
		app_message(app, "the trace ends before that");
	else {
		struct tl_window w = timeline_window(t);

		t->column = t->columns / 2;
		zoom_to(t, w.to - w.from < NSEC_PER_SEC / 100 ? w.to - w.from :
								NSEC_PER_SEC / 100,
			ns, true);
	}
	err_release(&err);
}

static struct timeline *ask(struct app *app, enum lanes lanes)
{
	struct timeline *t;

	app_goto(app, &view_timeline);
	while (app_view(app)->below)
		app_back(app);
	t = app_view(app)->model;
	if (!t->job)
		return NULL;
	if (!t->columns)
		t->columns = app->canvas.w - TL_LABEL_W;
	t->lanes = lanes;
	t->asked_pid = -1;
	return t;
}

void timeline_at(struct app *app, uint64_t ts, unsigned cpu)
{
	struct timeline *t = ask(app, LANES_CPU);

	if (!t)
		return;
	t->asked = ts;
	t->asked_cpu = cpu;
}

void timeline_at_task(struct app *app, int32_t pid, uint64_t from, uint64_t to)
{
	struct timeline *t = ask(app, LANES_TASK);

	if (!t)
		return;
	t->asked = to > from ? to : from + 1;
	t->asked_from = from;
	t->asked_pid = pid;
}

/* The lane of the task that was asked for: of several with its pid the first one
 * that lived then. */
static void find_lane(struct timeline *t)
{
	const struct tl_task *task = t->job->index.task;

	for (size_t i = 0; i < t->nr_tasks; i++) {
		const struct tl_task *k = &task[t->tasks[i]];

		if (k->pid == t->asked_pid && k->last >= t->asked_from &&
		    k->first <= t->asked) {
			t->lane = i;
			return;
		}
	}
}

/* A moment that was asked for before it was read: shown once it is there. */
void timeline_arrive(struct timeline *t)
{
	const struct tl_index *ix = &t->job->index;

	if (!t->asked || (t->asked > ix->end && !ix->finished))
		return;
	if (t->asked_pid >= 0 && !ix->finished) /* lanes change places until then */
		return;
	if (t->asked_pid >= 0) {
		find_lane(t);
		timeline_show(t, t->asked_from, t->asked, t->asked_from, true);
	} else {
		jump(t, t->asked, t->asked_cpu < ix->nr_cpus ? t->asked_cpu : (unsigned)t->lane);
	}
	t->asked = 0;
}

static bool act_zoom(struct timeline *t, enum action action)
{
	switch (action) {
	case ACT_MORE:
		zoom(t, 0.5, false);
		return true;
	case ACT_LESS:
		zoom(t, 2, false);
		return true;
	case ACT_ENTER:
		zoom(t, 0.1, true);
		return true;
	case ACT_FIT:
		timeline_show(t, 0, 0, timeline_cursor(t), true);
		return true;
	case ACT_WORST:
		jump_worst(t);
		return true;
	case ACT_STEAL:
	case ACT_STEAL_BACK:
		jump_steal(t, action == ACT_STEAL ? 1 : -1);
		return true;
	case ACT_GOTO:
		app_prompt(t->view->app, "time since the start (1.5s, 250ms): ", goto_done);
		return true;
	case ACT_BACK:
		if (!t->depth)
			return false;
		go_back(t);
		return true;
	default:
		return false;
	}
}

static bool act_move(struct timeline *t, enum action action)
{
	int page = t->rows > 1 ? t->rows - 1 : 1;
	const struct {
		enum action action;
		int columns, lanes;
	} moves[] = {
		{ ACT_LEFT, -1, 0 },	   { ACT_RIGHT, 1, 0 },
		{ ACT_DOWN, 0, 1 },	   { ACT_UP, 0, -1 },
		{ ACT_PAGE_DOWN, 0, page }, { ACT_PAGE_UP, 0, -page },
		{ ACT_HALF_DOWN, 0, page / 2 + 1 }, { ACT_HALF_UP, 0, -page / 2 - 1 },
		{ ACT_HOME, 0, -1000000 }, { ACT_END, 0, 1000000 },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].action != action)
			continue;
		if (moves[i].columns)
			move_cursor(t, moves[i].columns);
		else
			move_lane(t, moves[i].lanes);
		return true;
	}
	if (action == ACT_SORT_LEFT || action == ACT_SORT_RIGHT) {
		pan(t, action == ACT_SORT_LEFT ? -t->columns / 2 : t->columns / 2);
		return true;
	}
	return false;
}

bool timeline_act(struct view *v, const struct key_event *ev)
{
	struct timeline *t = v->model;
	bool done;

	if (!t->job)
		return false;
	tl_lock(&t->job->index);
	if (ev->action == ACT_GROUP) {
		t->lanes = (t->lanes + 1) % LANES_NR;
		t->lane = t->top = 0;
		done = true;
	} else {
		done = act_move(t, ev->action) || act_zoom(t, ev->action);
	}
	tl_unlock(&t->job->index);
	return done;
}
