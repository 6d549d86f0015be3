// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of a comparison as text, by how many sets there are:
 *
 *	one		title   unit      mean (std%)
 *	two		title   unit      mean (std%)    mean (std%)   change
 *	three		title   unit      mean     mean  change   mean  change
 *	more		the same in blocks, the base again in each
 *
 * The change is in per cent of the base, for rows in per cent in points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

#define BLOCK 2 /* sets beside the base in one block */

void report_add_number(struct strbuf *out, double v, const char *unit, int width)
{
	char buf[32];

	if (isnan(v))
		strbuf_addf(out, "%*s", width, "-");
	else if (fabs(v) >= 1000 && strcmp(unit, "%"))
		strbuf_addf(out, "%*s", width, format_count(buf, sizeof(buf), v));
	else if (v != 0 && fabs(v) < 0.01)
		strbuf_addf(out, "%*.2g", width, v);
	else
		strbuf_addf(out, "%*.*f", width, fabs(v) >= 100 ? 1 : 2, v);
}

void report_add_change(struct strbuf *out, const struct compare_row *row, size_t set,
		       int width)
{
	const struct compare_cell *cell = &row->cell[set];
	bool points = !strcmp(row->unit, "%");
	double change = points ? compare_difference(row, set) : compare_change(row, set);
	bool sure = cell->verdict == VERDICT_BETTER || cell->verdict == VERDICT_WORSE;
	char buf[32], text[40];

	if (isnan(change) && cell->n && row->cell[0].n && cell->sum.mean != 0)
		snprintf(text, sizeof(text), "new");
	else if (isnan(change))
		snprintf(text, sizeof(text), "-");
	else if (points)
		snprintf(text, sizeof(text), "%s pt",
			 format_signed(buf, sizeof(buf), change, 2));
	else if (fabs(change) >= 9999.5)
		snprintf(text, sizeof(text), "x%.4g", change / 100 + 1);
	else
		snprintf(text, sizeof(text), "%s%%",
			 format_signed(buf, sizeof(buf), change, 1));
	strbuf_addf(out, "%*s%c", width, text, sure ? '*' : ' ');
}

static void add_std(struct strbuf *out, const struct compare_cell *cell)
{
	double std = compare_std_percent(cell);

	if (cell->n < 2 || isnan(std))
		strbuf_addstr(out, "        ");
	else
		strbuf_addf(out, " (%5.1f)", std < 999.9 ? std : 999.9);
}

static double mean(const struct compare_cell *cell)
{
	return cell->n ? cell->sum.mean : NAN;
}

/* Where a line of at most width ends: at a space, else in the word. */
static size_t break_at(const char *s, size_t width)
{
	size_t at = width;

	while (at && s[at] != ' ')
		at--;
	return at && strspn(s, " ") < at ? at : width;
}

/* A long title takes more lines; the values stand in the last. */
static void add_title(struct strbuf *out, const struct compare_row *row, size_t width)
{
	struct strbuf sb = STRBUF_INIT;
	const char *s;
	size_t at, indent = 0;

	strbuf_addf(&sb, "%s", row->title);
	if (*row->unit)
		strbuf_addf(&sb, " %s", row->unit);
	for (s = sb.buf; indent + strlen(s) > width; s += at + (s[at] == ' ')) {
		at = break_at(s, width - indent);
		strbuf_addchn(out, ' ', indent);
		strbuf_add(out, s, at);
		strbuf_addch(out, '\n');
		indent = strspn(row->title, " ") + 4;
	}
	strbuf_addchn(out, ' ', indent);
	strbuf_addstr(out, s);
	strbuf_addchn(out, ' ', width - indent - strlen(s));
	strbuf_release(&sb);
}

static void add_row(const struct report *r, struct strbuf *out,
		    const struct compare_row *row, size_t from, size_t to)
{
	if (r->nr_sets <= 2) {
		add_title(out, row, 35);
		for (size_t i = 0; i < r->nr_sets; i++) {
			report_add_number(out, mean(&row->cell[i]), row->unit, 8);
			add_std(out, &row->cell[i]);
		}
		if (r->nr_sets == 2)
			report_add_change(out, row, 1, 10);
	} else {
		add_title(out, row, 34);
		report_add_number(out, mean(&row->cell[0]), row->unit, 8);
		for (size_t i = from; i < to; i++) {
			strbuf_addch(out, ' ');
			report_add_number(out, mean(&row->cell[i]), row->unit, 6);
			report_add_change(out, row, i, 10);
		}
	}
	report_end_line(out);
}

