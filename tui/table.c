// SPDX-License-Identifier: GPL-2.0-or-later
/* The table widget: drawing and keys. Order, filter and folds: table_order.c. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "table_order.h"

void table_init(struct table *t, const struct table_model *model, const void *data)
{
	memset(t, 0, sizeof(*t));
	t->model = model;
	t->data = data;
	t->sort = -1;
	t->empty = "nothing here";
	for (int i = 0; i < model->nr_columns; i++)
		t->visible[i] = !model->column[i].hidden;
	table_refresh(t);
}

void table_release(struct table *t)
{
	free(t->order);
	free(t->folded);
	free(t->filter);
	free(t->search);
	memset(t, 0, sizeof(*t));
}

size_t table_row(const struct table *t)
{
	return t->cursor < t->nr_shown ? t->order[t->cursor] : SIZE_MAX;
}

void table_select(struct table *t, size_t row)
{
	for (size_t i = 0; i < t->nr_shown; i++)
		if (t->order[i] == row)
			t->cursor = i;
}

static void move_to(struct table *t, long position)
{
	if (position >= (long)t->nr_shown)
		position = (long)t->nr_shown - 1;
	t->cursor = position < 0 ? 0 : (size_t)position;
}

static void sort_neighbour(struct table *t, int dir)
{
	int n = t->model->nr_columns, column = t->sort;

	do {
		column += dir;
		if (column >= n || column < -1)
			column = dir > 0 ? -1 : n - 1;
	} while (column >= 0 && !t->visible[column]);
	table_sort(t, column);
}

static bool act_move(struct table *t, enum action action)
{
	long page = t->page > 1 ? t->page - 1 : 1;
	const struct {
		enum action action;
		long by;
	} moves[] = {
		{ ACT_DOWN, 1 },	 { ACT_UP, -1 },
		{ ACT_PAGE_DOWN, page }, { ACT_PAGE_UP, -page },
		{ ACT_HALF_DOWN, page / 2 + 1 }, { ACT_HALF_UP, -page / 2 - 1 },
		{ ACT_END, (long)t->nr_shown }, { ACT_HOME, -(long)t->nr_shown },
	};

	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		if (moves[i].action == action) {
			move_to(t, (long)t->cursor + moves[i].by);
			return true;
		}
	}
	return false;
}

void table_click(struct table *t, int y)
{
	long row = y - t->at - 1;

	if (row >= 0 && row < t->page && t->top + (size_t)row < t->nr_shown)
		t->cursor = t->top + (size_t)row;
}

bool table_act(struct table *t, enum action action)
{
	if (act_move(t, action))
		return true;
	switch (action) {
	case ACT_LEFT:
		t->left = t->left > 8 ? t->left - 8 : 0;
		return true;
	case ACT_RIGHT:
		t->left += 8;
		return true;
	case ACT_SORT:
	case ACT_SORT_RIGHT:
		sort_neighbour(t, 1);
		return true;
	case ACT_SORT_LEFT:
		sort_neighbour(t, -1);
		return true;
	case ACT_INVERT:
		t->descending = !t->descending;
		table_refresh(t);
		return true;
	case ACT_NEXT:
	case ACT_PREV:
		return !t->search ||
		       table_search(t, t->search, action == ACT_NEXT ? 1 : -1);
	case ACT_MORE:
	case ACT_LESS:
		return table_fold(t, action == ACT_LESS);
	case ACT_UNFOLD_ALL:
	case ACT_FOLD_ALL:
		if (!t->model->depth)
			return false;
		table_fold_all(t, action == ACT_FOLD_ALL);
		return true;
	default:
		return false;
	}
}

/* Where a column stands and how wide it is. The widest text column takes
 * what the others leave; when they leave too little, h and l scroll. */
struct layout {
	int x[TABLE_MAX_COLUMNS], w[TABLE_MAX_COLUMNS];
	int total;
};

static int column_width(const struct table *t, int i)
{
	int title = (int)strlen(t->model->column[i].title) + (t->sort == i);
	int width = t->model->column[i].width;

	return title > width ? title : width;
}

#define MOST_SPARE 24

static bool has_numbers(const struct table *t)
{
	for (int i = 0; i < t->model->nr_columns; i++)
		if (t->visible[i] && !t->model->column[i].text)
			return true;
	return false;
}

static void lay_out(const struct table *t, int width, struct layout *l)
{
	int flexible = -1, used = 0, x = 0;

	for (int i = 0; i < t->model->nr_columns; i++) {
		if (!t->visible[i])
			continue;
		l->w[i] = column_width(t, i);
		used += l->w[i] + 1;
		if (t->model->column[i].text &&
		    (flexible < 0 || l->w[i] > l->w[flexible]))
			flexible = i;
	}
	if (flexible >= 0 && used - 1 < width) {
		int spare = width - used + 1;

		/* numbers far away from their name are hard to read */
		l->w[flexible] += has_numbers(t) && spare > MOST_SPARE ? MOST_SPARE :
									  spare;
	}
	for (int i = 0; i < t->model->nr_columns; i++) {
		l->x[i] = x;
		if (t->visible[i])
			x += l->w[i] + 1;
	}
	l->total = x ? x - 1 : 0;
}

