// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of the page: rows of the comparison, the benchmark, the ledger. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "schedblame/units.h"

static double mean(const struct compare_cell *cell)
{
	return cell->n ? cell->sum.mean : NAN;
}

static void add_cells(const struct report *r, struct strbuf *out,
		      const struct compare_row *row)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		strbuf_addstr(out, "<td class=\"n\">");
		html_number(out, mean(&row->cell[i]), row->unit);
		html_std(out, &row->cell[i]);
		strbuf_addstr(out, "</td>");
		if (i)
			html_change(out, row, i);
	}
}

/* Rows indented under another keep the indent of their title. */
static void add_row_title(struct strbuf *out, const struct compare_row *row)
{
	size_t indent = strspn(row->title, " ");

	strbuf_addf(out, "<tr><th scope=\"row\" style=\"padding-left:%.1fem\"", 0.4 + 0.6 *
		    (double)indent);
	if (row->help) {
		strbuf_addstr(out, " title=\"");
		html_add(out, row->help);
		strbuf_addstr(out, "\"");
	}
	strbuf_addstr(out, ">");
	if (row->table == COMPARE_FUNCTIONS && *row->group) {
		html_add(out, row->group);
		strbuf_addstr(out, "(): ");
	}
	html_add(out, row->title + indent);
	if (*row->unit) {
		strbuf_addstr(out, " <small>");
		html_add(out, row->unit);
		strbuf_addstr(out, "</small>");
	}
	strbuf_addstr(out, "</th>");
}

void html_rows(const struct report *r, struct strbuf *out, enum compare_table table)
{
	size_t n;
	const struct compare_row *row = comparison_table(&r->cmp, table, &n);

	if (!n)
		return;
	html_table(out, r->nr_sets > 1 ? "Means over the runs (std%), and the change against "
					 "the base; * is significant" :
					 "Means over the runs (std%)");
	strbuf_addstr(out, "<thead><tr><td></td>");
	html_set_heads(out, r, 0, 2);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		add_row_title(out, &row[i]);
		add_cells(r, out, &row[i]);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
}

/* ---- benchmark ---- */

/* The CI of a change in the sense of the table: + is better. */
static bool interval(const struct compare_row *row, size_t set, double *low, double *high)
{
	const struct stats_comparison *cmp = &row->cell[set].cmp;

	*low = (cmp->low - 1) * 100;
	*high = (cmp->high - 1) * 100;
	if (row->better == BETTER_LOWER) {
		double swap = -*low;

		*low = -*high;
		*high = swap;
	}
	return isfinite(*low) && isfinite(*high);
}

static double widest(const struct report *r, const struct compare_row *row, size_t n)
{
	double most = 1, low, high;

	for (size_t i = 0; i < n; i++)
		for (size_t s = 1; s < r->nr_sets; s++)
			if (interval(&row[i], s, &low, &high))
				most = fmax(most, fmax(fabs(low), fabs(high)));
	return fmin(most, 200);
}

static double place(double v, double most)
{
	return 50 + 48 * fmax(-1, fmin(1, v / most));
}

/* Change and interval on a line with zero in the middle; worse is left. */
static void add_whisker(const struct report *r, struct strbuf *out,
			const struct compare_row *row, double most)
{
	strbuf_addf(out, "<td class=\"bar\"><svg width=\"100%%\" height=\"%zu\" role=\"img\">"
		    "<title>", 12 * (r->nr_sets - 1) + 4);
	for (size_t s = 1; s < r->nr_sets; s++) {
		double low = NAN, high = NAN;

		if (interval(row, s, &low, &high))
			strbuf_addf(out, "%s%+.1f %% (95 %% CI %+.1f to %+.1f)", s > 1 ? "; " : "",
				    compare_change(row, s), low, high);
	}
	strbuf_addstr(out, "</title><line class=\"zero\" x1=\"50%\" x2=\"50%\" y1=\"0\" "
		      "y2=\"100%\"/>");
	for (size_t s = 1; s < r->nr_sets; s++) {
		double low, high, y = 8 + 12 * (double)(s - 1);
		double change = compare_change(row, s);

		if (!isfinite(change))
			continue;
		if (interval(row, s, &low, &high))
			strbuf_addf(out, "<line class=\"s%zu\" stroke-width=\"2\" x1=\"%.1f%%\" "
				    "x2=\"%.1f%%\" y1=\"%.0f\" y2=\"%.0f\"/>", s % HTML_COLOURS,
				    place(low, most), place(high, most), y, y);
		strbuf_addf(out, "<circle class=\"s%zu\" r=\"3.5\" cx=\"%.1f%%\" cy=\"%.0f\"/>",
			    s % HTML_COLOURS, place(change, most), y);
	}
	strbuf_addstr(out, "</svg>");
	for (size_t s = 1; s < r->nr_sets; s++) {
		double low, high, p = row->cell[s].cmp.p;

		if (interval(row, s, &low, &high) && isfinite(p))
			strbuf_addf(out, "<small>%s%+.1f to %+.1f, p=%.3f</small>",
				    s > 1 ? "<br>" : "", low, high, p);
	}
	strbuf_addstr(out, "</td>");
}

