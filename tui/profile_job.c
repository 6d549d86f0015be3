// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes profile diffs in the background and keeps them. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "profile_view.h"
#include "schedblame/alloc.h"

static void make(struct work_job *job)
{
	struct profile_job *j = (struct profile_job *)job;

	if (profdiff_make_sets(&j->diff, j->set, SIDE_NR, &j->options, &j->err) == 0 ||
	    j->options.norm == NORM_TICKS)
		return;
	/* profiles that do not know their duration are shown as they are; the view
	 * says in which unit. The key of the job stays: see profile_job_for(). */
	err_release(&j->err);
	j->fallback = j->options;
	j->fallback.norm = NORM_TICKS;
	profdiff_make_sets(&j->diff, j->set, SIDE_NR, &j->fallback, &j->err);
}

static enum profdiff_norm norm_of(enum unit unit)
{
	static const enum profdiff_norm norm[UNIT_NR] = { [UNIT_SECOND] = NORM_TIME,
							  [UNIT_WORK] = NORM_WORK,
							  [UNIT_TOTAL] = NORM_TICKS };

	return norm[unit];
}

struct profile_job *profile_job_for(struct app *app, enum profdiff_by by)
{
	const struct data *d = &app->data;
	int a = d->side[SIDE_A], b = data_both(d) ? d->side[SIDE_B] : a;
	enum profdiff_norm norm = norm_of(d->unit);
	struct profile_job *j;

	if (!data_set(d, SIDE_A) || app->live)
		return NULL;
	for (j = app->profiles; j; j = j->older)
		if (j->a == a && j->b == b && j->options.by == by && j->options.norm == norm)
			return j;
	j = xcalloc(1, sizeof(*j));
	j->job.run = make;
	j->a = a;
	j->b = b;
	j->set[SIDE_A] = d->set[a];
	j->set[SIDE_B] = d->set[b];
	j->options = profdiff_default_options;
	j->options.by = by;
	j->options.norm = norm;
	j->older = app->profiles;
	app->profiles = j;
	work_add(&app->work, &j->job);
	return j;
}

void profile_free_all(struct app *app)
{
	while (app->profiles) {
		struct profile_job *j = app->profiles;

		app->profiles = j->older;
		if (atomic_load(&j->job.done) && !j->err.code)
			profdiff_release(&j->diff);
		err_release(&j->err);
		free(j);
	}
}
