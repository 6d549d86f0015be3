// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One function in full: its source lines by what they cost, then its instructions,
 * the two sides' beside one another where they differ:
 *
 *	     A       B  change
 *	                        kernel/sched/fair.c:7103  if (!sched_asym(...))
 *	   120     101     -19    1f4  test   %eax,%eax
 *	    11       -     -11    1f6  jne    +0x20         <
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/alloc.h"
#include "schedblame/json.h"
#include "schedblame/text.h"

#define WIDTH 78
#define HALF 25	  /* of the two sides' instructions */
#define LINES 15  /* source lines shown on top */
#define CONTEXT 3 /* instructions shown around one that counts */

struct page {
	struct strbuf *sb;
	const struct annotation *a;
	int places;
	bool all; /* instructions without counts too */
};

/* ------------------------------------------------------------ numbers */

static void add_value(const struct page *p, double v, bool there)
{
	if (!there)
		strbuf_addf(p->sb, "%7s ", "-");
	else if (v == 0)
		strbuf_addf(p->sb, "%7s ", ".");
	else
		strbuf_addf(p->sb, "%7.*f ", p->places, v);
}

static void add_values(const struct page *p, const double value[2], bool on0, bool on1)
{
	double change = value[1] - value[0];

	add_value(p, value[0], on0);
	add_value(p, value[1], on1);
	if (fabs(change) < 0.5 * pow(10, -p->places))
		strbuf_addf(p->sb, "%7s  ", ".");
	else
		strbuf_addf(p->sb, "%+7.*f  ", p->places, change);
}

/* Cut or filled to width columns. */
static void add_fitted(struct strbuf *sb, const char *text, size_t width, bool fill)
{
	struct strbuf ascii = STRBUF_INIT;
	size_t tabs = strspn(text, " \t");

	text_add_ascii(&ascii, text + tabs, strlen(text + tabs));
	if (ascii.len > width) {
		strbuf_setlen(&ascii, width - 1);
		strbuf_addch(&ascii, '~');
	}
	strbuf_add(sb, ascii.buf, ascii.len);
	if (fill && ascii.len < width)
		strbuf_addchn(sb, ' ', width - ascii.len);
	strbuf_release(&ascii);
}

static void end_line(struct strbuf *sb)
{
	while (sb->len && sb->buf[sb->len - 1] == ' ')
		strbuf_setlen(sb, sb->len - 1);
	strbuf_addch(sb, '\n');
}

/* ------------------------------------------------------------ source lines */

/* "fair.c:7103 in select_idle_cpu: text" */
static void add_place(const struct page *p, const struct annotation_line *l, size_t width)
{
	const char *file = annotation_text(p->a, l->file), *base = strrchr(file, '/');
	const char *inlined = annotation_text(p->a, l->inlined);
	const char *text = annotation_text(p->a, l->text);
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s:", base ? base + 1 : file);
	if (l->number[0] && l->number[1] && l->number[0] != l->number[1])
		strbuf_addf(&sb, "%u,%u", l->number[0], l->number[1]);
	else
		strbuf_addf(&sb, "%u", l->number[1] ? l->number[1] : l->number[0]);
	if (*inlined)
		strbuf_addf(&sb, " (%s)", inlined);
	text += strspn(text, " \t");
	if (*text)
		strbuf_addf(&sb, "  %s", text);
	add_fitted(p->sb, sb.buf, width, false);
	strbuf_release(&sb);
}

static int by_change(const void *x, const void *y)
{
	const struct annotation_line *const *a = x, *const *b = y;
	double ca = fabs((*a)->value[1] - (*a)->value[0]);
	double cb = fabs((*b)->value[1] - (*b)->value[0]);

	if (ca == cb) {
		ca = (*a)->value[0] + (*a)->value[1];
		cb = (*b)->value[0] + (*b)->value[1];
	}
	return ca == cb ? (*a > *b) - (*a < *b) : ca < cb ? 1 : -1;
}

static void add_lines(const struct page *p)
{
	const struct annotation_line **line = xcalloc(p->a->nr_lines + 1, sizeof(*line));
	size_t n = 0;

	for (size_t i = 0; i < p->a->nr_lines; i++)
		if (p->a->line[i].value[0] > 0 || p->a->line[i].value[1] > 0)
			line[n++] = p->a->line + i;
	qsort(line, n, sizeof(*line), by_change);
	if (n)
		strbuf_addf(p->sb, "\n%7s %7s %7s  source line (A,B), largest change first\n",
			    "A", "B", "change");
	for (size_t i = 0; i < n && i < LINES; i++) {
		add_values(p, line[i]->value, line[i]->number[0], line[i]->number[1]);
		add_place(p, line[i], WIDTH - 25);
		end_line(p->sb);
	}
	if (n > LINES)
		strbuf_addf(p->sb, "%25s%zu more lines\n", "", n - LINES);
	free(line);
}

