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

/* Share of all CPU time in per cent, mean over the runs, by symbol of names. */
static double *sum_side(const struct run_set *set, struct strmap *names, double *out,
			size_t *cap, size_t group)
{
	for (size_t r = 0; r < set->n; r++) {
		const struct profile *p = run_profile(&set->run[r], NULL);

		for (size_t i = 0; p && p->weight > 0 && i < p->nr_symbols; i++) {
			const struct profile_symbol *s = &p->symbol[i];
			const char *name = profile_name(p, (uint32_t)i);
			uint32_t id;

			if (s->space != SPACE_KERNEL || s->idle || groups_of(name) != group)
				continue;
			id = strmap_adds(names, name);
			if (id >= *cap) {
				size_t old = *cap;

				*cap = (size_t)(id + 1) * 2;
				out = xrealloc(out, *cap, sizeof(*out));
				memset(out + old, 0, (*cap - old) * sizeof(*out));
			}
			out[id] += s->weight / p->weight * 100 / (double)set->n;
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
	a = sum_side(in->a, &names, NULL, &cap_a, g);
	b = sum_side(in->b, &names, NULL, &cap_b, g);
	for (int i = 0; i < MOST; i++) {
		double best = 0;
		size_t at = SIZE_MAX;

		for (size_t id = 0; id < names.n; id++) {
			double va = id < cap_a ? a[id] : 0, vb = id < cap_b ? b[id] : 0;
			double change = (vb - va) * (cause->points > 0 ? 1 : -1);

			if (change > best) {
				best = change;
				at = id;
			}
		}
		if (at == SIZE_MAX || best < 0.05)
			break;
		notes_add(&cause->evidence, "%s(): %.2f %% -> %.2f %% of all CPU time",
			  names.name[at], at < cap_a ? a[at] : 0, at < cap_b ? b[at] : 0);
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
