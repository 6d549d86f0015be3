// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of a symbol group that changed most: the witness a reader asks
 * for first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "groups.h"
#include "schedblame/alloc.h"
#include "schedblame/profile.h"
#include "schedblame/strmap.h"

#define MOST 3
#define LEAST 0.05 /* per cent of all CPU time per unit of work */

/* ns per unit of work that one unit of the profile's weight stands for: the group's
 * row of the ledger, over its samples. */
static double weight_ns(const struct blame_input *in, struct run *run, size_t group)
{
	const struct profile *p = run_profile(run, NULL);
	double weight = 0;

	for (size_t i = 0; p && i < p->nr_symbols; i++)
		weight += groups_weight(p, (uint32_t)i, group, in->ledger->chained);
	return weight > 0 ? run_group_time(in, run, groups_name(group)) / weight /
				    (run->work > 0 ? run->work : 1) : 0;
}

/* ns per unit of work, mean over the runs, by symbol of names. */
static double *sum_side(const struct blame_input *in, const struct run_set *set,
			struct strmap *names, double *out, size_t *cap, size_t group)
{
	for (size_t r = 0; r < set->n; r++) {
		const struct profile *p = run_profile(&set->run[r], NULL);
		double ns = weight_ns(in, &set->run[r], group);

		for (size_t i = 0; p && i < p->nr_symbols; i++) {
			double weight = groups_weight(p, (uint32_t)i, group, in->ledger->chained);
			uint32_t id;

			if (weight <= 0)
				continue;
			id = strmap_adds(names, profile_name(p, (uint32_t)i));
			if (id >= *cap) {
				size_t old = *cap;

				*cap = (size_t)(id + 1) * 2;
				out = xrealloc(out, *cap, sizeof(*out));
				memset(out + old, 0, (*cap - old) * sizeof(*out));
			}
			out[id] += weight * ns / (double)set->n;
		}
	}
	return out;
}

static size_t group_by_name(const char *name)
{
	for (size_t g = 0; g < groups_count(); g++)
		if (!strcmp(groups_name(g), name))
			return g;
	return SIZE_MAX;
}

void evidence_symbols(struct cause *cause, const struct blame_input *in, const char *group)
{
	size_t g = group_by_name(group), cap_a = 0, cap_b = 0;
	struct strmap names;
	double *a, *b;

	strmap_init(&names);
	a = sum_side(in, in->a, &names, NULL, &cap_a, g);
	b = sum_side(in, in->b, &names, NULL, &cap_b, g);
	for (int i = 0; i < MOST; i++) {
		double best = 0;
		size_t at = SIZE_MAX;
		char *what;

		for (size_t id = 0; id < names.n; id++) {
			double va = id < cap_a ? a[id] : 0, vb = id < cap_b ? b[id] : 0;
			double change = (vb - va) * (cause->points > 0 ? 1 : -1);

			if (change > best) {
				best = change;
				at = id;
			}
		}
		if (at == SIZE_MAX || best * 100 < LEAST * in->ledger->mean_a)
			break;
		what = xasprintf("%s() per %s", names.name[at], in->ledger->work_unit);
		evidence_ns(cause, what, at < cap_a ? a[at] : 0, at < cap_b ? b[at] : 0);
		free(what);
		/* not again */
		if (at < cap_a)
			a[at] = 0;
		if (at < cap_b)
			b[at] = 0;
	}
	strmap_release(&names);
	free(a);
	free(b);
}
