// SPDX-License-Identifier: GPL-2.0-or-later
/* The page's verdict, what ran, and what differs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

static void add_tagged(struct strbuf *out, const char *tag, const char *text)
{
	strbuf_addf(out, "<%s>", tag);
	html_add(out, text);
	strbuf_addf(out, "</%s>\n", tag);
}

static void add_labelled(struct strbuf *out, const char *label, const char *text,
			 bool command)
{
	strbuf_addf(out, "<div>%s: %s", label, command ? "<code>" : "");
	html_add(out, text);
	strbuf_addf(out, "%s</div>\n", command ? "</code>" : "");
}

static void add_cause(const struct report *r, struct strbuf *out, const struct cause *c)
{
	strbuf_addf(out, "<li><span class=\"points %s\">%s%+.1f points</span>",
		    c->points > 0 ? "worse" : "better", c->priced ? "" : "up to ", c->points);
	if (isfinite(c->ci_low))
		strbuf_addf(out, " <small>(%+.1f to %+.1f)</small>", c->ci_low, c->ci_high);
	strbuf_addstr(out, ": ");
	html_add(out, c->headline ? c->headline : c->mechanism->title);
	strbuf_addstr(out, ".\n");
	if (!r->brief) {
		html_notes(out, &c->evidence);
		if (c->look)
			add_labelled(out, "look at", c->look, false);
		if (c->next)
			add_labelled(out, "try", c->next, true);
	}
	strbuf_addstr(out, "</li>\n");
}

static void add_verdict(const struct report *r, struct strbuf *out, size_t i)
{
	const struct blame *b = &r->blame[i].blame;
	const struct ledger *l = &r->blame[i].ledger;
	char buf[32], *why;

	if (r->nr_blames > 1) {
		strbuf_addstr(out, "<h3>");
		html_set(out, r, r->blame[i].set);
		strbuf_addstr(out, "</h3>\n");
	}
	add_tagged(out, "p", b->headline);
	strbuf_addf(out, "<p>CPU time per %s, idle included: %s %%", l->work_unit,
		    format_signed(buf, sizeof(buf), l->change, 1));
	if (isfinite(l->ci_low))
		strbuf_addf(out, " <small>(95 %% CI %+.1f to %+.1f %%)</small>", l->ci_low,
			    l->ci_high);
	why = report_why_unnamed(b, l);
	html_add(out, why);
	strbuf_addstr(out, "</p>\n");
	free(why);
	if (b->nr_named) {
		strbuf_addstr(out, "<ol class=\"causes\">\n");
		for (size_t k = 0; k < b->nr_named; k++)
			add_cause(r, out, &b->cause[k]);
		strbuf_addstr(out, "</ol>\n");
		for (size_t k = 0; k < b->rest.n; k++)
			add_tagged(out, "p", b->rest.v[k]);
	}
	html_notes(out, &b->notes);
	if (!r->brief && b->needs.n && b->kind != BLAME_SAME) {
		add_tagged(out, "p", "To tell more, this would help:");
		html_notes(out, &b->needs);
	}
}

void section_verdict_html(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_blames; i++) {
		if (r->blame[i].made)
			add_verdict(r, out, i);
		else
			add_tagged(out, "p", r->blame[i].why);
	}
}

/* ---- what differs ---- */

static void add_difference(const struct report *r, struct strbuf *out,
			   const struct difference *d)
{
	strbuf_addstr(out, "<tr><th scope=\"row\">");
	html_add(out, d->title);
	if (*d->why) {
		strbuf_addstr(out, "<br><small>");
		html_add(out, d->why);
		strbuf_addstr(out, "</small>");
	}
	strbuf_addstr(out, "</th>");
	for (size_t i = 0; i < r->nr_sets; i++) {
		strbuf_addstr(out, "<td>");
		html_add(out, *d->value[i] ? d->value[i] : "-");
		strbuf_addstr(out, "</td>");
	}
	strbuf_addstr(out, "</tr>\n");
}

static void add_level(const struct report *r, struct strbuf *out, const char *caption,
		      enum difference_level level)
{
	html_table(out, caption);
	strbuf_addstr(out, "<thead><tr><td></td>");
	html_set_heads(out, r, 0, 1);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->diff.n; i++)
		if (r->diff.v[i].level == level)
			add_difference(r, out, &r->diff.v[i]);
	strbuf_addstr(out, "</tbody>");
	html_table_end(out);
}

void section_differences_html(const struct report *r, struct strbuf *out)
{
	if (comparability_count(&r->diff, DIFFER_SERIOUS)) {
		strbuf_addstr(out, "<div class=\"box\">");
		add_level(r, out, "Warning: these differ, and the numbers may not compare",
			  DIFFER_SERIOUS);
		strbuf_addstr(out, "</div>\n");
	}
	if (comparability_count(&r->diff, DIFFER_NOTED) && !r->brief)
		add_level(r, out, "Differs, and may matter", DIFFER_NOTED);
	if (comparability_count(&r->diff, DIFFER_EXPECTED) && !r->brief)
		add_level(r, out, "Differs, as is to be expected", DIFFER_EXPECTED);
	if (r->diff.notes.n || r->cmp.notes.n) {
		strbuf_addstr(out, "<div class=\"box mild\">To know about these runs:\n");
		html_notes(out, &r->diff.notes);
		html_notes(out, &r->cmp.notes);
		strbuf_addstr(out, "</div>\n");
	}
}

/* The text's lines "name   what" and "  key: value" as a list. */
void section_what_html(const struct report *r, struct strbuf *out)
{
	strbuf_addstr(out, "<dl>\n");
	for (size_t i = 0; i < r->nr_sets; i++) {
		struct strbuf what = STRBUF_INIT;

		report_what_runs(&what, &r->opened[i]);
		strbuf_addstr(out, "<dt>");
		html_set(out, r, i);
		strbuf_addstr(out, "</dt><dd>");
		html_add(out, what.buf);
		strbuf_addstr(out, "</dd>\n");
		strbuf_release(&what);
	}
	report_what_shared(r, out, html_pair);
	strbuf_addstr(out, "</dl>\n");
}
