// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets with several cases or loads: the verdict and its causes of each in a line or
 * two, and which of them the rest of the report is about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

#define CAUSES 3 /* shown of each verdict */
#define TITLE_WIDTH 26
#define VERDICT_WIDTH 16

/* "12.3 % slower" */
static void add_verdict(struct strbuf *sb, const struct report_blame *b)
{
	switch (b->made ? b->blame.kind : BLAME_CANNOT_TELL) {
	case BLAME_SLOWER:
	case BLAME_FASTER:
		strbuf_addf(sb, "%.1f %% %s", fabs(b->blame.change),
			    b->blame.kind == BLAME_SLOWER ? "slower" : "faster");
		break;
	case BLAME_SAME:
		strbuf_addstr(sb, "no difference");
		break;
	case BLAME_NOT_COMPARABLE:
		strbuf_addstr(sb, "not comparable");
		break;
	default:
		strbuf_addstr(sb, "cannot tell");
		break;
	}
}

static void add_cause(struct strbuf *sb, const struct cause *c)
{
	strbuf_addf(sb, "%s%+.1f points: %s", c->priced ? "" : "up to ", c->points,
		    c->mechanism->title);
}

static size_t shown_causes(const struct report_blame *b)
{
	size_t n = b->made ? b->blame.nr_named : 0;

	return n < CAUSES ? n : CAUSES;
}

/* The blame of a cell for set, NULL: it lacks runs. */
static const struct report_blame *find(const struct report_cell *cell, size_t set)
{
	for (size_t i = 0; i < cell->nr_blames; i++)
		if (cell->blame[i].set == set)
			return &cell->blame[i];
	return NULL;
}

static void add_line(struct strbuf *out, const struct report_cell *cell, size_t set)
{
	const struct report_blame *b = find(cell, set);
	struct strbuf line = STRBUF_INIT, cause = STRBUF_INIT;

	if (!b)
		return;
	strbuf_addstr(&line, "  ");
	text_pad(&line, *cell->title ? cell->title : "(no case)", TITLE_WIDTH, false);
	strbuf_addch(&line, ' ');
	add_verdict(&cause, b);
	text_pad(&line, cause.buf, VERDICT_WIDTH, false);
	for (size_t i = 0; i < shown_causes(b) || !i; i++) {
		strbuf_reset(&cause);
		if (shown_causes(b))
			add_cause(&cause, &b->blame.cause[i]);
		if (i) {
			strbuf_reset(&line);
			strbuf_addchn(&line, ' ', TITLE_WIDTH + VERDICT_WIDTH + 3);
		}
		report_wrap(out, line.buf, cause.buf, TITLE_WIDTH + VERDICT_WIDTH + 5);
	}
	strbuf_release(&line);
	strbuf_release(&cause);
}

/* Against whom set was held in the first cell that has it. */
static size_t base_of(const struct report *r, size_t set)
{
	for (size_t c = 0; c < r->nr_cells; c++)
		if (find(&r->cell[c], set))
			return find(&r->cell[c], set)->base;
	return 0;
}

static bool largest_is_sure(const struct report_cell *cell)
{
	for (size_t i = 0; i < cell->nr_blames; i++)
		if (cell->blame[i].made && (cell->blame[i].blame.kind == BLAME_SLOWER ||
					    cell->blame[i].blame.kind == BLAME_FASTER))
			return true;
	return false;
}

static void add_focus(const struct report *r, struct strbuf *sb)
{
	if (r->focus < r->nr_cells)
		strbuf_addf(sb, "All below but the benchmark's table is about %s, %s. Options "
			    "--case and --load choose another.", r->cell[r->focus].title,
			    largest_is_sure(&r->cell[r->focus]) ?
				    "where the change is the largest" :
				    "the first that is in all sets");
	else
		strbuf_addstr(sb, "No case and load is in all sets: what stands below mixes "
			      "them. Options --case and --load choose one.");
}

void section_cells_text(const struct report *r, struct strbuf *out)
{
	struct strbuf focus = STRBUF_INIT;

	if (r->nr_cells <= 1)
		return;
	for (size_t s = 1; s < r->nr_sets; s++) {
		strbuf_addf(out, "%s against %s:\n", r->name[s], r->name[base_of(r, s)]);
		for (size_t c = 0; c < r->nr_cells; c++)
			add_line(out, &r->cell[c], s);
	}
	add_focus(r, &focus);
	report_wrap(out, "", focus.buf, 0);
	strbuf_release(&focus);
}

json_t *section_cells_json(const struct report *r)
{
	json_t *list;

	if (r->nr_cells <= 1)
		return NULL;
	list = json_array();
	for (size_t c = 0; c < r->nr_cells; c++) {
		const struct report_cell *cell = &r->cell[c];
		json_t *verdicts = json_array();

		for (size_t i = 0; i < cell->nr_blames; i++)
			json_array_append_new(verdicts, report_blame_json(r, &cell->blame[i]));
		json_array_append_new(list, json_pack("{s:o,s:o,s:b,s:o}", "case",
						      json_text(cell->kase, strlen(cell->kase)),
						      "load",
						      json_text(cell->load, strlen(cell->load)),
						      "detail", c == r->focus, "verdicts",
						      verdicts));
	}
	return list;
}

static void add_html_cell(struct strbuf *out, const struct report_blame *b)
{
	bool sure = b && b->made &&
		    (b->blame.kind == BLAME_SLOWER || b->blame.kind == BLAME_FASTER);

	strbuf_addf(out, "<td><span class=\"%s\">", !sure ? "dim" :
		    b->blame.kind == BLAME_SLOWER ? "worse" : "better");
	if (b)
		add_verdict(out, b);
	strbuf_addstr(out, b ? "</span>" : "-</span>");
	for (size_t i = 0; b && i < shown_causes(b); i++) {
		struct strbuf cause = STRBUF_INIT;

		add_cause(&cause, &b->blame.cause[i]);
		strbuf_addstr(out, "<br><small>");
		html_add(out, cause.buf);
		strbuf_addstr(out, "</small>");
		strbuf_release(&cause);
	}
	strbuf_addstr(out, "</td>");
}

void section_cells_html(const struct report *r, struct strbuf *out)
{
	struct strbuf focus = STRBUF_INIT;

	if (r->nr_cells <= 1)
		return;
	html_table(out, "Verdict and causes of each case and load");
	strbuf_addstr(out, "<thead><tr><td></td>");
	html_set_heads(out, r, 1, 1);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t c = 0; c < r->nr_cells; c++) {
		strbuf_addstr(out, "<tr><th scope=\"row\">");
		html_add(out, r->cell[c].title);
		strbuf_addstr(out, "</th>");
		for (size_t s = 1; s < r->nr_sets; s++)
			add_html_cell(out, find(&r->cell[c], s));
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	add_focus(r, &focus);
	strbuf_addstr(out, "<p>");
	html_add(out, focus.buf);
	strbuf_addstr(out, "</p>\n");
	strbuf_release(&focus);
}
