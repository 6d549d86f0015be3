// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distributions of all sets over each other: share of a set's values by size, on a
 * logarithmic axis. A step is a quarter of an octave for times (the histograms
 * hold sixteen per octave) and a whole one for small numbers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

#define HEIGHT 170 /* pixels */
#define AXIS_LABELS 7   /* below the axis, about */
#define STEPS_MAX (64 * 4)

struct axis {
	const struct compare_hist *h;
	int per_octave;
	int first, last; /* steps: value 2^(step / per_octave) in the unit */
	double top;	 /* the largest share of a step */
};

/* Recorded value at which a step begins; the one below 1 begins at 0. */
static uint64_t step_value(const struct axis *a, int step)
{
	double v = exp2((double)step / a->per_octave) * (double)a->h->div;

	return step < 0 ? 0 : v >= 1.8e19 ? UINT64_MAX : (uint64_t)ceil(v);
}

static double share(const struct axis *a, const struct histogram *h, int step)
{
	double below = step < 0 ? 0 : histogram_below(h, step_value(a, step));

	return (histogram_below(h, step_value(a, step + 1)) - below) / (double)h->count;
}

static bool measured(const struct histogram *h)
{
	return h && h->count;
}

/* False when no set has a value. */
static bool find_range(struct axis *a, size_t nr_sets)
{
	int steps = 50 * a->per_octave;
	bool any = false;

	for (size_t i = 0; i < nr_sets; i++) {
		if (!measured(a->h->side[i]))
			continue;
		for (int s = -1; s < steps; s++) {
			double v = share(a, a->h->side[i], s);

			if (v < 1e-5)
				continue;
			if (!any || s < a->first)
				a->first = s;
			if (!any || s > a->last)
				a->last = s;
			a->top = fmax(a->top, v);
			any = true;
		}
	}
	return any;
}

/* One set as a closed step line in a box of steps x 100, stretched to its place. */
static void add_area(struct strbuf *out, const struct axis *a, size_t set)
{
	const struct histogram *h = a->h->side[set];

	strbuf_addf(out, "<path class=\"area s%zu\" d=\"M0 100", set % HTML_COLOURS);
	for (int s = a->first; s <= a->last; s++)
		strbuf_addf(out, "V%.2fH%d", 100 - 100 * share(a, h, s) / a->top,
			    s - a->first + 1);
	strbuf_addstr(out, "V100\"/>");
}

static void add_label(struct strbuf *out, const struct axis *a, int step)
{
	double v = exp2((double)step / a->per_octave);
	int width = a->last - a->first + 1;
	const char *unit = "";

	/* powers of two, as the rows of the text have them */
	for (const char *u = "KMGT"; v >= 1024 && *u; u++, v /= 1024)
		unit = u;
	strbuf_addf(out, "<text x=\"%.2f%%\" y=\"%d\" text-anchor=\"%s\">%.4g%.1s</text>",
		    100.0 * (step - a->first) / width, HEIGHT + 16,
		    step == a->first ? "start" : "middle", step < 0 ? 0 : v, unit);
}

static void add_graph(const struct report *r, struct strbuf *out, const struct axis *a)
{
	int width = a->last - a->first + 1, octave = a->per_octave;
	int every = octave * (1 + width / octave / AXIS_LABELS);

	strbuf_addf(out, "<svg width=\"100%%\" height=\"%d\" role=\"img\"><title>", HEIGHT + 22);
	html_add(out, a->h->title);
	strbuf_addf(out, "</title><desc>Share of the values by size in %s, at most %.1f %% in one "
		    "step; the numbers stand below</desc>", a->h->unit, 100 * a->top);
	strbuf_addf(out, "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d 100\" "
		    "preserveAspectRatio=\"none\">", HEIGHT, width);
	for (size_t i = 0; i < r->nr_sets; i++)
		if (measured(a->h->side[i]))
			add_area(out, a, i);
	strbuf_addf(out, "</svg><line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
		    "y2=\"%d\"/>", HEIGHT, HEIGHT);
	for (int s = a->first; s <= a->last; s++)
		if (s == -1 || (s >= 0 && s % every == 0 && s > a->first + octave / 2))
			add_label(out, a, s);
	strbuf_addstr(out, "</svg>\n");
}

