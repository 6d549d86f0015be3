// SPDX-License-Identifier: GPL-2.0-or-later
/* Ledger and blame of every set against its base, for the sections to print. */
#include <stdlib.h>

#include "report.h"
#include "schedblame/alloc.h"

static void make_one(const struct run_set *a, const struct run_set *b,
		     const struct migcost *migcost, struct report_blame *out)
{
	const struct run_set *pair[2] = { a, b };
	struct blame_input in = { a, b, &out->ledger, migcost };
	struct comparability diff = { 0 };
	struct notes differ = { 0 };
	struct err err = ERR_INIT;

	comparability_check(&diff, pair, 2);
	comparability_moot(&diff, 1, &differ);
	out->made = ledger_make(&out->ledger, a, b, &err) == 0 &&
		    blame_make(&out->blame, &in, &differ, &err) == 0;
	if (!out->made)
		out->why = xstrdup(err_text(&err));
	comparability_release(&diff);
	notes_release(&differ);
	err_release(&err);
}

struct report_blame *report_make_blames(const struct run_set *set, size_t nr_sets,
					bool against_previous,
					const struct migcost *migcost, size_t *n)
{
	struct report_blame *blame = xcalloc(nr_sets, sizeof(*blame));
	size_t base = 0;

	*n = 0;
	while (base < nr_sets && !set[base].n)
		base++;
	for (size_t i = base + 1; i < nr_sets; i++) {
		struct report_blame *one = &blame[*n];

		if (!set[i].n)
			continue;
		one->base = base;
		one->set = i;
		make_one(&set[base], &set[i], migcost, one);
		if (against_previous)
			base = i;
		++*n;
	}
	return blame;
}

void report_release_blames(struct report_blame *blame, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(blame[i].why);
		ledger_release(&blame[i].ledger);
		blame_release(&blame[i].blame);
	}
	free(blame);
}
