// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes profile diffs in the background and keeps them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "profile_view.h"
#include "schedblame/alloc.h"

/* A set's profiles, loaded when first compared; kept, since u, g and x come back to
 * them. Touched by the worker only. */
struct profile_inputs {
	struct profdiff_input set[TUI_MAX_SETS];
	bool loaded[TUI_MAX_SETS];
	struct err err[TUI_MAX_SETS];
};

/* As run_profile() loads them, with chains for who calls whom. */
static const struct profile_options options = { .unskid = UNSKID_RUNS, .chains = true };

static int need_input(struct profile_job *j, int number, const struct run_set *set)
{
	struct profile_inputs *in = j->inputs;

	if (!in->loaded[number]) {
		in->loaded[number] = true;
		profdiff_input_init(&in->set[number]);
		if (set->run[0].foreign && set->run[0].trace)
			err_set(&in->err[number], ENODATA, "%s is a trace and has no profile",
				set->path);
		else
			profdiff_input_add(&in->set[number], set->path, &options,
					   &in->err[number]);
	}
	if (!in->err[number].code)
		return 0;
	return err_set(&j->err, in->err[number].code, "%s", err_text(&in->err[number]));
}

static bool counted(const struct profdiff_input *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (!(in->work[i] > 1))
			return false;
	return in->n > 0;
}

static void make(struct work_job *job)
{
	struct profile_job *j = (struct profile_job *)job;
	struct profdiff_options o = profdiff_default_options;
	struct profdiff_input pair[SIDE_NR];

	if (need_input(j, j->a, j->set[SIDE_A]) < 0 ||
	    need_input(j, j->b, j->set[SIDE_B]) < 0)
		return;
	pair[SIDE_A] = j->inputs->set[j->a]; /* borrowed */
	pair[SIDE_B] = j->inputs->set[j->b];
	o.by = j->by;
	o.norm = j->norm;
	if (j->norm == NR_NORMS)
		o.norm = counted(&pair[SIDE_A]) && counted(&pair[SIDE_B]) ? NORM_WORK :
									    NORM_TICKS;
	if (profdiff_make_inputs(&j->diff, pair, SIDE_NR, &o, &j->err) < 0)
		return;
	if (j->by == BY_SYMBOL)
		callers_make(&j->callers, &j->diff);
}

struct profile_job *profile_job_for(struct app *app, enum profdiff_by by,
				    enum profdiff_norm norm)
{
	const struct data *d = &app->data;
	int a = d->side[SIDE_A], b = data_both(d) ? d->side[SIDE_B] : a;
	struct profile_job *j;

	if (!data_set(d, SIDE_A) || app->live)
		return NULL;
	for (j = app->profiles; j; j = j->older)
		if (j->a == a && j->b == b && j->by == by && j->norm == norm)
			return j;
	if (!app->inputs)
		app->inputs = xcalloc(1, sizeof(*app->inputs));
	j = xcalloc(1, sizeof(*j));
	j->job.run = make;
	j->inputs = app->inputs;
	j->a = a;
	j->b = b;
	j->set[SIDE_A] = d->set[a];
	j->set[SIDE_B] = d->set[b];
	j->by = by;
	j->norm = norm;
	j->older = app->profiles;
	app->profiles = j;
	work_add(&app->work, &j->job);
	return j;
}

static void free_inputs(struct profile_inputs *in)
{
	for (int i = 0; in && i < TUI_MAX_SETS; i++) {
		if (in->loaded[i])
			profdiff_input_release(&in->set[i]);
		err_release(&in->err[i]);
	}
	free(in);
}

void profile_free_all(struct app *app)
{
	while (app->profiles) {
		struct profile_job *j = app->profiles;

		app->profiles = j->older;
		if (atomic_load(&j->job.done) && !j->err.code)
			profdiff_release(&j->diff);
		callers_release(&j->callers);
		err_release(&j->err);
		free(j);
	}
	free_inputs(app->inputs);
	app->inputs = NULL;
}
