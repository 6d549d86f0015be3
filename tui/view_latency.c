// SPDX-License-Identifier: GPL-2.0-or-later
/* Latencies: a tree of histograms (what, by which label) with percentiles, and
 * below it the one under the cursor, A and B overlaid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "draw.h"
#include "schedblame/alloc.h"
#include "schedblame/vocab.h"
#include "tasks.h"

/* The histograms worth a view, and the labels their tree branches by. */
static const struct kind {
	const char *series, *title, *unit;
	uint64_t div;
	const char *key[2];
} kinds[] = {
	{ "wakeup_latency", "wakeup latency", "usecs", 1000, { "distance" } },
	{ "preemption_wait", "preemption wait", "usecs", 1000, { "distance" } },
	{ "function_latency", "time in function", "nsecs", 1, { "function", "caller" } },
	{ "function_scanned", "CPUs scanned", "cpus", 1, { "function" } },
	{ "since_last_ran", "since last ran, at a migration", "usecs", 1000,
	  { "reason", "distance" } },
	{ "idle_periods", "idle periods", "usecs", 1000, { NULL } },
	{ "waiting_tasks", "tasks waiting, per sample", "tasks", 1, { NULL } },
};

struct row {
	const struct kind *kind;
	unsigned depth;
	char *value[2]; /* of the labels fixed so far; owned */
	struct {
		double count, p50, p99, max;
	} side[SIDE_NR];
};

struct latency {
	struct view *view;
	struct row *row;
	size_t n, cap;
	struct table table;
	struct histogram h[SIDE_NR];
};

enum columns_of_view { NAME, COUNT_A, COUNT_B, P50_A, P50_B, P99_A, P99_B, P99_CHANGE, MAX_A, MAX_B,
	      NR_COLUMNS };

static const struct table_column columns[] = {
	[NAME] = { "latency", 26, .text = true },
	[COUNT_A] = { "n A", 7, .grow = true, .help = "how many, in the unit of u" },
	[COUNT_B] = { "n B", 7, .grow = true, .help = "how many, in the unit of u" },
	[P50_A] = { "p50 A", 8, .grow = true, .hidden = true, .help = "median" },
	[P50_B] = { "p50 B", 8, .grow = true, .hidden = true, .help = "median" },
	[P99_A] = { "p99 A", 8, .grow = true, .help = "99 % are below" },
	[P99_B] = { "p99 B", 8, .grow = true, .help = "99 % are below" },
	[P99_CHANGE] = { "change", 8, .grow = true, .help = "of p99, B against A" },
	[MAX_A] = { "max A", 8, .grow = true, .hidden = true },
	[MAX_B] = { "max B", 8, .grow = true, .hidden = true },
};

static size_t row_labels(const struct row *r, struct label label[2])
{
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		if (r->value[i])
			label[n++] = (struct label){ r->kind->key[i], r->value[i] };
	return n;
}

static void measure(struct latency *l, struct row *r)
{
	const struct data *d = &l->view->app->data;
	struct histogram *h = &l->h[SIDE_A]; /* drawing fills it again */
	struct label label[2];
	size_t n = row_labels(r, label);

	for (int s = 0; s < SIDE_NR; s++) {
		bool found = data_histogram(d, (enum side)s, r->kind->series, label, n, h);
		bool some = found && h->count;

		r->side[s].count = found ? (double)h->count *
						   data_histogram_scale(d, (enum side)s) :
					   NAN;
		r->side[s].p50 = some ? histogram_percentile(h, 0.5) : NAN;
		r->side[s].p99 = some ? histogram_percentile(h, 0.99) : NAN;
		r->side[s].max = some ? (double)h->max : NAN;
	}
}

struct adding {
	struct latency *l;
	const struct kind *kind;
	const char *first; /* value of the first label, NULL: that is being added */
};

static struct row *add_row(struct latency *l, const struct kind *kind, unsigned depth)
{
	GROW(l->row, l->n, l->cap);
	memset(&l->row[l->n], 0, sizeof(*l->row));
	l->row[l->n].kind = kind;
	l->row[l->n].depth = depth;
	return &l->row[l->n++];
}

