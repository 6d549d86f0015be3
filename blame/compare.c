// SPDX-License-Identifier: GPL-2.0-or-later
/* A comparison of sets: life, rows, statistics over them. The rows themselves come
 * from the other compare_*.c files. */
#include "schedblame/compare.h"

#include <stdlib.h>
#include <string.h>

#include "compare_build.h"
#include "schedblame/alloc.h"

static const struct {
	const char *name, *title;
} tables[COMPARE_NR] = {
#define X(id, name, title) { name, title },
	COMPARE_TABLE_LIST(X)
#undef X
};

const char *compare_table_name(enum compare_table t)
{
	return tables[t].name;
}

const char *compare_table_title(enum compare_table t)
{
	return tables[t].title;
}

void compare_set_string(char **field, const char *value)
{
	char *copy = xstrdup(value ? value : "");

	free(*field);
	*field = copy;
}

struct compare_row *compare_add_row(struct comparison *c, enum compare_table table,
				    const char *key, const char *title, const char *unit,
				    enum column_better better, const char *help)
{
	struct compare_row *row;

	GROW(c->row, c->nr_rows, c->cap_rows);
	row = &c->row[c->nr_rows++];
	*row = (struct compare_row){ .table = table,
				     .key = xstrdup(key),
				     .title = xstrdup(title),
				     .unit = xstrdup(unit),
				     .better = better,
				     .help = help,
				     .group = xstrdup(""),
				     .load = xstrdup(""),
				     .cell = xcalloc(c->nr_sets, sizeof(*row->cell)) };
	return row;
}

void compare_add_value(struct compare_row *row, size_t set, double value)
{
	struct compare_cell *cell = &row->cell[set];

	if (!isfinite(value))
		return;
	cell->value = xrealloc(cell->value, cell->n + 1, sizeof(*cell->value));
	cell->value[cell->n++] = value;
}

static void release_row(struct compare_row *row, size_t nr_sets)
{
	for (size_t i = 0; i < nr_sets; i++)
		free(row->cell[i].value);
	free(row->cell);
	free(row->key);
	free(row->title);
	free(row->unit);
	free(row->group);
	free(row->load);
}

void compare_fill_row(struct comparison *c, struct compare_row *row, compare_number fn,
		      const void *arg, bool drop_zero)
{
	bool any = false;

	for (size_t i = 0; i < c->nr_sets; i++) {
		for (size_t j = 0; j < c->set[i]->n; j++) {
			double v = fn(&c->set[i]->run[j], arg);

			compare_add_value(row, i, v);
			any |= isfinite(v) && (v != 0 || !drop_zero);
		}
	}
	if (!any)
		compare_drop_last(c);
}

void compare_drop_last(struct comparison *c)
{
	release_row(&c->row[--c->nr_rows], c->nr_sets);
}

double per_second(const struct run *run, double v)
{
	return run->duration_ns ? v / ((double)run->duration_ns / 1e9) : NAN;
}

double per_work(const struct run *run, double v)
{
	return run->work > 0 ? v / run->work : NAN;
}

/* "/message", from "messages"; sets that count different things say "/unit". */
char *work_unit_text(const struct comparison *c)
{
	const char *unit = c->set[0]->run[0].work_unit;
	size_t len = strlen(unit);

	for (size_t i = 1; i < c->nr_sets; i++)
		if (strcmp(c->set[i]->run[0].work_unit, unit))
			return xstrdup("/unit");
	if (len > 1 && unit[len - 1] == 's')
		len--;
	return xasprintf("/%.*s", (int)(len < 16 ? len : 16), unit);
}

static void compare_cells(struct comparison *c, struct compare_row *row)
{
	const struct compare_cell *base = &row->cell[0];

	for (size_t i = 0; i < c->nr_sets; i++) {
		struct compare_cell *cell = &row->cell[i];

		stats_summarise(&cell->sum, cell->value, cell->n, c->limits.level);
		cell->q = NAN;
		cell->verdict = VERDICT_CANNOT_TELL;
		if (i && base->n && cell->n)
			stats_compare(&cell->cmp, base->value, base->n, cell->value, cell->n,
				      &c->limits);
		else
			cell->cmp.p = NAN;
	}
}

/* Corrects p over all rows and sets of one table, then judges. */
static void judge_table(struct comparison *c, struct compare_row *row, size_t n)
{
	size_t nr = n * (c->nr_sets - 1);
	double *p = xcalloc(nr + 1, sizeof(*p));
	size_t k = 0;

	for (size_t r = 0; r < n; r++)
		for (size_t i = 1; i < c->nr_sets; i++)
			p[k++] = row[r].cell[i].cmp.p;
	stats_bh(p, p, nr);
	k = 0;
	for (size_t r = 0; r < n; r++) {
		for (size_t i = 1; i < c->nr_sets; i++, k++) {
			struct compare_cell *cell = &row[r].cell[i];

			cell->q = p[k];
			if (cell->n && row[r].cell[0].n)
				cell->verdict = stats_judge(&cell->cmp, cell->q,
							    row[r].better == BETTER_HIGHER,
							    &c->limits);
		}
	}
	free(p);
}

static int by_table(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;

	return (int)x->table - (int)y->table;
}

