// SPDX-License-Identifier: GPL-2.0-or-later
/* The model's migrations, and the steals whose reason what follows tells. */
#include "pass_state.h"

/* A newidle balance ends in the switch that called it; longer is not it. */
#define NEWIDLE_MAX_NS 200000

static void emit_migration(struct walk *w, const struct event *ev, const struct pending *p,
			   enum reason reason)
{
	struct step s = { STEP_MIGRATE, ev, p->task, .from_cpu = p->from, .to_cpu = p->to,
			  .spent_ns = p->since_ran, .reason = reason };

	s.distance = distance_between(w, p->from, p->to);
	walk_emit(w, STEP_MIGRATE, &s);
}

/*
 * Steals whose CPU was not idle: the newly idle balance runs inside the switch
 * away from a task that blocks, with nothing else waiting there; so the next
 * event of that CPU is that switch, at once. Anything else leaves it open.
 */
void model_settle(struct walk *w, const struct event *ev)
{
	struct model *m = w->model;
	bool newidle = ev && ev->type == EV_SWITCH && ev->state != TASK_RUNNABLE &&
		       ev->pid2 != 0;

	for (unsigned i = 0; i < m->nr_pending; i++) {
		const struct pending *p = &m->pending[i];
		bool at_once = ev && ev->ts - p->ts < NEWIDLE_MAX_NS;

		emit_migration(w, ev, p, newidle && at_once ? REASON_STEAL_NEWIDLE :
							      REASON_STEAL);
	}
	m->nr_pending = 0;
	m->pending_cpu = NULL;
}

void model_migrate(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct model *m = w->model;
	struct task *t = task_get(&m->tasks, ev->pid);
	struct pending p = { t, ev->cpu2, (uint16_t)ev->dest_cpu, UNKNOWN_NS, ev->ts };
	enum reason reason;

	if (!t || ev->dest_cpu >= CPU_NONE || ev->cpu2 == CPU_NONE || ev->cpu2 == ev->dest_cpu)
		return;
	touch(t, ev, ev->comm);
	reason = migrate_reason(w, t, c, ev, m->saw_waking);
	/* hot or cold is a question of the CPU it leaves */
	if (t->last_cpu == ev->cpu2 && t->run != RUN_RUNNING)
		p.since_ran = elapsed(w, t->last_ran, ev->ts, true);
	move_wait(w, t, ev, p.to);
	t->numa = 0;
	if (reason != REASON_STEAL) {
		emit_migration(w, ev, &p, reason);
		return;
	}
	if (m->pending_cpu != c || m->nr_pending == PENDING_MAX)
		model_settle(w, NULL);
	m->pending_cpu = c;
	m->pending[m->nr_pending++] = p;
}
