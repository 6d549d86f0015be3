// SPDX-License-Identifier: GPL-2.0-or-later
/* The benchmark table in the styles that maintainers read. Positive per cent is
 * better in all of them but lkp's, where it is plain change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

struct bench {
	const struct report *r;
	const struct compare_row *row;
	size_t n;
};

static struct bench bench_of(const struct report *r)
{
	struct bench b = { .r = r };

	b.row = comparison_table(report_comparison(r, COMPARE_BENCHMARK), COMPARE_BENCHMARK,
				 &b.n);
	return b;
}

/* More than one metric of the same case and load? Then its name is needed. */
static bool needs_title(const struct bench *b, const struct compare_row *row)
{
	size_t same = 0;

	for (size_t i = 0; i < b->n; i++)
		same += !strcmp(b->row[i].group, row->group) &&
			!strcmp(b->row[i].load, row->load);
	return same > 1 || !*row->load;
}

static void load_text(const struct bench *b, const struct compare_row *row,
		      struct strbuf *sb)
{
	strbuf_reset(sb);
	text_add_ascii(sb, row->load, strlen(row->load));
	if (needs_title(b, row)) {
		if (sb->len)
			strbuf_addch(sb, ' ');
		text_add_ascii(sb, row->title, strlen(row->title));
	}
}

static int widest(const struct bench *b, bool load, int min, int max)
{
	struct strbuf sb = STRBUF_INIT;
	int w = min;

	for (size_t i = 0; i < b->n; i++) {
		int len = (int)strlen(b->row[i].group);

		if (load) {
			load_text(b, &b->row[i], &sb);
			len = (int)sb.len;
		}
		w = len > w ? len : w;
	}
	strbuf_release(&sb);
	return w < max ? w : max;
}

static void add_padded(struct strbuf *out, const char *s, int width)
{
	struct strbuf sb = STRBUF_INIT;

	text_add_ascii(&sb, s, strlen(s));
	text_pad(out, sb.buf, width, false);
	strbuf_release(&sb);
}

static bool is_sure(const struct compare_cell *cell)
{
	return cell->verdict == VERDICT_BETTER || cell->verdict == VERDICT_WORSE;
}

static double std_of(const struct compare_cell *cell)
{
	double std = compare_std_percent(cell);

	return std > 9999 ? 9999 : std;
}

/* A number or, where there is none, a dash of the same width. */
static void add_or_dash(struct strbuf *out, double v, int width,
			int decimals, bool sign)
{
	char buf[64];

	if (isnan(v))
		snprintf(buf, sizeof(buf), "-");
	else
		snprintf(buf, sizeof(buf), sign ? "%+.*f" : "%.*f", decimals, v);
	/* "-0.00" is noise */
	if (*buf == '-' && buf[1] && !buf[strspn(buf, "-0.")])
		snprintf(buf, sizeof(buf), sign ? "+%.*f" : "%.*f", decimals, 0.0);
	strbuf_addf(out, "%*s", width, buf);
}

/* ---- kernel: "case load baseline(std%) compare%( std%)" ---- */

#define NEW_WIDTH 18 /* of one compared set */

static void kernel_head(const struct bench *b, struct strbuf *out, int w0, int w1,
			size_t from, size_t to)
{
	if (b->r->nr_sets > 2) {
		strbuf_addf(out, "%*s%15.14s", w0 + w1 + 2, "", b->r->name[0]);
		for (size_t i = from; i < to; i++)
			strbuf_addf(out, "%*.*s", NEW_WIDTH, NEW_WIDTH - 2, b->r->name[i]);
		report_end_line(out);
	}
	add_padded(out, "case", w0 + 1);
	add_padded(out, "load", w1 + 1);
	strbuf_addf(out, "%15s", "baseline(std%)");
	for (size_t i = from; i < to; i++)
		strbuf_addf(out, "%*s", NEW_WIDTH - 1, "compare%( std%)");
	report_end_line(out);
}

