/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the run queue model share: its state and the moves of a
 * task that become steps. In a header, since they run for every event.
 */
#ifndef ANALYZE_PASS_STATE_H
#define ANALYZE_PASS_STATE_H

#include "pass_model.h"

#define PENDING_MAX 32

/* A migration whose reason the next event of its CPU tells. */
struct pending {
	struct task *task;
	uint16_t from, to;
	int64_t since_ran;
	uint64_t ts;
};

struct model {
	struct task_table tasks;
	bool saw_waking, saw_wakeup;
	uint64_t runnable; /* running and waiting tasks */
	/* steals on pending_cpu whose idle type the next event there tells */
	struct pending pending[PENDING_MAX];
	unsigned nr_pending;
	struct cpu *pending_cpu;
};

/* The parts, by subject: one event each. */
typedef void model_handler(struct walk *w, struct cpu *c, const struct event *ev);
model_handler model_switch;			       /* pass_model_switch.c */
model_handler model_waking, model_wakeup;	       /* pass_model_wakeup.c */
model_handler model_migrate;			       /* pass_model_migrate.c */
void model_settle(struct walk *w, const struct event *ev); /* the same */
void model_lost(struct walk *w, const struct event *ev);   /* pass_model_loss.c */

/* b - a, or UNKNOWN_NS where a is not known, lies before a loss, or after b. */
static inline int64_t elapsed(struct walk *w, uint64_t a, uint64_t b, bool heed_gaps)
{
	if (!a)
		return UNKNOWN_NS;
	if (heed_gaps && a < w->gap_until) {
		w->dropped_gap++;
		return UNKNOWN_NS;
	}
	if (b < a) {
		w->backwards++;
		return UNKNOWN_NS;
	}
	return (int64_t)(b - a);
}

static inline void touch(struct task *t, const struct event *ev, uint32_t comm)
{
	if (comm != COMM_NONE)
		t->comm = comm;
	if (!t->row.first_ts)
		t->row.first_ts = ev->ts;
	t->row.last_ts = ev->ts;
}

static inline void begin_wait(struct walk *w, struct task *t, const struct event *ev, uint16_t cpu,
		       enum wait_kind kind)
{
	struct cpu *c = walk_cpu(w, cpu);
	struct step s = { STEP_WAIT_BEGIN, ev, t, .to_cpu = cpu, .from_cpu = CPU_NONE };

	t->wait_kind = (uint8_t)kind;
	t->wait_since = ev->ts;
	t->cpu = cpu;
	if (t->waits || !c)
		return;
	t->waits = true;
	t->queued_since = ev->ts;
	if (++c->queued > c->row.max_queue)
		c->row.max_queue = c->queued;
	walk_emit(w, &s);
}

static inline void move_wait(struct walk *w, struct task *t, const struct event *ev, uint16_t cpu)
{
	struct step s = { STEP_WAIT_MOVE, ev, t, .from_cpu = t->cpu, .to_cpu = cpu };
	struct cpu *from, *to;

	if (t->cpu == cpu)
		return;
	if (t->waits) {
		from = walk_cpu(w, t->cpu);
		to = walk_cpu(w, cpu);
		if (!from || !to)
			return;
		from->queued--;
		if (++to->queued > to->row.max_queue)
			to->row.max_queue = to->queued;
		walk_emit(w, &s);
	}
	t->cpu = cpu;
}

static inline void end_wait(struct walk *w, struct task *t, const struct event *ev)
{
	struct step s = { STEP_WAIT_END, ev, t, .from_cpu = t->cpu, .to_cpu = CPU_NONE };

	if (!t->waits)
		return;
	t->waits = false;
	walk_cpu(w, t->cpu)->queued--;
	walk_emit(w, &s);
}

static inline void runnable(struct walk *w, int change)
{
	struct model *m = w->model;

	m->runnable += (uint64_t)change;
	if (change > 0 && m->runnable > w->tables->max_running)
		w->tables->max_running = m->runnable;
}

static inline bool counts_runnable(const struct task *t)
{
	return t->run == RUN_WAKING || t->run == RUN_QUEUED || t->run == RUN_RUNNING;
}

static inline void set_run(struct walk *w, struct task *t, enum run_state run)
{
	bool before = counts_runnable(t), after;

	t->run = (uint8_t)run;
	after = counts_runnable(t);
	if (before != after)
		runnable(w, after ? 1 : -1);
}

static inline void set_idle(struct walk *w, struct cpu *c, const struct event *ev, bool idle,
		     int64_t spent)
{
	struct step s = { idle ? STEP_IDLE_BEGIN : STEP_IDLE_END, ev,
			  .from_cpu = c->number, .to_cpu = c->number, .spent_ns = spent };

	if (c->idle == idle)
		return;
	c->idle = idle;
	walk_emit(w, &s);
}

/* Time off the CPU is over: it goes to the state the task had left in. */
static inline void end_block(struct walk *w, struct task *t, const struct event *ev)
{
	int64_t off;

	if (t->run != RUN_BLOCKED)
		return;
	off = elapsed(w, t->last_ran, ev->ts, true);
	if (off != UNKNOWN_NS)
		t->row.state_ns[t->off_state] += (uint64_t)off;
}

static inline void remember_waker(struct walk *w, struct task *t, const struct event *ev)
{
	t->waker = task_get(&w->model->tasks, ev->pid2);
	t->waker_cpu = ev->cpu;
}

/* A wakeup of which no sched_wakeup was recorded. */
static inline void emit_waking(struct walk *w, struct task *t, const struct event *ev,
			enum wait_kind kind, uint16_t to)
{
	struct step s = { STEP_WAKEUP, ev, t, t->waker, t->waker_cpu, to, .wait_kind = kind };

	if (w->model->saw_wakeup)
		return;
	s.distance = topology_distance(w->topology, s.from_cpu, s.to_cpu);
	walk_emit(w, &s);
}

#endif