static void add_benchmark_row(const struct report *r, struct strbuf *out,
			      const struct compare_row *row, double most)
{
	strbuf_addstr(out, "<tr><th scope=\"row\">");
	html_add(out, row->group);
	strbuf_addstr(out, "</th><td>");
	html_add(out, row->load);
	strbuf_addstr(out, "</td><td>");
	html_add(out, row->title);
	strbuf_addstr(out, " <small>");
	html_add(out, row->unit);
	strbuf_addf(out, "%s</small></td>", row->better == BETTER_HIGHER ? ", more is better" :
		    row->better == BETTER_LOWER ? ", less is better" : "");
	add_cells(r, out, row);
	if (r->nr_sets > 1)
		add_whisker(r, out, row, most);
	strbuf_addstr(out, "</tr>\n");
}

void section_benchmark_html(const struct report *r, struct strbuf *out)
{
	char *caveat = comparison_caveat(&r->cmp);
	size_t n;
	const struct compare_row *row = comparison_table(report_comparison(r, COMPARE_BENCHMARK),
							 COMPARE_BENCHMARK, &n);
	double most = widest(r, row, n);

	if (n) {
		html_table(out, r->nr_sets > 1 ?
			   "Means over the runs (std%); positive per cent is better, * is "
			   "significant; the line is the 95 % interval" :
			   "Means over the runs (std%)");
		strbuf_addstr(out, "<thead><tr><th scope=\"col\">case</th><th scope=\"col\">load"
			      "</th><th scope=\"col\">number</th>");
		html_set_heads(out, r, 0, 2);
		if (r->nr_sets > 1)
			strbuf_addf(out, "<th scope=\"col\">worse, better (&#177;%.3g %%)</th>",
				    most);
		strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
		for (size_t i = 0; i < n; i++)
			add_benchmark_row(r, out, &row[i], most);
		strbuf_addstr(out, "</tbody>");
		html_table_end(out);
	}
	if (caveat && (n || r->nr_sets > 1)) {
		strbuf_addstr(out, "<p>");
		html_add(out, caveat);
		strbuf_addstr(out, "</p>\n");
	}
	free(caveat);
}

/* ---- ledger ---- */

static void add_bars(const struct report *r, struct strbuf *out,
		     const struct report_blame *of_blame, double a, double b, double top)
{
	double v[2] = { fmax(a, 0), fmax(b, 0) };
	size_t of[2] = { of_blame->base, of_blame->set };
	char text[2][32];

	for (int i = 0; i < 2; i++)
		format_ns(text[i], sizeof(text[i]), (uint64_t)v[i]);
	strbuf_addstr(out, "<td class=\"bar\"><svg width=\"100%\" height=\"20\" role=\"img\">"
		      "<title>");
	html_add(out, r->name[of[0]]);
	strbuf_addf(out, " %s, ", text[0]);
	html_add(out, r->name[of[1]]);
	strbuf_addf(out, " %s</title>", text[1]);
	for (int i = 0; i < 2; i++)
		strbuf_addf(out, "<rect class=\"s%zu\" y=\"%d\" height=\"8\" width=\"%.2f%%\" "
			    "rx=\"1\"/>", of[i] % HTML_COLOURS, 1 + 10 * i,
			    top > 0 ? 100 * v[i] / top : 0);
	strbuf_addf(out, "</svg></td><td class=\"n\">%s</td><td class=\"n\">%s</td>", text[0],
		    text[1]);
}