static void kernel_row(const struct bench *b, struct strbuf *out,
		       const struct compare_row *row, int w0, int w1, size_t from, size_t to)
{
	struct strbuf load = STRBUF_INIT;

	load_text(b, row, &load);
	add_padded(out, row->group, w0 + 1);
	add_padded(out, load.buf, w1 + 1);
	strbuf_release(&load);
	add_or_dash(out, row->cell[0].n ? 1.0 : NAN, 6, 2, false);
	strbuf_addstr(out, " (");
	add_or_dash(out, std_of(&row->cell[0]), 6, 2, false);
	strbuf_addch(out, ')');
	for (size_t i = from; i < to; i++) {
		add_or_dash(out, compare_change(row, i), 8, 2, true);
		strbuf_addstr(out, " (");
		add_or_dash(out, std_of(&row->cell[i]), 6, 2, false);
		strbuf_addf(out, ")%c", is_sure(&row->cell[i]) ? '*' : ' ');
	}
	report_end_line(out);
}

/* One set has nothing to be compared with: its values themselves. */
static void kernel_values(const struct bench *b, struct strbuf *out, int w0, int w1)
{
	struct strbuf load = STRBUF_INIT;

	add_padded(out, "case", w0 + 1);
	add_padded(out, "load", w1 + 1);
	strbuf_addf(out, "%12s (%6s)\n", "mean", "std%");
	for (size_t i = 0; i < b->n; i++) {
		const struct compare_row *row = &b->row[i];

		load_text(b, row, &load);
		add_padded(out, row->group, w0 + 1);
		add_padded(out, load.buf, w1 + 1);
		strbuf_addf(out, "%12.6g (", row->cell[0].sum.mean);
		add_or_dash(out, std_of(&row->cell[0]), 6, 2, false);
		strbuf_addstr(out, ") ");
		text_add_ascii(out, row->unit, strnlen(row->unit, 12));
		report_end_line(out);
	}
	strbuf_release(&load);
}

static void print_kernel(const struct report *r, struct strbuf *out)
{
	struct bench b = bench_of(r);
	int w0 = widest(&b, false, 8, 20), w1 = widest(&b, true, 8, 20);
	int room = REPORT_WIDTH - (w0 + w1 + 2 + 15);
	size_t block = room >= NEW_WIDTH ? (size_t)(room / NEW_WIDTH) : 1, from = 1;

	if (r->nr_sets == 1) {
		kernel_values(&b, out, w0, w1);
		return;
	}
	do {
		size_t to = from + block < r->nr_sets ? from + block : r->nr_sets;

		if (from > 1)
			strbuf_addch(out, '\n');
		kernel_head(&b, out, w0, w1, from, to);
		for (size_t i = 0; i < b.n; i++)
			kernel_row(&b, out, &b.row[i], w0, w1, from, to);
		from = to;
	} while (from < r->nr_sets);
}

/* ---- tip: "Case: tip[pct imp](CV) patched[pct imp](CV)" ---- */

#define TIP_RULER "=================================================================="

static void tip_cell(struct strbuf *out, const struct compare_row *row, size_t set)
{
	const struct compare_cell *cell = &row->cell[set];
	double ratio = row->cell[0].n && cell->n && row->cell[0].sum.mean != 0 ?
			       cell->sum.mean / row->cell[0].sum.mean : NAN;

	add_or_dash(out, ratio, 9, 2, false);
	strbuf_addstr(out, " [");
	add_or_dash(out, set ? compare_change(row, set) : 0, 6, 2, false);
	strbuf_addstr(out, "](");
	add_or_dash(out, std_of(cell), 5, 2, false);
	strbuf_addch(out, ')');
}