static void add_value(const char *value, void *arg)
{
	struct adding *a = arg;
	struct row *r = add_row(a->l, a->kind, a->first ? 2 : 1);
	struct adding deeper = { a->l, a->kind, value };
	const struct label label = { a->kind->key[0], value };

	if (!*value) { /* no caller was told */
		a->l->n--;
		return;
	}
	r->value[0] = xstrdup(a->first ? a->first : value);
	r->value[1] = a->first ? xstrdup(value) : NULL;
	measure(a->l, r);
	if (!a->first && a->kind->key[1])
		data_each_label(&a->l->view->app->data, a->kind->series, &label, 1,
				a->kind->key[1], add_value, &deeper);
}

static void drop_rows(struct latency *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->row[i].value[0]);
		free(l->row[i].value[1]);
	}
	l->n = 0;
}

static void latency_refresh(struct view *v)
{
	struct latency *l = v->model;
	const struct data *d = &v->app->data;

	drop_rows(l);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct adding a = { l, &kinds[i], NULL };

		if (!data_has(d, kinds[i].series))
			continue;
		measure(l, add_row(l, &kinds[i], 0));
		if (kinds[i].key[0])
			data_each_label(d, kinds[i].series, NO_LABELS, kinds[i].key[0],
					add_value, &a);
	}
	for (int i = 0; i < NR_COLUMNS; i++)
		if (i == COUNT_B || i == P99_B || i == P99_CHANGE)
			l->table.visible[i] = data_both(d);
}

static size_t nr_rows(const void *data)
{
	return ((const struct latency *)data)->n;
}

static unsigned depth(const void *data, size_t row)
{
	return ((const struct latency *)data)->row[row].depth;
}

static double number(const void *data, size_t row, int col)
{
	const struct row *r = &((const struct latency *)data)->row[row];
	const double v[NR_COLUMNS] = {
		[COUNT_A] = r->side[SIDE_A].count, [COUNT_B] = r->side[SIDE_B].count,
		[P50_A] = r->side[SIDE_A].p50,	   [P50_B] = r->side[SIDE_B].p50,
		[P99_A] = r->side[SIDE_A].p99,	   [P99_B] = r->side[SIDE_B].p99,
		[MAX_A] = r->side[SIDE_A].max,	   [MAX_B] = r->side[SIDE_B].max,
		[P99_CHANGE] = change_percent(r->side[SIDE_A].p99, r->side[SIDE_B].p99),
	};

	return v[col];
}

static bool is_time(const struct kind *k)
{
	return strcmp(k->unit, "cpus") && strcmp(k->unit, "tasks");
}

