// SPDX-License-Identifier: GPL-2.0-or-later
/* All numbers of the comparison, a table at a time: first the benchmark's own.
 * Side A is the base; r goes to the next table. Rows are those of the report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "overview.h"
#include "schedblame/alloc.h"
#include "view.h"

#define FIRST_SET 1
#define EXTRA 4 /* columns about side B behind the sets */

struct bench {
	struct view *view;
	const struct analysis *an; /* NULL: not yet made */
	enum compare_table which;
	const struct compare_row *row; /* borrowed */
	size_t n;
	struct table_column column[FIRST_SET + TUI_MAX_SETS + EXTRA];
	char *title[TUI_MAX_SETS]; /* owned */
	struct table_model model;
	struct table table;
};

enum extra { CI_LOW, CI_HIGH, P_VALUE, VERDICT };

static void set_columns(struct bench *b)
{
	static const struct table_column name = { "what", 24, .text = true };
	static const struct table_column extra[EXTRA] = {
		[CI_LOW] = { "from", 7, .hidden = true,
			     .help = "lower end of the 95 % confidence interval of B's change" },
		[CI_HIGH] = { "to", 7, .hidden = true,
			      .help = "its upper end" },
		[P_VALUE] = { "q", 6, .hidden = true,
			      .help = "chance of such a difference, corrected for the table" },
		[VERDICT] = { "verdict", 13, .text = true, .help = "of B against A" },
	};
	int n = b->an ? (int)b->an->nr_sets : 0;

	b->column[0] = name;
	for (int s = 0; s < n; s++) {
		free(b->title[s]);
		b->title[s] = xasprintf("%.10s (std%%)", b->an->set[s]->label);
		b->column[FIRST_SET + s] = (struct table_column){
			.title = b->title[s], .width = 17, .grow = true,
			.help = s ? "change against the base, std% over the runs" :
				    "mean, std% over the runs",
		};
	}
	memcpy(b->column + FIRST_SET + n, extra, sizeof(extra));
	b->model.column = b->column;
	b->model.nr_columns = FIRST_SET + n + (n > 1 ? EXTRA : 0);
	for (int i = 0; i < b->model.nr_columns; i++)
		b->table.visible[i] = !b->column[i].hidden;
}

static void bench_refresh(struct view *v)
{
	struct bench *b = v->model;

	b->an = app_analysis(v->app);
	b->row = NULL;
	b->n = 0;
	if (b->an)
		b->row = comparison_table(&b->an->comparison, b->which, &b->n);
	set_columns(b);
	if (b->table.sort >= b->model.nr_columns)
		b->table.sort = -1;
	b->table.empty = b->an ? "no run has such numbers; r shows the next table" :
	       v->app->live ? "there is no verdict on what goes on; R records it" :
				 "being worked out...";
}

static size_t nr_rows(const void *data)
{
	return ((const struct bench *)data)->n;
}

static int extra_of(const struct bench *b, int col)
{
	return col - FIRST_SET - (int)b->an->nr_sets;
}

/* Which set the columns about side B tell of. */
static size_t side_b(const struct bench *b)
{
	return b->an->b < 0 ? 0 : (size_t)b->an->at[b->an->b];
}

static double extra_number(const struct bench *b, const struct compare_row *row, int extra)
{
	const struct compare_cell *cell = &row->cell[side_b(b)];
	bool flip = row->table == COMPARE_BENCHMARK && row->better == BETTER_LOWER;
	double low = 100 * (cell->cmp.low - 1), high = 100 * (cell->cmp.high - 1);

	if (!side_b(b) || !cell->n || !row->cell[0].n)
		return NAN;
	switch ((enum extra)extra) {
	case CI_LOW:
		return flip ? -high : low;
	case CI_HIGH:
		return flip ? -low : high;
	case P_VALUE:
		return cell->q;
	default:
		return cell->verdict;
	}
}

static double number(const void *data, size_t r, int col)
{
	const struct bench *b = data;
	const struct compare_row *row = &b->row[r];

	if (extra_of(b, col) >= 0)
		return extra_number(b, row, extra_of(b, col));
	if (col == FIRST_SET)
		return row->cell[0].n ? row->cell[0].sum.mean : NAN;
	return compare_change(row, (size_t)(col - FIRST_SET));
}

static void add_std(const struct compare_cell *cell, struct strbuf *sb)
{
	double std = compare_std_percent(cell);

	if (cell->n > 1 && !isnan(std))
		strbuf_addf(sb, " (%5.2f)", std);
}

static void add_name(const struct compare_row *row, struct strbuf *sb)
{
	if (*row->group)
		strbuf_addf(sb, "%s ", row->group);
	if (*row->load)
		strbuf_addf(sb, "%s ", row->load);
	strbuf_addstr(sb, row->title);
	if (*row->unit)
		strbuf_addf(sb, " (%s)", row->unit);
}

/* Green and red are for what is significant and has a direction. */
static unsigned cell_style(const struct compare_row *row, const struct compare_cell *cell)
{
	if (row->better == BETTER_NONE)
		return STYLE_NORMAL;
	return cell->verdict == VERDICT_BETTER ? STYLE_GOOD :
	       cell->verdict == VERDICT_WORSE  ? STYLE_BAD :
						       STYLE_NORMAL;
}

