/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the first screen that others use, or that stand in a file of their own. */
#ifndef TUI_OVERVIEW_H
#define TUI_OVERVIEW_H

#include "view.h"

/* Targets of links: the tabs in order, then views that are pushed. */
enum overview_target {
#define X(name) TO_##name,
	VIEW_LIST(X)
#undef X
	TO_verdict,
	TO_numa,
};

extern const struct view_ops view_verdict;
unsigned verdict_style(enum blame_kind kind);

/* The table of numbers (view_bench.c) at an enum compare_table, above this view. */
void bench_push(struct app *app, int table);
/* What makes the sides hard to compare, where something does. */
void overview_add_differences(struct view *v, struct page *p);
/* Verdict and ledger; false: there is no ledger (yet), nothing was added for it. */
bool overview_add_blame(struct view *v, struct page *p);

#endif
