/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile diff made in the background, once per sides, unit and grouping. */
#ifndef TUI_PROFILE_VIEW_H
#define TUI_PROFILE_VIEW_H

#include "data.h"
#include "schedblame/profdiff.h"
#include "view.h"
#include "work.h"

struct profile_job {
	struct work_job job; /* first */
	struct profile_job *older;
	int a, b; /* b == a: one side */
	struct run_set *set[SIDE_NR];
	struct profdiff_options options, fallback;
	struct profdiff diff; /* when job.done and !err.code */
	struct err err;
};

struct profile_job *profile_job_for(struct app *app, enum profdiff_by by);
void profile_free_all(struct app *app);

/* One row with its statistics and who calls it. */
struct profile_row_arg {
	const struct profile_job *job;
	size_t row;
};
extern const struct view_ops view_symbol; /* arg: struct profile_row_arg * */

#endif