/* The title, with the direction where the table is sorted by it. */
static char *sorted_title(const struct table *t, int column, bool ascii)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, t->model->column[column].title);
	if (t->sort == column)
		strbuf_addstr(&sb, ascii ? (t->descending ? "v" : "^") :
					   (t->descending ? "\u25bc" : "\u25b2"));
	return strbuf_detach(&sb);
}

static void draw_head(const struct table *t, const struct area *a,
		      const struct layout *l)
{
	for (int x = 0; x < a->w; x++)
		area_char(a, x, 0, STYLE_HEAD, ' ');
	for (int i = 0; i < t->model->nr_columns; i++) {
		const struct table_column *c = &t->model->column[i];
		char *title;

		if (!t->visible[i])
			continue;
		title = sorted_title(t, i, a->c->ascii);
		area_field(a, l->x[i] - t->left, 0, l->w[i], !c->text, STYLE_HEAD,
			   title);
		free(title);
	}
}

/* The first text column of a tree is indented and tells what can be unfolded. */
static void add_tree_mark(const struct table *t, size_t row, struct strbuf *sb)
{
	unsigned depth = t->model->depth(t->data, row);

	strbuf_addchn(sb, ' ', 2 * (size_t)(depth < 40 ? depth : 40));
	if (!table_has_children(t, row))
		strbuf_addstr(sb, "  ");
	else
		strbuf_addstr(sb, t->folded && t->folded[row] ? "+ " : "- ");
}

static int first_text(const struct table *t)
{
	for (int i = 0; i < t->model->nr_columns; i++)
		if (t->model->column[i].text && t->visible[i])
			return i;
	return -1;
}

static void mark_match(const struct table *t, const struct area *a, int x, int y,
		       const char *text)
{
	const char *at = t->search && *t->search ? strcasestr(text, t->search) : NULL;

	if (at)
		area_restyle(a, x + (int)(at - text), y, (int)strlen(t->search),
			     STYLE_MATCH);
}

static void draw_row(const struct table *t, const struct area *a, int y, size_t row,
		     const struct layout *l)
{
	struct strbuf sb = STRBUF_INIT;
	int tree = t->model->depth ? first_text(t) : -1;

	for (int i = 0; i < t->model->nr_columns; i++) {
		const struct table_column *c = &t->model->column[i];
		int x = l->x[i] - t->left;
		unsigned style = STYLE_NORMAL;

		if (!t->visible[i] || x >= a->w || x + l->w[i] <= 0)
			continue;
		strbuf_reset(&sb);
		if (i == tree)
			add_tree_mark(t, row, &sb);
		t->model->cell(t->data, row, i, &sb, &style);
		area_field(a, x, y, l->w[i], !c->text, style, sb.buf);
		if (c->text)
			mark_match(t, a, x, y, sb.buf);
	}
	strbuf_release(&sb);
}

static void keep_cursor_visible(struct table *t, int rows)
{
	if (t->cursor >= t->nr_shown)
		t->cursor = t->nr_shown ? t->nr_shown - 1 : 0;
	if (t->top > t->cursor)
		t->top = t->cursor;
	if (rows > 0 && t->cursor >= t->top + (size_t)rows)
		t->top = t->cursor - (size_t)rows + 1;
	if (t->top + (size_t)rows > t->nr_shown)
		t->top = t->nr_shown > (size_t)rows ? t->nr_shown - (size_t)rows : 0;
}

void table_draw(struct table *t, const struct area *a)
{
	struct layout l = { 0 };
	int rows = a->h - 1;

	if (rows < 1)
		return;
	lay_out(t, a->w, &l);
	if (t->left > l.total - a->w)
		t->left = l.total > a->w ? l.total - a->w : 0;
	t->page = rows;
	t->at = a->y;
	keep_cursor_visible(t, rows);
	draw_head(t, a, &l);
	for (int y = 0; y < rows && t->top + (size_t)y < t->nr_shown; y++)
		draw_row(t, a, y + 1, t->order[t->top + (size_t)y], &l);
	if (t->nr_shown)
		area_select(a, 1 + (int)(t->cursor - t->top));
	else
		area_wrap(a, 2, 2, STYLE_DIM,
			  t->filter ? "no row matches the filter; & and Enter shows all" :
				      t->empty);
}

void table_text(const struct table *t, struct strbuf *sb, int width, bool ascii)
{
	struct layout l = { 0 };
	struct table whole = *t;
	struct canvas line;
	struct area a;

	whole.left = 0;
	whole.search = NULL;
	lay_out(t, width, &l);
	canvas_init(&line, l.total > width ? l.total : width, 1, ascii);
	a = canvas_area(&line);
	draw_head(&whole, &a, &l);
	canvas_row(&line, 0, sb);
	strbuf_addch(sb, '\n');
	for (size_t i = 0; i < t->nr_shown; i++) {
		canvas_clear(&line);
		draw_row(&whole, &a, 0, t->order[i], &l);
		canvas_row(&line, 0, sb);
		strbuf_addch(sb, '\n');
	}
	if (!t->nr_shown)
		strbuf_addf(sb, "  %s\n", t->empty);
	canvas_release(&line);
}
