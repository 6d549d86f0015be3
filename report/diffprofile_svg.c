// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A differential flame graph as one SVG without scripts. A frame is as wide as
 * the larger of its two sides (and at least as its children), so that what
 * vanished keeps its place: the part of a frame that is gone is hatched. Red
 * grew, blue shrank; the deeper the colour, the larger the change of the frame
 * itself, measured in the whole.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/alloc.h"

#define WIDTH 1200.0
#define ROW 16
#define TOP 44
#define LINE 16 /* of the caption */
#define LEFT 10.0
#define NARROWEST 0.3 /* pixels */
#define NARROWEST_PART 0.8 /* of a graph that is part of a page */
#define GLYPH 6.6

struct layout {
	const struct profdiff_tree *t;
	double *width; /* in value units */
	double *x;     /* in value units, from the left */
	double *used;  /* what the children of a node took so far */
	unsigned *depth, deepest;
	double scale;  /* pixels per value */
	double narrowest;
	size_t side;
	double cut[2]; /* share of a side whose chains were cut, 0..1 */
	unsigned top;  /* pixels above the frames */
	bool part;     /* of a page */
};

static double larger(const struct profdiff_tree_node *n)
{
	return fmax(n->total[0], n->total[1]);
}

static bool is_cut(const struct profdiff_tree *t, size_t n)
{
	return n && !t->node[n].parent && !strcmp(t->names.name[t->node[n].name],
						  PROFILE_CHAIN_CUT);
}

static void find_cut(struct layout *l, const struct profdiff_tree *t)
{
	for (size_t n = 1; n < t->n; n++)
		for (int side = 0; side < 2 && is_cut(t, n); side++)
			if (t->node[0].total[side] > 0)
				l->cut[side] = t->node[n].total[side] / t->node[0].total[side];
}

static void lay_out(struct layout *l, const struct profdiff_tree *t)
{
	double *children = xcalloc(t->n, sizeof(*children));

	find_cut(l, t);
	l->top = TOP + (l->cut[0] > 0 || l->cut[1] > 0 ? 2 * LINE : 0);
	l->narrowest = l->part ? NARROWEST_PART : NARROWEST;
	l->t = t;
	l->width = xcalloc(t->n, sizeof(*l->width));
	l->x = xcalloc(t->n, sizeof(*l->x));
	l->used = xcalloc(t->n, sizeof(*l->used));
	l->depth = xcalloc(t->n, sizeof(*l->depth));
	for (size_t i = t->n; i-- > 0;) {
		l->width[i] = fmax(larger(&t->node[i]), children[i]);
		if (i)
			children[t->node[i].parent] += l->width[i];
	}
	l->scale = l->width[0] > 0 ? WIDTH / l->width[0] : 0;
	for (size_t i = 1; i < t->n; i++) {
		uint32_t parent = t->node[i].parent;

		l->x[i] = l->x[parent] + l->used[parent];
		l->used[parent] += l->width[i];
		l->depth[i] = l->depth[parent] + 1;
		if (l->width[i] * l->scale >= l->narrowest && l->depth[i] > l->deepest)
			l->deepest = l->depth[i];
	}
	free(children);
}

static void layout_release(struct layout *l)
{
	free(l->width);
	free(l->x);
	free(l->used);
	free(l->depth);
}

static void add_xml(struct strbuf *sb, const char *s, size_t max)
{
	for (; *s && max; s++, max--) {
		if (*s == '<')
			strbuf_addstr(sb, "&lt;");
		else if (*s == '>')
			strbuf_addstr(sb, "&gt;");
		else if (*s == '&')
			strbuf_addstr(sb, "&amp;");
		else if (*s == '"')
			strbuf_addstr(sb, "&quot;");
		else
			strbuf_addch(sb, *s < ' ' || *s > '~' ? '?' : *s);
	}
}

static int fade_of(double change)
{
	return (int)(255 - 200 * fmin(1, sqrt(fabs(change) / 0.05)));
}

/* What can be read on that ground: deep blue is dark. */
static const char *ink_on(double change)
{
	return change < 0 && fade_of(change) < 120 ? "#fff" : "#111";
}

/* White for no change; full colour at five per cent of the whole. */
static void add_colour(struct strbuf *sb, double change)
{
	int fade = fade_of(change);

	if (change >= 0)
		strbuf_addf(sb, "#ff%02x%02x", fade, fade);
	else
		strbuf_addf(sb, "#%02x%02xff", fade, fade);
}

