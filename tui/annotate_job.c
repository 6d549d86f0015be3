// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes annotations in the background and keeps them. */
#include "annotate_job.h"

#include <errno.h>
#include <stdlib.h>

#include "app.h"
#include "schedblame/alloc.h"

static void make(struct work_job *job)
{
	struct annotate_job *j = (struct annotate_job *)job;
	const struct profdiff_row *r = &j->of->diff.row[j->row];

	if (j->of->by != BY_SYMBOL)
		err_set(&j->err, EINVAL, "only functions have instructions: g in the profile "
					 "goes back to functions");
	else if (r->space == SPACE_USER)
		err_set(&j->err, EINVAL, "user mode is one row: 'schedblame diffprofile --user' "
					 "tells its functions apart");
	else
		annotation_make_sets(&j->annotation, j->set, r->name,
				     *r->module ? r->module : NULL, &j->options, &j->err);
}

struct annotate_job *annotate_job_for(struct app *app, const struct profile_job *of,
				      size_t row)
{
	struct annotate_job *j;

	for (j = app->annotations; j; j = j->older)
		if (j->of == of && j->row == row)
			return j;
	j = xcalloc(1, sizeof(*j));
	j->job.run = make;
	j->of = of;
	j->row = row;
	j->options.norm = of->diff.norm;
	for (int s = 0; s < SIDE_NR; s++) {
		int set = s == SIDE_A ? of->a : of->b;

		j->set[s] = of->set[s];
		j->options.vmlinux[s] = app->vmlinux[set];
		j->options.source[s] = app->source[set];
	}
	j->older = app->annotations;
	app->annotations = j;
	work_add(&app->work, &j->job);
	return j;
}

void annotate_free_all(struct app *app)
{
	while (app->annotations) {
		struct annotate_job *j = app->annotations;

		app->annotations = j->older;
		if (atomic_load(&j->job.done) && !j->err.code)
			annotation_release(&j->annotation);
		err_release(&j->err);
		free(j);
	}
}