/* colour: "", " worse", " better" */
static void add_signed(struct strbuf *out, double v, int decimals, const char *colour)
{
	char buf[400];

	strbuf_addf(out, "<td class=\"n%s\">%s</td>", colour,
		    isfinite(v) ? format_signed(buf, sizeof(buf), v, decimals) : "");
}

/* Only what is as sure as a cause must be has a colour. */
static const char *colour_of(const struct ledger_row *row)
{
	if (!(row->p < BLAME_SURE_P) || fabs(row->points) < BLAME_LEAST_POINTS)
		return "";
	return row->points > 0 ? " worse" : " better";
}

static void add_ledger_row(const struct report *r, struct strbuf *out,
			   const struct report_blame *b, const struct ledger_row *row,
			   double top, bool sum)
{
	char low[400], high[400];

	strbuf_addf(out, "<tr%s><th scope=\"row\">", sum ? " class=\"sum\"" : "");
	html_add(out, row->name);
	strbuf_addstr(out, "</th>");
	add_bars(r, out, b, row->mean_a, row->mean_b, top);
	add_signed(out, row->points, 1, colour_of(row));
	add_signed(out, row->share * 100, 0, "");
	strbuf_addf(out, "<td class=\"n\">%s%s%s</td>",
		    isfinite(row->ci_low) ? format_signed(low, sizeof(low), row->ci_low, 1) : "",
		    isfinite(row->ci_low) ? " to " : "",
		    isfinite(row->ci_low) ? format_signed(high, sizeof(high), row->ci_high, 1) :
					    "");
	strbuf_addstr(out, "</tr>\n");
}

static void add_apart(struct strbuf *out, const struct ledger *l)
{
	char *line = report_apart(l);

	if (!line)
		return;
	strbuf_addstr(out, "<p>");
	html_add(out, line);
	strbuf_addstr(out, "</p>\n");
	free(line);
}

static void add_ledger(const struct report *r, struct strbuf *out, size_t i)
{
	const struct ledger *l = &r->blame[i].ledger;
	struct ledger_row total = { .name = (char *)"total", .mean_a = l->mean_a,
				    .mean_b = l->mean_b, .points = l->change, .share = 1,
				    .ci_low = l->ci_low, .ci_high = l->ci_high, .p = l->p };
	struct strbuf caption = STRBUF_INIT;
	double top = 0;

	for (size_t k = 0; k < l->n; k++)
		top = fmax(top, fmax(l->row[k].mean_a, l->row[k].mean_b));
	strbuf_addf(&caption, "CPU time (CPUs x elapsed) per %s; points are per cent of the base's "
		    "total, the rows sum to the change; coloured where p < %g", l->work_unit,
		    BLAME_SURE_P);
	html_table(out, caption.buf);
	strbuf_release(&caption);
	strbuf_addstr(out, "<thead><tr><td></td><td></td><th scope=\"col\" class=\"n\">");
	html_set(out, r, r->blame[i].base);
	strbuf_addstr(out, "</th><th scope=\"col\" class=\"n\">");
	html_set(out, r, r->blame[i].set);
	strbuf_addstr(out, "</th><th scope=\"col\" class=\"n\">points</th><th scope=\"col\" "
		      "class=\"n\">share %</th><th scope=\"col\" class=\"n\">95 % CI</th></tr>"
		      "</thead>\n<tbody>\n");
	for (size_t k = 0; k < l->n; k++)
		if (l->row[k].mean_a != 0 || l->row[k].mean_b != 0)
			add_ledger_row(r, out, &r->blame[i], &l->row[k], top, false);
	add_ledger_row(r, out, &r->blame[i], &total, fmax(l->mean_a, l->mean_b), true);
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	add_apart(out, l);
	html_notes(out, &l->notes);
}

void section_ledger_html(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_blames; i++)
		if (r->blame[i].made)
			add_ledger(r, out, i);
}
