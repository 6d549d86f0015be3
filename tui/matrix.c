// SPDX-License-Identifier: GPL-2.0-or-later
/* Matrices of migrations out of labelled counters. */
#include "matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/vocab.h"

static const struct {
	const char *series, *from, *to, *word;
} kinds[] = {
	[MATRIX_NODES] = { "migrations", "from_node", "to_node", "N" },
	[MATRIX_CPUS] = { "cpu_migrations", "from_cpu", "to_cpu", "C" },
};

struct loading {
	struct matrix *m;
	enum matrix_kind kind;
	double scale;
	bool measure; /* first pass: finds n */
};

/* A label as an index; -1 for what is none ("unknown"). */
static int index_of(const char *s)
{
	char *end;
	unsigned long v;

	if (!s || *s < '0' || *s > '9')
		return -1;
	v = strtoul(s, &end, 10);
	return *end || v >= MATRIX_MAX ? -1 : (int)v;
}

static int load_one(const struct series_set *set, const struct series *s, void *arg)
{
	struct loading *l = arg;
	int from = index_of(series_label(set, s, kinds[l->kind].from));
	int to = index_of(series_label(set, s, kinds[l->kind].to));
	int most = from > to ? from : to;

	if (from < 0 || to < 0)
		return 0;
	if (l->measure)
		l->m->n = most >= l->m->n ? most + 1 : l->m->n;
	else
		l->m->v[from * l->m->n + to] += l->scale * (double)s->counter;
	return 0;
}

static void load_all(struct loading *l, const struct data *d, enum side s, int reason)
{
	const struct run_set *set = data_set(d, s);
	const struct label label = { "reason",
				     reason < 0 ? "" : reason_name((enum reason)reason) };

	/* the mean over runs of what data_figure() would give for each pair */
	for (size_t i = 0; set && i < set->n; i++) {
		const struct run *run = &set->run[i];

		l->scale = data_run_scale(run, d->unit) / (double)set->n;
		series_for_each(&run->series, kinds[l->kind].series, &label,
				reason < 0 ? 0 : 1, load_one, l);
	}
}

void matrix_load(struct matrix *m, const struct data *d, enum side s,
		 enum matrix_kind kind, int reason)
{
	struct loading l = { m, kind, 0, true };
	const struct topology *t = data_topology(d);

	memset(m, 0, sizeof(*m));
	if (!data_set(d, s) || !data_has(d, kinds[kind].series))
		return;
	if (t && t->nr_cpus)
		m->n = (int)(kind == MATRIX_NODES ? t->nr_nodes : t->nr_cpus);
	if (m->n > MATRIX_MAX)
		m->n = MATRIX_MAX;
	load_all(&l, d, s, -1);
	m->v = xcalloc((size_t)m->n * (size_t)m->n + 1, sizeof(*m->v));
	l.measure = false;
	load_all(&l, d, s, reason);
}

void matrix_release(struct matrix *m)
{
	free(m->v);
	memset(m, 0, sizeof(*m));
}

double matrix_at(const struct matrix *m, int from, int to)
{
	return from < m->n && to < m->n ? m->v[from * m->n + to] : NAN;
}

static double at_one(const void *data, int from, int to)
{
	return matrix_at(data, from, to);
}

static double at_difference(const void *data, int from, int to)
{
	const struct matrix *m = data;

	return matrix_at(&m[SIDE_B], from, to) - matrix_at(&m[SIDE_A], from, to);
}

static int draw_one(const struct heat *h, const struct area *a)
{
	int w, rows;

	heat_size(h, true, &w, &rows);
	return heat_draw(h, a, w <= a->w);
}

static struct heat side_heat(const struct matrix m[SIDE_NR], enum side s)
{
	return (struct heat){ .n = m[s].n, .at = at_one, .data = &m[s],
			      .title = s == SIDE_A ? "A" : "B", .row_word = "N",
			      .from = -1, .to = -1 };
}

int matrix_draw_sides(const struct matrix m[SIDE_NR], const struct data *d,
		      const struct area *a)
{
	struct heat h[SIDE_NR] = { side_heat(m, SIDE_A), side_heat(m, SIDE_B) };
	struct area left = area_sub(a, 0, 0, a->w / 2 - 1, a->h);
	struct area right = area_sub(a, a->w / 2 + 1, 0, a->w / 2 - 1, a->h);
	int rows_a, rows_b;

	if (!m[SIDE_A].n && !m[SIDE_B].n)
		return area_wrap(a, 2, 0, STYLE_DIM,
				 "from which node to which is not known: neither side tells "
				 "the machine's topology (--topology FILE does for a trace)");
	if (!data_both(d))
		return draw_one(&h[SIDE_A], a);
	switch (d->show) {
	case SHOW_ONLY_A:
		return draw_one(&h[SIDE_A], a);
	case SHOW_ONLY_B:
		return draw_one(&h[SIDE_B], a);
	case SHOW_DIFFERENCE:
		h[SIDE_A].at = at_difference;
		h[SIDE_A].data = m;
		h[SIDE_A].title = "B - A";
		h[SIDE_A].sign = true;
		return draw_one(&h[SIDE_A], a);
	default:
		rows_a = draw_one(&h[SIDE_A], &left);
		rows_b = draw_one(&h[SIDE_B], &right);
		return rows_a > rows_b ? rows_a : rows_b;
	}
}
