// SPDX-License-Identifier: GPL-2.0-or-later
/* Steals: who pulls from whom, by idle type, and how many were still cache-hot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "matrix.h"
#include "schedblame/alloc.h"
#include "schedblame/vocab.h"
#include "view.h"

static const enum reason reasons[] = { REASON_STEAL_NEWIDLE, REASON_STEAL_IDLE,
				       REASON_STEAL_BUSY, REASON_STEAL,
				       REASON_ACTIVE_BALANCE };

struct row {
	enum reason reason;
	unsigned depth;
	char *from, *to; /* nodes; owned; NULL: all */
	double count[SIDE_NR];
	double hot[SIDE_NR]; /* % of them that moved while cache-hot */
	double since[SIDE_NR]; /* median time since they last ran, ns */
};

struct steals {
	struct view *view;
	struct row *row;
	size_t n, cap;
	struct table table;
};

enum columns_of_view { WHO, COUNT_A, COUNT_B, CHANGE, HOT_A, HOT_B, SINCE_A, SINCE_B, NR_COLUMNS };

static const struct table_column columns[] = {
	[WHO] = { "who pulls from whom", 30, .text = true },
	[COUNT_A] = { "A", 8, .grow = true, .help = "steals, in the unit of u" },
	[COUNT_B] = { "B", 8, .grow = true, .help = "steals, in the unit of u" },
	[CHANGE] = { "change", 8, .grow = true, .help = "B against A" },
	[HOT_A] = { "hot% A", 6, .grow = true,
		    .help = "moved sooner after they ran than a move costs" },
	[HOT_B] = { "hot% B", 6, .grow = true,
		    .help = "moved sooner after they ran than a move costs" },
	[SINCE_A] = { "ran A", 8, .hidden = true, .help = "median time since they last ran" },
	[SINCE_B] = { "ran B", 8, .hidden = true, .help = "median time since they last ran" },
};

static double hot_share(const struct data *d, enum side s, const char *reason)
{
	double all = data_mean(d, s, "hot_verdict", LABELS("reason", reason));
	double cold = data_mean(d, s, "hot_verdict",
				LABELS("reason", reason, "verdict", "cold"));

	return 100 * (all - cold) / all;
}

static double since_last_ran(const struct data *d, enum side s, const char *reason)
{
	struct histogram *h = xcalloc(1, sizeof(*h));
	double v = NAN;

	if (data_histogram(d, s, "since_last_ran", LABELS("reason", reason), h) &&
	    h->count)
		v = histogram_percentile(h, 0.5);
	free(h);
	return v;
}

static void measure(struct steals *st, struct row *r)
{
	const struct data *d = &st->view->app->data;
	const char *reason = reason_name(r->reason);
	const struct label label[] = { { "reason", reason },
				       { "from_node", r->from },
				       { "to_node", r->to } };

	for (int s = 0; s < SIDE_NR; s++) {
		r->count[s] = data_mean(d, (enum side)s, "migrations", label,
					r->from ? 3 : 1);
		r->hot[s] = r->from ? NAN : hot_share(d, (enum side)s, reason);
		r->since[s] = r->from ? NAN : since_last_ran(d, (enum side)s, reason);
	}
}

static struct row *add_row(struct steals *st, enum reason reason, const char *from,
			   const char *to)
{
	struct row *r;

	GROW(st->row, st->n, st->cap);
	r = &st->row[st->n++];
	memset(r, 0, sizeof(*r));
	r->reason = reason;
	r->depth = from ? 1 : 0;
	r->from = from ? xstrdup(from) : NULL;
	r->to = to ? xstrdup(to) : NULL;
	measure(st, r);
	return r;
}

struct adding {
	struct steals *st;
	enum reason reason;
	const char *from;
};

static void add_to(const char *to, void *arg)
{
	struct adding *a = arg;

	add_row(a->st, a->reason, a->from, to);
}

static void add_from(const char *from, void *arg)
{
	struct adding *a = arg;
	const struct label label[] = { { "reason", reason_name(a->reason) },
				       { "from_node", from } };

	a->from = from;
	data_each_label(&a->st->view->app->data, "migrations", label, 2, "to_node", add_to,
			a);
}

static void drop_rows(struct steals *st)
{
	for (size_t i = 0; i < st->n; i++) {
		free(st->row[i].from);
		free(st->row[i].to);
	}
	st->n = 0;
}

