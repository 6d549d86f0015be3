// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks blame/ about the open sets, in the background. */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

/* What makes causes moot; another command is what some comparisons are about. */
static void not_comparable(const struct analysis *a, size_t b, struct notes *notes)
{
	for (size_t i = 0; i < a->comparability.n; i++) {
		const struct difference *d = &a->comparability.v[i];

		if (d->level == DIFFER_SERIOUS && strcmp(d->key, "command") &&
		    strcmp(d->value[0], d->value[b]))
			notes_add(notes, "%s differs (%s against %s)%s%s", d->title,
				  *d->value[0] ? d->value[0] : "not set",
				  *d->value[b] ? d->value[b] : "not set",
				  *d->why ? ": " : "", d->why);
	}
}

static void make_blame(struct analysis *a)
{
	struct blame_input in = { a->set[0], a->set[a->at[a->b]], &a->ledger, NULL };
	struct notes differ = { 0 };
	struct err err = ERR_INIT;

	not_comparable(a, (size_t)a->at[a->b], &differ);
	a->have_blame = ledger_make(&a->ledger, in.a, in.b, &err) == 0 &&
			blame_make(&a->blame, &in, &differ, &err) == 0;
	if (!a->have_blame)
		a->why_not = xstrdup(err_text(&err));
	notes_release(&differ);
	err_release(&err);
}

static void run(struct work_job *job)
{
	struct analysis *a = (struct analysis *)job;

	comparability_check(&a->comparability, a->set, a->nr_sets);
	comparison_make(&a->comparison, a->set, a->nr_sets, NULL);
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
			      const struct data *d)
{
	struct analysis *a;

	if (!d->nr_sets)
		return NULL;
	for (a = *list; a; a = a->older)
		if (a->a == d->side[SIDE_A] && a->b == d->side[SIDE_B])
			return a;
	a = analysis_new(d);
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