static void tip_head(const struct bench *b, struct strbuf *out,
		     const struct compare_row *row, size_t from, size_t to)
{
	char column[64];

	strbuf_addf(out, "%s\n", TIP_RULER);
	report_wrap(out, "Test          : ", row->group, 16);
	strbuf_addstr(out, "Units         : Normalized ");
	text_add_ascii(out, row->title, strnlen(row->title, 30));
	if (*row->unit) {
		strbuf_addstr(out, " in ");
		text_add_ascii(out, row->unit, strnlen(row->unit, 20));
	}
	strbuf_addf(out, "\nInterpretation: %s is better\nStatistic     : AMean\n%s\n",
		    row->better == BETTER_HIGHER ? "Higher" : "Lower", TIP_RULER);
	strbuf_addf(out, "%-14s", "Case:");
	snprintf(column, sizeof(column), "%.10s[pct imp](CV)", b->r->name[0]);
	strbuf_addf(out, "%25s", column);
	for (size_t i = from; i < to; i++) {
		snprintf(column, sizeof(column), "%.10s[pct imp](CV)", b->r->name[i]);
		strbuf_addf(out, "%25s", column);
	}
	report_end_line(out);
}

/* One block per case and metric, its loads below each other. */
static void tip_block(const struct bench *b, struct strbuf *out,
		      const struct compare_row *first, size_t from, size_t to)
{
	tip_head(b, out, first, from, to);
	for (size_t i = 0; i < b->n; i++) {
		const struct compare_row *row = &b->row[i];
		const char *load = *row->load ? row->load : row->title;

		if (strcmp(row->group, first->group) || strcmp(row->title, first->title))
			continue;
		strbuf_addch(out, ' ');
		add_padded(out, load, 13);
		tip_cell(out, row, 0);
		for (size_t j = from; j < to; j++)
			tip_cell(out, row, j);
		report_end_line(out);
	}
}

static bool first_of_kind(const struct bench *b, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(b->row[j].group, b->row[i].group) &&
		    !strcmp(b->row[j].title, b->row[i].title))
			return false;
	return true;
}

static void print_tip(const struct report *r, struct strbuf *out)
{
	struct bench b = bench_of(r);

	for (size_t i = 0; i < b.n; i++) {
		size_t from = 1;

		if (!first_of_kind(&b, i))
			continue;
		do {
			size_t to = from + 1 < r->nr_sets ? from + 1 : r->nr_sets;

			if (out->len)
				strbuf_addch(out, '\n');
			tip_block(&b, out, &b.row[i], from, to);
			from = to;
		} while (from < r->nr_sets);
	}
}

/* ---- mmtests: "Hmean 1-GET 35343.18 ( 0.00%) 26881.72 * -23.94%*" ---- */

/* Harmonic mean for rates, arithmetic for times, as mmtests does. */
static double mmtests_mean(const struct compare_row *row, const struct compare_cell *cell)
{
	if (!cell->n)
		return NAN;
	return row->better == BETTER_HIGHER ? stats_harmean(cell->value, cell->n) :
					      cell->sum.mean;
}

static void mmtests_cell(struct strbuf *out, const struct compare_row *row, size_t set)
{
	double base = mmtests_mean(row, &row->cell[0]);
	double v = mmtests_mean(row, &row->cell[set]);
	double pct = set ? (v / base - 1) * 100 : 0;
	bool sure = set && is_sure(&row->cell[set]);

	if (row->better == BETTER_LOWER && set)
		pct = -pct;
	add_or_dash(out, v, 13, 2, false);
	strbuf_addf(out, " %c", sure ? '*' : '(');
	if (isfinite(pct))
		strbuf_addf(out, "%7.2f%%", pct);
	else
		strbuf_addf(out, "%8s", "-");
	strbuf_addch(out, sure ? '*' : ')');
}