/* ------------------------------------------------------------ instructions */

static void add_instruction(const struct page *p, const struct annotation_row *r)
{
	bool on0 = r->text[0] != ANNOTATION_NONE, on1 = r->text[1] != ANNOTATION_NONE;
	const char *t0 = annotation_text(p->a, r->text[0]);
	const char *t1 = annotation_text(p->a, r->text[1]);

	add_values(p, r->value, on0, on1);
	if (r->same) {
		strbuf_addf(p->sb, "%4x  ", r->offset[1]);
		add_fitted(p->sb, t1, WIDTH - 31, false);
	} else {
		add_fitted(p->sb, t0, HALF, true);
		strbuf_addf(p->sb, " %c ", on0 && on1 ? '|' : on0 ? '<' : '>');
		add_fitted(p->sb, t1, HALF, false);
	}
	end_line(p->sb);
}

static bool counts(const struct annotation_row *r)
{
	return r->samples[0] > 0 || r->samples[1] > 0;
}

/* show[i]: near enough to an instruction that counts. */
static bool *choose(const struct page *p, const struct annotation_body *b)
{
	bool *show = xcalloc(b->n + 1, sizeof(*show));

	for (size_t i = 0; i < b->n; i++) {
		size_t from = i > CONTEXT ? i - CONTEXT : 0, to = i + CONTEXT + 1;

		if (!p->all && !counts(p->a->row + b->first + i))
			continue;
		for (size_t j = from; j < to && j < b->n; j++)
			show[j] = true;
	}
	return show;
}

static void add_rows(const struct page *p, const struct annotation_body *b)
{
	bool *show = choose(p, b);
	uint32_t line = ANNOTATION_NONE;
	size_t hidden = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct annotation_row *r = p->a->row + b->first + i;

		if (!show[i]) {
			hidden++;
			continue;
		}
		if (hidden)
			strbuf_addf(p->sb, "%25s... %zu instructions without samples\n", "",
				    hidden);
		if (r->line != ANNOTATION_NONE && (r->line != line || hidden)) {
			strbuf_addf(p->sb, "%25s", "");
			add_place(p, p->a->line + r->line, WIDTH - 25);
			end_line(p->sb);
		}
		hidden = 0;
		line = r->line;
		add_instruction(p, r);
	}
	if (hidden)
		strbuf_addf(p->sb, "%25s... %zu instructions without samples\n", "", hidden);
	free(show);
}

static void add_body(const struct page *p, const struct annotation_body *b)
{
	strbuf_addch(p->sb, '\n');
	add_values(p, b->value, b->name[0] != ANNOTATION_NONE, b->name[1] != ANNOTATION_NONE);
	for (int s = 0; s < 2; s++) {
		if (b->name[s] == ANNOTATION_NONE)
			continue;
		strbuf_addf(p->sb, "%c: ", 'A' + s);
		text_add_ascii(p->sb, annotation_text(p->a, b->name[s]),
			       strlen(annotation_text(p->a, b->name[s])));
		strbuf_addf(p->sb, " at %llx%s", (unsigned long long)b->start[s],
			    s ? "" : "  ");
	}
	end_line(p->sb);
	add_rows(p, b);
}

/* ------------------------------------------------------------ the page */

static void add_head(const struct page *p, const struct profdiff *d, size_t side)
{
	const struct annotation *a = p->a;
	const size_t sides[2] = { 0, side };

	text_add_ascii(p->sb, a->name, strlen(a->name));
	if (*a->module) {
		strbuf_addstr(p->sb, " [");
		text_add_ascii(p->sb, a->module, strlen(a->module));
		strbuf_addch(p->sb, ']');
	}
	strbuf_addstr(p->sb, a->inlined ? ", also where it was inlined\n" : "\n");
	for (int s = 0; s < 2; s++) {
		strbuf_addf(p->sb, "%c: ", 'A' + s);
		text_add_ascii(p->sb, d->label[sides[s]], strlen(d->label[sides[s]]));
		strbuf_addf(p->sb, "  (%.*f in it, %.0f samples)\n   code: ", p->places,
			    a->value[s], a->samples[s]);
		if (*a->image[s])
			text_add_ascii(p->sb, a->image[s], strlen(a->image[s]));
		else
			strbuf_addstr(p->sb, "not at hand");
		strbuf_addch(p->sb, '\n');
	}
	strbuf_addf(p->sb, "%s; + got worse, - got better\n", profdiff_norm_caption[a->norm]);
}

