// SPDX-License-Identifier: GPL-2.0-or-later
/* Distributions as bpftrace prints them: two sets side by side, any other number
 * one after the other. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

/* label 16, then for each side: count 11, blank, bar between two |, blank */
#define BAR ((REPORT_WIDTH - 16 - 2 * 15) / 2)

static void add_heading(struct strbuf *out, const struct compare_hist *h)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s, %s", h->title, h->unit);
	if (!strcmp(h->via, "container"))
		strbuf_addstr(&sb, " (inlined by the compiler: this is the function that "
				   "contains it)");
	else if (!strcmp(h->via, "inlined"))
		strbuf_addstr(&sb, " (timed inside the function that contains it)");
	else if (!strcmp(h->via, "mixed"))
		strbuf_addstr(&sb, " (timed in different ways on the sides: do not compare)");
	strbuf_addch(&sb, ':');
	report_wrap(out, "", sb.buf, 2);
	strbuf_release(&sb);
}

static void add_time(struct strbuf *out, double v)
{
	char buf[32];

	if (v >= 999.5)
		strbuf_addf(out, " %s", format_count(buf, sizeof(buf), v));
	else
		strbuf_addf(out, " %.3g", v);
}

static void add_quantiles(const struct report *r, struct strbuf *out,
			  const struct compare_hist *h)
{
	char buf[32];

	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct histogram *side = h->side[i];
		const struct hist_numbers *numbers = &h->numbers[i];

		strbuf_addf(out, "  %-20s ", r->name[i]);
		if (!side || !side->count) {
			strbuf_addstr(out, side ? "none\n" : "not measured\n");
			continue;
		}
		strbuf_addf(out, "n=%s mean", format_count(buf, sizeof(buf),
							   (double)side->count));
		add_time(out, numbers->mean / (double)h->div);
		strbuf_addstr(out, "  50%");
		add_time(out, numbers->p50 / (double)h->div);
		strbuf_addstr(out, "  90%");
		add_time(out, numbers->p90 / (double)h->div);
		strbuf_addstr(out, "  99%");
		add_time(out, numbers->p99 / (double)h->div);
		report_end_line(out);
	}
}

static void add_bar(struct strbuf *out, uint64_t n, uint64_t top)
{
	size_t fill = top ? (size_t)((double)n / (double)top * BAR) : 0;

	strbuf_addf(out, "%11llu |", (unsigned long long)n);
	strbuf_addchn(out, '@', fill);
	strbuf_addchn(out, ' ', BAR - fill);
	strbuf_addch(out, '|');
}

static uint64_t largest(const uint64_t rows[65])
{
	uint64_t top = 0;

	for (unsigned i = 0; i < 65; i++)
		top = rows[i] > top ? rows[i] : top;
	return top;
}

static void side_by_side(const struct report *r, struct strbuf *out,
			 const struct compare_hist *h)
{
	uint64_t a[65], b[65];
	unsigned first = 65, last = 0;

	histogram_log2(h->side[0], h->div, a);
	histogram_log2(h->side[1], h->div, b);
	for (unsigned i = 0; i < 65; i++)
		if (a[i] || b[i]) {
			first = first == 65 ? i : first;
			last = i;
		}
	strbuf_addchn(out, ' ', 16);
	report_add_name(r, 0, out, 11);
	strbuf_addchn(out, ' ', BAR + 4);
	report_add_name(r, 1, out, 11);
	strbuf_addch(out, '\n');
	for (unsigned i = first; i <= last && first < 65; i++) {
		size_t start = out->len;

		histogram_row_label(out, i);
		while (out->len - start < 16)
			strbuf_addch(out, ' ');
		add_bar(out, a[i], largest(a));
		strbuf_addch(out, ' ');
		add_bar(out, b[i], largest(b));
		report_end_line(out);
	}
}

static void one_by_one(const struct report *r, struct strbuf *out,
		       const struct compare_hist *h)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		if (!h->side[i] || !h->side[i]->count)
			continue;
		if (r->nr_sets > 1)
			strbuf_addf(out, "%s:\n", r->name[i]);
		histogram_print(h->side[i], out, "", h->div, REPORT_WIDTH);
	}
}

void section_histograms_text(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->cmp.nr_hists; i++) {
		const struct compare_hist *h = &r->cmp.hist[i];

		if (i)
			strbuf_addch(out, '\n');
		add_heading(out, h);
		add_quantiles(r, out, h);
		if (r->nr_sets == 2 && h->side[0] && h->side[1])
			side_by_side(r, out, h);
		else
			one_by_one(r, out, h);
	}
}

static json_t *side_json(const struct compare_hist *h, size_t set)
{
	const struct histogram *side = h->side[set];
	const struct hist_numbers *numbers = &h->numbers[set];
	json_t *rows = json_array(), *obj;
	uint64_t row[65];

	if (!side) {
		json_decref(rows);
		return json_null();
	}
	histogram_log2(side, h->div, row);
	for (unsigned i = 0; i < 65; i++)
		if (row[i]) {
			struct strbuf label = STRBUF_INIT;

			histogram_row_label(&label, i);
			json_array_append_new(rows, json_pack("[s,I]", label.buf,
							      (json_int_t)row[i]));
			strbuf_release(&label);
		}
	obj = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "mean",
			json_num(numbers->mean / (double)h->div), "p50",
			json_num(numbers->p50 / (double)h->div), "p90",
			json_num(numbers->p90 / (double)h->div), "p99",
			json_num(numbers->p99 / (double)h->div), "log2",
			rows, "hist", histogram_to_json(side));
	return obj;
}

json_t *section_histograms_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->cmp.nr_hists; i++) {
		const struct compare_hist *h = &r->cmp.hist[i];
		json_t *sides = json_array();

		for (size_t j = 0; j < r->nr_sets; j++)
			json_array_append_new(sides, side_json(h, j));
		json_array_append_new(
			list, json_pack("{s:o,s:o,s:s,s:s,s:o}", "key",
					json_text(h->key, strlen(h->key)), "title",
					json_text(h->title, strlen(h->title)), "unit", h->unit,
					"via", h->via, "sides", sides));
	}
	return list;
}