static void add_value(struct strbuf *out, double v)
{
	strbuf_addstr(out, "<td class=\"n\">");
	html_number(out, v, "");
	strbuf_addstr(out, "</td>");
}

static void add_quantiles(const struct report *r, struct strbuf *out,
			  const struct compare_hist *h)
{
	html_table(out, "Mean and percentiles: means over the runs");
	strbuf_addf(out, "<thead><tr><th scope=\"col\">%s</th><th class=\"n\" scope=\"col\">values</th>"
		      "<th class=\"n\" scope=\"col\">mean</th><th class=\"n\" scope=\"col\">50%%"
		      "</th><th class=\"n\" scope=\"col\">90%%</th><th class=\"n\" scope=\"col\">"
		      "99%%</th></tr></thead>\n<tbody>\n", h->unit);
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct histogram *side = h->side[i];
		const struct hist_numbers *n = &h->numbers[i];
		const double value[] = { n->mean, n->p50, n->p90, n->p99 };
		char buf[32];

		strbuf_addstr(out, "<tr><th scope=\"row\">");
		html_set(out, r, i);
		strbuf_addf(out, "</th><td class=\"n\">%s</td>",
			    measured(side) ? format_count(buf, sizeof(buf),
							  (double)side->count) :
			    side	   ? "none" :
					     "not measured");
		for (size_t q = 0; measured(side) && q < ARRAY_SIZE(value); q++)
			add_value(out, value[q] / (double)h->div);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
}

/* The rows of the text report. */
static void add_numbers(const struct report *r, struct strbuf *out,
			const struct compare_hist *h)
{
	uint64_t(*row)[65] = xcalloc(r->nr_sets, sizeof(*row));

	for (size_t i = 0; i < r->nr_sets; i++)
		if (measured(h->side[i]))
			histogram_log2(h->side[i], h->div, row[i]);
	strbuf_addstr(out, "<details><summary>Numbers</summary>\n");
	html_table(out, h->title);
	strbuf_addf(out, "<thead><tr><th scope=\"col\">%s</th>", h->unit);
	html_set_heads(out, r, 0, 1);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (unsigned k = 0; k < 65; k++) {
		uint64_t any = 0;

		for (size_t i = 0; i < r->nr_sets; i++)
			any |= row[i][k];
		if (!any)
			continue;
		strbuf_addstr(out, "<tr><th scope=\"row\">");
		histogram_row_label(out, k);
		strbuf_addstr(out, "</th>");
		for (size_t i = 0; i < r->nr_sets; i++)
			strbuf_addf(out, "<td class=\"n\">%llu</td>",
				    (unsigned long long)row[i][k]);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
	strbuf_addstr(out, "</details>\n");
	free(row);
}

static const char *how_timed(const char *via)
{
	if (!strcmp(via, "container"))
		return " (inlined by the compiler: this is the function that contains it)";
	if (!strcmp(via, "inlined"))
		return " (timed inside the function that contains it)";
	if (!strcmp(via, "mixed"))
		return " (timed in different ways on the sides: do not compare)";
	return "";
}

void section_histograms_html(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->cmp.nr_hists; i++) {
		const struct compare_hist *h = &r->cmp.hist[i];
		struct axis a = { .h = h, .per_octave = h->div > 1 ? 4 : 1 };

		if (!find_range(&a, r->nr_sets))
			continue;
		if (!out->len)
			strbuf_addstr(out, "<p class=\"dim\">Share of each set's values by size; "
				      "the axis is logarithmic.</p>\n<div class=\"grid\">\n");
		strbuf_addstr(out, "<figure><figcaption>");
		html_add(out, h->title);
		strbuf_addf(out, " <small>%s%s</small></figcaption>\n", h->unit,
			    how_timed(h->via));
		add_graph(r, out, &a);
		add_quantiles(r, out, h);
		add_numbers(r, out, h);
		strbuf_addstr(out, "</figure>\n");
	}
	if (out->len)
		strbuf_addstr(out, "</div>\n");
}
