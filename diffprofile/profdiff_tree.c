// SPDX-License-Identifier: GPL-2.0-or-later
/* Two sides' call trees laid over each other, frames matched as rows are. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

static uint32_t frame_name(struct profdiff_tree *t, const struct profdiff *d, size_t profile,
			   uint32_t symbol)
{
	const struct profile *p = d->parts->profile[profile];
	uint32_t row = profdiff_row_of(d, profile, symbol);
	const char *start;
	size_t len;

	if (row != PROFILE_NONE)
		return strmap_adds(&t->names, d->row[row].name);
	if (p->symbol[symbol].space == SPACE_USER)
		return strmap_adds(&t->names, profile_name(p, symbol));
	len = symbol_strip(profile_name(p, symbol), &start);
	return strmap_add(&t->names, start, len);
}

static uint32_t child(struct profdiff_tree *t, uint32_t parent, uint32_t name)
{
	/* edge ids are dense: edge e leads to node e + 1 */
	uint32_t id = u64map_add(&t->edges, u64map_pair(parent, name)) + 1;

	if (id == t->n) {
		GROW(t->node, t->n, t->cap);
		t->node[t->n++] = (struct profdiff_tree_node){ .parent = parent, .name = name };
	}
	return id;
}

/* What was sampled without a chain (user mode as one line) stands below the root. */
static void add_unchained(struct profdiff_tree *t, const struct profdiff *d, size_t profile,
			  int which, double scale)
{
	const struct profile *p = d->parts->profile[profile];
	double *rest = xcalloc(p->nr_symbols + 1, sizeof(*rest));

	for (uint32_t s = 0; s < p->nr_symbols; s++)
		rest[s] = p->symbol[s].weight;
	for (uint32_t n = 1; n < p->nr_nodes; n++)
		rest[p->node[n].symbol] -= p->node[n].weight;
	for (uint32_t s = 0; p->nr_nodes > 1 && s < p->nr_symbols; s++)
		if (rest[s] > 1e-9 * p->symbol[s].weight && !p->symbol[s].idle)
			t->node[child(t, 0, frame_name(t, d, profile, s))].self[which] +=
				rest[s] * scale;
	free(rest);
}

static void add_profile(struct profdiff_tree *t, const struct profdiff *d, size_t profile,
			int which, double scale)
{
	const struct profile *p = d->parts->profile[profile];
	uint32_t *where = xcalloc(p->nr_nodes + 1, sizeof(*where));
	bool *idle = xcalloc(p->nr_nodes + 1, sizeof(*idle));

	for (uint32_t n = 1; n < p->nr_nodes; n++) {
		const struct profile_node *node = &p->node[n];

		idle[n] = idle[node->parent] || p->symbol[node->symbol].idle;
		if (idle[n])
			continue;
		where[n] = child(t, where[node->parent],
				 frame_name(t, d, profile, node->symbol));
		t->node[where[n]].self[which] += node->weight * scale;
	}
	add_unchained(t, d, profile, which, scale);
	free(where);
	free(idle);
}

static void sum_up(struct profdiff_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (int w = 0; w < 2; w++)
			t->node[i].total[w] = t->node[i].self[w];
	for (size_t i = t->n; i-- > 1;)
		for (int w = 0; w < 2; w++)
			t->node[t->node[i].parent].total[w] += t->node[i].total[w];
}

int profdiff_tree_make(struct profdiff_tree *t, const struct profdiff *d, size_t side,
		       struct err *err)
{
	const size_t sides[2] = { 0, side };

	memset(t, 0, sizeof(*t));
	strmap_adds(&t->names, "all");
	GROW(t->node, t->n, t->cap);
	t->node[t->n++] = (struct profdiff_tree_node){ .parent = 0 };
	for (int w = 0; w < 2; w++) {
		size_t from = d->parts->first[sides[w]], to = d->parts->first[sides[w] + 1];

		for (size_t i = from; i < to; i++)
			add_profile(t, d, i, w, d->parts->scale[i] / (double)(to - from));
	}
	sum_up(t);
	if (t->n > 1)
		return 0;
	profdiff_tree_release(t);
	return err_set(err, EINVAL, "%s and %s have no call chains", d->parts->profile[0]->path,
		       d->parts->profile[d->parts->first[side]]->path);
}

void profdiff_tree_release(struct profdiff_tree *t)
{
	strmap_release(&t->names);
	u64map_release(&t->edges);
	free(t->node);
	memset(t, 0, sizeof(*t));
}
