// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets with several cases or loads: runs sorted by these, each cell with verdicts of
 * its own, and the cell that the rest of the report is about. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

static const char *case_of(const struct run *run)
{
	return json_str(run->manifest, "case", "");
}

static const char *load_of(const struct run *run)
{
	return json_str(run->manifest, "load", "");
}

static bool is_chosen(const struct run *run, const struct report_options *o)
{
	return (!o->kase || !strcmp(case_of(run), o->kase)) &&
	       (!o->load || !strcmp(load_of(run), o->load));
}

static int none_chosen(const struct run_set *set, const struct report_options *o,
		       struct err *err)
{
	return err_set(err, ENODATA, "%s has no run of%s%s%s%s; a report without --case and "
		       "--load lists what there is", set->path, o->kase ? " case " : "",
		       o->kase ? o->kase : "", o->load ? " load " : "", o->load ? o->load : "");
}

/* Closes the runs that were not asked for. */
static int keep_chosen(struct run_set *set, const struct report_options *o, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++)
		kept += is_chosen(&set->run[i], o);
	if (!kept)
		return none_chosen(set, o, err);
	kept = 0;
	for (size_t i = 0; i < set->n; i++) {
		if (is_chosen(&set->run[i], o))
			set->run[kept++] = set->run[i];
		else
			run_close(&set->run[i]);
	}
	set->n = kept;
	return 0;
}

static size_t find_cell(const struct report *r, const struct run *run)
{
	size_t i = 0;

	while (i < r->nr_cells && (strcmp(r->cell[i].kase, case_of(run)) ||
				   strcmp(r->cell[i].load, load_of(run))))
		i++;
	return i;
}

static void add_cells(struct report *r, const struct run_set *set, size_t *cap)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct run *run = &set->run[i];
		struct strbuf title = STRBUF_INIT;

		if (find_cell(r, run) < r->nr_cells)
			continue;
		GROW(r->cell, r->nr_cells, *cap);
		text_add_ascii(&title, case_of(run), strnlen(case_of(run), 40));
		strbuf_addstr(&title, *case_of(run) && *load_of(run) ? " " : "");
		text_add_ascii(&title, load_of(run), strnlen(load_of(run), 40));
		r->cell[r->nr_cells++] = (struct report_cell){
			.kase = case_of(run), .load = load_of(run),
			.title = strbuf_detach(&title),
			.view = xcalloc(r->nr_sets, sizeof(struct run_set)) };
	}
}

/* The runs of each cell side by side, in their old order. */
static void sort_runs(struct report *r, size_t number)
{
	struct run_set *set = &r->opened[number];
	struct run *sorted = xcalloc(set->n, sizeof(*sorted));
	size_t n = 0;

	for (size_t c = 0; c < r->nr_cells; c++) {
		struct run_set *view = &r->cell[c].view[number];

		*view = *set; /* label and path are borrowed */
		view->n = 0;
		view->run = set->run + n;
		for (size_t i = 0; i < set->n; i++)
			if (find_cell(r, &set->run[i]) == c)
				sorted[n++] = set->run[i];
		view->n = (size_t)(set->run + n - view->run);
	}
	memcpy(set->run, sorted, set->n * sizeof(*sorted));
	free(sorted);
}

static bool in_all_sets(const struct report *r, const struct report_cell *cell)
{
	for (size_t i = 0; i < r->nr_sets; i++)
		if (!cell->view[i].n)
			return false;
	return true;
}

/* The largest sure change; -1: none. */
static double largest_change(const struct report_cell *cell)
{
	double most = -1;

	for (size_t i = 0; i < cell->nr_blames; i++) {
		const struct blame *b = &cell->blame[i].blame;

		if (cell->blame[i].made &&
		    (b->kind == BLAME_SLOWER || b->kind == BLAME_FASTER))
			most = fmax(most, fabs(b->change));
	}
	return most;
}

static size_t find_focus(const struct report *r)
{
	size_t best = r->nr_cells;
	double most = -2;

	for (size_t i = 0; i < r->nr_cells; i++) {
		double change = largest_change(&r->cell[i]);

		if (!in_all_sets(r, &r->cell[i]) || change <= most)
			continue;
		most = change;
		best = i;
	}
	return best;
}

int report_make_cells(struct report *r, const struct report_options *options,
		      const struct migcost *migcost, struct err *err)
{
	size_t cap = 0;
	int ret = 0;

	for (size_t i = 0; i < r->nr_sets && !ret && (options->kase || options->load); i++)
		ret = keep_chosen(&r->opened[i], options, err);
	for (size_t i = 0; i < r->nr_sets && !ret; i++)
		add_cells(r, &r->opened[i], &cap);
	for (size_t i = 0; i < r->nr_sets && !ret; i++)
		sort_runs(r, i);
	for (size_t i = 0; i < r->nr_cells && !ret; i++)
		r->cell[i].blame = report_make_blames(r->cell[i].view, r->nr_sets,
						      options->against_previous, migcost,
						      &r->cell[i].nr_blames);
	r->focus = ret ? 0 : find_focus(r);
	return ret;
}

void report_release_cells(struct report *r)
{
	for (size_t i = 0; i < r->nr_cells; i++) {
		report_release_blames(r->cell[i].blame, r->cell[i].nr_blames);
		free(r->cell[i].title);
		free(r->cell[i].view);
	}
	free(r->cell);
	r->cell = NULL;
	r->nr_cells = 0;
}

const struct comparison *report_comparison(const struct report *r, enum compare_table t)
{
	return t == COMPARE_BENCHMARK && r->nr_cells > 1 ? &r->table : &r->cmp;
}
