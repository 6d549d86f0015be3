// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows for programs: CSV and JSON, all of them, nothing rounded away. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/json.h"

/* One list of the numbers of a cell, for both forms. */
struct field {
	const char *name;
	double (*get)(const struct profdiff_cell *c);
	bool compared; /* means nothing for the base */
};

#define GET(field) static double get_##field(const struct profdiff_cell *c) { return c->field; }
GET(value)
GET(std)
GET(samples)
GET(share)
GET(change)
GET(ratio)
GET(low)
GET(high)
GET(p)
GET(q)

static const struct field fields[] = {
	{ "value", get_value, false }, { "std", get_std, false },
	{ "samples", get_samples, false }, { "share", get_share, false },
	{ "change", get_change, true }, { "ratio", get_ratio, true },
	{ "ci_low", get_low, true }, { "ci_high", get_high, true },
	{ "p", get_p, true }, { "q", get_q, true },
};
#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void add_csv_text(struct strbuf *sb, const char *s)
{
	strbuf_addch(sb, '"');
	for (; *s; s++) {
		if (*s == '"')
			strbuf_addch(sb, '"');
		strbuf_addch(sb, (unsigned char)*s < ' ' ? '?' : *s);
	}
	strbuf_addch(sb, '"');
}

static void add_csv_head(struct strbuf *sb, const struct profdiff *d)
{
	strbuf_addstr(sb, "name,module,file,group,space,idle,guess");
	for (size_t s = 0; s < d->nr_sides; s++) {
		for (size_t f = 0; f < NR_FIELDS; f++)
			if (s || !fields[f].compared)
				strbuf_addf(sb, ",%s_%c", fields[f].name, (char)('a' + s));
		if (s)
			strbuf_addf(sb, ",verdict_%c", (char)('a' + s));
	}
	strbuf_addch(sb, '\n');
}

static void add_csv_row(struct strbuf *sb, const struct profdiff *d,
			const struct profdiff_row *row)
{
	const char *texts[] = { row->name, row->module, row->file, row->group,
				profile_space_name[row->space] };

	for (size_t i = 0; i < 5; i++) {
		if (i)
			strbuf_addch(sb, ',');
		add_csv_text(sb, texts[i]);
	}
	strbuf_addf(sb, ",%d,%d", row->idle, row->guess);
	for (size_t s = 0; s < d->nr_sides; s++) {
		for (size_t f = 0; f < NR_FIELDS; f++) {
			double v = fields[f].get(&row->cell[s]);

			if (!s && fields[f].compared)
				continue;
			strbuf_addch(sb, ',');
			if (isfinite(v))
				strbuf_addf(sb, "%.10g", v);
			else if (isinf(v))
				strbuf_addstr(sb, "inf");
		}
		if (s)
			strbuf_addf(sb, ",%s", verdict_name[row->cell[s].verdict]);
	}
	strbuf_addch(sb, '\n');
}

int diffprofile_csv(struct strbuf *sb, const struct diffprofile_page *page,
		    struct err *err)
{
	add_csv_head(sb, page->d);
	for (size_t i = 0; i < page->d->n; i++)
		add_csv_row(sb, page->d, &page->d->row[i]);
	return 0;
}

static json_t *text(const char *s)
{
	return json_text(s, strlen(s));
}

static json_t *cell_json(const struct profdiff_cell *c, bool base)
{
	json_t *o = json_object();

	for (size_t f = 0; f < NR_FIELDS; f++)
		if (!base || !fields[f].compared)
			json_object_set_new(o, fields[f].name, json_num(fields[f].get(c)));
	if (!base)
		json_object_set_new(o, "verdict", json_string(verdict_name[c->verdict]));
	return o;
}

static json_t *row_json(const struct profdiff *d, const struct profdiff_row *row)
{
	json_t *o = json_object(), *cells = json_array();

	json_object_set_new(o, "name", text(row->name));
	json_object_set_new(o, "module", text(row->module));
	json_object_set_new(o, "file", text(row->file));
	json_object_set_new(o, "group", json_string(row->group));
	json_object_set_new(o, "space", json_string(profile_space_name[row->space]));
	json_object_set_new(o, "idle", json_boolean(row->idle));
	json_object_set_new(o, "renamed", json_boolean(row->renamed));
	json_object_set_new(o, "guess", json_boolean(row->guess));
	for (size_t s = 0; s < d->nr_sides; s++)
		json_array_append_new(cells, cell_json(&row->cell[s], !s));
	json_object_set_new(o, "sides", cells);
	return o;
}

static json_t *side_json(const struct profdiff *d, size_t s)
{
	json_t *o = json_object();

	json_object_set_new(o, "label", text(d->label[s]));
	json_object_set_new(o, "repeats", json_integer((json_int_t)d->repeats[s]));
	json_object_set_new(o, "total", json_num(d->total[s]));
	json_object_set_new(o, "busy", json_num(d->busy[s]));
	json_object_set_new(o, "idle", json_num(d->idle[s]));
	json_object_set_new(o, "size_factor", json_num(d->factor[s]));
	json_object_set_new(o, "lost", json_integer((json_int_t)d->lost[s]));
	return o;
}

int diffprofile_json(struct strbuf *sb, const struct diffprofile_page *page,
		     struct err *err)
{
	const struct profdiff *d = page->d;
	json_t *o = json_object(), *sides = json_array(), *rows = json_array();
	json_t *notes = json_array();
	char *dump;

	json_object_set_new(o, "version", json_integer(1));
	json_object_set_new(o, "norm", json_string(profdiff_norm_name[d->norm]));
	json_object_set_new(o, "by", json_string(profdiff_by_name[d->by]));
	json_object_set_new(o, "event", text(d->event));
	json_object_set_new(o, "unit", text(d->unit));
	json_object_set_new(o, "sampling_noise_only", json_boolean(d->sampling_only));
	json_object_set_new(o, "dispersion", json_num(d->dispersion));
	for (size_t s = 0; s < d->nr_sides; s++)
		json_array_append_new(sides, side_json(d, s));
	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(rows, row_json(d, &d->row[i]));
	for (size_t i = 0; i < d->notes.n; i++)
		json_array_append_new(notes, text(d->notes.v[i]));
	json_object_set_new(o, "sides", sides);
	json_object_set_new(o, "rows", rows);
	json_object_set_new(o, "notes", notes);
	dump = json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12));
	strbuf_addstr(sb, dump ? dump : "{}");
	strbuf_addch(sb, '\n');
	free(dump);
	json_decref(o);
	return 0;
}
