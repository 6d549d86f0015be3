// SPDX-License-Identifier: GPL-2.0-or-later
/* The list with everything that is known about a row; several sides in columns. */
#include <math.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

static int decimals(const struct profdiff *d)
{
	return d->norm == NORM_SHARE || d->norm == NORM_TIME ? 2 : 0;
}

/* "+6.0", "new", "gone", "" where both are nothing */
static void add_percent(struct strbuf *sb, const struct profdiff_cell *base,
			const struct profdiff_cell *c)
{
	char text[32];

	if (base->value > 0 && c->value > 0)
		format_signed(text, sizeof(text), 100 * c->change / base->value, 1);
	else
		strcpy(text, c->value > 0 ? "new" : base->value > 0 ? "gone" : "-");
	strbuf_addf(sb, "%7s", text);
}

static void add_ci(struct strbuf *sb, const struct profdiff_cell *c)
{
	char text[40] = "", low[16], high[16];

	if (!isnan(c->p) && isfinite(c->low) && isfinite(c->high) && c->high < 100)
		snprintf(text, sizeof(text), "%s..%s",
			 format_signed(low, sizeof(low), 100 * (c->low - 1), 1),
			 format_signed(high, sizeof(high), 100 * (c->high - 1), 1));
	strbuf_addf(sb, " %15s", text);
}

static void add_q(struct strbuf *sb, double q)
{
	if (isnan(q))
		strbuf_addstr(sb, "      -");
	else if (q < 0.0001)
		strbuf_addstr(sb, " <.0001");
	else
		strbuf_addf(sb, " %6.4f", q);
}

static void add_pair_row(struct strbuf *sb, const struct profdiff *d,
			 const struct profdiff_row *row)
{
	const struct profdiff_cell *a = &row->cell[0], *b = &row->cell[1];
	int places = decimals(d);

	strbuf_addf(sb, "%8.*f %8.*f %+8.*f ", places, a->value, places, b->value, places,
		    b->change);
	add_percent(sb, a, b);
	add_ci(sb, b);
	add_q(sb, b->q);
	strbuf_addf(sb, " %5.2f  ", b->share);
	diffprofile_add_name(sb, row);
	strbuf_addch(sb, '\n');
}

static void add_many_row(struct strbuf *sb, const struct profdiff *d,
			 const struct profdiff_row *row)
{
	strbuf_addf(sb, "%8.*f", decimals(d), row->cell[0].value);
	for (size_t s = 1; s < d->nr_sides; s++) {
		bool marked = row->cell[s].verdict == VERDICT_WORSE ||
			      row->cell[s].verdict == VERDICT_BETTER;

		strbuf_addf(sb, " %8.*f ", decimals(d), row->cell[s].value);
		add_percent(sb, &row->cell[0], &row->cell[s]);
		strbuf_addch(sb, marked ? '*' : ' ');
	}
	strbuf_addch(sb, ' ');
	diffprofile_add_name(sb, row);
	strbuf_addch(sb, '\n');
}

static void add_titles(struct strbuf *sb, const struct profdiff *d)
{
	if (d->nr_sides == 2) {
		strbuf_addf(sb, "%8s %8s %8s %7s %15s %6s %5s  %s\n", "A", "B", "change", "%",
			    "95 % CI", "q", "share", profdiff_by_name[d->by]);
		return;
	}
	strbuf_addf(sb, "%8s", "A");
	for (size_t s = 1; s < d->nr_sides; s++)
		strbuf_addf(sb, " %8c %7s ", (char)('A' + s), "%");
	strbuf_addf(sb, " %s\n", profdiff_by_name[d->by]);
}

/* Why there is no verdict, as report says of benchmarks. */
static void add_rule(struct strbuf *sb, const struct profdiff *d)
{
	for (size_t s = 1; s < d->nr_sides; s++) {
		if (profdiff_decides(d, s))
			continue;
		strbuf_addf(sb, "no verdicts%s: n=%zu against %zu can reach p=%.2f at best\n",
			    d->nr_sides > 2 ? " and no stars" : "", d->repeats[0], d->repeats[s],
			    stats_smallest_p(d->repeats[0], d->repeats[s]));
		return;
	}
}

static void add_head(struct strbuf *sb, const struct profdiff *d)
{
	for (size_t s = 0; s < d->nr_sides; s++) {
		strbuf_addf(sb, "%c: ", (char)('A' + s));
		text_add_ascii(sb, d->label[s], strlen(d->label[s]));
		strbuf_addf(sb, "  (%zu %s, ", d->repeats[s], d->repeats[s] == 1 ? "run" : "runs");
		strbuf_addf(sb, "%.*f outside idle", decimals(d), d->busy[s]);
		if (d->total[s] > 0 && d->idle[s] > 0)
			strbuf_addf(sb, ", idle %.1f %%", 100 * d->idle[s] / d->total[s]);
		if (d->lost[s])
			strbuf_addf(sb, ", lost %llu", (unsigned long long)d->lost[s]);
		if (s)
			strbuf_addf(sb, ", size factor %.3f", d->factor[s]);
		strbuf_addstr(sb, ")\n");
	}
	strbuf_addf(sb, "%s%s; + got worse, - got better\n", profdiff_norm_caption[d->norm],
		    d->by == BY_SYMBOL ? "" : ", rows summed");
	strbuf_addstr(sb, "size factor: median over the functions of value / value in A; "
			  "--norm factor\ndivides by it\n");
	if (d->sampling_only)
		strbuf_addstr(sb, "CI and q: sampling noise only\n");
	add_rule(sb, d);
	strbuf_addch(sb, '\n');
}

int diffprofile_long(struct strbuf *sb, const struct diffprofile_page *page,
		     struct err *err)
{
	const struct profdiff *d = page->d;
	size_t last = d->nr_sides - 1, shown = 0;
	double threshold = diffprofile_threshold(d, last, page->view);
	bool all = page->view->threshold == 0; /* given: rows without a change too */

	add_head(sb, d);
	add_titles(sb, d);
	for (size_t i = 0; i < d->n; i++) {
		const struct profdiff_row *row = &d->row[i];
		double change = 0;

		for (size_t s = 1; s < d->nr_sides; s++)
			change = fmax(change, fabs(row->cell[s].change));
		if (!all && (change == 0 || change < threshold))
			continue;
		shown++;
		if (d->nr_sides == 2)
			add_pair_row(sb, d, row);
		else
			add_many_row(sb, d, row);
	}
	if (shown < d->n)
		strbuf_addf(sb, "\n%zu rows with a smaller change are not shown (-t 0 shows all).\n",
			    d->n - shown);
	if (d->nr_sides > 2)
		strbuf_addstr(sb, "* q is at most 0.05 and the change at least the minimum effect\n");
	return 0;
}
