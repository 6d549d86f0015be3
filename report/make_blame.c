// SPDX-License-Identifier: GPL-2.0-or-later
/* Ledger and blame of every set against the base, for the sections to print. */
#include <stdlib.h>

#include "report.h"
#include "schedblame/alloc.h"

static void make_one(const struct report *r, size_t set, const struct migcost *migcost,
		     struct report_blame *out)
{
	struct blame_input in = { r->sets[0], r->sets[set], &out->ledger, migcost };
	struct notes differ = { 0 };
	struct err err = ERR_INIT;

	out->made = ledger_make(&out->ledger, in.a, in.b, &err) == 0 &&
		    (comparability_moot(&r->diff, set, &differ),
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
