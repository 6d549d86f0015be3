// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict with its causes, and the ledger it stands on. One of each for every
 * set against the base. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

/* "-0.1" and "0.1" in one decimal; blanks where not known. */
static void add_number(struct strbuf *out, double v, int width, int decimals)
{
	char buf[64];

	text_pad(out, isnan(v) ? "" : format_signed(buf, sizeof(buf), v, decimals), width,
		 true);
}

/* "+8.1 points (+7.4 to +8.8)"; where the rows that a cause explains changed by less
 * than its own price, the interval is of the price and would not hold the points. */
static char *points_text(const struct cause *c)
{
	const char *up_to = c->priced ? "" : "up to ";
	char points[32], low[32], high[32];

	format_signed(points, sizeof(points), c->points, 1);
	if (isnan(c->ci_low))
		return xasprintf("%s%s points", up_to, points);
	format_signed(low, sizeof(low), c->ci_low, 1);
	format_signed(high, sizeof(high), c->ci_high, 1);
	if (fabs(c->points) < fabs(c->estimate) - 0.05)
		return xasprintf("%s%s points (measured %s to %s, but what it explains changed "
				 "by no more)", up_to, points, low, high);
	return xasprintf("%s%s points (%s to %s)", up_to, points, low, high);
}

static void cause_text(struct strbuf *out, bool brief, const struct cause *c)
{
	char *points = points_text(c);
	char *line = xasprintf("%s: %s.", points, c->headline ? c->headline :
								c->mechanism->title);

	free(points);
	report_wrap(out, "  * ", line, 4);
	free(line);
	if (brief)
		return;
	for (size_t i = 0; i < c->evidence.n; i++)
		report_wrap(out, "      ", c->evidence.v[i], 8);
	if (c->look)
		report_pair(out, "    look at", 11, c->look);
	if (c->next)
		report_command(out, "    try", 11, c->next);
}

/* What follows the change of CPU time: the causes, or why there are none. */
char *report_why_unnamed(const struct blame *blame, const struct ledger *l)
{
	if (blame->nr_named)
		return blame->sure ? xstrdup(", of which") :
				     xasprintf(", likely, not sure (p=%.2g), of which", l->p);
	if (blame->sure)
		return xstrdup("; no cause is named, since none is significant and carries 5 % "
			       "of it.");
	if (blame->kind == BLAME_SAME || blame->kind == BLAME_CANNOT_TELL)
		return xstrdup("; no cause is named, since the benchmark's own number shows no "
			       "sure change.");
	if (!(l->p < BLAME_SURE_P))
		return xasprintf("; no cause is named, since this change is not sure enough: "
				 "p=%.2g, and %g is asked.", l->p, BLAME_SURE_P);
	if (fabs(l->change) < BLAME_SURE_POINTS)
		return xasprintf("; no cause is named, since this change is below %g %%.",
				 BLAME_SURE_POINTS);
	return xstrdup("; no cause is named, see the notes.");
}

static void blame_text(const struct report *r, const struct blame *blame,
		       const struct ledger *l, struct strbuf *out)
{
	char *line, *why = report_why_unnamed(blame, l);

	report_wrap(out, "", blame->headline, 0);
	if (isnan(l->ci_low))
		line = xasprintf("CPU time per %s, idle included: %+.1f %%%s", l->work_unit,
				 l->change, why);
	else
		line = xasprintf("CPU time per %s, idle included: %+.1f %% (95 %% CI %+.1f to "
				 "%+.1f %%)%s", l->work_unit, l->change, l->ci_low, l->ci_high,
				 why);
	report_wrap(out, "", line, 0);
	free(line);
	free(why);
	for (size_t i = 0; i < blame->nr_named; i++)
		cause_text(out, r->brief, &blame->cause[i]);
	for (size_t i = 0; blame->nr_named && i < blame->rest.n; i++)
		report_wrap(out, "  * ", blame->rest.v[i], 4);
	for (size_t i = 0; i < blame->notes.n; i++)
		report_wrap(out, "Note: ", blame->notes.v[i], 6);
}

