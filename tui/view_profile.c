// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile diff: functions, groups of functions, modules, files or callers, by
 * how much more time side B spends there. Enter: one row in full (view_symbol.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "profile_view.h"
#include "schedblame/alloc.h"

/* A row of the table: one of the diff, or below it one that calls it. */
struct line {
	uint32_t row;
	const struct caller *caller; /* NULL: the row itself */
};

struct profile_model {
	struct view *view;
	const struct profile_job *job; /* NULL: nothing is open */
	const struct profdiff *diff;   /* NULL: not yet, or not at all */
	size_t grouping;	       /* of groupings[] */
	size_t norm;		       /* of norms[] */
	bool everything;	       /* small changes too */
	double threshold;
	size_t hidden;		       /* rows with less than the threshold */
	struct line *line;
	size_t n, cap;
	struct table_column column[12];
	struct table_model model;
	struct table table;
};

enum columns_of_view { NAME, VALUE_A, VALUE_B, CHANGE, PERCENT, SHARE_A, SHARE_B, QUALITY,
		       VERDICT, GROUP, NR_COLUMNS };

static const struct table_column columns[NR_COLUMNS] = {
	[NAME] = { "function", 26, .text = true },
	[VALUE_A] = { "A", 8, .grow = true, .help = "mean over the runs, in the unit above" },
	[VALUE_B] = { "B", 8, .grow = true, .help = "mean over the runs, in the unit above" },
	[CHANGE] = { "B - A", 8, .grow = true, .help = "more is worse" },
	[PERCENT] = { "change", 8, .grow = true, .help = "in per cent of A" },
	[SHARE_A] = { "% A", 5, .grow = true, .help = "share of all outside idle" },
	[SHARE_B] = { "% B", 5, .grow = true, .help = "share of all outside idle" },
	[QUALITY] = { "q", 6, .hidden = true,
		      .help = "chance of such a difference, corrected for all rows" },
	[VERDICT] = { "verdict", 13, .text = true, .hidden = true },
	[GROUP] = { "group", 14, .text = true, .hidden = true,
		    .help = "what kernel functions of its kind do" },
};

/* The order in which g goes through them: the most asked for first. */
static const struct {
	enum profdiff_by by;
	const char *title;
} groupings[] = {
	{ BY_SYMBOL, "function" }, { BY_GROUP, "group" },   { BY_CALLER, "caller" },
	{ BY_MODULE, "module" },   { BY_FILE, "file" },
};

/* What u goes through; the first is that of report and diffprofile. */
static const enum profdiff_norm norms[] = { NR_NORMS, NORM_SHARE, NORM_TIME, NORM_TICKS };

static size_t nr_rows(const void *data)
{
	return ((const struct profile_model *)data)->n;
}

static unsigned depth(const void *data, size_t row)
{
	const struct caller *c = ((const struct profile_model *)data)->line[row].caller;

	return c ? c->depth : 0;
}

static double share_of(const struct profdiff *d, int side, double value)
{
	return d->busy[side] > 0 ? 100 * value / d->busy[side] : NAN;
}

static double number(const void *data, size_t row, int col)
{
	const struct profile_model *m = data;
	const struct profdiff_row *r = &m->diff->row[m->line[row].row];
	const struct caller *c = m->line[row].caller;
	const struct profdiff_cell *a = &r->cell[0], *b = &r->cell[1];
	double va = c ? c->value[SIDE_A] : a->value, vb = c ? c->value[SIDE_B] : b->value;
	const double v[NR_COLUMNS] = {
		[VALUE_A] = va,
		[VALUE_B] = vb,
		[CHANGE] = vb - va,
		[PERCENT] = change_percent(va, vb),
		[SHARE_A] = c ? share_of(m->diff, 0, va) : a->share,
		[SHARE_B] = c ? share_of(m->diff, 1, vb) : b->share,
		[QUALITY] = c ? NAN : b->q,
	};

	return v[col];
}

static bool certain(const struct profdiff_cell *c)
{
	return c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER;
}

/* c NULL: not tested. */
static void add_change(const struct profdiff_cell *c, double v, struct strbuf *sb,
		       unsigned *style)
{
	char text[32];

	if (v > 0)
		strbuf_addch(sb, '+');
	strbuf_addstr(sb, value_text(text, sizeof(text), v));
	if (c && certain(c)) {
		strbuf_addch(sb, '*');
		*style = v > 0 ? STYLE_BAD : STYLE_GOOD;
	}
}

static void add_name(const struct profdiff_row *r, struct strbuf *sb, unsigned *style)
{
	strbuf_addstr(sb, r->name);
	if (*r->module && strcmp(r->module, r->name))
		strbuf_addf(sb, " [%s]", r->module);
	if (r->guess)
		strbuf_addstr(sb, " (guess)");
	if (r->idle)
		*style = STYLE_DIM;
}

static void text_cell(const struct profile_model *m, const struct line *l, int col,
		      struct strbuf *sb, unsigned *style)
{
	const struct profdiff_row *r = &m->diff->row[l->row];

	if (col == NAME && l->caller)
		strbuf_addf(sb, "from %s", m->job->callers.names.name[l->caller->name]);
	else if (col == NAME)
		add_name(r, sb, style);
	else if (!l->caller)
		strbuf_addstr(sb, col == GROUP ? r->group : verdict_name[r->cell[1].verdict]);
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct profile_model *m = data;
	const struct line *l = &m->line[row];
	double v = number(data, row, col);
	char text[32];

	if (columns[col].text)
		text_cell(m, l, col, sb, style);
	else if (col == CHANGE)
		add_change(l->caller ? NULL : &m->diff->row[l->row].cell[1], v, sb, style);
	else if (col == PERCENT)
		strbuf_addstr(sb, change_text(text, sizeof(text), number(data, row, VALUE_A),
					      number(data, row, VALUE_B)));
	else if (col == SHARE_A || col == SHARE_B)
		strbuf_addf(sb, isnan(v) ? "-" : "%.1f", v);
	else if (col == QUALITY)
		strbuf_addf(sb, isnan(v) ? "-" : "%.3f", v);
	else
		strbuf_addstr(sb, value_text(text, sizeof(text), v));
}

static void add_line(struct profile_model *m, size_t row, const struct caller *caller)
{
	GROW(m->line, m->n, m->cap);
	m->line[m->n++] = (struct line){ (uint32_t)row, caller };
}

#define ABOUT_ROWS 100

/* What is too small to matter is left out, as diffprofile does; of one side the
 * value counts. */
static bool worth_a_row(const struct profile_model *m, const struct profdiff_row *r)
{
	double v = data_both(&m->view->app->data) ? r->cell[1].change : r->cell[0].value;

	return m->everything || fabs(v) >= m->threshold;
}

static void fill_lines(struct profile_model *m)
{
	const struct callers *c = &m->job->callers;

	m->threshold = data_both(&m->view->app->data) ?
			       profdiff_threshold(m->diff, 1, ABOUT_ROWS) :
			       0;
	for (size_t i = 0; i < m->diff->n; i++) {
		if (!worth_a_row(m, &m->diff->row[i])) {
			m->hidden++;
			continue;
		}
		add_line(m, i, NULL);
		for (size_t k = c->n ? c->first[i] : 0; c->n && k < c->first[i + 1]; k++)
			add_line(m, i, &c->caller[k]);
	}
}

static const char *why_empty(const struct profile_model *m)
{
	if (!m->job)
		return m->view->app->live ? "no profile is taken live; R records one" :
					    "nothing is open";
	if (!atomic_load(&m->job->job.done))
		return "reading the profiles...";
	return m->job->err.code ? err_text(&m->job->err) :
				  "no function's time differs; a shows all of them";
}

static void profile_refresh(struct view *v)
{
	struct profile_model *m = v->model;
	bool both = data_both(&v->app->data);

	m->job = profile_job_for(v->app, groupings[m->grouping].by, norms[m->norm]);
	m->diff = m->job && atomic_load(&m->job->job.done) && !m->job->err.code ?
			  &m->job->diff :
			  NULL;
	m->table.empty = why_empty(m);
	m->model.depth = m->diff && m->job->callers.n ? depth : NULL;
	if (!both && m->table.sort < 0) { /* nothing to compare: where the time goes */
		m->table.sort = VALUE_A;
		m->table.descending = true;
	}
	m->n = m->hidden = 0;
	if (m->diff)
		fill_lines(m);
	m->column[NAME].title = groupings[m->grouping].title;
	m->table.visible[VALUE_B] = m->table.visible[CHANGE] = both;
	m->table.visible[PERCENT] = both;
	/* "function <- caller" is long */
	m->table.visible[SHARE_A] = groupings[m->grouping].by != BY_CALLER;
	m->table.visible[SHARE_B] = both && groupings[m->grouping].by != BY_CALLER;
	m->table.visible[PERCENT] = both && groupings[m->grouping].by != BY_CALLER;
}

/* The callers are folded until asked for. */
static void start_again(struct view *v)
{
	struct profile_model *m = v->model;

	view_refresh(v);
	table_fold_all(&m->table, true);
	m->table.cursor = m->table.top = 0;
}

static void profile_open(struct view *v, const void *arg)
{
	struct profile_model *m = v->model;

	(void)arg;
	m->view = v;
	memcpy(m->column, columns, sizeof(columns));
	m->model = (struct table_model){ .column = m->column, .nr_columns = NR_COLUMNS,
					 .nr_rows = nr_rows, .cell = cell,
					 .number = number, .depth = depth };
	table_init(&m->table, &m->model, m);
	m->table.start_folded = true;
	v->table = &m->table;
}

static void profile_close(struct view *v)
{
	free(((struct profile_model *)v->model)->line);
	table_release(v->table);
}

static int profile_above(struct view *v, const struct area *a)
{
	struct profile_model *m = v->model;
	char text[32];
	int x;

	if (!m->diff)
		return 0;
	x = area_printf(a, 0, 0, STYLE_BOLD, "%s by %s", m->diff->event[0] ? m->diff->event :
									     "samples",
			groupings[m->grouping].title);
	area_printf(a, x, 0, STYLE_NORMAL, ", in %s", profdiff_norm_caption[m->diff->norm]);
	if (!data_both(&v->app->data))
		return 2;
	x = area_put(a, 0, 1, STYLE_DIM,
		     m->diff->sampling_only ? "+ worse, - better; * more than sampling noise" :
					      "+ worse, - better; * more than chance");
	if (m->hidden)
		area_printf(a, x, 1, STYLE_DIM, "; %zu rows below %s not shown: a", m->hidden,
			    value_text(text, sizeof(text), m->threshold));
	return 3;
}

static bool profile_act(struct view *v, const struct key_event *ev)
{
	struct profile_model *m = v->model;

	if (ev->action == ACT_GROUP)
		m->grouping = (m->grouping + 1) % ARRAY_SIZE(groupings);
	else if (ev->action == ACT_UNITS)
		m->norm = (m->norm + 1) % ARRAY_SIZE(norms);
	else if (ev->action == ACT_FIT)
		m->everything = !m->everything;
	else
		return false;
	start_again(v);
	return true;
}

static const char *profile_unit(const struct view *v)
{
	static const char *const title[NR_NORMS] = {
		[NORM_WORK] = "for the same work", [NORM_SHARE] = "% of time",
		[NORM_TIME] = "per second and CPU", [NORM_TICKS] = "ticks per run",
		[NORM_FACTOR] = "scaled",
	};
	const struct profile_model *m = v->model;

	return m->diff ? title[m->diff->norm] : "";
}

static void profile_enter(struct view *v, long target)
{
	struct profile_model *m = v->model;
	struct profile_row_arg arg = { m->job, 0 };

	if (target < 0)
		return;
	arg.row = m->line[target].row;
	app_push(v->app, &view_symbol, &arg);
}

const struct view_ops view_profile = {
	.name = "profile",
	.title = "Profile",
	.brief = "Prof",
	.help = "Where CPU time is spent, by function, with user mode as one line; sorted "
		"by how much more side B spends. g goes on to groups of kernel functions "
		"(idle search, load balance, copy, locks...), callers, modules and files; "
		"u from the same work (where it was counted) to shares, ticks per second "
		"and CPU, and plain ticks. A * means more than chance. + unfolds who calls "
		"a function, where call chains were recorded; a shows small changes too; f "
		"shows q, verdict and group. Enter shows one row in full.",
	.hint = "Enter one row  + callers  g grouping  u units  a all",
	.size = sizeof(struct profile_model),
	.open = profile_open,
	.release = profile_close,
	.refresh = profile_refresh,
	.unit = profile_unit,
	.above = profile_above,
	.act = profile_act,
	.enter = profile_enter,
};
