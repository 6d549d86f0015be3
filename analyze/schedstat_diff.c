// SPDX-License-Identifier: GPL-2.0-or-later
/* The difference of two /proc/schedstat as series, domains summed by level. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/schedstat.h"

#define LEVELS_MAX 64

struct level {
	char name[33];
	struct schedstat_counts sum;
};

struct diff {
	const struct topology *t;
	struct notes *notes;
	struct level level[LEVELS_MAX];
	size_t nr_levels;
	unsigned new_cpus, changed; /* CPUs and domains that are left out */
};

/* What all CPUs of a domain share. */
static const char *level_of_span(const struct topology *t, const struct cpuset *span)
{
	static const char *const names[DIST_NR] = {
		[DIST_SELF] = "SELF",  [DIST_SMT] = "SMT", [DIST_LLC] = "MC",
		[DIST_NODE] = "PKG", [DIST_REMOTE] = "NUMA",
	};
	int first = cpuset_next(span, 0);
	enum distance far = DIST_SELF;

	if (first < 0)
		return NULL;
	cpuset_for_each(cpu, span) {
		enum distance d = topology_distance(t, (unsigned)first, (unsigned)cpu);

		if (d > far)
			far = d;
	}
	return names[far];
}

static struct level *level_of(struct diff *d, const struct schedstat_domain *domain)
{
	const char *name = domain->name ? domain->name : level_of_span(d->t, &domain->span);
	char number[33];

	if (!name) {
		snprintf(number, sizeof(number), "domain%u", domain->index);
		name = number;
	}
	for (size_t i = 0; i < d->nr_levels; i++)
		if (!strcmp(d->level[i].name, name))
			return &d->level[i];
	if (d->nr_levels == LEVELS_MAX)
		return NULL;
	memset(&d->level[d->nr_levels], 0, sizeof(d->level[0]));
	snprintf(d->level[d->nr_levels].name, sizeof(d->level[0].name), "%s", name);
	return &d->level[d->nr_levels++];
}

/* Adds new - old; 32-bit counters may wrap, but not by more than half way round. */
static bool add_counter(uint64_t *sum, uint64_t old, uint64_t new)
{
	if (new >= old) {
		*sum += new - old;
		return true;
	}
	if (old <= UINT32_MAX && old - new > UINT32_MAX / 2) {
		*sum += (uint32_t)((uint32_t)new - (uint32_t)old);
		return true;
	}
	return false;
}

/* All or nothing: a rebuilt domain starts from zero. */
static void add_counts(struct diff *d, const struct schedstat_domain *old,
		       const struct schedstat_domain *new)
{
	struct level *level = level_of(d, new);
	struct schedstat_counts sum;
	const uint64_t *a = (const uint64_t *)&old->counts;
	const uint64_t *b = (const uint64_t *)&new->counts;
	bool ok = level != NULL;

	if (level)
		sum = level->sum;
	for (size_t i = 0; ok && i < sizeof(sum) / sizeof(uint64_t); i++)
		ok = add_counter((uint64_t *)&sum + i, a[i], b[i]);
	if (ok)
		level->sum = sum;
	else
		d->changed++;
}

static const struct schedstat_domain *same_domain(const struct schedstat *s,
						  const struct schedstat_cpu *cpu,
						  const struct schedstat_domain *like)
{
	for (size_t i = 0; i < cpu->nr_domains; i++) {
		const struct schedstat_domain *d = &s->domain[cpu->first_domain + i];

		if (cpuset_equal(&d->span, &like->span) && d->index == like->index)
			return d;
	}
	return NULL;
}

static void add_rq(struct series_set *set, const struct schedstat_cpu *a,
		   const struct schedstat_cpu *b)
{
#define X(id, name) name,
	static const char *const names[] = { SCHEDSTAT_RQ_LIST(X) };
#undef X
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%u", b->cpu);
	for (unsigned i = 0; i < SCHEDSTAT_RQ_NR; i++) {
		uint64_t sum = 0;

		if (i != SCHEDSTAT_RQ_LEGACY && add_counter(&sum, a->rq[i], b->rq[i]))
			series_add(set, "rq", LABELS("cpu", cpu, "field", names[i]), sum);
	}
}

static const struct schedstat_cpu *find_cpu(const struct schedstat *s, unsigned cpu,
					    size_t hint)
{
	if (hint < s->nr_cpus && s->cpu[hint].cpu == cpu)
		return &s->cpu[hint];
	for (size_t i = 0; i < s->nr_cpus; i++)
		if (s->cpu[i].cpu == cpu)
			return &s->cpu[i];
	return NULL;
}

static void add_level(struct series_set *set, const struct level *l)
{
#define X(id, name) name,
	static const char *const lb[] = { SCHEDSTAT_LB_LIST(X) };
#undef X
	static const char *const idle[] = { "idle", "busy", "newidle" };
	static const char *const alb[] = { "count", "failed", "pushed" };
	static const char *const ttwu[] = { "remote", "move_affine", "move_balance" };

	for (unsigned g = 0; g < SCHEDSTAT_IDLE_NR; g++)
		for (unsigned i = 0; i < SCHEDSTAT_LB_NR; i++)
			series_add(set, "lb",
				   LABELS("level", l->name, "idle", idle[g], "field", lb[i]),
				   l->sum.lb[g][i]);
	for (unsigned i = 0; i < SCHEDSTAT_ALB_NR; i++)
		series_add(set, "alb", LABELS("level", l->name, "field", alb[i]),
			   l->sum.alb[i]);
	for (unsigned i = 0; i < SCHEDSTAT_TTWU_NR; i++)
		series_add(set, "ttwu", LABELS("level", l->name, "field", ttwu[i]),
			   l->sum.ttwu[i]);
}

void schedstat_add(struct series_set *set, const struct schedstat *before,
		   const struct schedstat *after, const struct topology *t,
		   struct notes *notes)
{
	struct diff d = { .t = t, .notes = notes };

	if (before->version != after->version) {
		notes_add(notes, "schedstat: versions %u before and %u after differ; left out",
			  before->version, after->version);
		return;
	}
	series_declare(set, "rq");
	for (size_t i = 0; i < after->nr_cpus; i++) {
		const struct schedstat_cpu *b = &after->cpu[i];
		const struct schedstat_cpu *a = find_cpu(before, b->cpu, i);

		if (!a) {
			d.new_cpus++;
			continue;
		}
		add_rq(set, a, b);
		for (size_t j = 0; j < b->nr_domains; j++) {
			const struct schedstat_domain *new = &after->domain[b->first_domain + j];
			const struct schedstat_domain *old = same_domain(before, a, new);

			if (old)
				add_counts(&d, old, new);
			else
				d.changed++;
		}
	}
	if (d.new_cpus)
		notes_add(notes, "schedstat: %u CPUs came online during the run and are left "
			  "out", d.new_cpus);
	if (d.changed)
		notes_add(notes, "schedstat: %u domains were rebuilt during the run and are "
			  "left out", d.changed);
	for (size_t i = 0; i < d.nr_levels; i++)
		add_level(set, &d.level[i]);
}
