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
	uint64_t runnable, max_runnable; /* running and waiting tasks */
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

/* Steps are built where they are emitted, not before it is known that they are. */
static inline void emit_wait(struct walk *w, enum step_kind kind, struct task *t,
			     const struct event *ev, uint16_t from, uint16_t to)
{
	const struct step s = { kind, ev, t, .from_cpu = from, .to_cpu = to };

	walk_emit(w, kind, &s);
}

static inline void begin_wait(struct walk *w, struct task *t, const struct event *ev, uint16_t cpu,
		       enum wait_kind kind)
{
	struct cpu *c = walk_cpu(w, cpu);

	t->wait_kind = (uint8_t)kind;
	t->wait_since = ev->ts;
	t->cpu = cpu;
	if (t->waits || !c)
		return;
	t->waits = true;
	t->queued_since = ev->ts;
	if (++c->queued > c->row.max_queue)
		c->row.max_queue = c->queued;
	emit_wait(w, STEP_WAIT_BEGIN, t, ev, CPU_NONE, cpu);
}

static inline void move_wait(struct walk *w, struct task *t, const struct event *ev, uint16_t cpu)
{
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
		emit_wait(w, STEP_WAIT_MOVE, t, ev, t->cpu, cpu);
	}
	t->cpu = cpu;
}

static inline void end_wait(struct walk *w, struct task *t, const struct event *ev)
{
	if (!t->waits)
		return;
	t->waits = false;
	w->cpu[t->cpu]->queued--;
	emit_wait(w, STEP_WAIT_END, t, ev, t->cpu, CPU_NONE);
}

/* 1 or 0 */
static inline unsigned counts_runnable(unsigned run)
{
	return (1u << RUN_WAKING | 1u << RUN_QUEUED | 1u << RUN_RUNNING) >> run & 1;
}

static inline void set_run(struct walk *w, struct task *t, enum run_state run)
{
	struct model *m = w->model;

	m->runnable += counts_runnable(run);
	m->runnable -= counts_runnable(t->run);
	if (m->runnable > m->max_runnable)
		m->max_runnable = m->runnable;
	t->run = (uint8_t)run;
}

static inline void set_idle(struct walk *w, struct cpu *c, const struct event *ev, bool idle,
		     int64_t spent)
{
	enum step_kind kind = idle ? STEP_IDLE_BEGIN : STEP_IDLE_END;

	if (c->idle == idle)
		return;
	c->idle = idle;
	walk_emit(w, kind, &(struct step){ kind, ev, .from_cpu = c->number,
					   .to_cpu = c->number, .spent_ns = spent });
}

static inline enum distance distance_between(const struct walk *w, uint16_t a, uint16_t b)
{
	return a == b ? DIST_SELF : topology_distance(w->topology, a, b);
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
	if (w->model->saw_wakeup)
		return;
	walk_emit(w, STEP_WAKEUP, &(struct step){
			STEP_WAKEUP, ev, t, t->waker, t->waker_cpu, to, .wait_kind = kind,
			.distance = distance_between(w, t->waker_cpu, to) });
}

#endif
