// SPDX-License-Identifier: GPL-2.0-or-later
/* One row of the profile diff in full: its statistics, and below them its source
 * lines and instructions with what either side spent in each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_job.h"
#include "app.h"
#include "figures.h"
#include "schedblame/alloc.h"

enum line_kind { BODY, SOURCE, CODE };

/* A line of the listing. */
struct line {
	enum line_kind kind;
	uint32_t of; /* BODY: body, SOURCE: line, CODE: row of the annotation */
	unsigned depth;
	double value[SIDE_NR]; /* with what is below it */
};

enum listing { LIST_BOTH, LIST_CODE, LIST_SOURCE, LIST_NR };

struct symbol {
	struct profile_row_arg arg;
	struct view *view;
	const struct annotation *an; /* NULL: not (yet) there */
	enum listing listing;
	struct line *line;
	size_t n, cap;
	uint32_t *by_heat; /* lines without children, hottest first; owned */
	size_t nr_heat, next_hot;
	struct table table;
};

enum columns_of_view { VALUE_A, VALUE_B, CHANGE, NUMBER, TEXT, NR_COLUMNS };

static const struct table_column columns[] = {
	[VALUE_A] = { "A", 7, .grow = true, .help = "as in the profile" },
	[VALUE_B] = { "B", 7, .grow = true, .help = "as in the profile" },
	[CHANGE] = { "B - A", 8, .grow = true, .help = "more is worse" },
	[NUMBER] = { "line", 5, .help = "in side B's source, or offset of the instruction" },
	[TEXT] = { "source line, instruction", 30, .text = true },
};

static const struct annotation_line *source_of(const struct symbol *s, const struct line *l)
{
	uint32_t line = l->kind == SOURCE ? l->of :
			l->kind == CODE	  ? s->an->row[l->of].line :
						  ANNOTATION_NONE;

	return line == ANNOTATION_NONE ? NULL : &s->an->line[line];
}

static unsigned line_number(const struct annotation_line *l)
{
	return l->number[SIDE_B] ? l->number[SIDE_B] : l->number[SIDE_A];
}

static size_t nr_rows(const void *data)
{
	return ((const struct symbol *)data)->n;
}

static unsigned depth(const void *data, size_t row)
{
	return ((const struct symbol *)data)->line[row].depth;
}

static double number(const void *data, size_t row, int col)
{
	const struct symbol *s = data;
	const struct line *l = &s->line[row];
	const double v[NR_COLUMNS] = {
		[VALUE_A] = l->value[SIDE_A],
		[VALUE_B] = l->value[SIDE_B],
		[CHANGE] = l->value[SIDE_B] - l->value[SIDE_A],
		[NUMBER] = (double)row,
	};

	return v[col];
}

static void add_code(const struct symbol *s, const struct annotation_row *r,
		     struct strbuf *sb)
{
	const char *a = annotation_text(s->an, r->text[SIDE_A]);
	const char *b = annotation_text(s->an, r->text[SIDE_B]);

	if (r->text[SIDE_B] == ANNOTATION_NONE)
		strbuf_addf(sb, "%s%s", a, *s->an->image[SIDE_B] ? "  (A only)" : "");
	else if (r->text[SIDE_A] == ANNOTATION_NONE)
		strbuf_addf(sb, "%s%s", b, *s->an->image[SIDE_A] ? "  (B only)" : "");
	else if (r->same)
		strbuf_addstr(sb, b);
	else
		strbuf_addf(sb, "%s  (A: %s)", b, a);
}

static void add_source(const struct symbol *s, const struct annotation_line *l,
		       struct strbuf *sb)
{
	const char *inlined = annotation_text(s->an, l->inlined);
	const char *file = annotation_text(s->an, l->file), *text;
	const char *base = strrchr(file, '/');

