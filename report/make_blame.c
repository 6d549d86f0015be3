// SPDX-License-Identifier: GPL-2.0-or-later
/* Ledger and blame of every set against the base, for the sections to print. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"

/* What makes causes moot. Another command is what some comparisons are about;
 * the differences section says it. */
static void not_comparable(const struct report *r, size_t set, struct notes *notes)
{
	for (size_t i = 0; i < r->diff.n; i++) {
		const struct difference *d = &r->diff.v[i];

		if (d->level != DIFFER_SERIOUS || !strcmp(d->key, "command") ||
		    !strcmp(d->value[0], d->value[set]))
			continue;
		notes_add(notes, "%s differs (%s against %s)%s%s", d->title,
			  *d->value[0] ? d->value[0] : "not set",
			  *d->value[set] ? d->value[set] : "not set",
			  *d->why ? ": " : "", d->why);
	}
}

static void make_one(const struct report *r, size_t set, const struct migcost *migcost,
		     struct report_blame *out)
{
	struct blame_input in = { r->sets[0], r->sets[set], &out->ledger, migcost };
	struct notes differ = { 0 };
	struct err err = ERR_INIT;

	out->made = ledger_make(&out->ledger, in.a, in.b, &err) == 0 &&
		    (not_comparable(r, set, &differ),
		     blame_make(&out->blame, &in, &differ, &err)) == 0;
	if (!out->made)
		out->why = xstrdup(err_text(&err));
	notes_release(&differ);
	err_release(&err);
}

void report_make_blame(struct report *r, const struct migcost *migcost)
{
	r->nr_blames = r->nr_sets ? r->nr_sets - 1 : 0;
	r->blame = xcalloc(r->nr_blames, sizeof(*r->blame));
	for (size_t i = 0; i < r->nr_blames; i++)
		make_one(r, i + 1, migcost, &r->blame[i]);
}

void report_release_blame(struct report *r)
{
	for (size_t i = 0; i < r->nr_blames; i++) {
		free(r->blame[i].why);
		ledger_release(&r->blame[i].ledger);
		blame_release(&r->blame[i].blame);
	}
	free(r->blame);
	r->blame = NULL;
	r->nr_blames = 0;
}
