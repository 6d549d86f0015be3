// SPDX-License-Identifier: GPL-2.0-or-later
/* Call chains of two sides: an indented tree, folded stacks for other tools. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

#define DEPTH_MAX 60

/* Children of a node, in order of the size of their change. */
struct lists {
	uint32_t *first, *next; /* node, 0: none (the root is nobody's child) */
};

static const struct profdiff_tree *sorted_tree; /* for qsort: one thread, one tree */

static int by_change(const void *a, const void *b)
{
	const struct profdiff_tree_node *x = &sorted_tree->node[*(const uint32_t *)a];
	const struct profdiff_tree_node *y = &sorted_tree->node[*(const uint32_t *)b];
	double cx = fabs(x->total[1] - x->total[0]), cy = fabs(y->total[1] - y->total[0]);

	if (cx != cy)
		return cx < cy ? -1 : 1;
	return strcmp(sorted_tree->names.name[y->name], sorted_tree->names.name[x->name]);
}

/* Prepends nodes from the smallest change on, so that lists begin with the largest. */
static void make_lists(struct lists *l, const struct profdiff_tree *t)
{
	uint32_t *order = xmalloc((t->n + 1) * sizeof(*order));

	l->first = xcalloc(t->n + 1, sizeof(*l->first));
	l->next = xcalloc(t->n + 1, sizeof(*l->next));
	for (uint32_t i = 0; i < t->n; i++)
		order[i] = i;
	sorted_tree = t;
	qsort(order, t->n, sizeof(*order), by_change);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t n = order[i], parent = t->node[n].parent;

		if (!n)
			continue;
		l->next[n] = l->first[parent];
		l->first[parent] = n;
	}
	free(order);
}

static void lists_release(struct lists *l)
{
	free(l->first);
	free(l->next);
}

static void add_node(struct strbuf *sb, const struct profdiff *d,
		     const struct profdiff_tree *t, uint32_t n, int depth)
{
	const struct profdiff_tree_node *node = &t->node[n];
	const char *name = t->names.name[node->name];
	int places = d->norm == NORM_SHARE || d->norm == NORM_TIME ? 2 : 0;

	strbuf_addf(sb, "%9.*f %9.*f %+9.*f  %*s", places, node->total[0], places,
		    node->total[1], places, node->total[1] - node->total[0], 2 * depth, "");
	text_add_ascii(sb, name, strlen(name));
	if (!(node->total[0] > 0))
		strbuf_addstr(sb, " (new)");
	else if (!(node->total[1] > 0))
		strbuf_addstr(sb, " (gone)");
	strbuf_addch(sb, '\n');
}

static void walk(struct strbuf *sb, const struct profdiff *d, const struct profdiff_tree *t,
		 const struct lists *l, uint32_t n, int depth, double threshold)
{
	add_node(sb, d, t, n, depth);
	if (depth >= DEPTH_MAX)
		return;
	for (uint32_t c = l->first[n]; c; c = l->next[c])
		if (fabs(t->node[c].total[1] - t->node[c].total[0]) >= threshold)
			walk(sb, d, t, l, c, depth + 1, threshold);
}

/* Unless told, what moves less than a hundredth of the whole is not shown. */
static double tree_threshold(const struct profdiff_tree *t, const struct diffprofile_view *v)
{
	if (!isnan(v->threshold))
		return fmax(v->threshold, 1e-9);
	return fmax(fmax(t->node[0].total[0], t->node[0].total[1]) / 100, 1e-9);
}

int diffprofile_tree(struct strbuf *sb, const struct diffprofile_page *page,
		     struct err *err)
{
	for (size_t side = 1; side < page->d->nr_sides; side++) {
		struct profdiff_tree t;
		struct lists l;
		int ret = profdiff_tree_make(&t, page->d, side, err);

		if (ret < 0)
			return ret;
		make_lists(&l, &t);
		strbuf_addf(sb, "%s%9s %9s %9s  call chain (with what it calls)\n",
			    side > 1 ? "\n" : "", "A", "B", "change");
		walk(sb, page->d, &t, &l, 0, 0, tree_threshold(&t, page->view));
		lists_release(&l);
		profdiff_tree_release(&t);
	}
	return 0;
}

static void add_path(struct strbuf *sb, const struct profdiff_tree *t, uint32_t n)
{
	uint32_t path[DEPTH_MAX * 8];
	size_t depth = 0;

	for (; n && depth < ARRAY_SIZE(path); n = t->node[n].parent)
		path[depth++] = n;
	while (depth--) {
		const char *name = t->names.name[t->node[path[depth]].name];

		for (; *name; name++) /* ';' separates frames in this format */
			strbuf_addch(sb, *name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' :
								*name);
		if (depth)
			strbuf_addch(sb, ';');
	}
}

/* "root;caller;leaf A B": what differential flame graph tools read. */
int diffprofile_folded(struct strbuf *sb, const struct diffprofile_page *page,
		       struct err *err)
{
	struct profdiff_tree t;
	int ret = profdiff_tree_make(&t, page->d, page->d->nr_sides - 1, err);

	if (ret < 0)
		return ret;
	for (uint32_t n = 1; n < t.n; n++) {
		if (!(t.node[n].self[0] > 0) && !(t.node[n].self[1] > 0))
			continue;
		add_path(sb, &t, n);
		strbuf_addf(sb, " %.10g %.10g\n", t.node[n].self[0], t.node[n].self[1]);
	}
	profdiff_tree_release(&t);
	return 0;
}