static void annotation_text_page(struct strbuf *sb, const struct annotation *a,
				 const struct profdiff *d, size_t side,
				 const struct diffprofile_view *view)
{
	bool whole = d->repeats[0] == 1 && d->repeats[side] == 1;
	struct page p = { sb, a, a->norm == NORM_SHARE || a->norm == NORM_TIME ? 3 :
				 a->norm == NORM_TICKS && whole		      ? 0 : 1,
			  !isnan(view->threshold) && view->threshold <= 0 };

	add_head(&p, d, side);
	add_lines(&p);
	for (size_t i = 0; i < a->nr_bodies; i++)
		add_body(&p, a->body + i);
	if (a->elsewhere[0] > 0 || a->elsewhere[1] > 0) {
		strbuf_addch(sb, '\n');
		add_values(&p, a->elsewhere, true, true);
		strbuf_addstr(sb, "at instructions that are not shown\n");
	}
}

static json_t *pair(const double v[2])
{
	json_t *o = json_array();

	json_array_append_new(o, json_num(v[0]));
	json_array_append_new(o, json_num(v[1]));
	return o;
}

static json_t *string(const struct annotation *a, uint32_t id)
{
	const char *s = annotation_text(a, id);

	return id == ANNOTATION_NONE ? json_null() : json_text(s, strlen(s));
}

static json_t *annotation_json(const struct annotation *a)
{
	json_t *rows = json_array(), *lines = json_array();

	for (size_t i = 0; i < a->nr_lines; i++) {
		const struct annotation_line *l = a->line + i;

		json_array_append_new(lines, json_pack(
			"{s:o,s:o,s:[i,i],s:o,s:o}", "file", string(a, l->file), "inlined",
			string(a, l->inlined), "number", (int)l->number[0], (int)l->number[1],
			"text", string(a, l->text), "value", pair(l->value)));
	}
	for (size_t i = 0; i < a->nr_rows; i++) {
		const struct annotation_row *r = a->row + i;

		json_array_append_new(rows, json_pack(
			"{s:[I,I],s:o,s:o,s:b,s:o,s:o,s:o}", "address", (json_int_t)r->addr[0],
			(json_int_t)r->addr[1], "a", string(a, r->text[0]), "b",
			string(a, r->text[1]), "same", r->same, "line",
			r->line == ANNOTATION_NONE ? json_null() :
						     json_integer((json_int_t)r->line),
			"value", pair(r->value), "samples", pair(r->samples)));
	}
	return json_pack("{s:i,s:o,s:s,s:o,s:o,s:o,s:o}", "version", 1, "name",
			 json_text(a->name, strlen(a->name)), "norm",
			 profdiff_norm_name[a->norm], "value", pair(a->value), "elsewhere",
			 pair(a->elsewhere), "lines", lines, "rows", rows);
}

static void add_json(struct strbuf *sb, const struct annotation *a)
{
	json_t *o = annotation_json(a);
	char *dump = json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));

	strbuf_addstr(sb, dump ? dump : "{}");
	strbuf_addch(sb, '\n');
	free(dump);
	json_decref(o);
}

static bool wants_json(const struct diffprofile_arguments *a)
{
	return a->format && !strcmp(a->format, "json");
}

int diffprofile_annotate(struct strbuf *sb, const struct diffprofile_page *page,
			 const struct diffprofile_arguments *args, struct err *err)
{
	const char *name = page->view->annotate;
	uint32_t row = annotation_find(page->d, name, NULL);
	int ret = 0;

	if (row == PROFILE_NONE)
		return err_set(err, ENOENT, "no sample of either side is in %s", name);
	for (size_t side = 1; !ret && side < page->d->nr_sides; side++) {
		const struct annotation_options options = {
			.vmlinux = { by_side(&args->vmlinux, 0), by_side(&args->vmlinux, side) },
			.source = { by_side(&args->source, 0), by_side(&args->source, side) },
		};
		struct annotation a;

		ret = annotation_make(&a, page->d, side, row, &options, err);
		if (ret < 0)
			break;
		if (side > 1)
			strbuf_addch(sb, '\n');
		if (wants_json(args))
			add_json(sb, &a);
		else
			annotation_text_page(sb, &a, page->d, side, page->view);
		command_notes(&a.notes);
		annotation_release(&a);
	}
	return ret;
}
