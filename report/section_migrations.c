// SPDX-License-Identifier: GPL-2.0-or-later
/* Who moves where and why: rows by reason and distance, the matrix by node, and
 * how many of the moved tasks were cache-hot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/units.h"

#define NODES_SHOWN 8

static double total(const struct compare_matrix *m, const double *v)
{
	double sum = 0;

	for (size_t i = 0; i < (size_t)m->nr_nodes * m->nr_nodes; i++)
		sum += v[i];
	return sum;
}

static void add_cell(struct strbuf *out, double v)
{
	char buf[32];

	if (v > 0 && v < 99.5)
		strbuf_addf(out, "%8.3g", v);
	else
		strbuf_addf(out, "%8s", format_count(buf, sizeof(buf), v));
}

/* Rows: from; columns: to. */
static void add_matrix(struct strbuf *out, const struct compare_matrix *m,
		       const double *v, const char *title, const char *name)
{
	unsigned n = m->nr_nodes < NODES_SHOWN ? m->nr_nodes : NODES_SHOWN;

	strbuf_addf(out, "%s: %s\n%-12s", name, title, "from / to");
	for (unsigned to = 0; to < n; to++)
		strbuf_addf(out, "  node%-2u", to);
	report_end_line(out);
	for (unsigned from = 0; from < n; from++) {
		strbuf_addf(out, "  node%-6u", from);
		for (unsigned to = 0; to < n; to++)
			add_cell(out, v[(size_t)from * m->nr_nodes + to]);
		report_end_line(out);
	}
	if (n < m->nr_nodes)
		strbuf_addf(out, "  (the first %u of %u nodes; all in --format json)\n", n,
			    m->nr_nodes);
}

static void add_matrices(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct compare_matrix *m = &r->cmp.matrix[i];

		if (m->nr_nodes < 2 || total(m, m->rate) <= 0)
			continue;
		if (out->len)
			strbuf_addch(out, '\n');
		add_matrix(out, m, m->rate, "migrations per second between nodes", r->name[i]);
		if (total(m, m->steal) > 0)
			add_matrix(out, m, m->steal, "of these by balancers (steals)",
				   r->name[i]);
	}
}

/* Reason and distance share a row; what both columns say is in the title. */
static void add_rows(const struct report *r, struct strbuf *out)
{
	report_rows(r, out, COMPARE_MIGRATIONS);
}

void section_migrations_text(const struct report *r, struct strbuf *out)
{
	const struct compare_row *unknown =
		comparison_row(&r->cmp, "rates.migrations.unknown");

	add_rows(r, out);
	for (size_t i = 0; unknown && i < r->nr_sets; i++)
		if (unknown->cell[i].n && unknown->cell[i].sum.mean > 0)
			strbuf_addf(out, "%s: the reason of %.1f %% of the moves was not "
					 "observed\n", r->name[i], unknown->cell[i].sum.mean);
	if (!r->brief)
		add_matrices(r, out);
}

static json_t *matrix_json(const struct compare_matrix *m, const double *v)
{
	json_t *rows = json_array();

	for (unsigned from = 0; from < m->nr_nodes; from++) {
		json_t *row = json_array();

		for (unsigned to = 0; to < m->nr_nodes; to++)
			json_array_append_new(row,
					      json_num(v[(size_t)from * m->nr_nodes + to]));
		json_array_append_new(rows, row);
	}
	return rows;
}

json_t *section_migrations_json(const struct report *r)
{
	json_t *obj = report_rows_json(r, COMPARE_MIGRATIONS), *list = json_array();

	if (!obj)
		obj = json_object();
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct compare_matrix *m = &r->cmp.matrix[i];

		json_array_append_new(list, json_pack("{s:o,s:o}", "migrations_per_second",
						      matrix_json(m, m->rate),
						      "steals_per_second",
						      matrix_json(m, m->steal)));
	}
	json_object_set_new(obj, "between_nodes", list);
	return obj;
}

/* ---- cache-hot ---- */

static void add_threshold(const struct report *r, struct strbuf *out, size_t i,
			  const char *name)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s%sa task is hot when it last ran less than the threshold ago; "
			 "threshold: %s.", name, *name ? ": " : "",
		    r->cmp.threshold[i].source);
	report_wrap(out, "", sb.buf, 2);
	strbuf_release(&sb);
}

void section_hot_text(const struct report *r, struct strbuf *out)
{
	bool same = true;

	report_rows(r, out, COMPARE_HOT);
	if (!out->len)
		return;
	for (size_t i = 1; i < r->nr_sets; i++)
		same &= !strcmp(r->cmp.threshold[i].source, r->cmp.threshold[0].source);
	for (size_t i = 0; i < (same ? 1 : r->nr_sets); i++)
		add_threshold(r, out, i, same ? "" : r->name[i]);
}

json_t *section_hot_json(const struct report *r)
{
	json_t *obj = report_rows_json(r, COMPARE_HOT), *list = json_array();

	if (!obj)
		obj = json_object();
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct hot_threshold *t = &r->cmp.threshold[i];
		json_t *ns = json_object();

		for (int d = 0; d < DIST_NR; d++)
			json_object_set_new(ns, distance_name((enum distance)d),
					    json_integer((json_int_t)t->ns[d]));
		json_array_append_new(list, json_pack("{s:o,s:o}", "ns", ns, "source",
						      json_text(t->source,
								strlen(t->source))));
	}
	json_object_set_new(obj, "thresholds", list);
	return obj;
}