static void add_set(const struct compare_row *row, size_t set, struct strbuf *sb,
		    unsigned *style)
{
	const struct compare_cell *cell = &row->cell[set];
	double change = compare_change(row, set);
	char text[32];

	if (!cell->n) {
		strbuf_addch(sb, '-');
		return;
	}
	if (set && !strcmp(row->unit, "%")) { /* as in the report: points */
		strbuf_addf(sb, "%+.2f pt", compare_difference(row, set));
		*style = cell_style(row, cell);
	} else if (set && !isnan(change)) {
		strbuf_addf(sb, "%+.2f%%", change);
		*style = cell_style(row, cell);
	} else { /* the base, or it has no such number */
		strbuf_addstr(sb, value_text(text, sizeof(text), cell->sum.mean));
	}
	add_std(cell, sb);
}

static void add_extra(const struct bench *b, const struct compare_row *row, int extra,
		      struct strbuf *sb, unsigned *style)
{
	const struct compare_cell *cell = &row->cell[side_b(b)];
	double v = extra_number(b, row, extra);

	if (isnan(v)) {
		strbuf_addch(sb, '-');
	} else if (extra != VERDICT) {
		strbuf_addf(sb, extra == P_VALUE ? "%.3f" : "%+.1f%%", v);
	} else {
		*style = cell_style(row, cell);
		strbuf_addstr(sb, row->better == BETTER_NONE &&
						  (cell->verdict == VERDICT_BETTER ||
						   cell->verdict == VERDICT_WORSE) ?
					  "differs" :
					  verdict_name[cell->verdict]);
	}
}

static void cell(const void *data, size_t r, int col, struct strbuf *sb, unsigned *style)
{
	const struct bench *b = data;

	if (col == 0)
		add_name(&b->row[r], sb);
	else if (extra_of(b, col) >= 0)
		add_extra(b, &b->row[r], extra_of(b, col), sb, style);
	else
		add_set(&b->row[r], (size_t)(col - FIRST_SET), sb, style);
}

static void bench_open(struct view *v, const void *arg)
{
	struct bench *b = v->model;

	if (arg)
		b->which = *(const enum compare_table *)arg;
	b->view = v;
	b->model = (struct table_model){ .nr_rows = nr_rows, .cell = cell,
					 .number = number };
	set_columns(b);
	table_init(&b->table, &b->model, b);
	v->table = &b->table;
}

static void bench_release(struct view *v)
{
	struct bench *b = v->model;

	for (int s = 0; s < TUI_MAX_SETS; s++)
		free(b->title[s]);
	table_release(&b->table);
}

static int bench_above(struct view *v, const struct area *a)
{
	struct bench *b = v->model;
	size_t row = table_row(&b->table);
	char *caveat;
	int rows;

	if (!b->an)
		return 0;
	area_printf(a, 0, 0, STYLE_BOLD, "%s", compare_table_title(b->which));
	area_printf(a, 44, 0, STYLE_DIM, "base: %.20s; r next table", b->an->set[0]->label);
	caveat = comparison_caveat(&b->an->comparison);
	if (row != SIZE_MAX && b->row[row].help)
		area_put(a, 0, 1, STYLE_NORMAL, b->row[row].help);
	else
		area_put(a, 0, 1, STYLE_DIM,
			 b->which == COMPARE_BENCHMARK ?
				 "change in %, positive is better" :
				 "change in %, positive is more");
	rows = 3 + (caveat ? area_wrap(a, 0, 2, STYLE_WARN, caveat) : 0);
	free(caveat);
	return rows;
}

static bool bench_act(struct view *v, const struct key_event *ev)
{
	struct bench *b = v->model;

	if (ev->action != ACT_REASON)
		return false;
	/* tables that no run has anything for are passed over */
	for (int i = 0; i < COMPARE_NR; i++) {
		b->which = (b->which + 1) % COMPARE_NR;
		bench_refresh(v);
		if (b->n)
			break;
	}
	table_sort(&b->table, -1);
	return true;
}

void bench_push(struct app *app, int table)
{
	enum compare_table which = (enum compare_table)table;

	app_push(app, &view_bench, &which);
}

const struct view_ops view_bench = {
	.name = "bench",
	.title = "Bench",
	.brief = "Bench",
	.help = "Every number that was compared, with its standard deviation over the "
		"runs and a verdict that the data can carry. First what the benchmark "
		"printed, where a positive change is better; r goes on to CPU time, "
		"switches, waits, migrations, hot migrations, idle time, functions, load "
		"balancing, NUMA balancing and the kernel's own counters, where positive "
		"is more. Side A is the base. f shows the confidence interval and q.",
	.hint = "r next table  s sort  f columns  x other base",
	.size = sizeof(struct bench),
	.open = bench_open,
	.release = bench_release,
	.refresh = bench_refresh,
	.above = bench_above,
	.act = bench_act,
};