static void add_frame(struct strbuf *sb, const struct layout *l, uint32_t n, double whole)
{
	const struct profdiff_tree_node *node = &l->t->node[n];
	const char *name = l->t->names.name[node->name];
	double x = LEFT + l->x[n] * l->scale, w = l->width[n] * l->scale;
	double lost = fmax(0, node->total[0] - node->total[1]) * l->scale;
	unsigned y = l->top + (l->deepest - l->depth[n]) * ROW;
	double change = whole > 0 ? (node->self[1] - node->self[0]) / whole : 0;
	/* not below the hatching, where nobody can read it */
	double plain = w - lost > 24 ? w - lost : w;
	size_t fits = plain > 24 ? (size_t)((plain - 6) / GLYPH) : 0;

	/* on the group: a page's style stands above an attribute of the text itself */
	strbuf_addf(sb, "<g fill=\"%s\"><title>", ink_on(change));
	add_xml(sb, name, 300);
	strbuf_addf(sb, ": %.6g -&gt; %.6g (%+.6g, self %+.6g)</title>", node->total[0],
		    node->total[1], node->total[1] - node->total[0],
		    node->self[1] - node->self[0]);
	strbuf_addf(sb, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"", x, y, w,
		    ROW - 1);
	add_colour(sb, change);
	strbuf_addstr(sb, "\" stroke=\"#bbb\" stroke-width=\"0.4\"/>");
	if (lost >= l->narrowest)
		strbuf_addf(sb, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" "
			    "fill=\"url(#gone%zu)\"/>", x + w - lost, y, lost, ROW - 1,
			    l->side);
	if (fits >= strlen(name) || fits > 4) {
		bool cut = strlen(name) > fits;

		strbuf_addf(sb, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + 11);
		add_xml(sb, name, cut ? fits - 2 : fits);
		strbuf_addf(sb, "%s</text>", cut ? ".." : "");
	}
	strbuf_addstr(sb, "</g>\n");
}

/* Whoever looks for the callers of a cut chain must know that nobody kept them. */
static void add_cut_note(struct strbuf *sb, const struct layout *l)
{
	if (l->top == TOP)
		return;
	strbuf_addf(sb, "<text x=\"%.0f\" y=\"%d\">Chains longer than the recorder kept stand on "
		    "%s: %.1f %% of the base, %.1f %% of the other side; who called them</text>\n"
		    "<text x=\"%.0f\" y=\"%d\">was not recorded, so one function may stand in "
		    "several places. Whole chains: schedblame collect --call-graph</text>\n", LEFT,
		    32 + LINE, PROFILE_CHAIN_CUT, 100 * l->cut[0], 100 * l->cut[1], LEFT,
		    32 + 2 * LINE);
}

static void add_head(struct strbuf *sb, const struct profdiff *d, const struct layout *l)
{
	unsigned height = l->top + (l->deepest + 1) * ROW + 10;

	strbuf_addf(sb, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
	if (l->part)
		strbuf_addf(sb, "viewBox=\"0 0 %.0f %u\" class=\"flame\" role=\"img\" "
			    "aria-label=\"differential flame graph\"", WIDTH + 2 * LEFT, height);
	else
		strbuf_addf(sb, "width=\"%.0f\" height=\"%u\"", WIDTH + 2 * LEFT, height);
	strbuf_addf(sb, " font-family=\"monospace\" font-size=\"11\">\n<defs><pattern "
		    "id=\"gone%zu\" width=\"6\" height=\"6\" "
		    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		    "<rect width=\"3\" height=\"6\" fill=\"#4060c0\" fill-opacity=\"0.45\"/>"
		    "</pattern></defs>\n", l->side);
	if (!l->part)
		strbuf_addstr(sb, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	strbuf_addf(sb, "<g fill=\"%s\"><text x=\"%.0f\" y=\"16\">diffprofile ",
		    l->part ? "currentColor" : "#000", LEFT);
	add_xml(sb, d->label[0], 60);
	strbuf_addstr(sb, " ");
	add_xml(sb, d->label[l->side], 60);
	strbuf_addf(sb, "</text>\n<text x=\"%.0f\" y=\"32\">%s; red: got worse, blue: got "
		    "better, hatched: gone</text>\n", LEFT, profdiff_norm_caption[d->norm]);
	add_cut_note(sb, l);
	strbuf_addstr(sb, "</g>\n");
}

static int draw(struct strbuf *sb, const struct profdiff *d, size_t side, bool part,
		struct err *err)
{
	struct layout l = { .side = side, .part = part };
	struct profdiff_tree t;
	int ret = profdiff_tree_make(&t, d, side, err);

	if (ret < 0)
		return ret;
	lay_out(&l, &t);
	add_head(sb, d, &l);
	for (uint32_t n = 0; n < t.n; n++)
		if (l.width[n] * l.scale >= l.narrowest)
			add_frame(sb, &l, n, larger(&t.node[0]));
	strbuf_addstr(sb, "</svg>\n");
	layout_release(&l);
	profdiff_tree_release(&t);
	return 0;
}

int diffprofile_svg(struct strbuf *sb, const struct diffprofile_page *page,
		    struct err *err)
{
	return draw(sb, page->d, page->d->nr_sides - 1, false, err);
}

int diffprofile_flame(struct strbuf *sb, const struct profdiff *d, size_t side,
		      struct err *err)
{
	return draw(sb, d, side, true, err);
}
