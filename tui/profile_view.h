/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profile diffs made in the background, once per sides, normalisation and
 * grouping, and who calls each function on either side.
 *
 * Normalised as report and diffprofile do it by default: for the same work where
 * both sides counted it, else plain ticks.
 */
#ifndef TUI_PROFILE_VIEW_H
#define TUI_PROFILE_VIEW_H

#include "data.h"
#include "schedblame/profdiff.h"
#include "view.h"
#include "work.h"

#define CALLERS_DEPTH 24

/* Who calls a row of the diff, and who calls those: in pre-order, largest first. */
struct caller {
	uint32_t name;	/* in callers.names */
	unsigned depth; /* 1: calls the row itself */
	double value[SIDE_NR]; /* samples in the row itself that came this way */
};

struct callers {
	struct strmap names;
	struct caller *caller;
	size_t n, cap;
	size_t *first; /* by row of the diff, nr_rows + 1 of them */
};

struct profile_inputs; /* the sets' profiles with their call chains */

struct profile_job {
	struct work_job job; /* first */
	struct profile_job *older;
	struct profile_inputs *inputs; /* of the app, touched by the worker only */
	int a, b; /* b == a: one side */
	struct run_set *set[SIDE_NR];
	enum profdiff_by by;
	enum profdiff_norm norm;
	struct profdiff diff; /* when job.done and !err.code */
	struct callers callers; /* by symbol; n == 0: no call chains */
	struct err err;
};

/* norm NR_NORMS: the default. */
struct profile_job *profile_job_for(struct app *app, enum profdiff_by by,
				    enum profdiff_norm norm);
void profile_free_all(struct app *app);

/* Fills c from the call trees of d; leaves it empty when there are no chains. */
void callers_make(struct callers *c, const struct profdiff *d);
void callers_release(struct callers *c);

/* One row with its statistics. */
struct profile_row_arg {
	const struct profile_job *job;
	size_t row;
};
extern const struct view_ops view_symbol; /* arg: struct profile_row_arg * */

#endif
