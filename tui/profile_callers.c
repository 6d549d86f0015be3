// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who calls a function, as trees from the function outwards.
 *
 * profdiff_tree holds call trees from the entry points inwards. Each of its nodes
 * with samples of its own is walked to its root, and the way is added to a trie
 * below the row of the function the samples are in: the trie's nodes sum to the
 * row. Ways with less than LEAST of the row, and what is above CALLERS_DEPTH
 * frames, is left out: bounded by nodes x CALLERS_DEPTH.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile_view.h"
#include "schedblame/alloc.h"

#define LEAST 0.01

/* A trie node; the first nr_names ones stand for the functions themselves. */
struct way {
	uint32_t name, child, next; /* of the list of children; UINT32_MAX: none */
	double value[SIDE_NR];
};

struct ways {
	struct way *way;
	size_t n, cap;
	struct u64map edges;
};

#define NONE UINT32_MAX

static uint32_t add_way(struct ways *w, uint32_t name)
{
	GROW(w->way, w->n, w->cap);
	w->way[w->n] = (struct way){ .name = name, .child = NONE, .next = NONE };
	return (uint32_t)w->n++;
}

static uint32_t step_out(struct ways *w, uint32_t from, uint32_t name, size_t roots)
{
	uint32_t id = u64map_add(&w->edges, u64map_pair(from, name)) + (uint32_t)roots;

	if (id == w->n) {
		add_way(w, name);
		w->way[id].next = w->way[from].child;
		w->way[from].child = id;
	}
	return id;
}

static void add_node(struct ways *w, const struct profdiff_tree *t, uint32_t node)
{
	const struct profdiff_tree_node *n = &t->node[node];
	uint32_t at = n->name, up = n->parent;

	for (int depth = 0; depth <= CALLERS_DEPTH; depth++) {
		for (int s = 0; s < SIDE_NR; s++)
			w->way[at].value[s] += n->self[s];
		if (!up)
			return;
		at = step_out(w, at, t->node[up].name, t->names.n);
		up = t->node[up].parent;
	}
}

static double larger(const struct way *w)
{
	return fmax(w->value[SIDE_A], w->value[SIDE_B]);
}

static int largest_first(const void *x, const void *y, void *arg)
{
	const struct way *way = arg;
	double a = larger(&way[*(const uint32_t *)x]), b = larger(&way[*(const uint32_t *)y]);

	return (a < b) - (a > b);
}

/* Emits the ways below one, largest first; no deeper than CALLERS_DEPTH. */
static void emit(struct callers *c, const struct ways *w, uint32_t from, unsigned depth,
		 double least)
{
	uint32_t *sorted = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = w->way[from].child; i != NONE; i = w->way[i].next)
		if (larger(&w->way[i]) >= least) {
			GROW(sorted, n, cap);
			sorted[n++] = i;
		}
	if (n)
		qsort_r(sorted, n, sizeof(*sorted), largest_first, w->way);
	for (size_t i = 0; i < n; i++) {
		const struct way *way = &w->way[sorted[i]];

		GROW(c->caller, c->n, c->cap);
		c->caller[c->n++] = (struct caller){ way->name, depth,
						     { way->value[SIDE_A],
						       way->value[SIDE_B] } };
		emit(c, w, sorted[i], depth + 1, least);
	}
	free(sorted);
}

static void emit_rows(struct callers *c, const struct ways *w, const struct profdiff *d)
{
	c->first = xcalloc(d->n + 1, sizeof(*c->first));
	for (size_t i = 0; i < d->n; i++) {
		uint32_t name = strmap_finds(&c->names, d->row[i].name);

		c->first[i] = c->n;
		if (name != STRMAP_NONE)
			emit(c, w, name, 1, LEAST * larger(&w->way[name]));
	}
	c->first[d->n] = c->n;
}

void callers_make(struct callers *c, const struct profdiff *d)
{
	struct ways w = { 0 };
	struct profdiff_tree t;

	memset(c, 0, sizeof(*c));
	if (profdiff_tree_make(&t, d, d->nr_sides - 1, NULL) < 0)
		return;
	for (uint32_t i = 0; i < t.names.n; i++)
		add_way(&w, i);
	for (uint32_t i = 1; i < t.n; i++)
		if (t.node[i].self[SIDE_A] > 0 || t.node[i].self[SIDE_B] > 0)
			add_node(&w, &t, i);
	c->names = t.names;
	memset(&t.names, 0, sizeof(t.names));
	emit_rows(c, &w, d);
	u64map_release(&w.edges);
	free(w.way);
	profdiff_tree_release(&t);
}

void callers_release(struct callers *c)
{
	strmap_release(&c->names);
	free(c->caller);
	free(c->first);
	memset(c, 0, sizeof(*c));
}
