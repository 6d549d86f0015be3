// SPDX-License-Identifier: GPL-2.0-or-later
/* Migrations: a table by reason, and a heat map from node to node of the reason
 * under the cursor. Enter: the same from CPU to CPU (view_cpumap.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "draw.h"
#include "matrix.h"
#include "schedblame/alloc.h"
#include "schedblame/vocab.h"
#include "view.h"

#define ALL_REASONS (-1)

struct row {
	int reason;
	double count[SIDE_NR], remote[SIDE_NR]; /* remote: % of count */
};

struct migrations {
	struct view *view;
	struct row row[REASON_NR + 1];
	size_t n;
	struct table table;
	struct matrix matrix[SIDE_NR];
	int matrix_of; /* reason the matrices hold */
	bool matrix_stale;
};

enum columns_of_view { REASON, COUNT_A, COUNT_B, CHANGE, SHARE_A, SHARE_B, REMOTE_A, REMOTE_B,
	      NR_COLUMNS };

static const struct table_column columns[] = {
	[REASON] = { "reason", 22, .text = true },
	[COUNT_A] = { "A", 8, .grow = true, .help = "migrations, in the unit of u" },
	[COUNT_B] = { "B", 8, .grow = true, .help = "migrations, in the unit of u" },
	[CHANGE] = { "change", 8, .grow = true, .help = "B against A" },
	[SHARE_A] = { "% A", 5, .grow = true, .help = "share of all migrations" },
	[SHARE_B] = { "% B", 5, .grow = true, .help = "share of all migrations" },
	[REMOTE_A] = { "rem% A", 6, .grow = true,
		       .help = "share that went to another node" },
	[REMOTE_B] = { "rem% B", 6, .grow = true,
		       .help = "share that went to another node" },
};

static double remote_share(const struct data *d, enum side s, const char *reason,
			   double count)
{
	double known = count - data_mean(d, s, "migrations",
					 LABELS("reason", reason, "distance", "unknown"));

	return 100 *
	       data_mean(d, s, "migrations",
			 LABELS("reason", reason, "distance", "remote")) /
	       known;
}

static void measure(struct migrations *m, struct row *r)
{
	const struct data *d = &m->view->app->data;

	for (int i = 0; i < SIDE_NR; i++) {
		enum side s = (enum side)i;
		const char *reason = r->reason < 0 ? NULL :
						     reason_name((enum reason)r->reason);

		if (reason) {
			r->count[s] = data_mean(d, s, "migrations", LABELS("reason", reason));
			r->remote[s] = remote_share(d, s, reason, r->count[s]);
		} else {
			r->count[s] = data_mean(d, s, "migrations", NO_LABELS);
			r->remote[s] = 100 *
				       data_mean(d, s, "migrations",
						 LABELS("distance", "remote")) /
				       (r->count[s] -
					data_mean(d, s, "migrations",
						  LABELS("distance", "unknown")));
		}
	}
}

static void migrations_refresh(struct view *v)
{
	struct migrations *m = v->model;
	bool both = data_both(&v->app->data);

	m->n = 0;
	m->matrix_stale = true;
	if (data_has(&v->app->data, "migrations")) {
		for (int reason = ALL_REASONS; reason < REASON_NR; reason++) {
			struct row *r = &m->row[m->n];

			r->reason = reason;
			measure(m, r);
			if (reason == ALL_REASONS || r->count[SIDE_A] > 0 ||
			    r->count[SIDE_B] > 0)
				m->n++;
		}
	}
	m->table.visible[COUNT_B] = m->table.visible[CHANGE] = both;
	m->table.visible[SHARE_B] = m->table.visible[REMOTE_B] = both;
}

static size_t nr_rows(const void *data)
{
	return ((const struct migrations *)data)->n;
}