/* A label's value in words: distances and reasons have titles. */
static const char *value_title(const struct row *r, int label)
{
	const char *key = r->kind->key[label], *value = r->value[label];
	int i;

	if (!strcmp(key, "distance") && (i = distance_by_name(value)) >= 0)
		return distance_title((enum distance)i);
	if (!strcmp(key, "reason") && (i = reason_by_name(value)) >= 0)
		return reason_title((enum reason)i);
	return value;
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct row *r = &((const struct latency *)data)->row[row];
	double v = number(data, row, col);
	char text[64];

	if (col == NAME) {
		strbuf_addstr(sb, !r->depth ? r->kind->title :
					      value_title(r, (int)r->depth - 1));
		*style = r->depth ? STYLE_NORMAL : STYLE_BOLD;
	} else if (col == P99_CHANGE) {
		strbuf_addstr(sb, change_text(text, sizeof(text), r->side[SIDE_A].p99,
					      r->side[SIDE_B].p99));
	} else if (col == COUNT_A || col == COUNT_B || !is_time(r->kind)) {
		strbuf_addstr(sb, value_text(text, sizeof(text), v));
	} else {
		strbuf_addstr(sb, time_text(text, sizeof(text), v));
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

static void latency_open(struct view *v, const void *arg)
{
	struct latency *l = v->model;

	(void)arg;
	l->view = v;
	table_init(&l->table, &model, l);
	l->table.empty = "no latency was measured in these runs";
	v->table = &l->table;
	latency_refresh(v);
	table_refresh(&l->table);
	/* callers and reasons are many: shown when asked for */
	for (size_t i = 0; i < l->n; i++)
		l->table.folded[i] = l->row[i].depth == 1 ||
				     !strcmp(l->row[i].kind->series, "since_last_ran");
}

static void latency_release(struct view *v)
{
	struct latency *l = v->model;

	drop_rows(l);
	free(l->row);
	table_release(&l->table);
}

static void fill_pair(struct latency *l, size_t row, struct histogram_pair *pair)
{
	const struct data *d = &l->view->app->data;
	const struct row *r = &l->row[row];
	struct label label[2];
	size_t n = row_labels(r, label);

	memset(pair, 0, sizeof(*pair));
	pair->div = r->kind->div;
	pair->unit = r->kind->unit;
	for (int s = 0; s < SIDE_NR; s++) {
		pair->scale[s] = data_histogram_scale(d, (enum side)s);
		if ((d->show == SHOW_ONLY_A && s == SIDE_B) ||
		    (d->show == SHOW_ONLY_B && s == SIDE_A && data_both(d)))
			continue;
		if (data_histogram(d, (enum side)s, r->kind->series, label, n, &l->h[s]))
			pair->h[s] = &l->h[s];
	}
}

static void add_title(const struct row *r, struct strbuf *sb)
{
	strbuf_addstr(sb, r->kind->title);
	for (int i = 0; i < 2; i++)
		if (r->value[i])
			strbuf_addf(sb, ", %s: %s", r->kind->key[i], value_title(r, i));
}

static void draw_selected(struct latency *l, const struct area *a, size_t row)
{
	struct strbuf title = STRBUF_INIT;
	struct histogram_pair pair;
	struct area below = area_sub(a, 0, 1, a->w, a->h - 1);

	fill_pair(l, row, &pair);
	add_title(&l->row[row], &title);
	strbuf_addstr(&title, ", all runs pooled");
	area_put(a, 0, 0, STYLE_BOLD, title.buf);
	histogram_draw(&pair, &below);
	strbuf_release(&title);
}

static void latency_draw(struct view *v, const struct area *a)
{
	struct latency *l = v->model;
	size_t row = table_row(&l->table);
	int want = 0, rows;
	struct area part;

	if (row != SIZE_MAX) {
		struct histogram_pair pair;

		fill_pair(l, row, &pair);
		want = histogram_rows(&pair) + 3;
	}
	/* the table gets a third at least, the histogram what it needs */
	rows = a->h - want;
	if (rows < a->h / 3)
		rows = a->h / 3;
	if (rows > (int)l->table.nr_shown + 2)
		rows = (int)l->table.nr_shown + 2;
	part = area_sub(a, 0, 0, a->w, rows > 2 ? rows : 2);
	table_draw(&l->table, &part);
	if (row == SIZE_MAX)
		return;
	part = area_sub(a, 0, rows, a->w, a->h - rows);
	draw_selected(l, &part, row);
}

static void latency_text(struct view *v, struct strbuf *sb, int width)
{
	struct latency *l = v->model;
	struct canvas c;
	struct area a;

	table_text(&l->table, sb, width, true);
	for (size_t i = 0; i < l->table.nr_shown; i++) {
		struct histogram_pair pair;
		size_t row = l->table.order[i];

		fill_pair(l, row, &pair);
		strbuf_addch(sb, '\n');
		canvas_init(&c, width, histogram_rows(&pair) + 1, true);
		a = canvas_area(&c);
		draw_selected(l, &a, row);
		canvas_dump(&c, sb);
		canvas_release(&c);
	}
}

static void latency_enter(struct view *v, long target)
{
	(void)target;
	app_push(v->app, &view_worst, NULL);
}

const struct view_ops view_latency = {
	.name = "latency",
	.title = "Latency",
	.brief = "Laten",
	.help = "Histograms of latencies by what caused them, per kernel function and "
		"per caller, with percentiles; the one under the cursor is drawn below, "
		"A in the upper half of each row and B in the lower. Bars show shares, "
		"so that sides of different length compare; counts are in the unit of u. "
		"f shows more columns (median, maximum). Enter lists the worst waits with "
		"their moment, where there is a trace.",
	.hint = "j k choose  + - fold  Enter worst ones  f columns",
	.size = sizeof(struct latency),
	.open = latency_open,
	.release = latency_release,
	.refresh = latency_refresh,
	.draw = latency_draw,
	.enter = latency_enter,
	.text = latency_text,
};
