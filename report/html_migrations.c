// SPDX-License-Identifier: GPL-2.0-or-later
/* Migrations: the rows, and for machines of several nodes a map of who moves where,
 * by reason. Hot migrations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "schedblame/units.h"

#define NODES_MAX 64 /* of a map; all are in the JSON */
#define NUMBERS_MAX 400 /* rows of the table below the maps */
#define LEFT 28 /* of a map, pixels: names of rows */
#define ABOVE 18

/* Pixels of one cell: the more nodes, the smaller, that a map fits a screen. */
struct cell_size {
	unsigned w, h;
	unsigned every; /* node that has its number at the side */
	bool numbers;
};

static struct cell_size size_of(unsigned nodes)
{
	if (nodes <= 4)
		return (struct cell_size){ 46, 24, 1, true };
	if (nodes <= 16)
		return (struct cell_size){ 24, 24, 1, false };
	return (struct cell_size){ nodes <= 32 ? 14 : 8, nodes <= 32 ? 14 : 8, 4, false };
}

static double rate(const struct compare_matrix *m, int reason, unsigned from, unsigned to)
{
	return m->reason[reason] ? m->reason[reason][(size_t)from * m->nr_nodes + to] : 0;
}

static double hottest(const struct report *r, int reason)
{
	double top = 0;

	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct compare_matrix *m = &r->cmp.matrix[i];

		for (unsigned from = 0; from < m->nr_nodes && from < NODES_MAX; from++)
			for (unsigned to = 0; to < m->nr_nodes && to < NODES_MAX; to++)
				top = fmax(top, rate(m, reason, from, to));
	}
	return top;
}

static void format_rate(char *buf, size_t size, double v)
{
	if (v > 0 && v < 99.5)
		snprintf(buf, size, "%.2g", v);
	else
		format_count(buf, size, v);
}

static void add_cell(struct strbuf *out, unsigned from, unsigned to, double v, double top,
		     const struct cell_size *size)
{
	/* the root lets small rates be seen beside large ones */
	double heat = v > 0 && top > 0 ? 0.06 + 0.94 * sqrt(v / top) : 0;
	unsigned x = LEFT + to * size->w, y = ABOVE + from * size->h;
	char buf[32];

	format_rate(buf, sizeof(buf), v);
	strbuf_addf(out, "<g><title>node %u to node %u: %s/s</title><rect x=\"%u\" y=\"%u\" "
		    "width=\"%u\" height=\"%u\" class=\"heat\" fill-opacity=\"%.2f\" "
		    "stroke=\"var(--line)\"/>", from, to, buf, x, y, size->w - 1, size->h - 1,
		    heat);
	if (size->numbers)
		strbuf_addf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\"%s>%s</text>",
			    x + size->w / 2, y + 16, heat > 0.6 ? " class=\"onheat\"" : "", buf);
	strbuf_addstr(out, "</g>");
}

/* Cells without a move are one box when there are many. */
static void add_ground(struct strbuf *out, unsigned n, const struct cell_size *size)
{
	if (size->every > 1)
		strbuf_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\" fill=\"none\" "
			    "stroke=\"var(--line)\"/>", LEFT, ABOVE, n * size->w, n * size->h);
}

/* Rows: from; columns: to. */
static void add_map(const struct report *r, struct strbuf *out, size_t set, int reason,
		    double top)
{
	const struct compare_matrix *m = &r->cmp.matrix[set];
	unsigned n = m->nr_nodes < NODES_MAX ? m->nr_nodes : NODES_MAX;
	struct cell_size size = size_of(n);

	strbuf_addf(out, "<td><svg width=\"%u\" height=\"%u\" role=\"img\"><title>",
		    LEFT + 4 + n * size.w, ABOVE + 2 + n * size.h);
	html_add(out, r->name[set]);
	strbuf_addf(out, ", %s: migrations per second from the row's node to the column's node"
		    "</title>", reason_title((enum reason)reason));
	for (unsigned i = 0; i < n; i += size.every)
		strbuf_addf(out, "<text x=\"%u\" y=\"12\" text-anchor=\"middle\">%u</text>"
			    "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%u</text>",
			    LEFT + i * size.w + size.w / 2, i, LEFT - 8,
			    ABOVE + i * size.h + size.h / 2 + 4, i);
	add_ground(out, n, &size);
	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++)
			if (size.every == 1 || rate(m, reason, from, to) > 0)
				add_cell(out, from, to, rate(m, reason, from, to), top, &size);
	strbuf_addstr(out, "</svg></td>");
}

