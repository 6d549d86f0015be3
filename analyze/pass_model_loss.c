// SPDX-License-Identifier: GPL-2.0-or-later
/* What a loss of events makes of the model: what spans it is not measured. */
#include "pass_state.h"

/* Nothing is known of that CPU and of what waits there any more. */
static void forget_cpu(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct model *m = w->model;

	set_idle(w, c, ev, false, UNKNOWN_NS);
	if (c->known && c->current && c->current->run == RUN_RUNNING)
		set_run(w, c->current, RUN_UNKNOWN);
	c->known = false;
	c->since = 0;
	if (!c->queued)
		return;
	for (uint32_t i = 0; i < m->tasks.nr; i++) {
		struct task *t = task_at(&m->tasks, i);

		if (t->waits && t->cpu == c->number) {
			end_wait(w, t, ev);
			set_run(w, t, RUN_UNKNOWN);
			w->dropped_gap++;
		}
	}
}

static void lose_cpu(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct step s = { STEP_LOST, ev };

	if (!c)
		return;
	s.to_cpu = c->number;
	c->row.gaps++;
	c->row.lost += ev->count;
	forget_cpu(w, c, ev);
	walk_emit(w, STEP_LOST, &s);
}

void model_lost(struct walk *w, const struct event *ev)
{
	struct trace_tables *tb = w->tables;

	model_settle(w, NULL);
	if (ev->until > w->gap_until)
		w->gap_until = ev->until;
	if (tb->nr_gaps < TRACE_GAPS)
		tb->gap[tb->nr_gaps++] = (struct trace_gap){ ev->ts, ev->until, ev->count,
							     ev->cpu };
	if (ev->cpu != CPU_NONE) {
		lose_cpu(w, walk_cpu(w, ev->cpu), ev);
		return;
	}
	for (unsigned i = 0; i < w->nr_cpus; i++)
		lose_cpu(w, w->cpu[i], ev);
}
