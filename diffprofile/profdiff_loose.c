// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Second look at rows that are not on every side: the same function may be known
 * with its file or module on one side only, or under an older name.
 */
#include <stdlib.h>
#include <string.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

/* Rows that share a looser key, as chains through next[]. */
struct buckets {
	struct u64map keys;
	uint32_t *head, *next; /* row + 1, 0: end */
};

static void buckets_init(struct buckets *b, size_t nr_rows)
{
	u64map_init(&b->keys);
	b->head = xcalloc(nr_rows + 1, sizeof(*b->head));
	b->next = xcalloc(nr_rows + 1, sizeof(*b->next));
}

static void buckets_release(struct buckets *b)
{
	u64map_release(&b->keys);
	free(b->head);
	free(b->next);
}

static void buckets_add(struct buckets *b, uint64_t key, uint32_t row)
{
	uint32_t id = u64map_add(&b->keys, key);

	b->next[row] = b->head[id];
	b->head[id] = row + 1;
}

/* Is every side in at most one row of the chain, and is there more than one? */
static bool is_disjoint(const struct match *m, const struct buckets *b, uint32_t head)
{
	uint32_t sides = 0, n = 0;

	for (uint32_t r = head; r; r = b->next[r - 1], n++) {
		if (sides & m->row[r - 1].sides)
			return false;
		sides |= m->row[r - 1].sides;
	}
	return n > 1;
}

/* Old names on some sides, the newest name on the others: n became one. */
static bool is_succession(const struct match *m, const struct buckets *b, uint32_t head,
			  uint32_t newest)
{
	uint32_t old = 0, now = 0;

	for (uint32_t r = head; r; r = b->next[r - 1]) {
		if (m->row[r - 1].name == newest)
			now |= m->row[r - 1].sides;
		else
			old |= m->row[r - 1].sides;
	}
	return old && now && !(old & now);
}

static void merge_chain(struct match *m, const struct buckets *b, uint32_t head,
			bool renamed)
{
	uint32_t into = head - 1;

	for (uint32_t r = b->next[into]; r; r = b->next[r - 1])
		match_merge(m, into, r - 1);
	m->row[into].renamed |= renamed;
}

static bool is_alive(const struct match *m, uint32_t row)
{
	return m->row[row].into == row;
}

/* Which fields a pass still looks at beside the name. */
struct looser {
	bool module, space;
};

static uint64_t loose_key(const struct match_row *r, const struct looser *pass)
{
	uint32_t low = pass->module ? r->module * (NR_SPACES + 1) : 0;

	return u64map_pair(r->name, low + (pass->space ? r->space : NR_SPACES));
}

static void merge_by_key(struct match *m, const struct looser *pass)
{
	struct buckets b;

	buckets_init(&b, m->n);
	for (uint32_t r = 0; r < m->n; r++)
		if (is_alive(m, r))
			buckets_add(&b, loose_key(&m->row[r], pass), r);
	for (size_t i = 0; i < b.keys.n; i++)
		if (is_disjoint(m, &b, b.head[i]))
			merge_chain(m, &b, b.head[i], false);
	buckets_release(&b);
}

static bool may_be_renamed(const struct match_row *r)
{
	return r->space != SPACE_USER && r->space != SPACE_GUEST_USER;
}

static void merge_renamed(struct match *m, const struct renames *renames)
{
	struct buckets b;
	char newest[512];

	buckets_init(&b, m->n);
	for (uint32_t r = 0; r < m->n; r++) {
		uint32_t name = m->row[r].name;

		if (!is_alive(m, r) || !may_be_renamed(&m->row[r]))
			continue;
		if (renames_newest(renames, m->strings.name[name], newest, sizeof(newest)))
			name = strmap_adds(&m->strings, newest);
		buckets_add(&b, name, r);
	}
	for (size_t i = 0; i < b.keys.n; i++)
		if (is_disjoint(m, &b, b.head[i]) ||
		    is_succession(m, &b, b.head[i], (uint32_t)b.keys.key[i]))
			merge_chain(m, &b, b.head[i], true);
	buckets_release(&b);
}

int match_loose(struct match *m, const struct profdiff_options *options,
		struct notes *notes, struct err *err)
{
	static const struct looser passes[] = {
		{ true, true }, /* the file is known on one side only */
		{ false, true }, /* built in here, a module there */
		{ false, false }, /* one input does not tell kernel from user */
	};
	struct renames renames;
	struct err why = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(passes); i++)
		merge_by_key(m, &passes[i]);
	if (options->no_renames)
		return 0;
	if (renames_load(&renames, NULL, &why) < 0) {
		notes_add(notes, "functions are matched by name only: %s", err_text(&why));
		err_release(&why);
		return 0;
	}
	merge_renamed(m, &renames);
	renames_release(&renames);
	return 0;
}
