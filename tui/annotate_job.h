/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotations of functions made in the background, kept for who comes back. */
#ifndef TUI_ANNOTATE_JOB_H
#define TUI_ANNOTATE_JOB_H

#include "profile_view.h"
#include "schedblame/annotation.h"

struct annotate_job {
	struct work_job job; /* first */
	struct annotate_job *older;
	const struct profile_job *of;
	size_t row; /* of its diff */
	struct run_set *set[SIDE_NR];
	struct annotation_options options;
	struct annotation annotation; /* when job.done and !err.code */
	struct err err;
};

struct annotate_job *annotate_job_for(struct app *app, const struct profile_job *of,
				      size_t row);
void annotate_free_all(struct app *app);

#endif
