// SPDX-License-Identifier: GPL-2.0-or-later
/* The model's switches: who leaves the CPU, who comes, and what that ends. */
#include "pass_state.h"

/* The task that leaves the CPU. Returns how long it ran. */
static int64_t switch_out(struct walk *w, struct cpu *c, struct task *t,
			  const struct event *ev)
{
	int64_t ran = UNKNOWN_NS;

	touch(t, ev, ev->comm2);
	if (c->known && c->current == t)
		ran = elapsed(w, c->since, ev->ts, false);
	else if (c->known)
		w->inconsistent++;
	if (t->run == RUN_WAKING && !t->last_ran) /* it came before the trace */
		t->woken_early = t->wait_since;
	end_wait(w, t, ev);
	t->last_ran = ev->ts;
	t->last_cpu = t->cpu = ev->cpu;
	t->off_state = ev->state;
	if (ev->state == TASK_RUNNABLE) {
		set_run(w, t, RUN_QUEUED);
		begin_wait(w, t, ev, ev->cpu, WAIT_PREEMPT);
	} else if (t->woken_early && w->model->saw_wakeup) {
		set_run(w, t, RUN_WAKING);
		begin_wait(w, t, ev, ev->cpu, WAIT_WAKEUP);
		t->wait_since = t->woken_early;
	} else {
		set_run(w, t, ev->state == TASK_DEAD || ev->state == TASK_ZOMBIE ?
				      RUN_DEAD : RUN_BLOCKED);
	}
	/* without sched_wakeup only what follows tells what it was for */
	if (w->model->saw_wakeup || ev->state == TASK_RUNNABLE)
		t->woken_early = 0;
	t->numa = 0;
	return ran;
}

/* The task that comes: what it waited, and between which CPUs. */
static void switch_in(struct walk *w, struct task *t, const struct event *ev, struct step *s)
{
	touch(t, ev, ev->comm);
	t->row.prio = ev->prio;
	if (t->run == RUN_BLOCKED && t->woken_early) {
		/* woken between its decision to block and the switch */
		set_run(w, t, RUN_WAKING);
		t->wait_kind = WAIT_WAKEUP;
		t->wait_since = t->woken_early;
	}
	if (t->run == RUN_WAKING)
		emit_waking(w, t, ev, WAIT_WAKEUP, ev->cpu);
	if ((t->run == RUN_QUEUED || t->run == RUN_WAKING) && t->wait_kind) {
		s->wait_kind = (enum wait_kind)t->wait_kind;
		s->waited_ns = elapsed(w, t->wait_since, ev->ts, true);
		s->distance = s->wait_kind == WAIT_PREEMPT || t->woken_cpu == CPU_NONE ?
			distance_between(w, t->last_cpu, ev->cpu) :
			distance_between(w, t->last_cpu, t->woken_cpu);
		if (t->last_cpu == CPU_NONE) /* not seen running yet */
			s->distance = DIST_UNKNOWN;
	} else if (t->run == RUN_BLOCKED || t->run == RUN_DEAD) {
		w->unpaired++;
	} else if (t->run == RUN_RUNNING) {
		w->inconsistent++;
	}
	s->from_cpu = t->last_cpu;
	end_wait(w, t, ev);
	set_run(w, t, RUN_RUNNING);
	t->wait_kind = WAIT_NONE;
	t->wait_since = 0;
	t->woken_early = 0;
	t->woken_cpu = CPU_NONE;
	t->cpu = ev->cpu;
	t->run_since = ev->ts;
}

void model_switch(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct step s = { STEP_SWITCH, ev, .from_cpu = CPU_NONE, .to_cpu = ev->cpu,
			  .spent_ns = UNKNOWN_NS, .waited_ns = UNKNOWN_NS };
	struct task *prev = task_get(&w->model->tasks, ev->pid2);
	struct task *next = task_get(&w->model->tasks, ev->pid);

	if (prev)
		s.spent_ns = switch_out(w, c, prev, ev);
	else if (c->known && !c->current)
		s.spent_ns = elapsed(w, c->since, ev->ts, false);
	if (!next)
		set_idle(w, c, ev, true, 0);
	else
		set_idle(w, c, ev, false, prev ? UNKNOWN_NS : s.spent_ns);
	if (next)
		switch_in(w, next, ev, &s);
	c->known = true;
	c->current = next;
	c->since = ev->ts;
	c->row.switches++;
	s.task = next;
	s.prev = prev;
	walk_emit(w, STEP_SWITCH, &s);
}
