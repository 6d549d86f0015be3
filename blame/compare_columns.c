// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns of a comparison's tables, defined once for text, JSON and TUI. */
#include "schedblame/alloc.h"
#include "schedblame/compare.h"

#include <math.h>

static struct column_value text(const char *s)
{
	return (struct column_value){ s, NAN };
}

static struct column_value number(double v)
{
	return (struct column_value){ NULL, v };
}

static struct column_value get_key(const void *row, size_t side)
{
	(void)side;
	return text(((const struct compare_row *)row)->key);
}

static struct column_value get_group(const void *row, size_t side)
{
	(void)side;
	return text(((const struct compare_row *)row)->group);
}

static struct column_value get_load(const void *row, size_t side)
{
	(void)side;
	return text(((const struct compare_row *)row)->load);
}

static struct column_value get_title(const void *row, size_t side)
{
	(void)side;
	return text(((const struct compare_row *)row)->title);
}

static struct column_value get_unit(const void *row, size_t side)
{
	(void)side;
	return text(((const struct compare_row *)row)->unit);
}

static struct column_value get_mean(const void *row, size_t side)
{
	const struct compare_cell *cell = &((const struct compare_row *)row)->cell[side];

	return number(cell->n ? cell->sum.mean : NAN);
}

static struct column_value get_std(const void *row, size_t side)
{
	return number(compare_std_percent(&((const struct compare_row *)row)->cell[side]));
}

static struct column_value get_runs(const void *row, size_t side)
{
	return number((double)((const struct compare_row *)row)->cell[side].n);
}

static struct column_value get_change(const void *row, size_t side)
{
	return number(compare_change(row, side));
}

static struct column_value get_difference(const void *row, size_t side)
{
	return number(compare_difference(row, side));
}

static bool compared(const struct compare_row *row, size_t side)
{
	return side && row->cell[0].n && row->cell[side].n;
}

/* Bounds of the ratio as change in per cent; swapped where less is better. */
static double bound(const struct compare_row *row, size_t side, bool low)
{
	const struct stats_comparison *c = &row->cell[side].cmp;
	bool flip = row->table == COMPARE_BENCHMARK && row->better == BETTER_LOWER;
	double v;

	if (!compared(row, side))
		return NAN;
	v = ((low != flip ? c->low : c->high) - 1) * 100;
	return flip ? -v : v;
}

static struct column_value get_low(const void *row, size_t side)
{
	return number(bound(row, side, true));
}

static struct column_value get_high(const void *row, size_t side)
{
	return number(bound(row, side, false));
}

static struct column_value get_p(const void *row, size_t side)
{
	const struct compare_row *r = row;

	return number(compared(r, side) ? r->cell[side].cmp.p : NAN);
}

static struct column_value get_q(const void *row, size_t side)
{
	const struct compare_row *r = row;

	return number(compared(r, side) ? r->cell[side].q : NAN);
}

static struct column_value get_verdict(const void *row, size_t side)
{
	const struct compare_row *r = row;

	if (!compared(r, side))
		return text("");
	/* a number without a good direction only differs */
	if (r->better == BETTER_NONE && (r->cell[side].verdict == VERDICT_BETTER ||
					 r->cell[side].verdict == VERDICT_WORSE))
		return text("differs");
	return text(verdict_name[r->cell[side].verdict]);
}

const struct column compare_columns[] = {
	{ "key", "key", "", BETTER_NONE, COLUMN_ROW, FORM_TEXT, 28, 0,
	  "Name of the number, the same in every report.", get_key },
	{ "case", "case", "", BETTER_NONE, COLUMN_ROW, FORM_TEXT, 15, 0,
	  "The benchmark, the reason of a migration, or the function.", get_group },
	{ "load", "load", "", BETTER_NONE, COLUMN_ROW, FORM_TEXT, 14, 0,
	  "How much of it ran, or the distance of a migration.", get_load },
	{ "title", "what", "", BETTER_NONE, COLUMN_ROW, FORM_TEXT, 30, 0,
	  "What was measured.", get_title },
	{ "unit", "unit", "", BETTER_NONE, COLUMN_ROW, FORM_TEXT, 10, 0,
	  "Unit of the values.", get_unit },
	{ "runs", "runs", "", BETTER_NONE, COLUMN_EACH, FORM_NUMBER, 4, 0,
	  "How many runs of the set have the number.", get_runs },
	{ "mean", "mean", "", BETTER_NONE, COLUMN_EACH, FORM_COUNT, 9, 0,
	  "Mean over the runs.", get_mean },
	{ "std_percent", "std%", "%", BETTER_LOWER, COLUMN_EACH, FORM_PERCENT, 8, 2,
	  "Standard deviation over the runs (ddof 0) in per cent of the mean.", get_std },
	{ "change_percent", "compare%", "%", BETTER_NONE, COLUMN_NEW, FORM_SIGNED, 9, 2,
	  "Change of the mean against the base; in the benchmark table positive is better, "
	  "elsewhere positive is more.", get_change },
	{ "difference", "change", "", BETTER_NONE, COLUMN_NEW, FORM_SIGNED, 9, 2,
	  "Difference of the means in the row's unit; points where that is per cent.",
	  get_difference },
	{ "ci_low_percent", "from", "%", BETTER_NONE, COLUMN_NEW, FORM_SIGNED, 8, 2,
	  "Lower end of the 95 % confidence interval of the change.", get_low },
	{ "ci_high_percent", "to", "%", BETTER_NONE, COLUMN_NEW, FORM_SIGNED, 8, 2,
	  "Upper end of the 95 % confidence interval of the change.", get_high },
	{ "p", "p", "", BETTER_NONE, COLUMN_NEW, FORM_NUMBER, 6, 3,
	  "Exact permutation probability of such a difference by chance.", get_p },
	{ "q", "q", "", BETTER_NONE, COLUMN_NEW, FORM_NUMBER, 6, 3,
	  "p corrected for the number of rows of the table (Benjamini-Hochberg).", get_q },
	{ "verdict", "verdict", "", BETTER_NONE, COLUMN_NEW, FORM_TEXT, 13, 0,
	  "better, worse, differs, no difference, or cannot tell.", get_verdict },
};
const size_t nr_compare_columns = ARRAY_SIZE(compare_columns);
