// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks blame/ about the open sets, in the background. */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

static void make_blame(struct analysis *a)
{
	struct blame_input in = { a->set[0], a->set[a->at[a->b]], &a->ledger,
				  a->migcost };
	struct notes differ = { 0 };
	struct err err = ERR_INIT;

	comparability_moot(&a->comparability, (size_t)a->at[a->b], &differ);
	a->have_blame = ledger_make(&a->ledger, in.a, in.b, &err) == 0 &&
			blame_make(&a->blame, &in, &differ, &err) == 0;
	if (!a->have_blame)
		a->why_not = xstrdup(err_text(&err));
	notes_release(&differ);
	err_release(&err);
}

static void compare(struct analysis *a)
{
	struct compare_options opts = { 0 };
	struct hot_threshold hot;

	if (a->migcost) {
		hot_threshold_measured(&hot, a->migcost);
		opts.hot = &hot;
	}
	comparison_make(&a->comparison, a->set, a->nr_sets, &opts);
	if (opts.hot)
		free(hot.source);
}

static void run(struct work_job *job)
{
	struct analysis *a = (struct analysis *)job;

	comparability_check(&a->comparability, a->set, a->nr_sets);
	compare(a);
	if (a->b >= 0)
		make_blame(a);
}

static struct analysis *analysis_new(const struct data *d)
{
	struct analysis *a = xcalloc(1, sizeof(*a));

	a->job.run = run;
	a->a = d->side[SIDE_A];
	a->b = d->side[SIDE_B];
	a->set[a->nr_sets++] = d->set[a->a];
	for (int i = 0; i < d->nr_sets; i++) {
		if (i == a->a)
			continue;
		a->at[i] = (int)a->nr_sets;
		a->set[a->nr_sets++] = d->set[i];
	}
	return a;
}

struct analysis *analysis_for(struct analysis **list, struct work *w,
			      const struct data *d, const struct migcost *migcost)
{
	struct analysis *a;

	if (!d->nr_sets)
		return NULL;
	for (a = *list; a; a = a->older)
		if (a->a == d->side[SIDE_A] && a->b == d->side[SIDE_B])
			return a;
	a = analysis_new(d);
	a->migcost = migcost;
	a->older = *list;
	*list = a;
	work_add(w, &a->job);
	return a;
}

const struct analysis *analysis_done(const struct analysis *a)
{
	return a && atomic_load(&a->job.done) ? a : NULL;
}

void analysis_free_all(struct analysis **list)
{
	while (*list) {
		struct analysis *a = *list;

		*list = a->older;
		if (atomic_load(&a->job.done)) {
			comparability_release(&a->comparability);
			comparison_release(&a->comparison);
			ledger_release(&a->ledger);
			blame_release(&a->blame);
			free(a->why_not);
		}
		free(a);
	}
}
