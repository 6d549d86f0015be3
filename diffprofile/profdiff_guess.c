// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which function that is gone became which function that is new? Candidates are
 * rows seen on the base only and on the last side only. Likeness is
 *	0.5 x names (shared words between underscores)
 *	+ 0.3 x callers in common + 0.2 x callees in common	(with call chains)
 *	or + 0.5 x likeness of their counts			(without)
 * and a pair is taken when it is the best for both and above LIKE_ENOUGH. A
 * guess is a guess: it is marked in every output.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

#define CANDIDATES_MAX 400 /* of each kind, the heaviest */
#define LIKE_ENOUGH 0.55
#define WORTH 0.0005 /* of all samples: smaller rows are not guessed */

struct candidate {
	uint32_t row;
	double weight; /* share of its side */
	struct strmap callers, callees; /* names */
};

struct candidates {
	struct candidate *v;
	size_t n, cap;
};

static bool is_candidate(const struct match *m, uint32_t r, uint32_t sides)
{
	const struct match_row *row = &m->row[r];

	return row->into == r && row->sides == sides && !row->idle &&
	       row->space != SPACE_USER && row->space != SPACE_GUEST_USER;
}

static double share_of(const struct match *m, const struct profdiff *d, uint32_t row,
		       size_t side)
{
	const struct profdiff_parts *parts = d->parts;
	double sum = 0;

	for (size_t i = parts->first[side]; i < parts->first[side + 1]; i++) {
		const struct profile *p = parts->profile[i];

		for (uint32_t s = 0; s < p->nr_symbols; s++)
			if (parts->row_of[i][s] != PROFILE_NONE &&
			    match_root(m, parts->row_of[i][s]) == row)
				sum += p->symbol[s].weight / p->weight;
	}
	return sum / (double)d->repeats[side];
}

static int by_weight(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->weight < y->weight) - (x->weight > y->weight);
}

static void collect(struct candidates *c, const struct match *m, const struct profdiff *d,
		    size_t side)
{
	for (uint32_t r = 0; r < m->n; r++) {
		double share;

		if (!is_candidate(m, r, 1U << side))
			continue;
		share = share_of(m, d, r, side);
		if (share < WORTH)
			continue;
		GROW(c->v, c->n, c->cap);
		c->v[c->n++] = (struct candidate){ .row = r, .weight = share };
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_weight);
	if (c->n > CANDIDATES_MAX)
		c->n = CANDIDATES_MAX;
}

static void release(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		strmap_release(&c->v[i].callers);
		strmap_release(&c->v[i].callees);
	}
	free(c->v);
}

static void add_name(struct strmap *map, const char *raw)
{
	const char *start;
	size_t len = symbol_strip(raw, &start);

	strmap_add(map, start, len);
}

/* Neighbours in the call trees of the candidates' side. */
static void find_neighbours(struct candidates *c, const struct match *m,
			    const struct profdiff *d, size_t side)
{
	const struct profdiff_parts *parts = d->parts;
	uint32_t *candidate = xcalloc(m->n + 1, sizeof(*candidate)); /* + 1 */

	for (size_t i = 0; i < c->n; i++)
		candidate[c->v[i].row] = (uint32_t)i + 1;
	for (size_t i = parts->first[side]; i < parts->first[side + 1]; i++) {
		const struct profile *p = parts->profile[i];

		for (uint32_t n = 1; n < p->nr_nodes; n++) {
			uint32_t s = p->node[n].symbol, up = p->node[p->node[n].parent].symbol;
			uint32_t row = parts->row_of[i][s];
			uint32_t row_up = up == PROFILE_NONE ? up : parts->row_of[i][up];

			if (up == PROFILE_NONE)
				continue;
			if (row != PROFILE_NONE && (row = candidate[match_root(m, row)]))
				add_name(&c->v[row - 1].callers, profile_name(p, up));
			if (row_up != PROFILE_NONE && (row_up = candidate[match_root(m, row_up)]))
				add_name(&c->v[row_up - 1].callees, profile_name(p, s));
		}
	}
	free(candidate);
}

/* Jaccard's index of two sets of names. */
static double in_common(const struct strmap *a, const struct strmap *b)
{
	size_t both = 0;

	for (size_t i = 0; i < a->n; i++)
		both += strmap_finds(b, a->name[i]) != STRMAP_NONE;
	return a->n + b->n > both ? (double)both / (double)(a->n + b->n - both) : 0;
}

static void split_words(struct strmap *words, const char *name)
{
	while (*name) {
		size_t len = strcspn(name, "_.");

		if (len)
			strmap_add(words, name, len);
		name += len + (name[len] != '\0');
	}
}

static double names_alike(const char *a, const char *b)
{
	struct strmap x, y;
	double alike;

	strmap_init(&x);
	strmap_init(&y);
	split_words(&x, a);
	split_words(&y, b);
	alike = in_common(&x, &y);
	strmap_release(&x);
	strmap_release(&y);
	return alike;
}

static double likeness(const struct match *m, const struct candidate *a,
		       const struct candidate *b)
{
	const char *name_a = m->strings.name[m->row[a->row].name];
	const char *name_b = m->strings.name[m->row[b->row].name];
	double names = 0.5 * names_alike(name_a, name_b);

	if (a->callers.n && b->callers.n)
		return names + 0.3 * in_common(&a->callers, &b->callers) +
		       0.2 * (a->callees.n || b->callees.n ?
				      in_common(&a->callees, &b->callees) : 1);
	return names + 0.5 * fmin(a->weight, b->weight) / fmax(a->weight, b->weight);
}

static size_t best_for(const struct match *m, const struct candidate *a,
		       const struct candidates *others, bool swap, double *score)
{
	size_t best = others->n;

	*score = LIKE_ENOUGH;
	for (size_t i = 0; i < others->n; i++) {
		double s = swap ? likeness(m, &others->v[i], a) : likeness(m, a, &others->v[i]);

		if (s > *score) {
			*score = s;
			best = i;
		}
	}
	return best;
}

void match_guess(struct match *m, const struct profdiff *d)
{
	struct candidates gone = { NULL, 0, 0 }, born = { NULL, 0, 0 };
	size_t last = d->nr_sides - 1;
	double score;

	collect(&gone, m, d, 0);
	collect(&born, m, d, last);
	find_neighbours(&gone, m, d, 0);
	find_neighbours(&born, m, d, last);
	for (size_t i = 0; i < gone.n; i++) {
		size_t j = best_for(m, &gone.v[i], &born, false, &score);

		if (j >= born.n || best_for(m, &born.v[j], &gone, true, &score) != i)
			continue;
		match_merge(m, gone.v[i].row, born.v[j].row);
		m->row[gone.v[i].row].guess = true;
	}
	release(&gone);
	release(&born);
}