static double number(const void *data, size_t row, int col)
{
	const struct migrations *m = data;
	const struct row *r = &m->row[row], *all = &m->row[0];
	const double v[NR_COLUMNS] = {
		[COUNT_A] = r->count[SIDE_A],
		[COUNT_B] = r->count[SIDE_B],
		[CHANGE] = change_percent(r->count[SIDE_A], r->count[SIDE_B]),
		[SHARE_A] = 100 * r->count[SIDE_A] / all->count[SIDE_A],
		[SHARE_B] = 100 * r->count[SIDE_B] / all->count[SIDE_B],
		[REMOTE_A] = r->remote[SIDE_A],
		[REMOTE_B] = r->remote[SIDE_B],
	};

	return v[col];
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct row *r = &((const struct migrations *)data)->row[row];
	double v = number(data, row, col);
	char text[32];

	if (col == REASON) {
		strbuf_addstr(sb, r->reason < 0 ? "all" :
						  reason_title((enum reason)r->reason));
		*style = r->reason < 0 ? STYLE_BOLD : STYLE_NORMAL;
	} else if (col == CHANGE) {
		strbuf_addstr(sb, change_text(text, sizeof(text), r->count[SIDE_A],
					      r->count[SIDE_B]));
	} else if (col >= SHARE_A) {
		strbuf_addf(sb, isnan(v) ? "-" : "%.1f", v);
	} else {
		strbuf_addstr(sb, value_text(text, sizeof(text), v));
	}
}

static const struct table_model model = {
	.column = columns,
	.nr_columns = NR_COLUMNS,
	.nr_rows = nr_rows,
	.cell = cell,
	.number = number,
};

static void migrations_open(struct view *v, const void *arg)
{
	struct migrations *m = v->model;

	(void)arg;
	m->view = v;
	m->matrix_stale = true;
	table_init(&m->table, &model, m);
	m->table.empty = "migrations were not measured in these runs";
	v->table = &m->table;
}

static void migrations_release(struct view *v)
{
	struct migrations *m = v->model;

	table_release(&m->table);
	for (int s = 0; s < SIDE_NR; s++)
		matrix_release(&m->matrix[s]);
}

static int selected_reason(const struct migrations *m)
{
	size_t row = table_row(&m->table);

	return row == SIZE_MAX ? ALL_REASONS : m->row[row].reason;
}

static void load_matrices(struct migrations *m)
{
	int reason = selected_reason(m);

	if (!m->matrix_stale && m->matrix_of == reason)
		return;
	for (int s = 0; s < SIDE_NR; s++) {
		matrix_release(&m->matrix[s]);
		matrix_load(&m->matrix[s], &m->view->app->data, (enum side)s, MATRIX_NODES,
			    reason);
	}
	m->matrix_of = reason;
	m->matrix_stale = false;
}

static int migrations_above(struct view *v, const struct area *a)
{
	struct migrations *m = v->model;
	int rows, reason = selected_reason(m);

	if (!m->n)
		return 0;
	load_matrices(m);
	area_printf(a, 0, 0, STYLE_BOLD, "From node (rows) to node (columns), %s: %s",
		    reason < 0 ? "all reasons" : reason_title((enum reason)reason),
		    unit_title(v->app->data.unit));
	/* the map may take what the reasons leave, at least half */
	rows = a->h - (int)m->n - 2;
	if (rows < a->h / 2)
		rows = a->h / 2;
	return 1 + matrix_draw_sides(m->matrix, &v->app->data,
				     &(struct area){ a->c, a->x, a->y + 1, a->w, rows }) +
	       1;
}

static void migrations_enter(struct view *v, long target)
{
	struct migrations *m = v->model;
	int reason = target < 0 ? ALL_REASONS : m->row[target].reason;

	app_push(v->app, &view_cpumap, &reason);
}

const struct view_ops view_migrations = {
	.name = "migrations",
	.title = "Migrations",
	.brief = "Migr",
	.help = "Migrations by reason, with the share that crossed nodes, and a heat map "
		"from node to node of the reason under the cursor: each shade is a factor "
		"of four. d shows A and B, their difference, or one alone; Enter shows "
		"CPU to CPU.",
	.hint = "j k reason  Enter CPU x CPU  d sides  u units",
	.size = sizeof(struct migrations),
	.open = migrations_open,
	.release = migrations_release,
	.refresh = migrations_refresh,
	.above = migrations_above,
	.enter = migrations_enter,
};
