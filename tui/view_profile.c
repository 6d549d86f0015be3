// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile diff: functions, groups of functions, modules, files or callers, by
 * how much more time side B spends there. Enter: one row in full (view_symbol.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "profile_view.h"
#include "schedblame/alloc.h"

struct profile_model {
	struct view *view;
	const struct profile_job *job; /* NULL: nothing is open */
	const struct profdiff *diff;   /* NULL: not yet, or not at all */
	enum profdiff_by by;
	size_t grouping; /* of groupings[] */
	struct table table;
};

enum columns_of_view { NAME, VALUE_A, VALUE_B, CHANGE, PERCENT, SHARE_A, SHARE_B, QUALITY,
		       VERDICT, GROUP, NR_COLUMNS };

static const struct table_column columns[] = {
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

static size_t nr_rows(const void *data)
{
	const struct profile_model *m = data;

	return m->diff ? m->diff->n : 0;
}

static double number(const void *data, size_t row, int col)
{
	const struct profdiff_row *r = &((const struct profile_model *)data)->diff->row[row];
	const struct profdiff_cell *a = &r->cell[0], *b = &r->cell[1];
	const double v[NR_COLUMNS] = {
		[VALUE_A] = a->value,	[VALUE_B] = b->value,
		[CHANGE] = b->change,	[PERCENT] = change_percent(a->value, b->value),
		[SHARE_A] = a->share,	[SHARE_B] = b->share,
		[QUALITY] = b->q,
	};

	return v[col];
}

static bool certain(const struct profdiff_cell *c)
{
	return c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER;
}

static void add_change(const struct profdiff_cell *c, double v, struct strbuf *sb,
		       unsigned *style)
{
	char text[32];

	if (v > 0)
		strbuf_addch(sb, '+');
	strbuf_addstr(sb, value_text(text, sizeof(text), v));
	if (certain(c)) {
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

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct profdiff_row *r = &((const struct profile_model *)data)->diff->row[row];
	double v = number(data, row, col);
	char text[32];

	if (col == NAME)
		add_name(r, sb, style);
	else if (col == GROUP)
		strbuf_addstr(sb, r->group);
	else if (col == VERDICT)
		strbuf_addstr(sb, verdict_name[r->cell[1].verdict]);
	else if (col == CHANGE)
		add_change(&r->cell[1], v, sb, style);
	else if (col == PERCENT)
		strbuf_addstr(sb, change_text(text, sizeof(text), r->cell[0].value,
					      r->cell[1].value));
	else if (col == SHARE_A || col == SHARE_B)
		strbuf_addf(sb, isnan(v) ? "-" : "%.1f", v);
	else if (col == QUALITY)
		strbuf_addf(sb, isnan(v) ? "-" : "%.3f", v);
	else
		strbuf_addstr(sb, value_text(text, sizeof(text), v));
}

static const struct table_model model = {
	.column = columns,
	.nr_columns = NR_COLUMNS,
	.nr_rows = nr_rows,
	.cell = cell,
	.number = number,
};

static void profile_refresh(struct view *v)
{
	struct profile_model *m = v->model;
	bool both = data_both(&v->app->data);

	m->job = profile_job_for(v->app, m->by);
	m->diff = NULL;
	m->table.empty = v->app->live ? "no profile is taken live; R records one" :
					"nothing is open";
	if (m->job) {
		bool done = atomic_load(&m->job->job.done);

		m->table.empty = !done ? "reading the profiles..." :
				 m->job->err.code ? err_text(&m->job->err) :
							  "the profiles are empty";
		if (done && !m->job->err.code)
			m->diff = &m->job->diff;
	}
	m->table.visible[VALUE_B] = m->table.visible[CHANGE] = both;
	m->table.visible[PERCENT] = m->table.visible[SHARE_B] = both;
}

static void profile_open(struct view *v, const void *arg)
{
	struct profile_model *m = v->model;

	(void)arg;
	m->view = v;
	table_init(&m->table, &model, m);
	v->table = &m->table;
}

static void profile_close(struct view *v)
{
	table_release(v->table);
}

static int profile_above(struct view *v, const struct area *a)
{
	struct profile_model *m = v->model;
	int x;

	if (!m->diff)
		return 0;
	x = area_printf(a, 0, 0, STYLE_BOLD, "%s by %s", m->diff->event[0] ? m->diff->event :
									     "samples",
			profdiff_by_name[m->by]);
	area_printf(a, x, 0, STYLE_NORMAL, ", in %s",
		    profdiff_norm_caption[m->diff->norm]);
	if (data_both(&v->app->data))
		area_put(a, 0, 1, STYLE_DIM,
			 m->diff->sampling_only ?
				 "+ got worse, - got better; one run a side: * knows "
				 "sampling noise only" :
				 "+ got worse, - got better; * is more than chance over "
				 "the repeats");
	return data_both(&v->app->data) ? 3 : 2;
}

/* The order in which g goes through them: the most asked for first. */
static const enum profdiff_by groupings[] = { BY_SYMBOL, BY_GROUP, BY_CALLER, BY_MODULE,
					      BY_FILE };

static bool profile_act(struct view *v, const struct key_event *ev)
{
	struct profile_model *m = v->model;

	if (ev->action != ACT_GROUP)
		return false;
	m->grouping = (m->grouping + 1) % ARRAY_SIZE(groupings);
	m->by = groupings[m->grouping];
	view_refresh(v);
	m->table.cursor = m->table.top = 0;
	return true;
}

static void profile_enter(struct view *v, long target)
{
	struct profile_model *m = v->model;
	struct profile_row_arg arg = { m->job, (size_t)target };

	if (target >= 0)
		app_push(v->app, &view_symbol, &arg);
}

const struct view_ops view_profile = {
	.name = "profile",
	.title = "Profile",
	.brief = "Prof",
	.help = "Where CPU time is spent, by function, with user mode as one line; sorted "
		"by how much more side B spends. g goes on to groups of kernel functions "
		"(idle search, load balance, copy, locks...), callers, modules and files; "
		"u to per second and CPU, for the same work, or plain ticks. A * means "
		"more than chance. Enter shows one row in full and who calls it; f shows "
		"q, verdict and group.",
	.hint = "Enter one row  g grouping  u units  / & find",
	.size = sizeof(struct profile_model),
	.open = profile_open,
	.release = profile_close,
	.refresh = profile_refresh,
	.above = profile_above,
	.act = profile_act,
	.enter = profile_enter,
};
