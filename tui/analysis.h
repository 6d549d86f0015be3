/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What blame/ says about the open sets, made in the background: comparability and
 * all numbers with their statistics for all sets, with side A as the base; ledger
 * and verdict for side B against A.
 */
#ifndef TUI_ANALYSIS_H
#define TUI_ANALYSIS_H

#include "data.h"
#include "schedblame/blame.h"
#include "schedblame/comparability.h"
#include "schedblame/compare.h"
#include "schedblame/ledger.h"
#include "schedblame/migcost.h"
#include "work.h"

struct analysis {
	struct work_job job; /* first: the job is the analysis */
	struct analysis *older; /* for sides that were looked at before */
	const struct migcost *migcost; /* NULL: not measured; borrowed */
	int a, b;	     /* b -1: one side */
	const struct run_set *set[TUI_MAX_SETS]; /* [0] is side A */
	int at[TUI_MAX_SETS]; /* index in set[] of each open set */
	size_t nr_sets;
	/* when job.done */
	struct comparability comparability;
	struct comparison comparison;
	bool have_blame;
	struct ledger ledger;
	struct blame blame;
	char *why_not; /* no ledger; owned */
};

/* The analysis for the sides as they are, asked for if it is new. Done or not. */
struct analysis *analysis_for(struct analysis **list, struct work *w,
			      const struct data *d, const struct migcost *migcost);
/* NULL while it is not done. */
const struct analysis *analysis_done(const struct analysis *a);
void analysis_free_all(struct analysis **list);

#endif
