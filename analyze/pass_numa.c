// SPDX-License-Identifier: GPL-2.0-or-later
/* NUMA balancing events. */
#include <stdlib.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

struct numa {
	uint64_t n[EV_NR];
};

static void *numa_init(struct walk *w)
{
	return xcalloc(1, sizeof(struct numa));
}

static void numa_step(void *self, struct walk *w, const struct step *s)
{
	struct numa *p = self;

	p->n[s->ev->type]++;
}

static void numa_finish(void *self, struct walk *w)
{
	static const struct {
		enum event_type type;
		const char *name;
	} rows[] = { { EV_NUMA_MOVE, "move" }, { EV_NUMA_SWAP, "swap" },
		     { EV_NUMA_STICK, "stick" } };
	struct numa *p = self;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (p->n[rows[i].type] || w->stream->expect[rows[i].type])
			series_add(w->series, "numa", LABELS("event", rows[i].name),
				   p->n[rows[i].type]);
}

const struct pass_ops pass_numa = { "numa", 1u << STEP_NUMA, numa_init, numa_step,
				    numa_finish, free };
