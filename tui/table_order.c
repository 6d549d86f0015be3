// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which rows of a table are shown, and in which order.
 *
 * A flat table is sorted as a whole. In a tree the children of each row are
 * sorted among themselves: rows are linked first_child/next by their depths,
 * then walked in sorted order. All arrays have one entry per row and live only
 * while the order is made.
 */
#include "table_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define NONE UINT32_MAX

struct key {
	uint32_t row;
	double number;
	char *text; /* owned, NULL: sorted by number */
};

bool text_matches(const char *text, const char *pattern)
{
	return !pattern || !*pattern || strcasestr(text, pattern);
}

static bool is_text(const struct table *t)
{
	return !t->model->number || t->model->column[t->sort].text;
}

static void fill_key(const struct table *t, struct key *k, size_t row)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned style;

	k->row = (uint32_t)row;
	k->text = NULL;
	k->number = 0;
	if (t->sort < 0)
		return;
	if (!is_text(t)) {
		k->number = t->model->number(t->data, row, t->sort);
		return;
	}
	t->model->cell(t->data, row, t->sort, &sb, &style);
	k->text = strbuf_detach(&sb);
}

static int compare_numbers(double a, double b, bool descending)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b); /* last either way */
	return a == b ? 0 : (a < b) != descending ? -1 : 1;
}

static int compare_keys(const void *x, const void *y, void *arg)
{
	const struct key *a = x, *b = y;
	const struct table *t = arg;
	int c;

	if (a->text && b->text)
		c = t->descending ? strcmp(b->text, a->text) : strcmp(a->text, b->text);
	else
		c = compare_numbers(a->number, b->number, t->descending);
	if (c)
		return c;
	/* stable, and "as the model has them" can be inverted too */
	c = (a->row > b->row) - (a->row < b->row);
	return t->sort < 0 && t->descending ? -c : c;
}

static void sort_keys(const struct table *t, struct key *key, size_t n)
{
	if (n > 1)
		qsort_r(key, n, sizeof(*key), compare_keys, (void *)t);
}

static void free_keys(struct key *key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(key[i].text);
	free(key);
}

static bool row_matches(const struct table *t, size_t row)
{
	struct strbuf sb = STRBUF_INIT;
	bool found = false;
	unsigned style;

	for (int i = 0; i < t->model->nr_columns && !found; i++) {
		if (!t->model->column[i].text)
			continue;
		strbuf_reset(&sb);
		t->model->cell(t->data, row, i, &sb, &style);
		found = text_matches(sb.buf, t->filter);
	}
	strbuf_release(&sb);
	return found;
}

static void order_flat(struct table *t)
{
	struct key *key = xcalloc(t->nr_rows + 1, sizeof(*key));
	size_t n = 0;

	for (size_t i = 0; i < t->nr_rows; i++)
		if (!t->filter || row_matches(t, i))
			fill_key(t, &key[n++], i);
	sort_keys(t, key, n);
	for (size_t i = 0; i < n; i++)
		t->order[i] = key[i].row;
	t->nr_shown = n;
	free_keys(key, n);
}

bool table_has_children(const struct table *t, size_t row)
{
	return t->model->depth && row + 1 < t->nr_rows &&
	       t->model->depth(t->data, row + 1) > t->model->depth(t->data, row);
}

/* Parent of each row by depth; NONE for roots. Bounded by the deepest row. */
static uint32_t *find_parents(const struct table *t)
{
	uint32_t *parent = xcalloc(t->nr_rows + 1, sizeof(*parent));

	for (size_t i = 0; i < t->nr_rows; i++) {
		unsigned depth = t->model->depth(t->data, i);
		uint32_t p = i ? (uint32_t)(i - 1) : NONE;

		while (p != NONE && t->model->depth(t->data, p) >= depth)
			p = parent[p];
		parent[i] = p;
	}
	return parent;
}

/* Rows that match, and all above them. */
static uint8_t *find_kept(const struct table *t, const uint32_t *parent)
{
	uint8_t *kept = xcalloc(t->nr_rows + 1, 1);

	for (size_t i = 0; i < t->nr_rows; i++) {
		if (t->filter && !row_matches(t, i))
			continue;
		for (uint32_t p = (uint32_t)i; p != NONE && !kept[p]; p = parent[p])
			kept[p] = 1;
	}
	return kept;
}

struct siblings {
	struct key *key;
	size_t n, next;
};

