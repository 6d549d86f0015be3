// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict in full: each cause with its evidence, where to look, what to try;
 * what was tried and not named; what would be needed to say more. */
#include <math.h>
#include <stdlib.h>

#include "app.h"
#include "overview.h"
#include "schedblame/alloc.h"

unsigned verdict_style(enum blame_kind kind)
{
	return kind == BLAME_SLOWER ? STYLE_BAD :
	       kind == BLAME_FASTER ? STYLE_GOOD :
	       kind == BLAME_NOT_COMPARABLE ? STYLE_WARN :
						    STYLE_BOLD;
}

static void add_labelled(struct page *p, const char *label, const char *text)
{
	char *line;

	if (!text || !*text)
		return;
	line = xasprintf("%s: %s", label, text);
	page_paragraph(p, STYLE_NORMAL, 5, line);
	free(line);
}

static void add_notes(struct page *p, unsigned style, int indent, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		page_paragraph(p, style, indent, notes->v[i]);
}


static void add_cause(struct page *p, size_t number, const struct blame *b)
{
	const struct cause *c = &b->cause[number];

	page_line(p, STYLE_BOLD, "  %zu. %s%s%+.1f points (%.0f %% of the change%s)", number + 1,
		  c->mechanism->title, c->priced ? ": " : ": up to ", c->points,
		  100 * c->share,
		  fabs(b->follows) >= BLAME_LEAST_POINTS ? " but for idle time" : "");
	if (c->headline)
		page_paragraph(p, STYLE_NORMAL, 5, c->headline);
	add_notes(p, STYLE_NORMAL, 5, &c->evidence);
	add_labelled(p, "look at", c->look);
	add_labelled(p, "try", c->next);
}


static void add_tried(struct page *p, const struct blame *b)
{
	size_t nothing = 0;

	page_heading(p, "Tried, and not named");
	for (size_t i = b->nr_named; i < b->n; i++) {
		const struct cause *c = &b->cause[i];

		nothing += fabs(c->points) < BLAME_LEAST_POINTS;
		if (!(fabs(c->points) >= BLAME_LEAST_POINTS))
			continue;
		page_line(p, STYLE_NORMAL, "  %+8.1f points  %s%s", c->points,
			  c->mechanism->title,
			  isnan(c->q) ? "" : c->q < BLAME_MAX_Q ? "" : "  (not significant)");
	}
	if (fabs(b->follows) >= BLAME_LEAST_POINTS)
		page_line(p, STYLE_NORMAL, "  %+8.1f points  idle time that follows the rest",
			  b->follows);
	page_line(p, STYLE_NORMAL, "  %+8.1f points  unexplained", b->unexplained);
	if (nothing)
		page_line(p, STYLE_DIM, "  %zu mechanisms explain nothing of it", nothing);
}

static void verdict_build(struct view *v, struct page *p)
{
	const struct analysis *a = app_analysis(v->app);

	if (!a || !a->have_blame) {
		page_paragraph(p, STYLE_DIM, 2,
			       !a ? "being worked out..." :
				    a->why_not ? a->why_not :
						 "a verdict needs two sides");
		return;
	}
	page_paragraph(p, verdict_style(a->blame.kind), 0, a->blame.headline);
	if (a->blame.nr_named)
		page_heading(p, "Causes");
	for (size_t i = 0; i < a->blame.nr_named; i++)
		add_cause(p, i, &a->blame);
	if (a->blame.n > a->blame.nr_named)
		add_tried(p, &a->blame);
	if (a->blame.needs.n) {
		page_heading(p, "To say more");
		add_notes(p, STYLE_NORMAL, 2, &a->blame.needs);
	}
	if (a->blame.notes.n || a->ledger.notes.n) {
		page_heading(p, "Notes");
		add_notes(p, STYLE_NORMAL, 2, &a->blame.notes);
		add_notes(p, STYLE_NORMAL, 2, &a->ledger.notes);
	}
}

const struct view_ops view_verdict = {
	.name = "verdict",
	.title = "Verdict",
	.brief = "Verd",
	.help = "Why side B differs from side A: the causes with their evidence, in "
		"points (per cent of side A's CPU time per unit of work), what was tried "
		"and not named, and what would be needed to say more.",
	.hint = "j k scroll  P write as text",
	.build = verdict_build,
};
