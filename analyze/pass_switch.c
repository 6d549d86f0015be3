// SPDX-License-Identifier: GPL-2.0-or-later
/* Switches by kind and CPU, run and idle time. */
#include <stdio.h>
#include <stdlib.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

struct switches {
	uint64_t voluntary, preempted, idle;
	struct histogram idle_periods;
};

static void *switch_init(struct walk *w)
{
	return xcalloc(1, sizeof(struct switches));
}

static void switch_step(void *self, struct walk *w, const struct step *s)
{
	struct switches *p = self;
	struct cpu *c = w->cpu[s->to_cpu];

	if (s->kind == STEP_IDLE_END) {
		if (s->spent_ns != UNKNOWN_NS)
			histogram_add(&p->idle_periods, (uint64_t)s->spent_ns);
		return;
	}
	if (!s->prev) {
		p->idle++;
		if (s->spent_ns != UNKNOWN_NS)
			c->row.idle_ns += (uint64_t)s->spent_ns;
		return;
	}
	if (s->ev->state == TASK_RUNNABLE) {
		p->preempted++;
		s->prev->row.preempted++;
	} else {
		p->voluntary++;
		s->prev->row.voluntary++;
	}
	if (s->spent_ns != UNKNOWN_NS) {
		s->prev->row.run_ns += (uint64_t)s->spent_ns;
		s->prev->row.runs++;
		c->row.busy_ns += (uint64_t)s->spent_ns;
	}
}

static void switch_finish(void *self, struct walk *w)
{
	struct switches *p = self;

	if (!walk_saw(w, EV_SWITCH))
		return;
	series_add(w->series, "switches", LABELS("kind", "voluntary"), p->voluntary);
	series_add(w->series, "switches", LABELS("kind", "preempted"), p->preempted);
	series_add(w->series, "switches", LABELS("kind", "idle"), p->idle);
	series_add_hist(w->series, "idle_periods", NO_LABELS, &p->idle_periods);
	for (unsigned i = 0; i < w->nr_cpus; i++) {
		char cpu[16];

		if (!w->cpu[i] || !w->cpu[i]->row.seen)
			continue;
		snprintf(cpu, sizeof(cpu), "%u", i);
		series_add(w->series, "cpu_switches", LABELS("cpu", cpu),
			   w->cpu[i]->row.switches);
		series_add(w->series, "idle_time", LABELS("cpu", cpu), w->cpu[i]->row.idle_ns);
	}
}

const struct pass_ops pass_switch = { "switch", 1u << STEP_SWITCH | 1u << STEP_IDLE_END,
				      switch_init, switch_step, switch_finish, free };