static void add_maps(const struct report *r, struct strbuf *out)
{
	html_table(out, "Migrations per second from node (row) to node (column), by reason; the "
			"deeper the colour, the more, within one reason");
	strbuf_addstr(out, "<thead><tr><th scope=\"col\">reason</th>");
	html_set_heads(out, r, 0, 1);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (int reason = 0; reason < REASON_NR; reason++) {
		double top = hottest(r, reason);

		if (top <= 0)
			continue;
		strbuf_addf(out, "<tr><th scope=\"row\">%s</th>",
			    reason_title((enum reason)reason));
		for (size_t i = 0; i < r->nr_sets; i++)
			add_map(r, out, i, reason, top);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
}

/* Any move of that reason between two nodes, on any side. */
static bool any_rate(const struct report *r, int reason, unsigned from, unsigned to)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct compare_matrix *m = &r->cmp.matrix[i];

		if (from < m->nr_nodes && to < m->nr_nodes && rate(m, reason, from, to) > 0)
			return true;
	}
	return false;
}

static void add_numbers_row(const struct report *r, struct strbuf *out, int reason,
			    unsigned from, unsigned to)
{
	strbuf_addf(out, "<tr><th scope=\"row\">%s</th><td>%u</td><td>%u</td>",
		    reason_title((enum reason)reason), from, to);
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct compare_matrix *m = &r->cmp.matrix[i];
		bool there = from < m->nr_nodes && to < m->nr_nodes;

		strbuf_addstr(out, "<td class=\"n\">");
		html_number(out, there ? rate(m, reason, from, to) : NAN, "/s");
		strbuf_addstr(out, "</td>");
	}
	strbuf_addstr(out, "</tr>\n");
}

static void add_numbers(const struct report *r, struct strbuf *out, unsigned nodes)
{
	size_t rows = 0;

	strbuf_addstr(out, "<details><summary>The maps in numbers</summary>\n");
	html_table(out, "Migrations per second by reason and node; pairs of nodes without any "
			"are left out");
	strbuf_addstr(out, "<thead><tr><th scope=\"col\">reason</th><th scope=\"col\">from</th>"
		      "<th scope=\"col\">to</th>");
	html_set_heads(out, r, 0, 1);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (int reason = 0; reason < REASON_NR; reason++)
		for (unsigned k = 0; k < nodes * nodes; k++)
			if (any_rate(r, reason, k / nodes, k % nodes) && rows++ < NUMBERS_MAX)
				add_numbers_row(r, out, reason, k / nodes, k % nodes);
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	if (rows > NUMBERS_MAX)
		strbuf_addf(out, "<p>and %zu more rows, in --format json</p>\n",
			    rows - NUMBERS_MAX);
	strbuf_addstr(out, "</details>\n");
}

void section_migrations_html(const struct report *r, struct strbuf *out)
{
	unsigned nodes = 0;
	double top = 0;

	for (size_t i = 0; i < r->nr_sets; i++)
		if (r->cmp.matrix[i].nr_nodes > nodes)
			nodes = r->cmp.matrix[i].nr_nodes;
	for (int reason = 0; reason < REASON_NR; reason++)
		top = fmax(top, hottest(r, reason));
	if (nodes > NODES_MAX && top > 0 && !r->brief)
		strbuf_addf(out, "<p>The maps show the first %u of %u nodes; all are in --format "
			    "json.</p>\n", NODES_MAX, nodes);
	nodes = nodes < NODES_MAX ? nodes : NODES_MAX;
	if (nodes > 1 && top > 0 && !r->brief) {
		add_maps(r, out);
		add_numbers(r, out, nodes);
	}
	html_rows(r, out, COMPARE_MIGRATIONS);
}

void section_hot_html(const struct report *r, struct strbuf *out)
{
	html_rows(r, out, COMPARE_HOT);
	if (!out->len)
		return;
	strbuf_addstr(out, "<p class=\"dim\">A task is hot when it last ran less than the "
		      "threshold ago. Threshold: ");
	for (size_t i = 0; i < r->nr_sets; i++) {
		if (i && !strcmp(r->cmp.threshold[i].source, r->cmp.threshold[0].source))
			continue;
		strbuf_addstr(out, i ? "; " : "");
		html_add(out, r->cmp.threshold[i].source);
		if (i) {
			strbuf_addstr(out, " in ");
			html_add(out, r->name[i]);
		}
	}
	strbuf_addstr(out, ".</p>\n");
}
