// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows by caller. Functions and callers are matched between the sides as rows by
 * symbol are (suffixes, renames), and a pair goes by their newest names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

static int check_chains(const struct profdiff *d, struct err *err)
{
	for (size_t i = 0; i < d->parts->nr_profiles; i++)
		if (d->parts->profile[i]->nr_nodes > 1)
			return 0;
	return err_set(err, EINVAL, "%s and %s have no call chains, which rows by caller need",
		       d->parts->profile[0]->path,
		       d->parts->profile[d->parts->nr_profiles - 1]->path);
}

/* The name on the last side that has it. */
static const char *newest_name(const struct match *symbols, uint32_t row)
{
	const struct match_row *r = &symbols->row[match_root(symbols, row)];
	uint32_t name = r->name;

	for (int s = 0; s < PROFDIFF_SIDES_MAX; s++)
		if (r->name_of[s] != STRMAP_NONE)
			name = r->name_of[s];
	return symbols->strings.name[name];
}

/* "function <- caller" for the two innermost frames of a node. */
static uint32_t row_for_node(struct match *m, const struct match *symbols,
			     const struct profile *p, const uint32_t *row_of, uint32_t node)
{
	uint32_t symbol = p->node[node].symbol, caller = p->node[p->node[node].parent].symbol;
	char name[1024];

	snprintf(name, sizeof(name), "%s <- %s", newest_name(symbols, row_of[symbol]),
		 caller == PROFILE_NONE ? "[no caller]" : newest_name(symbols, row_of[caller]));
	return match_row_for(m, strmap_adds(&m->strings, name), 0, 0, SPACE_UNKNOWN);
}

static void match_nodes(struct match *m, const struct match *symbols, struct profdiff *d,
			size_t side, uint32_t **row_of_node)
{
	struct profdiff_parts *parts = d->parts;

	for (size_t i = parts->first[side]; i < parts->first[side + 1]; i++) {
		const struct profile *p = parts->profile[i];

		row_of_node[i] = xmalloc(p->nr_nodes * sizeof(uint32_t));
		for (uint32_t n = 0; n < p->nr_nodes; n++) {
			const struct profile_node *node = &p->node[n];
			uint32_t id;

			row_of_node[i][n] = PROFILE_NONE;
			if (!(node->weight > 0) || node->symbol == PROFILE_NONE ||
			    p->symbol[node->symbol].idle)
				continue;
			id = row_for_node(m, symbols, p, parts->row_of[i], n);
			m->row[id].sides |= 1U << side;
			m->row[id].name_of[side] = m->row[id].name;
			row_of_node[i][n] = id;
		}
	}
}

int match_callers(struct match *m, struct profdiff *d, uint32_t **row_of_node,
		  struct err *err)
{
	struct profdiff_options options = *m->options;
	struct match symbols = { .options = &options, .groups = m->groups };
	int ret = check_chains(d, err);

	if (ret < 0)
		return ret;
	options.by = BY_SYMBOL;
	strmap_adds(&symbols.strings, "");
	match_symbols(&symbols, d, true);
	ret = match_loose(&symbols, &options, &d->notes, err);
	for (size_t side = 0; !ret && side < d->nr_sides; side++)
		match_nodes(m, &symbols, d, side, row_of_node);
	for (size_t i = 0; i < d->parts->nr_profiles; i++) {
		free(d->parts->row_of[i]);
		d->parts->row_of[i] = NULL;
	}
	match_release(&symbols);
	return ret;
}