static void steals_refresh(struct view *v)
{
	struct steals *st = v->model;
	bool both = data_both(&v->app->data);

	drop_rows(st);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		struct adding a = { st, reasons[i], NULL };
		struct row *r = add_row(st, reasons[i], NULL, NULL);

		if (!(r->count[SIDE_A] > 0) && !(r->count[SIDE_B] > 0))
			st->n--;
		else
			data_each_label(&v->app->data, "migrations",
					LABELS("reason", reason_name(reasons[i])),
					"from_node", add_from, &a);
	}
	st->table.visible[COUNT_B] = st->table.visible[CHANGE] = both;
	st->table.visible[HOT_B] = both;
}

static size_t nr_rows(const void *data)
{
	return ((const struct steals *)data)->n;
}

static unsigned depth(const void *data, size_t row)
{
	return ((const struct steals *)data)->row[row].depth;
}

static double number(const void *data, size_t row, int col)
{
	const struct row *r = &((const struct steals *)data)->row[row];
	const double v[NR_COLUMNS] = {
		[COUNT_A] = r->count[SIDE_A], [COUNT_B] = r->count[SIDE_B],
		[CHANGE] = change_percent(r->count[SIDE_A], r->count[SIDE_B]),
		[HOT_A] = r->hot[SIDE_A],     [HOT_B] = r->hot[SIDE_B],
		[SINCE_A] = r->since[SIDE_A], [SINCE_B] = r->since[SIDE_B],
	};

	return v[col];
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct row *r = &((const struct steals *)data)->row[row];
	double v = number(data, row, col);
	char text[32];

	if (col == WHO && r->from) {
		strbuf_addf(sb, "node %s pulls from node %s", r->to, r->from);
		*style = strcmp(r->to, r->from) ? STYLE_WARN : STYLE_NORMAL;
	} else if (col == WHO) {
		strbuf_addstr(sb, reason_title(r->reason));
		*style = STYLE_BOLD;
	} else if (col == CHANGE) {
		strbuf_addstr(sb, change_text(text, sizeof(text), r->count[SIDE_A],
					      r->count[SIDE_B]));
	} else if (r->from && col >= HOT_A) {
		return;
	} else if (col == HOT_A || col == HOT_B) {
		strbuf_addf(sb, isnan(v) ? "-" : "%.1f", v);
	} else if (col >= SINCE_A) {
		strbuf_addstr(sb, time_text(text, sizeof(text), v));
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
	.depth = depth,
};

static void steals_open(struct view *v, const void *arg)
{
	struct steals *st = v->model;

	(void)arg;
	st->view = v;
	table_init(&st->table, &model, st);
	st->table.empty = "no steals were seen, or none could be measured";
	v->table = &st->table;
}

static void steals_release(struct view *v)
{
	struct steals *st = v->model;

	drop_rows(st);
	free(st->row);
	table_release(&st->table);
}

/* From when on a task is cache-cold, and who says so. */
static int steals_above(struct view *v, const struct area *a)
{
	const struct analysis *an = app_analysis(v->app);
	const struct hot_threshold *t = an ? &an->comparison.threshold[0] : NULL;
	char text[32], *note;
	int x = 0;

	if (!t || !t->source)
		return 0;
	x = area_put(a, 0, 0, STYLE_NORMAL, "a move costs, so a task is hot for");
	for (int d = DIST_SMT; d < DIST_UNKNOWN; d++)
		if (t->ns[d] && (d == DIST_SMT || t->ns[d] != t->ns[d - 1]))
			x = area_printf(a, x, 0, STYLE_NORMAL, "%s %s%s%s", d == DIST_SMT ? "" : ",",
					time_text(text, sizeof(text), (double)t->ns[d]),
					d == DIST_SMT ? "" : " from ",
					d == DIST_SMT ? "" : distance_title((enum distance)d));
	note = xasprintf("(%s)", t->source);
	x = area_wrap(a, 0, 1, STYLE_DIM, note);
	free(note);
	return x + 2;
}

static void steals_enter(struct view *v, long target)
{
	struct steals *st = v->model;
	int reason = target < 0 ? -1 : (int)st->row[target].reason;

	app_push(v->app, &view_cpumap, &reason);
}

const struct view_ops view_steals = {
	.name = "steals",
	.title = "Steals",
	.brief = "Steal",
	.help = "Who pulls tasks from whom: by what the pulling CPU was doing (newly "
		"idle, idle, busy), then by node; pulls across nodes are marked. hot% is "
		"the share the kernel itself called cache-hot, 'ran' the median time "
		"since the task had last run. Enter shows CPU to CPU.",
	.hint = "Enter CPU x CPU  + - fold  s sort  f columns",
	.size = sizeof(struct steals),
	.open = steals_open,
	.release = steals_release,
	.refresh = steals_refresh,
	.above = steals_above,
	.enter = steals_enter,
};
