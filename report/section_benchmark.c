// SPDX-License-Identifier: GPL-2.0-or-later
/* The benchmark's own numbers: the table in the chosen style, then what it means
 * in words, with intervals and probabilities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

#define WORDS_MAX 24 /* rows put into words */

static void add_mean(struct strbuf *sb, double v, const char *unit)
{
	char buf[32];

	if (fabs(v) >= 1e6)
		strbuf_addstr(sb, format_count(buf, sizeof(buf), v));
	else
		strbuf_addf(sb, "%.4g", v);
	if (*unit)
		strbuf_addf(sb, " %s", unit);
}

/* "new: 10 s -> 11.3 s, 13.0 % worse (95% CI 12.4 to 13.6), p=0.008" */
static void add_words(const struct report *r, struct strbuf *out,
		      const struct compare_row *row, size_t set)
{
	const struct compare_cell *a = &row->cell[0], *b = &row->cell[set];
	struct strbuf sb = STRBUF_INIT;
	double change = compare_change(row, set);

	strbuf_addf(&sb, "%s%s%s", row->group, *row->load ? " " : "", row->load);
	strbuf_addf(&sb, " %s: ", row->title);
	if (r->nr_sets > 2)
		strbuf_addf(&sb, "%s: ", r->name[set]);
	add_mean(&sb, a->sum.mean, row->unit);
	strbuf_addstr(&sb, " -> ");
	add_mean(&sb, b->sum.mean, row->unit);
	strbuf_addf(&sb, ", %.1f %% %s", fabs(change), change >= 0 ? "better" : "worse");
	if (isfinite(b->cmp.low) && isfinite(b->cmp.high)) {
		bool lower = row->better == BETTER_LOWER;
		double lo = (b->cmp.low - 1) * 100, hi = (b->cmp.high - 1) * 100;

		strbuf_addf(&sb, " (95%% CI %+.1f to %+.1f)", lower ? -hi : lo,
			    lower ? -lo : hi);
	}
	if (isfinite(b->cmp.p))
		strbuf_addf(&sb, b->cmp.p < 0.0005 ? ", p<0.001" : ", p=%.3f", b->cmp.p);
	if (b->verdict == VERDICT_CANNOT_TELL || b->verdict == VERDICT_NO_DIFFERENCE) {
		strbuf_addf(&sb, "; %s", verdict_name[b->verdict]);
		/* else the sentence below the table says it, once for all rows */
		if (r->cmp.smallest_p <= r->cmp.limits.alpha) {
			strbuf_addstr(&sb, ": ");
			stats_reason(&sb, &b->cmp, b->q, row->better != BETTER_LOWER,
				     &r->cmp.limits);
		}
	}
	report_wrap(out, "", sb.buf, 2);
	strbuf_release(&sb);
}

static void add_values(struct strbuf *out, const struct compare_row *row)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s %s: ", row->group, row->title);
	add_mean(&sb, row->cell[0].sum.mean, row->unit);
	if (row->cell[0].n > 1)
		strbuf_addf(&sb, ", %zu runs from %.4g to %.4g", row->cell[0].n,
			    row->cell[0].sum.min, row->cell[0].sum.max);
	report_wrap(out, "", sb.buf, 2);
	strbuf_release(&sb);
}

static void add_all_words(const struct report *r, struct strbuf *out,
			  const struct compare_row *row, size_t n)
{
	size_t words = 0;

	for (size_t i = 0; i < n; i++) {
		if (r->nr_sets == 1 && row[i].cell[0].n > 1 && words++ < WORDS_MAX)
			add_values(out, &row[i]);
		for (size_t s = 1; s < r->nr_sets; s++)
			if (row[i].cell[0].n && row[i].cell[s].n && words++ < WORDS_MAX)
				add_words(r, out, &row[i], s);
	}
	if (words > WORDS_MAX)
		strbuf_addf(out, "and %zu more, in --format json\n", words - WORDS_MAX);
}

void section_benchmark_text(const struct report *r, struct strbuf *out)
{
	char *caveat = comparison_caveat(&r->cmp);
	size_t n;
	const struct compare_row *row = comparison_table(report_comparison(r, COMPARE_BENCHMARK),
							 COMPARE_BENCHMARK, &n);

	if (n) {
		struct strbuf words = STRBUF_INIT;

		r->style->print(r, out);
		if (!r->brief && r->nr_cells <= 1)
			add_all_words(r, &words, row, n);
		if (words.len)
			strbuf_addf(out, "\n%s", words.buf);
		strbuf_release(&words);
		if (r->nr_sets > 1)
			strbuf_addstr(out, "Positive per cent is better; * is significant; std%"
					   " over the runs of a set.\n");
	}
	if (caveat && (n || r->nr_sets > 1)) {
		if (out->len)
			strbuf_addch(out, '\n');
		report_wrap(out, "", caveat, 0);
	}
	free(caveat);
}

json_t *section_benchmark_json(const struct report *r)
{
	char *caveat = comparison_caveat(&r->cmp);
	json_t *obj = report_rows_json(r, COMPARE_BENCHMARK);

	if (!obj)
		obj = json_object();
	json_object_set_new(obj, "smallest_set", json_integer((json_int_t)r->cmp.smallest));
	json_object_set_new(obj, "smallest_p", json_num(r->cmp.smallest_p));
	if (caveat)
		json_object_set_new(obj, "caveat", json_string(caveat));
	free(caveat);
	return obj;
}