	text = annotation_text(s->an, l->text);
	text += strspn(text, " \t");
	if (*text) /* the number has its column */
		strbuf_addf(sb, "%s  <%s%s%s>", text, base ? base + 1 : file,
			    *inlined ? " " : "", inlined);
	else
		strbuf_addf(sb, "%s:%u%s%s", file, line_number(l), *inlined ? " " : "",
			    inlined);
}

static void add_body(const struct symbol *s, const struct annotation_body *b,
		     struct strbuf *sb)
{
	int side = b->name[SIDE_B] != ANNOTATION_NONE ? SIDE_B : SIDE_A;

	strbuf_addf(sb, "%s, %llu bytes", annotation_text(s->an, b->name[side]),
		    (unsigned long long)b->size[side]);
}

static void text_cell(const struct symbol *s, const struct line *l, struct strbuf *sb,
		      unsigned *style)
{
	if (l->kind == BODY) {
		*style = STYLE_BOLD;
		add_body(s, &s->an->body[l->of], sb);
	} else if (l->kind == SOURCE) {
		*style = STYLE_BOLD;
		add_source(s, source_of(s, l), sb);
	} else {
		add_code(s, &s->an->row[l->of], sb);
	}
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct symbol *s = data;
	const struct line *l = &s->line[row];
	double v = number(data, row, col);
	char text[32];

	if (col == TEXT)
		text_cell(s, l, sb, style);
	else if (col == NUMBER && l->kind == SOURCE)
		strbuf_addf(sb, "%u", line_number(source_of(s, l)));
	else if (col == NUMBER && l->kind == CODE) {
		const struct annotation_row *r = &s->an->row[l->of];

		strbuf_addf(sb, "+%x",
			    r->offset[r->text[SIDE_B] != ANNOTATION_NONE ? SIDE_B : SIDE_A]);
	} else if (col != NUMBER && (v != 0 || l->kind == BODY)) { /* zeros hide the rest */
		if (col == CHANGE && v > 0)
			strbuf_addch(sb, '+');
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

static struct line *add_line(struct symbol *s, enum line_kind kind, size_t of,
			     unsigned at_depth, const double value[SIDE_NR])
{
	GROW(s->line, s->n, s->cap);
	s->line[s->n] = (struct line){ kind, (uint32_t)of, at_depth,
				       { value ? value[SIDE_A] : 0,
					 value ? value[SIDE_B] : 0 } };
	return &s->line[s->n++];
}

/* Instructions in their order; a source line stands above each run of its own. */
static void list_body(struct symbol *s, const struct annotation_body *b, unsigned at_depth)
{
	uint32_t source = ANNOTATION_NONE;
	size_t head = 0;

	for (size_t i = b->first; i < b->first + b->n; i++) {
		const struct annotation_row *r = &s->an->row[i];
		bool headed = s->listing == LIST_BOTH && r->line != ANNOTATION_NONE;

		if (headed && (r->line != source || i == b->first)) {
			head = s->n;
			add_line(s, SOURCE, r->line, at_depth, NULL);
		}
		source = r->line;
		for (int side = 0; headed && side < SIDE_NR; side++)
			s->line[head].value[side] += r->value[side];
		add_line(s, CODE, i, at_depth + headed, r->value);
	}
}

static int by_place(const void *x, const void *y, void *arg)
{
	const struct annotation_line *line = arg;
	const struct annotation_line *a = &line[((const struct line *)x)->of];
	const struct annotation_line *b = &line[((const struct line *)y)->of];

	return a->file != b->file ? (a->file > b->file) - (a->file < b->file) :
				    (line_number(a) > line_number(b)) -
					    (line_number(a) < line_number(b));
}

static double heat(const struct line *l)
{
	return fmax(l->value[SIDE_A], l->value[SIDE_B]);
}

static int hottest_first(const void *x, const void *y, void *arg)
{
	const struct line *line = arg;
	double a = heat(&line[*(const uint32_t *)x]), b = heat(&line[*(const uint32_t *)y]);

	return (a < b) - (a > b);
}

static void sort_by_heat(struct symbol *s)
{
	s->by_heat = xrealloc(s->by_heat, s->n + 1, sizeof(*s->by_heat));
	s->nr_heat = s->next_hot = 0;
	for (size_t i = 0; i < s->n; i++)
		if ((s->line[i].kind == CODE || s->listing == LIST_SOURCE) &&
		    heat(&s->line[i]) > 0)
			s->by_heat[s->nr_heat++] = (uint32_t)i;
	qsort_r(s->by_heat, s->nr_heat, sizeof(*s->by_heat), hottest_first, s->line);
}

static void fill(struct symbol *s)
{
	s->n = 0;
	if (s->an && s->listing == LIST_SOURCE) {
		for (size_t i = 0; i < s->an->nr_lines; i++)
			add_line(s, SOURCE, i, 0, s->an->line[i].value);
		if (s->n)
			qsort_r(s->line, s->n, sizeof(*s->line), by_place, s->an->line);
	} else if (s->an) {
		for (size_t i = 0; i < s->an->nr_bodies; i++) {
			if (s->an->nr_bodies > 1)
				add_line(s, BODY, i, 0, s->an->body[i].value);
			list_body(s, &s->an->body[i], s->an->nr_bodies > 1);
		}
	}
	sort_by_heat(s);
}

/* The cursor on the next hottest line, unfolded. */
static void to_hottest(struct symbol *s)
{
	if (!s->nr_heat) {
		app_message(s->view->app, "no line was seen running");
		return;
	}
	if (s->next_hot >= s->nr_heat)
		s->next_hot = 0;
	table_fold_all(&s->table, false);
	table_select(&s->table, s->by_heat[s->next_hot++]);
}

static void symbol_refresh(struct view *v)
{
	struct symbol *s = v->model;
	const struct annotate_job *j = annotate_job_for(v->app, s->arg.job, s->arg.row);
	bool done = atomic_load(&j->job.done), both = data_both(&v->app->data);
	bool had = s->an != NULL;

	s->an = done && !j->err.code ? &j->annotation : NULL;
	s->table.empty = !done	     ? "reading its instructions..." :
			 j->err.code ? err_text(&j->err) :
				       "nothing of it was seen running";
	if (!had || !s->an)
		fill(s);
	s->table.visible[VALUE_B] = s->table.visible[CHANGE] = both;
	if (!had && s->an && s->nr_heat) {
		table_refresh(&s->table);
		to_hottest(s);
	}
}

static void symbol_open(struct view *v, const void *arg)
{
	struct symbol *s = v->model;

	s->arg = *(const struct profile_row_arg *)arg;
	s->view = v;
	table_init(&s->table, &model, s);
	v->table = &s->table;
}

static void symbol_release(struct view *v)
{
	struct symbol *s = v->model;

	free(s->line);
	free(s->by_heat);
	table_release(&s->table);
}

static int put_figures(struct view *v, const struct area *a, const struct profdiff_row *r,
		       int y)
{
	const struct profdiff_cell *c[SIDE_NR] = { &r->cell[0], &r->cell[1] };
	bool both = data_both(&v->app->data);
	char one[32], two[32];

	for (int s = 0; s < (both ? SIDE_NR : 1); s++)
		area_printf(a, 0, y++, s == SIDE_A ? STYLE_SIDE_A : STYLE_SIDE_B,
			    "%c  %s, std %s over the runs, %.2f %% of all, %.0f samples",
			    s == SIDE_A ? 'A' : 'B', value_text(one, sizeof(one), c[s]->value),
			    value_text(two, sizeof(two), c[s]->std), c[s]->share,
			    c[s]->samples);
	if (!both)
		return y;
	area_put(a, 0, y++, verdict_row_style(c[1]->verdict),
		 change_text(one, sizeof(one), c[0]->value, c[1]->value));
	if (!isnan(c[1]->ratio))
		area_printf(a, 20, y - 1, STYLE_NORMAL,
			    "ratio %.3f, 95 %% CI %.3f to %.3f, q %.3f: %s", c[1]->ratio,
			    c[1]->low, c[1]->high, c[1]->q, verdict_name[c[1]->verdict]);
	return y;
}

/* What of a side's time is not in the listing, and why. Returns rows. */
static int put_missing(const struct symbol *s, const struct area *a,
		       const struct profdiff_row *r, int side, int y)
{
	double rest = r->cell[side].value;
	char text[32];

	for (size_t i = 0; i < s->an->nr_bodies; i++)
		rest -= s->an->body[i].value[side];
	if (!(rest > 0.005 * r->cell[side].value))
		return 0;
	area_printf(a, 0, y, STYLE_WARN, "%s of %c fell where no instruction is known%s",
		    value_text(text, sizeof(text), rest), side == SIDE_A ? 'A' : 'B',
		    *s->an->image[side] ? "" : ": its code is not at hand, --vmlinux gives it");
	return 1;
}

static int symbol_above(struct view *v, const struct area *a)
{
	struct symbol *s = v->model;
	const struct profdiff *d = &s->arg.job->diff;
	const struct profdiff_row *r = &d->row[s->arg.row];
	int x = area_put(a, 0, 0, STYLE_BOLD, r->name), y;

	area_printf(a, x, 0, STYLE_DIM, "  %s%s%s%s%s%s%s, in %s",
		    profile_space_name[r->space], *r->module ? ", module " : "", r->module,
		    *r->group ? ", " : "", r->group, r->renamed ? ", renamed" : "",
		    s->an && s->an->inlined ? ", inlined" : "", profdiff_norm_caption[d->norm]);
	y = put_figures(v, a, r, 1);
	for (int side = 0; s->an && side < (data_both(&v->app->data) ? SIDE_NR : 1); side++)
		y += put_missing(s, a, r, side, y);
	for (size_t i = 0; s->an && i < s->an->notes.n && y < a->h / 2; i++)
		y += area_wrap(a, 0, y, STYLE_WARN, s->an->notes.v[i]);
	return y + 1;
}

static bool symbol_act(struct view *v, const struct key_event *ev)
{
	struct symbol *s = v->model;
	size_t row = table_row(&s->table);
	const struct annotation_line *l =
		s->an && row != SIZE_MAX ? source_of(s, &s->line[row]) : NULL;

	if (ev->action == ACT_GROUP && s->an) {
		s->listing = (s->listing + 1) % LIST_NR;
		fill(s);
		table_refresh(&s->table);
		to_hottest(s);
	} else if (ev->action == ACT_WORST && s->an) {
		to_hottest(s);
	} else if (ev->action == ACT_SOURCE && l) {
		int side = l->number[SIDE_B] ? SIDE_B : SIDE_A;
		int set = side == SIDE_B ? s->arg.job->b : s->arg.job->a;

		app_edit(v->app, v->app->source[set], annotation_text(s->an, l->file),
			 l->number[side]);
	} else if (ev->action == ACT_SOURCE) {
		app_message(v->app, "no source line is known here: --vmlinux gives a kernel "
				    "with debug information");
	} else {
		return false;
	}
	return true;
}

static const char *symbol_unit(const struct view *v)
{
	return v->below && v->below->ops->unit ? v->below->ops->unit(v->below) : "";
}

const struct view_ops view_symbol = {
	.name = "function",
	.title = "Function",
	.brief = "Func",
	.help = "One row of the profile diff: its time on both sides with scatter, ratio "
		"and confidence interval, and its source lines and instructions with what "
		"each side spent in them, the instructions of two kernels beside one "
		"another. w goes to the hottest, again to the next; g shows both, "
		"instructions or source lines alone; O opens the line in $EDITOR.",
	.hint = "w hottest  O editor  g source, code  + - fold",
	.size = sizeof(struct symbol),
	.open = symbol_open,
	.release = symbol_release,
	.refresh = symbol_refresh,
	.above = symbol_above,
	.act = symbol_act,
	.unit = symbol_unit,
};
