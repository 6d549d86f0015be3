// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile diff as a table with bars, and the differential flame graph where the
 * profiles have call chains. Of one set, its heaviest symbols. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "html.h"
#include "schedblame/alloc.h"

#define ROWS 40
#define ROWS_BRIEF 12

static void add_name(struct strbuf *out, const struct profdiff_row *row)
{
	struct strbuf name = STRBUF_INIT;

	diffprofile_add_name(&name, row);
	strbuf_addstr(out, "<td><code>");
	html_add(out, name.buf);
	strbuf_addstr(out, "</code></td></tr>\n");
	strbuf_release(&name);
}

/* Left of the middle: got better. */
static void add_bar(struct strbuf *out, double change, double top)
{
	double width = top > 0 ? 49 * fabs(change) / top : 0;

	strbuf_addf(out, "<td class=\"bar\"><svg width=\"100%%\" height=\"14\" role=\"img\">"
		    "<title>%+.4g</title><line class=\"zero\" x1=\"50%%\" x2=\"50%%\" y1=\"0\" "
		    "y2=\"14\"/><rect class=\"%s\" x=\"%.2f%%\" y=\"2\" width=\"%.2f%%\" "
		    "height=\"10\"/></svg></td>", change, change > 0 ? "bad" : "good",
		    change > 0 ? 50 : 50 - width, width);
}

static void add_diff_row(struct strbuf *out, const struct profdiff_row *row, size_t side,
			 double top)
{
	const struct profdiff_cell *a = &row->cell[0], *b = &row->cell[side];
	bool sure = b->verdict == VERDICT_BETTER || b->verdict == VERDICT_WORSE;

	strbuf_addf(out, "<tr><td class=\"n%s\">%+.1f%s</td>", !sure ? "" :
		    b->change > 0 ? " worse" : " better", b->change, sure ? "*" : "");
	if (isfinite(b->ratio))
		strbuf_addf(out, "<td class=\"n\">%+.1f %%</td>", (b->ratio - 1) * 100);
	else
		strbuf_addf(out, "<td class=\"n\">%s</td>", a->value > 0 ? "" : "new");
	add_bar(out, b->change, top);
	strbuf_addf(out, "<td class=\"n\">%.1f</td><td class=\"n\">%.1f</td>", a->value,
		    b->value);
	add_name(out, row);
}

static void add_diff(const struct report *r, struct strbuf *out, const struct profdiff *d,
		     size_t side)
{
	struct diffprofile_view view = { .threshold = NAN,
					 .rows = r->brief ? ROWS_BRIEF : ROWS };
	size_t *index = xmalloc((d->n + 1) * sizeof(*index));
	size_t n = diffprofile_shown(d, side, diffprofile_threshold(d, side, &view), index);
	struct strbuf caption = STRBUF_INIT;
	double top = 0;

	for (size_t i = 0; i < n; i++)
		top = fmax(top, fabs(d->row[index[i]].cell[side].change));
	strbuf_addf(&caption, "diffprofile %s %s: %s; + got worse, - got better, * is significant",
		    r->name[0], r->name[side], profdiff_norm_caption[d->norm]);
	html_table(out, caption.buf);
	strbuf_addstr(out, "<thead><tr><th scope=\"col\" class=\"n\">change</th><th scope=\"col\" "
		      "class=\"n\">%</th><th scope=\"col\">better, worse</th><th scope=\"col\" "
		      "class=\"n\">");
	html_set(out, r, 0);
	strbuf_addstr(out, "</th><th scope=\"col\" class=\"n\">");
	html_set(out, r, side);
	strbuf_addstr(out, "</th><th scope=\"col\">symbol</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++)
		add_diff_row(out, &d->row[index[i]], side, top);
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	if (!n)
		strbuf_addstr(out, "<p>No symbol differs.</p>\n");
	strbuf_release(&caption);
	free(index);
}

static void add_top(const struct report *r, struct strbuf *out, const struct profdiff *d)
{
	const struct profdiff_row **row = profdiff_heaviest(d);
	size_t max = r->brief ? ROWS_BRIEF : ROWS;

	html_table(out, "The heaviest symbols");
	strbuf_addstr(out, "<thead><tr><th scope=\"col\" class=\"n\">share</th><th scope=\"col\" "
		      "class=\"n\">samples</th><th scope=\"col\">symbol</th></tr></thead>\n"
		      "<tbody>\n");
	for (size_t i = 0; i < d->n && i < max && row[i]->cell[0].samples > 0; i++) {
		strbuf_addf(out, "<tr><td class=\"n\">%.2f %%</td><td class=\"n\">%.0f</td>",
			    row[i]->cell[0].share, row[i]->cell[0].samples);
		add_name(out, row[i]);
	}
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	free(row);
}

/* The set, or the runs of it that the report is about. */
static int add_input(const struct report *r, size_t set, struct profdiff_input *in,
		     const struct profile_options *load)
{
	int ret = 0;

	if (r->nr_cells <= 1)
		return profdiff_input_add(in, r->set[set].path, load, NULL);
	for (size_t i = 0; i < r->set[set].n && !ret; i++)
		ret = profdiff_input_add(in, r->set[set].run[i].path, load, NULL);
	free(in->label);
	in->label = xstrdup(r->name[set]);
	return ret;
}

/* Profiles are read again, with chains: a text report does not need those. */
static void add_flames(const struct report *r, struct strbuf *out, enum profdiff_norm norm)
{
	struct profdiff_input *in = xcalloc(r->nr_sets, sizeof(*in));
	struct profile_options load = { .chains = true };
	struct profdiff_options options = profdiff_default_options;
	struct profdiff d;
	int ret = 0;

	options.norm = norm;
	options.limits = r->cmp.limits;
	for (size_t i = 0; i < r->nr_sets; i++)
		profdiff_input_init(&in[i]);
	for (size_t i = 0; i < r->nr_sets && !ret; i++)
		ret = add_input(r, i, &in[i], &load);
	if (!ret)
		ret = profdiff_make_inputs(&d, in, r->nr_sets, &options, NULL);
	for (size_t side = 1; side < r->nr_sets && !ret; side++) {
		size_t before = out->len;

		strbuf_addstr(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			      "aria-label=\"Flame graph\">");
		if (diffprofile_flame(out, &d, side, NULL) < 0)
			strbuf_setlen(out, before);
		else
			strbuf_addstr(out, "</div>\n");
	}
	if (!ret)
		profdiff_release(&d);
	for (size_t i = 0; i < r->nr_sets; i++)
		profdiff_input_release(&in[i]);
	free(in);
}

void section_profile_html(const struct report *r, struct strbuf *out)
{
	struct err err = ERR_INIT;
	struct profdiff d;
	const char *lacks;
	size_t before;

	if (report_profdiff(r, &d, &lacks, &err) < 0) {
		if (err.code) {
			strbuf_addstr(out, "<p>");
			html_add(out, err_text(&err));
			strbuf_addstr(out, "</p>\n");
		}
		err_release(&err);
		return;
	}
	if (r->nr_sets == 1)
		add_top(r, out, &d);
	for (size_t side = 1; side < r->nr_sets; side++)
		add_diff(r, out, &d, side);
	before = out->len;
	if (r->nr_sets > 1 && !r->brief)
		add_flames(r, out, d.norm);
	if (r->nr_sets > 1 && !r->brief && out->len == before)
		strbuf_addstr(out, "<p class=\"dim\">No flame graph: the profiles have no call "
			      "chains (collect --call-graph).</p>\n");
	profdiff_release(&d);
}