static struct siblings sorted_children(const struct table *t, uint32_t row,
				       const uint32_t *child, const uint32_t *next,
				       const uint8_t *kept)
{
	struct siblings s = { 0 };
	size_t cap = 0;

	for (uint32_t c = child[row]; c != NONE; c = next[c]) {
		if (!kept[c])
			continue;
		GROW(s.key, s.n, cap);
		fill_key(t, &s.key[s.n++], c);
	}
	sort_keys(t, s.key, s.n);
	return s;
}

/* Depth first with a stack of our own: a call tree may be deep. */
static void walk(struct table *t, const uint32_t *child, const uint32_t *next,
		 const uint8_t *kept)
{
	struct siblings *stack = NULL;
	size_t n = 0, cap = 0;

	GROW(stack, n, cap);
	stack[n++] = sorted_children(t, (uint32_t)t->nr_rows, child, next, kept);
	while (n) {
		struct siblings *s = &stack[n - 1];
		uint32_t row;

		if (s->next >= s->n) {
			free_keys(s->key, s->n);
			n--;
			continue;
		}
		row = s->key[s->next++].row;
		t->order[t->nr_shown++] = row;
		if (child[row] != NONE && (!t->folded[row] || t->filter)) {
			GROW(stack, n, cap);
			stack[n++] = sorted_children(t, row, child, next, kept);
		}
	}
	free(stack);
}

static void order_tree(struct table *t)
{
	uint32_t *parent = find_parents(t);
	uint8_t *kept = find_kept(t, parent);
	uint32_t *child = xmalloc((t->nr_rows + 1) * sizeof(*child));
	uint32_t *next = xmalloc((t->nr_rows + 1) * sizeof(*next));

	memset(child, 0xff, (t->nr_rows + 1) * sizeof(*child));
	for (size_t i = t->nr_rows; i-- > 0;) {
		uint32_t p = parent[i] == NONE ? (uint32_t)t->nr_rows : parent[i];

		next[i] = child[p];
		child[p] = (uint32_t)i;
	}
	walk(t, child, next, kept);
	free(parent);
	free(kept);
	free(child);
	free(next);
}

void table_refresh(struct table *t)
{
	size_t row = table_row(t), n = t->model->nr_rows(t->data);

	if (n != t->nr_rows || !t->order) {
		t->order = xrealloc(t->order, n + 1, sizeof(*t->order));
		t->folded = xrealloc(t->folded, n + 1, 1);
		row = n > t->nr_rows ? row : SIZE_MAX;
		t->nr_rows = n;
		for (size_t i = 0; i < n; i++)
			t->folded[i] = t->start_folded && table_has_children(t, i);
	}
	t->nr_shown = 0;
	if (t->model->depth)
		order_tree(t);
	else
		order_flat(t);
	if (row != SIZE_MAX)
		table_select(t, row);
}

void table_sort(struct table *t, int column)
{
	t->sort = column;
	t->descending = column >= 0 && t->model->column[column].grow;
	table_refresh(t);
	t->cursor = t->top = 0;
}

void table_filter(struct table *t, const char *text)
{
	free(t->filter);
	t->filter = text && *text ? xstrdup(text) : NULL;
	table_refresh(t);
	t->top = 0;
}

static bool position_matches(const struct table *t, size_t position,
			     const char *pattern)
{
	struct table probe = *t;

	probe.filter = (char *)pattern;
	return row_matches(&probe, t->order[position]);
}

bool table_search(struct table *t, const char *text, int dir)
{
	size_t n = t->nr_shown;

	if (text != t->search) {
		free(t->search);
		t->search = xstrdup(text);
	}
	for (size_t step = 1; step <= n; step++) {
		size_t i = (t->cursor + (dir > 0 ? step : n - step % n)) % n;

		if (position_matches(t, i, t->search)) {
			t->cursor = i;
			return true;
		}
	}
	return false;
}

void table_fold_all(struct table *t, bool fold)
{
	for (size_t i = 0; i < t->nr_rows; i++)
		t->folded[i] = fold && table_has_children(t, i);
	table_refresh(t);
}

bool table_fold(struct table *t, bool fold)
{
	size_t row = table_row(t);

	if (!t->model->depth || row == SIZE_MAX)
		return false;
	if (fold && (!table_has_children(t, row) || t->folded[row])) {
		unsigned depth = t->model->depth(t->data, row);

		while (row > 0 && depth && t->model->depth(t->data, row) >= depth)
			row--;
		table_select(t, row);
		return true;
	}
	t->folded[row] = fold;
	table_refresh(t);
	return true;
}
