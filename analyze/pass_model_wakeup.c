// SPDX-License-Identifier: GPL-2.0-or-later
/* The model's wakeups: sched_waking begins a wait, sched_wakeup tells where. */
#include "pass_state.h"

void model_waking(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);
	uint16_t cpu;

	w->model->saw_waking = true;
	if (!t)
		return;
	touch(t, ev, ev->comm);
	if (t->run == RUN_QUEUED || t->run == RUN_WAKING)
		return;
	if (t->woken_early) { /* that one was for nothing */
		emit_waking(w, t, ev, WAIT_NONE, t->cpu);
		t->woken_early = 0;
	}
	remember_waker(w, t, ev);
	if (t->run == RUN_RUNNING) {
		t->woken_early = ev->ts;
		return;
	}
	end_block(w, t, ev);
	cpu = t->last_cpu != CPU_NONE ? t->last_cpu : ev->cpu2 != CPU_NONE ? ev->cpu2 : ev->cpu;
	set_run(w, t, RUN_WAKING);
	begin_wait(w, t, ev, cpu, WAIT_WAKEUP);
}

void model_wakeup(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);
	struct step s;
	uint16_t target;
	bool on_queue;

	if (!t)
		return;
	if (ev->type == EV_WAKEUP)
		w->model->saw_wakeup = true;
	touch(t, ev, ev->comm);
	on_queue = t->run == RUN_RUNNING || t->run == RUN_QUEUED;
	target = ev->cpu2 != CPU_NONE ? ev->cpu2 : t->cpu != CPU_NONE ? t->cpu : ev->cpu;
	if (t->run != RUN_WAKING && !(t->run == RUN_RUNNING && t->woken_early))
		remember_waker(w, t, ev);
	if (t->run == RUN_WAKING) {
		move_wait(w, t, ev, target);
		set_run(w, t, RUN_QUEUED);
		t->woken_cpu = target;
	} else if (t->run != RUN_RUNNING && t->run != RUN_QUEUED) {
		end_block(w, t, ev);
		set_run(w, t, RUN_QUEUED);
		begin_wait(w, t, ev, target,
			   ev->type == EV_WAKEUP_NEW ? WAIT_NEW : WAIT_WAKEUP);
		t->woken_cpu = target;
	}
	t->woken_early = 0;
	s = (struct step){ STEP_WAKEUP, ev, t, t->waker, t->waker_cpu, target };
	s.wait_kind = ev->type == EV_WAKEUP_NEW ? WAIT_NEW : on_queue ? WAIT_NONE : WAIT_WAKEUP;
	s.distance = distance_between(w, s.from_cpu, target);
	walk_emit(w, STEP_WAKEUP, &s);
}
