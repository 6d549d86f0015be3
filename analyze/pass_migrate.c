// SPDX-License-Identifier: GPL-2.0-or-later
/* Migrations by reason, nodes and distance; time since the task last ran. */
#include <stdio.h>
#include <stdlib.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

#define PAIR_CPUS 64 /* cpu_migrations: a matrix of at most so many CPUs */

struct migrations {
	unsigned nr_nodes; /* of the topology, + 1 for "unknown" */
	uint64_t *by_node; /* [reason][from][to][distance] */
	uint64_t by_cpu[PAIR_CPUS][PAIR_CPUS][REASON_NR];
	struct histogram *since[REASON_NR][DIST_NR]; /* made when first needed */
};

static void *migrate_init(struct walk *w)
{
	struct migrations *p = xcalloc(1, sizeof(*p));

	p->nr_nodes = w->topology->nr_nodes + 1;
	p->by_node = xcalloc((size_t)REASON_NR * p->nr_nodes * p->nr_nodes * DIST_NR,
			     sizeof(*p->by_node));
	return p;
}

static uint64_t *node_cell(struct migrations *p, int reason, unsigned from, unsigned to, int d)
{
	return &p->by_node[(((size_t)reason * p->nr_nodes + from) * p->nr_nodes + to) *
			   DIST_NR + (unsigned)d];
}

/* Dense node, the last index for "unknown". */
static unsigned node_of(const struct walk *w, const struct migrations *p, unsigned cpu)
{
	int node = topology_node_of(w->topology, cpu);

	return node < 0 ? p->nr_nodes - 1 : (unsigned)node;
}

static void migrate_step(void *self, struct walk *w, const struct step *s)
{
	struct migrations *p = self;
	struct cpu *from = walk_cpu(w, s->from_cpu), *to = walk_cpu(w, s->to_cpu);

	++*node_cell(p, s->reason, node_of(w, p, s->from_cpu), node_of(w, p, s->to_cpu),
		     s->distance);
	if (s->from_cpu < PAIR_CPUS && s->to_cpu < PAIR_CPUS)
		p->by_cpu[s->from_cpu][s->to_cpu][s->reason]++;
	from->row.out++;
	to->row.in++;
	s->task->row.migrations[s->distance]++;
	if (s->spent_ns == UNKNOWN_NS)
		return;
	s->task->row.migrations_known++;
	s->task->row.migrations_hot += s->spent_ns < TRACE_HOT_NS;
	if (!p->since[s->reason][s->distance])
		p->since[s->reason][s->distance] = xcalloc(1, sizeof(struct histogram));
	histogram_add(p->since[s->reason][s->distance], (uint64_t)s->spent_ns);
}

static const char *node_name(const struct migrations *p, unsigned node, char buf[16])
{
	if (node == p->nr_nodes - 1)
		return "unknown";
	snprintf(buf, 16, "%u", node);
	return buf;
}

/* Which balance pulled, where the reason tells it. */
static const char *idle_type(int reason)
{
	switch (reason) {
	case REASON_STEAL_NEWIDLE:
		return "newidle";
	case REASON_STEAL_IDLE:
		return "idle";
	case REASON_STEAL_BUSY:
		return "busy";
	case REASON_STEAL:
		return "unknown";
	default:
		return NULL;
	}
}

static void add_cell(struct walk *w, struct migrations *p, int reason, unsigned from,
		     unsigned to, int d)
{
	uint64_t n = *node_cell(p, reason, from, to, d);
	char a[16], b[16];
	const char *fn = node_name(p, from, a), *tn = node_name(p, to, b);

	if (!n)
		return;
	series_add(w->series, "migrations",
		   LABELS("reason", reason_name((enum reason)reason), "from_node", fn,
			  "to_node", tn, "distance", distance_name((enum distance)d)), n);
	if (idle_type(reason)) /* the domain's level is not in a trace */
		series_add(w->series, "steals",
			   LABELS("level", "unknown", "idle", idle_type(reason),
				  "from_node", fn, "to_node", tn), n);
}

static void add_pairs(struct walk *w, struct migrations *p)
{
	series_declare(w->series, "cpu_migrations");
	for (unsigned from = 0; from < w->nr_cpus; from++)
		for (unsigned to = 0; to < w->nr_cpus; to++)
			for (int r = 0; r < REASON_NR; r++) {
				char a[16], b[16];

				if (!p->by_cpu[from][to][r])
					continue;
				snprintf(a, sizeof(a), "%u", from);
				snprintf(b, sizeof(b), "%u", to);
				series_add(w->series, "cpu_migrations",
					   LABELS("from_cpu", a, "to_cpu", b, "reason",
						  reason_name((enum reason)r)),
					   p->by_cpu[from][to][r]);
			}
}

static void migrate_finish(void *self, struct walk *w)
{
	struct migrations *p = self;

	if (!walk_saw(w, EV_MIGRATE)) /* not recorded, not zero */
		return;
	series_declare(w->series, "migrations");
	series_declare(w->series, "steals");
	for (int r = 0; r < REASON_NR; r++)
		for (unsigned from = 0; from < p->nr_nodes; from++)
			for (unsigned to = 0; to < p->nr_nodes; to++)
				for (int d = 0; d < DIST_NR; d++)
					add_cell(w, p, r, from, to, d);
	if (w->nr_cpus <= PAIR_CPUS)
		add_pairs(w, p);
	series_declare(w->series, "since_last_ran");
	for (int r = 0; r < REASON_NR; r++)
		for (int d = 0; d < DIST_NR; d++)
			if (p->since[r][d])
				series_add_hist(w->series, "since_last_ran",
						LABELS("reason", reason_name((enum reason)r),
						       "distance",
						       distance_name((enum distance)d)),
						p->since[r][d]);
}

static void migrate_release(void *self)
{
	struct migrations *p = self;

	for (int r = 0; r < REASON_NR; r++)
		for (int d = 0; d < DIST_NR; d++)
			free(p->since[r][d]);
	free(p->by_node);
	free(p);
}

const struct pass_ops pass_migrate = { "migrate", 1u << STEP_MIGRATE, migrate_init,
				       migrate_step, migrate_finish, migrate_release };
