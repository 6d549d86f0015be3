// SPDX-License-Identifier: GPL-2.0-or-later
/* Top of the profile: of one set the heaviest symbols, of several the profile diff
 * in the layout of the mails. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

#define ROWS 30
#define ROWS_BRIEF 12

/* Work is divided out where every set counted it: then a list is about the same
 * work. A set alone is compared with itself, for its shares. */
static int make(const struct report *r, struct profdiff *d, struct err *err)
{
	size_t n = r->nr_sets > 1 ? r->nr_sets : 2;
	struct run_set **set = xcalloc(n, sizeof(*set));
	struct profdiff_options options = profdiff_default_options;
	bool work = true;
	int ret;

	for (size_t i = 0; i < n; i++) {
		set[i] = &r->set[r->nr_sets > 1 ? i : 0];
		for (size_t j = 0; j < set[i]->n; j++)
			work &= set[i]->run[j].work > 1;
	}
	options.norm = work ? NORM_WORK : NORM_TICKS;
	options.limits = r->cmp.limits;
	ret = profdiff_make_sets(d, set, n, &options, err);
	free(set);
	return ret;
}

/* How many sets hold a profile; the first without one is named in *lacks. */
static size_t count_profiles(const struct report *r, const char **lacks)
{
	size_t n = 0;

	*lacks = NULL;
	for (size_t i = 0; i < r->nr_sets; i++) {
		bool any = false;

		for (size_t j = 0; j < r->set[i].n && !any; j++)
			any = run_profile(&r->set[i].run[j], NULL) != NULL;
		if (!any && !*lacks)
			*lacks = r->name[i];
		n += any;
	}
	return n;
}

/* Lines of a renderer that knows no width. */
static void add_cut(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		strbuf_add(out, text, n < REPORT_WIDTH ? n : REPORT_WIDTH);
		report_end_line(out);
		text += n + (text[n] == '\n');
	}
}

/* The command that prints this very table. */
static void add_command(struct strbuf *sb, const struct report *r, const struct profdiff *d,
			size_t side, const struct diffprofile_view *view)
{
	const size_t sides[2] = { 0, side };

	strbuf_addf(sb, "diffprofile --percent --rows %zu", view->rows);
	if (d->norm != NORM_TICKS)
		strbuf_addf(sb, " --norm %s", profdiff_norm_name[d->norm]);
	for (int i = 0; i < 2; i++) {
		strbuf_addch(sb, ' ');
		text_add_ascii(sb, r->set[sides[i]].path, strlen(r->set[sides[i]].path));
	}
}

static void add_diff(const struct report *r, struct strbuf *out, const struct profdiff *d,
		     size_t side)
{
	struct diffprofile_view view = { .threshold = NAN,
					 .rows = r->brief ? ROWS_BRIEF : ROWS,
					 .percent = true };
	struct strbuf rows = STRBUF_INIT, head = STRBUF_INIT;

	add_command(&head, r, d, side, &view);
	strbuf_addstr(&head, " (");
	diffprofile_caption(&head, d);
	strbuf_addf(&head, "+ got worse, - got better; of %.0f %s outside idle in %s)",
		    d->busy[0], d->norm == NORM_SHARE ? "per cent" : "ticks", r->name[0]);
	report_wrap(out, "", head.buf, 2);
	diffprofile_rows(&rows, d, side, &view);
	add_cut(out, rows.len ? rows.buf : "no symbol differs\n");
	strbuf_release(&rows);
	strbuf_release(&head);
}

static void add_top(const struct report *r, struct strbuf *out, const struct profdiff *d)
{
	const struct profdiff_row **row = profdiff_heaviest(d);
	size_t max = r->brief ? ROWS_BRIEF : ROWS;

	strbuf_addstr(out, "  share   samples  symbol\n");
	for (size_t i = 0; i < d->n && i < max && row[i]->cell[0].samples > 0; i++) {
		struct strbuf line = STRBUF_INIT;

		strbuf_addf(&line, "%6.2f%% %9.0f  ", row[i]->cell[0].share,
			    row[i]->cell[0].samples);
		diffprofile_add_name(&line, row[i]);
		add_cut(out, line.buf);
		strbuf_release(&line);
	}
	free(row);
}