/* What would tell more, once however many sets miss it. */
static void needs_text(const struct report *r, struct strbuf *out)
{
	struct notes needs = { 0 };

	for (size_t i = 0; i < r->nr_blames; i++)
		for (size_t j = 0; j < r->blame[i].blame.needs.n; j++)
			if (r->blame[i].made && r->blame[i].blame.kind != BLAME_SAME)
				notes_add(&needs, "%s", r->blame[i].blame.needs.v[j]);
	if (needs.n)
		strbuf_addstr(out, "To tell more, this would help:\n");
	for (size_t i = 0; i < needs.n; i++)
		report_wrap(out, "  - ", needs.v[i], 4);
	notes_release(&needs);
}

void section_verdict_text(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_blames; i++) {
		if (i)
			strbuf_addch(out, '\n');
		if (!r->blame[i].made) {
			report_wrap(out, "", r->blame[i].why, 0);
			continue;
		}
		blame_text(r, &r->blame[i].blame, &r->blame[i].ledger, out);
	}
	if (!r->brief)
		needs_text(r, out);
}

/* A duration that rounding may have made negative. */
static void add_time(struct strbuf *out, double ns, int width)
{
	char text[32], buf[40];

	format_ns(text, sizeof(text), (uint64_t)fabs(ns));
	snprintf(buf, sizeof(buf), "%s%s", ns <= -1 ? "-" : "", text);
	text_pad(out, buf, width, true);
}

/* "+12", "<-999" */
static void add_share(struct strbuf *out, double share, int width)
{
	if (fabs(share) < 9.995)
		add_number(out, share * 100, width, 0);
	else
		text_pad(out, isnan(share) ? "" : share > 0 ? ">999" : "<-999", width, true);
}

static void ledger_row_text(const struct ledger_row *row, struct strbuf *out)
{
	char low[64], high[64];
	/* as many digits as there is room for */
	int decimals = fmax(fabs(row->ci_low), fabs(row->ci_high)) < 999.5;

	strbuf_addstr(out, "  ");
	text_pad(out, row->name, 23, false);
	add_time(out, row->mean_a, 12);
	add_time(out, row->mean_b, 12);
	add_number(out, row->points, 8, fabs(row->points) < 9999.5);
	add_share(out, row->share, 6);
	if (!isnan(row->ci_low))
		strbuf_addf(out, "%7s..%s", format_signed(low, sizeof(low), row->ci_low, decimals),
			    format_signed(high, sizeof(high), row->ci_high, decimals));
	report_end_line(out);
}

char *report_apart(const struct ledger *l)
{
	char a[32], b[32];

	if (l->apart_a < 1 && l->apart_b < 1)
		return NULL;
	return xasprintf("Apart, not in these rows: CPUs that the workload may not use were busy "
			 "for %s -> %s per %s.", format_ns(a, sizeof(a), (uint64_t)l->apart_a),
			 format_ns(b, sizeof(b), (uint64_t)l->apart_b), l->work_unit);
}

static void ledger_text(const struct report *r, size_t i, struct strbuf *out)
{
	const struct ledger *l = &r->blame[i].ledger;
	struct ledger_row total = { .name = (char *)"total", .mean_a = l->mean_a,
				    .mean_b = l->mean_b, .points = l->change, .share = 1,
				    .ci_low = l->ci_low, .ci_high = l->ci_high };
	size_t base = r->blame[i].base, set = r->blame[i].set;
	char *line = xasprintf("CPU time (CPUs x elapsed) per %s, %s against %s; points are per "
			       "cent of %s's total, the rows sum to the change.", l->work_unit,
			       r->name[set], r->name[base], r->name[base]);

	report_wrap(out, "", line, 0);
	free(line);
	strbuf_addchn(out, ' ', 2 + 23 + 1);
	report_add_name(r, base, out, 11);
	strbuf_addch(out, ' ');
	report_add_name(r, set, out, 11);
	strbuf_addstr(out, "  points share%    95% CI");
	report_end_line(out);
	for (size_t k = 0; k < l->n; k++)
		if (l->row[k].mean_a != 0 || l->row[k].mean_b != 0)
			ledger_row_text(&l->row[k], out);
	ledger_row_text(&total, out);
	line = report_apart(l);
	if (line)
		report_wrap(out, "", line, 0);
	free(line);
	for (size_t k = 0; k < l->notes.n; k++)
		report_wrap(out, "Note: ", l->notes.v[k], 6);
}