static void judge(struct comparison *c)
{
	if (c->nr_rows) /* mergesort in glibc keeps the order within a table */
		qsort(c->row, c->nr_rows, sizeof(*c->row), by_table);
	for (size_t i = 0; i < c->nr_rows; i++)
		compare_cells(c, &c->row[i]);
	for (int t = 0; t < COMPARE_NR && c->nr_sets > 1; t++) {
		size_t n;
		const struct compare_row *row = comparison_table(c, (enum compare_table)t, &n);

		if (n)
			judge_table(c, &c->row[row - c->row], n);
	}
}

/* The set that, against the first, can tell least. */
static size_t weakest_side(const struct run_set *const *sets, size_t nr_sets)
{
	size_t weakest = nr_sets > 1;

	for (size_t i = 2; i < nr_sets; i++)
		if (sets[i]->n < sets[weakest]->n)
			weakest = i;
	return weakest;
}

void comparison_make(struct comparison *c, const struct run_set *const *sets,
		     size_t nr_sets, const struct compare_options *options)
{
	memset(c, 0, sizeof(*c));
	c->set = xcalloc(nr_sets, sizeof(*c->set));
	memcpy(c->set, sets, nr_sets * sizeof(*c->set));
	c->nr_sets = nr_sets;
	c->limits = options && options->limits.alpha > 0 ? options->limits :
							   stats_default_limits;
	c->smallest = sets[0]->n;
	for (size_t i = 1; i < nr_sets; i++)
		if (sets[i]->n < c->smallest)
			c->smallest = sets[i]->n;
	c->weakest = weakest_side(sets, nr_sets);
	c->smallest_p = c->smallest > 1 ?
				stats_smallest_p(sets[0]->n, sets[c->weakest]->n) : 1;
	compare_set_thresholds(c, options ? options->hot : NULL);
	compare_metrics(c);
	compare_fixed_rows(c);
	compare_migrations(c);
	compare_hot(c);
	compare_functions(c);
	compare_balance(c);
	compare_hists(c);
	compare_matrices(c);
	judge(c);
}

static void release_hists(struct comparison *c)
{
	for (size_t i = 0; i < c->nr_hists; i++) {
		for (size_t j = 0; j < c->nr_sets; j++)
			free(c->hist[i].side[j]);
		free(c->hist[i].side);
		free(c->hist[i].numbers);
		free(c->hist[i].key);
		free(c->hist[i].title);
		free(c->hist[i].via);
	}
	free(c->hist);
}

void comparison_release(struct comparison *c)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		release_row(&c->row[i], c->nr_sets);
	free(c->row);
	release_hists(c);
	for (size_t i = 0; i < c->nr_sets; i++) {
		if (c->matrix) {
			free(c->matrix[i].rate);
			free(c->matrix[i].steal);
			for (int k = 0; k < REASON_NR; k++)
				free(c->matrix[i].reason[k]);
		}
		if (c->threshold)
			free(c->threshold[i].source);
	}
	free(c->matrix);
	free(c->threshold);
	free(c->set);
	notes_release(&c->notes);
	memset(c, 0, sizeof(*c));
}

const struct compare_row *comparison_table(const struct comparison *c,
					   enum compare_table t, size_t *n)
{
	size_t first = 0;

	while (first < c->nr_rows && c->row[first].table != t)
		first++;
	*n = 0;
	while (first + *n < c->nr_rows && c->row[first + *n].table == t)
		++*n;
	return *n ? &c->row[first] : NULL;
}

const struct compare_row *comparison_row(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (!strcmp(c->row[i].key, key))
			return &c->row[i];
	return NULL;
}

double compare_change(const struct compare_row *row, size_t set)
{
	const struct compare_cell *a = &row->cell[0], *b = &row->cell[set];
	double change;

	if (!set || !a->n || !b->n || a->sum.mean == 0)
		return NAN;
	change = (b->sum.mean / a->sum.mean - 1) * 100;
	return row->table == COMPARE_BENCHMARK && row->better == BETTER_LOWER ? -change :
										change;
}

double compare_difference(const struct compare_row *row, size_t set)
{
	const struct compare_cell *a = &row->cell[0], *b = &row->cell[set];

	return set && a->n && b->n ? b->sum.mean - a->sum.mean : NAN;
}

double compare_std_percent(const struct compare_cell *cell)
{
	if (!cell->n || cell->sum.mean == 0)
		return NAN;
	return fabs(cell->sum.std0 / cell->sum.mean) * 100;
}

/* "n=3 a side" or "n=3 against 4". */
static char *sides_text(const struct comparison *c)
{
	size_t a = c->set[0]->n, b = c->set[c->weakest]->n;

	return a == b ? xasprintf("n=%zu a side", a) : xasprintf("n=%zu against %zu", a, b);
}

char *comparison_caveat(const struct comparison *c)
{
	if (c->nr_sets < 2)
		return c->smallest > 1 ? NULL :
					 xstrdup("One run: how much it varies is not known.");
	if (c->smallest < 2)
		return xstrdup("Cannot tell what is chance: with one run on a side nothing is "
			       "known about how much runs differ by themselves. Record "
			       "repeats with 'collect -r 5'.");
	if (c->smallest_p > c->limits.alpha) {
		char *sides = sides_text(c);
		char *text = xasprintf("Cannot tell what is chance: %s can reach p=%.2f at "
				       "best, and p=%.2f is asked for. Record at least 4 "
				       "runs a side, better 5.", sides, c->smallest_p,
				       c->limits.alpha);

		free(sides);
		return text;
	}
	return NULL;
}