/* What follows the file's name; ten runs have the same to say. */
static const char *gist(const char *note)
{
	const char *blank = *note == '/' || strchr(note, '/') ? strchr(note, ' ') : NULL;

	return blank ? blank : note;
}

static void add_notes(struct strbuf *out, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		struct strbuf sb = STRBUF_INIT;
		size_t first = 0, more = 0;

		while (strcmp(gist(notes->v[first]), gist(notes->v[i])))
			first++;
		for (size_t j = i + 1; j < notes->n; j++)
			more += !strcmp(gist(notes->v[j]), gist(notes->v[i]));
		strbuf_addstr(&sb, notes->v[i]);
		if (more)
			strbuf_addf(&sb, " (%zu more files likewise)", more);
		if (first == i)
			report_wrap(out, "- ", sb.buf, 2);
		strbuf_release(&sb);
	}
}

int report_profdiff(const struct report *r, struct profdiff *d, const char **lacks,
		    struct err *err)
{
	if (!count_profiles(r, lacks))
		*lacks = NULL;
	else if (!*lacks)
		return make(r, d, err);
	return *lacks ? err_set(err, ENODATA, "%s holds no profile: nothing to compare", *lacks) :
			-ENODATA;
}

void section_profile_text(const struct report *r, struct strbuf *out)
{
	struct err err = ERR_INIT;
	struct profdiff d;
	const char *lacks;

	if (report_profdiff(r, &d, &lacks, &err) < 0) {
		if (err.code)
			report_wrap(out, "", err_text(&err), 0);
		err_release(&err);
		return;
	}
	if (r->nr_sets == 1)
		add_top(r, out, &d);
	for (size_t i = 1; r->nr_sets > 1 && i < r->nr_sets; i++) {
		if (i > 1)
			strbuf_addch(out, '\n');
		add_diff(r, out, &d, i);
	}
	add_notes(out, &d.notes);
	profdiff_release(&d);
}

static json_t *cell_json(const struct profdiff_cell *c, bool compared)
{
	json_t *obj = json_pack("{s:o,s:o,s:o}", "value", json_num(c->value), "samples",
				json_num(c->samples), "share", json_num(c->share));

	if (compared) {
		json_object_set_new(obj, "change", json_num(c->change));
		json_object_set_new(obj, "ratio", json_num(c->ratio));
		json_object_set_new(obj, "p", json_num(c->p));
		json_object_set_new(obj, "q", json_num(c->q));
		json_object_set_new(obj, "verdict", json_string(verdict_name[c->verdict]));
	}
	return obj;
}

json_t *section_profile_json(const struct report *r)
{
	json_t *rows = json_array();
	struct profdiff d;
	const char *lacks;

	if (report_profdiff(r, &d, &lacks, NULL) < 0) {
		json_decref(rows);
		return NULL;
	}
	for (size_t i = 0; i < d.n; i++) {
		json_t *sides = json_array(), *obj;

		for (size_t s = 0; s < r->nr_sets; s++)
			json_array_append_new(sides, cell_json(&d.row[i].cell[s], s > 0));
		obj = json_pack("{s:o,s:o,s:s,s:o}", "name",
				json_text(d.row[i].name, strlen(d.row[i].name)), "module",
				json_text(d.row[i].module, strlen(d.row[i].module)), "group",
				d.row[i].group, "sides", sides);
		json_array_append_new(rows, obj);
	}
	rows = json_pack("{s:s,s:o}", "unit", profdiff_norm_name[d.norm], "rows", rows);
	profdiff_release(&d);
	return rows;
}