void section_ledger_text(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_blames; i++) {
		if (!r->blame[i].made)
			continue;
		if (i)
			strbuf_addch(out, '\n');
		ledger_text(r, i, out);
	}
}

static json_t *notes_json(const struct notes *notes)
{
	json_t *list = json_array();

	for (size_t i = 0; i < notes->n; i++)
		json_array_append_new(list, json_text(notes->v[i], strlen(notes->v[i])));
	return list;
}

static json_t *optional_text(const char *s)
{
	return s ? json_text(s, strlen(s)) : json_null();
}

static json_t *cause_json(const struct cause *c)
{
	return json_pack("{s:s,s:s,s:b,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
			 "mechanism", c->mechanism->name, "title", c->mechanism->title,
			 "named", c->named, "priced", c->priced, "points",
			 json_num(c->points), "estimate", json_num(c->estimate), "ci_low",
			 json_num(c->ci_low), "ci_high", json_num(c->ci_high), "share",
			 json_num(c->share), "p", json_num(c->p), "q", json_num(c->q),
			 "headline", optional_text(c->headline), "evidence",
			 notes_json(&c->evidence), "look", optional_text(c->look), "next",
			 optional_text(c->next));
}

static json_t *blame_json(const struct blame *b)
{
	json_t *causes = json_array();

	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(causes, cause_json(&b->cause[i]));
	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:o,s:o,s:o,s:o,s:o,s:o}", "kind",
			 blame_kind_name(b->kind), "headline", optional_text(b->headline),
			 "change", json_num(b->change), "ci_low", json_num(b->ci_low),
			 "ci_high", json_num(b->ci_high), "p", json_num(b->p), "sure",
			 b->sure, "likely", b->likely, "causes", causes, "follows", json_num(b->follows),
			 "unexplained", json_num(b->unexplained), "rest",
			 notes_json(&b->rest), "needs", notes_json(&b->needs), "notes",
			 notes_json(&b->notes));
}

json_t *report_blame_json(const struct report *r, const struct report_blame *b)
{
	json_t *one = b->made ? blame_json(&b->blame) : json_object();

	json_object_set_new(one, "base", json_string(r->name[b->base]));
	json_object_set_new(one, "set", json_string(r->name[b->set]));
	return one;
}

json_t *section_verdict_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nr_blames; i++)
		json_array_append_new(list, report_blame_json(r, &r->blame[i]));
	return list;
}

static json_t *ledger_json(const struct ledger *l)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct ledger_row *row = &l->row[i];

		json_array_append_new(
			rows, json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name",
					row->name, "group", optional_text(row->group),
					"a_ns", json_num(row->mean_a), "b_ns",
					json_num(row->mean_b), "points",
					json_num(row->points), "share",
					json_num(row->share), "ci_low",
					json_num(row->ci_low), "ci_high",
					json_num(row->ci_high), "p", json_num(row->p)));
	}
	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o}", "per",
			 l->work_unit, "a_ns", json_num(l->mean_a), "b_ns",
			 json_num(l->mean_b), "change", json_num(l->change), "ci_low",
			 json_num(l->ci_low), "ci_high", json_num(l->ci_high), "split",
			 l->split, "apart_a_ns", json_num(l->apart_a), "apart_b_ns",
			 json_num(l->apart_b), "rows", rows, "notes",
			 notes_json(&l->notes));
}

json_t *section_ledger_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nr_blames; i++)
		json_array_append_new(list, r->blame[i].made ?
					      ledger_json(&r->blame[i].ledger) :
					      json_object());
	return list;
}
