// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice of columns of the table below (key f). */
#include "app.h"
#include "view.h"

struct columns {
	struct table table;
	struct table *target; /* of the view below; outlives this one */
};

static size_t nr_rows(const void *data)
{
	return (size_t)((const struct columns *)data)->target->model->nr_columns;
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct columns *c = data;
	const struct table_column *column = &c->target->model->column[row];

	(void)style;
	if (col == 0)
		strbuf_addstr(sb, c->target->visible[row] ? "[x]" : "[ ]");
	else if (col == 1)
		strbuf_addstr(sb, column->title);
	else if (column->help)
		strbuf_addstr(sb, column->help);
}

static const struct table_column columns[] = {
	{ "on", 4, .text = true },
	{ "column", 12, .text = true },
	{ "meaning", 20, .text = true },
};

static const struct table_model model = {
	.column = columns,
	.nr_columns = 3,
	.nr_rows = nr_rows,
	.cell = cell,
};

static void columns_open(struct view *v, const void *arg)
{
	struct columns *c = v->model;
	const struct view *below = arg;

	c->target = below->table;
	table_init(&c->table, &model, c);
	v->table = &c->table;
}

static void columns_release(struct view *v)
{
	table_release(v->table);
}

static void columns_enter(struct view *v, long target)
{
	struct columns *c = v->model;
	int shown = 0;

	if (target < 0)
		return;
	for (int i = 0; i < c->target->model->nr_columns; i++)
		shown += c->target->visible[i];
	if (shown > 1 || !c->target->visible[target])
		c->target->visible[target] = !c->target->visible[target];
	else
		app_message(v->app, "the last column stays");
}

static bool columns_act(struct view *v, const struct key_event *ev)
{
	if (ev->action == ACT_COLUMNS) {
		app_back(v->app);
		return true;
	}
	if (ev->key == ' ') {
		columns_enter(v, (long)table_row(v->table));
		return true;
	}
	return false;
}

const struct view_ops view_columns = {
	.name = "columns",
	.title = "Columns",
	.brief = "Cols",
	.help = "Enter or Space switches a column on or off; f or Esc goes back.",
	.hint = "Enter on/off",
	.size = sizeof(struct columns),
	.open = columns_open,
	.release = columns_release,
	.enter = columns_enter,
	.act = columns_act,
};