static void add_head(const struct report *r, struct strbuf *out, size_t from, size_t to)
{
	if (r->nr_sets <= 2) {
		strbuf_addchn(out, ' ', 35);
		for (size_t i = 0; i < r->nr_sets; i++) {
			strbuf_addch(out, ' ');
			report_add_name(r, i, out, 15);
		}
		if (r->nr_sets == 2)
			strbuf_addf(out, "%10s", "change");
	} else {
		strbuf_addchn(out, ' ', 34);
		strbuf_addch(out, ' ');
		report_add_name(r, 0, out, 7);
		for (size_t i = from; i < to; i++) {
			strbuf_addstr(out, "  ");
			report_add_name(r, i, out, 16);
		}
	}
	report_end_line(out);
}

static void add_rows(const struct report *r, struct strbuf *out,
		     const struct compare_row *row, size_t n, size_t from, size_t to)
{
	const char *group = "";

	add_head(r, out, from, to);
	for (size_t i = 0; i < n; i++) {
		if (row[i].table == COMPARE_FUNCTIONS && strcmp(row[i].group, group)) {
			strbuf_addf(out, "%.60s()\n", row[i].group);
			group = row[i].group;
		}
		add_row(r, out, &row[i], from, to);
	}
}

void report_rows(const struct report *r, struct strbuf *out, enum compare_table table)
{
	size_t n;
	const struct compare_row *row = comparison_table(report_comparison(r, table), table, &n);

	if (!n)
		return;
	if (r->nr_sets <= 2) {
		add_rows(r, out, row, n, 1, r->nr_sets);
		return;
	}
	for (size_t from = 1; from < r->nr_sets; from += BLOCK) {
		size_t to = from + BLOCK < r->nr_sets ? from + BLOCK : r->nr_sets;

		if (from > 1)
			strbuf_addch(out, '\n');
		add_rows(r, out, row, n, from, to);
	}
}

static json_t *value_json(const struct column *col, const struct compare_row *row,
			  size_t side)
{
	struct column_value v = col->get(row, side);

	if (col->form == FORM_TEXT)
		return v.text ? json_text(v.text, strlen(v.text)) : json_null();
	return json_num(v.number);
}

static json_t *values_json(const struct compare_cell *cell)
{
	json_t *list = json_array();

	for (size_t i = 0; i < cell->n; i++)
		json_array_append_new(list, json_num(cell->value[i]));
	return list;
}

static json_t *row_json(const struct report *r, const struct compare_row *row)
{
	static const char *const better[] = { "none", "lower", "higher" };
	json_t *obj = json_object(), *sides = json_array();

	for (size_t c = 0; c < nr_compare_columns; c++)
		if (compare_columns[c].side == COLUMN_ROW)
			json_object_set_new(obj, compare_columns[c].name,
					    value_json(&compare_columns[c], row, 0));
	json_object_set_new(obj, "better", json_string(better[row->better]));
	if (row->help)
		json_object_set_new(obj, "help", json_string(row->help));
	for (size_t i = 0; i < r->nr_sets; i++) {
		json_t *side = json_object();

		for (size_t c = 0; c < nr_compare_columns; c++)
			if (compare_columns[c].side == COLUMN_EACH ||
			    (i && compare_columns[c].side == COLUMN_NEW))
				json_object_set_new(side, compare_columns[c].name,
						    value_json(&compare_columns[c], row, i));
		json_object_set_new(side, "values", values_json(&row->cell[i]));
		json_array_append_new(sides, side);
	}
	json_object_set_new(obj, "sides", sides);
	return obj;
}

json_t *report_rows_json(const struct report *r, enum compare_table table)
{
	size_t n;
	const struct compare_row *row = comparison_table(report_comparison(r, table), table, &n);
	json_t *rows = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(rows, row_json(r, &row[i]));
	if (n)
		return json_pack("{s:s,s:o}", "title", compare_table_title(table), "rows",
				 rows);
	json_decref(rows);
	return NULL;
}