static void mmtests_rows(const struct bench *b, struct strbuf *out, int w, size_t from,
			 size_t to)
{
	struct strbuf load = STRBUF_INIT;

	strbuf_addf(out, "%*s%24.20s", w + 7, "", b->r->name[0]);
	for (size_t i = from; i < to; i++)
		strbuf_addf(out, "%24.20s", b->r->name[i]);
	report_end_line(out);
	for (size_t i = 0; i < b->n; i++) {
		const struct compare_row *row = &b->row[i];

		load_text(b, row, &load);
		strbuf_addf(out, "%s ", row->better == BETTER_HIGHER ? "Hmean " : "Amean ");
		add_padded(out, load.buf, w);
		mmtests_cell(out, row, 0);
		for (size_t j = from; j < to; j++)
			mmtests_cell(out, row, j);
		report_end_line(out);
	}
	strbuf_release(&load);
}

static void print_mmtests(const struct report *r, struct strbuf *out)
{
	struct bench b = bench_of(r);
	int w = widest(&b, true, 10, 22);
	size_t from = 1;

	do {
		size_t to = from + 1 < r->nr_sets ? from + 1 : r->nr_sets;

		if (from > 1)
			strbuf_addch(out, '\n');
		mmtests_rows(&b, out, w, from, to);
		from = to;
	} while (from < r->nr_sets);
}

/* ---- lkp: "%stddev %change %stddev" ---- */

static void lkp_side(struct strbuf *out, const struct compare_cell *cell)
{
	double std = std_of(cell);
	char buf[32];

	if (!cell->n)
		strbuf_addf(out, "%17s", "-");
	else if (cell->n < 2 || std < 0.5)
		strbuf_addf(out, "%10s       ",
			    cell->sum.mean >= 1e7 ?
				    format_count(buf, sizeof(buf), cell->sum.mean) :
				    (snprintf(buf, sizeof(buf), "%.4g", cell->sum.mean), buf));
	else
		strbuf_addf(out, "%10.4g +-%3.0f%%", cell->sum.mean, std);
}

/* lkp's change is plain: + is more, whatever is better. */
static void lkp_change(struct strbuf *out, const struct compare_row *row, size_t set)
{
	double v = compare_change(row, set);

	if (row->better == BETTER_LOWER)
		v = -v;
	add_or_dash(out, v, 11, 1, true);
	strbuf_addch(out, isnan(v) ? ' ' : '%');
}

static void print_lkp(const struct report *r, struct strbuf *out)
{
	struct bench b = bench_of(r);

	for (size_t s = r->nr_sets > 1 ? 1 : 0; s < r->nr_sets; s++) {
		if (out->len)
			strbuf_addch(out, '\n');
		strbuf_addf(out, "%17.16s", r->name[0]);
		if (s)
			strbuf_addf(out, "%29.28s", r->name[s]);
		strbuf_addf(out, "\n----------------%s\n", s ? " ---------------------------" : "");
		strbuf_addf(out, "%17s%s\n%17s%s\n", "%stddev",
			    s ? "     %change         %stddev" : "", "\\",
			    s ? "          |                \\" : "");
		for (size_t i = 0; i < b.n; i++) {
			lkp_side(out, &b.row[i].cell[0]);
			if (s) {
				lkp_change(out, &b.row[i], s);
				lkp_side(out, &b.row[i].cell[s]);
			}
			strbuf_addstr(out, "  ");
			text_add_ascii(out, b.row[i].group, strnlen(b.row[i].group, 14));
			strbuf_addch(out, '.');
			text_add_ascii(out, b.row[i].title, strnlen(b.row[i].title, 14));
			report_end_line(out);
		}
	}
}

const struct benchmark_style benchmark_styles[] = {
	{ "kernel", "case load baseline(std%) compare%( std%)", print_kernel },
	{ "tip", "Case: tip[pct imp](CV) patched[pct imp](CV)", print_tip },
	{ "mmtests", "Hmean/Amean with stars where significant", print_mmtests },
	{ "lkp", "%stddev %change %stddev", print_lkp },
	{ NULL, NULL, NULL },
};

const struct benchmark_style *benchmark_style(const char *name)
{
	for (const struct benchmark_style *s = benchmark_styles; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}
