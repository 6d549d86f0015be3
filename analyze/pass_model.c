// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run queue model. Every task is new, blocked, waking, queued, running or
 * dead; every CPU runs a task, idles, or is not known. Events move them, and
 * each move that can be measured becomes a step.
 *
 * Rules for what cannot be: an interval that began before the end of a loss of
 * events (walk.gap_until) is dropped and counted, whichever CPU lost them,
 * since the missing part may concern any task; a run or an idle period is
 * spoiled only by a loss on its own CPU. Time that goes backwards drops the
 * interval too. A switch to a task that was blocked means its wakeup is
 * missing: nothing is measured, "unpaired" is counted.
 */
#include <stddef.h>
#include <stdlib.h>

#include "pass_state.h"
#include "schedblame/alloc.h"

#define LARGE 512 /* tasks */
#define TASK_HOT offsetof(struct task, row.migrations) /* what most events touch */

struct model *model_new(void)
{
	struct model *m = xcalloc(1, sizeof(*m));

	task_table_init(&m->tasks);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	task_table_release(&m->tasks);
	free(m);
}

bool model_is_large(const struct model *m)
{
	return m->tasks.nr > LARGE;
}

static inline void prefetch_task(const struct task_table *tasks, int32_t pid)
{
	const struct task *t = task_find(tasks, pid);

	if (t)
		for (size_t at = 0; at < TASK_HOT; at += 64)
			__builtin_prefetch((const char *)t + at, 1);
}

void model_prefetch(const struct model *m, const struct event *ev)
{
	prefetch_task(&m->tasks, ev->pid);
	if (ev->type == EV_SWITCH)
		prefetch_task(&m->tasks, ev->pid2);
}

static void on_fork(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);

	/* the pid had an owner: it is used again */
	if (t && t->row.first_ts) {
		end_wait(w, t, ev);
		set_run(w, t, RUN_DEAD);
		t = task_replace(&w->model->tasks, ev->pid);
	}
	if (!t)
		return;
	touch(t, ev, ev->comm);
	set_run(w, t, RUN_NEW);
	t->cpu = t->last_cpu = ev->cpu; /* its wakeup starts from its parent's CPU */
}

/* A thread that execs takes the pid of its group's leader. */
static void on_exec(struct walk *w, struct cpu *c, const struct event *ev)
{
	int32_t old = (int32_t)ev->comm2;
	struct task *t;

	if (old <= 0 || old == ev->pid || ev->pid <= 0)
		return;
	t = task_get(&w->model->tasks, old);
	if (t)
		task_set_pid(&w->model->tasks, t, ev->pid);
}

static void on_exit_(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);

	if (t) {
		touch(t, ev, ev->comm);
		t->row.exited = true;
	}
}

static void on_rename(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);

	if (t)
		touch(t, ev, ev->comm);
}

static void on_numa(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);
	struct step s = { STEP_NUMA, ev, t, .from_cpu = ev->cpu2,
			  .to_cpu = (uint16_t)ev->dest_cpu };

	if (t) {
		t->numa = ev->type;
		t->numa_dest = (uint16_t)ev->dest_cpu;
	}
	if (ev->type == EV_NUMA_SWAP) {
		struct task *other = task_get(&w->model->tasks, ev->pid2);

		if (other)
			other->numa = ev->type;
	}
	walk_emit(w, STEP_NUMA, &s);
}

static model_handler *const handlers[EV_NR] = {
	[EV_SWITCH] = model_switch,   [EV_WAKING] = model_waking,
	[EV_WAKEUP] = model_wakeup,   [EV_WAKEUP_NEW] = model_wakeup,
	[EV_MIGRATE] = model_migrate, [EV_FORK] = on_fork,
	[EV_EXEC] = on_exec,	   [EV_EXIT] = on_exit_,
	[EV_RENAME] = on_rename,   [EV_NUMA_MOVE] = on_numa,
	[EV_NUMA_SWAP] = on_numa,  [EV_NUMA_STICK] = on_numa,
};

void model_event(struct walk *w, const struct event *ev)
{
	struct cpu *c;

	w->saw[ev->type] = true;
	if (ev->type == EV_LOST) {
		model_lost(w, ev);
		return;
	}
	c = walk_cpu(w, ev->cpu);
	if (!c)
		return;
	if (!c->row.seen) {
		c->row.seen = true;
		c->row.first_ts = ev->ts;
	}
	c->row.last_ts = ev->ts;
	c->row.by_type[ev->type]++;
	if (c == w->model->pending_cpu && ev->type != EV_MIGRATE)
		model_settle(w, ev);
	handlers[ev->type](w, c, ev);
}

void model_finish(struct walk *w)
{
	model_settle(w, NULL);
}

/* Names that the events did not tell, from the tables of the file. */
static uint32_t name_in_file(const struct event_stream *s, int32_t pid)
{
	size_t lo = 0, hi = s->nr_names;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->names[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nr_names && s->names[lo].pid == pid ? s->names[lo].comm : COMM_NONE;
}

void model_collect(struct walk *w)
{
	struct trace_tables *tb = w->tables;
	struct task_table *tasks = &w->model->tasks;

	tb->max_running = w->model->max_runnable;
	tb->nr_tasks = tasks->nr;
	tb->task = xcalloc(tasks->nr ? tasks->nr : 1, sizeof(*tb->task));
	for (uint32_t i = 0; i < tasks->nr; i++) {
		struct task *t = task_at(tasks, i);
		uint32_t comm = t->comm != COMM_NONE ? t->comm :
						       name_in_file(w->stream, t->row.pid);
		uint32_t id = strmap_adds(&tb->names, event_stream_comm(w->stream, comm));

		tb->task[i] = t->row;
		tb->task[i].comm = tb->names.name[id];
	}
	tb->nr_cpus = w->nr_cpus;
	tb->cpu = xcalloc(w->nr_cpus ? w->nr_cpus : 1, sizeof(*tb->cpu));
	for (unsigned i = 0; i < w->nr_cpus; i++)
		if (w->cpu[i])
			tb->cpu[i] = w->cpu[i]->row;
}
