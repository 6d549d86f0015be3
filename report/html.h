/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as one HTML file: no script, nothing loaded from anywhere, light and
 * dark by the reader's wish. Graphics are inline SVG; every number in one of them
 * stands in a table, too. Private to report/.
 *
 * Graphics that grow with the page have coordinates in per cent and text of a fixed
 * size, so that they can be read on a telephone.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report.h"

#define HTML_COLOURS 8 /* classes s0..s7: sets */

/* Foreign text: made safe, then escaped for text and attributes. */
void html_add(struct strbuf *out, const char *s);
void html_addn(struct strbuf *out, const char *s, size_t len);
/* "<li>text</li>" for each; nothing when there are none. */
void html_notes(struct strbuf *out, const struct notes *notes);
/* The set's name with its colour in front. */
void html_set(struct strbuf *out, const struct report *r, size_t set);
/* A cell of a number: report_add_number() without padding. */
void html_number(struct strbuf *out, double v, const char *unit);
/* "(std%)" behind a mean; nothing for one run. */
void html_std(struct strbuf *out, const struct compare_cell *cell);
/* A cell of a change; better and worse have a colour where they are significant. */
void html_change(struct strbuf *out, const struct compare_row *row, size_t set);
/* Wraps a table so that it scrolls by itself; close with html_table_end(). */
void html_table(struct strbuf *out, const char *caption);
void html_table_end(struct strbuf *out);
/* "<th scope=col>" for each set, spanning so many columns. */
void html_set_heads(struct strbuf *out, const struct report *r, size_t from, int span);
/* A table of the comparison. */
void html_rows(const struct report *r, struct strbuf *out, enum compare_table table);

/* One entry of a <dl>; as report_pair(). */
void html_pair(struct strbuf *out, const char *key, int key_width, const char *value);

/* The whole page. */
void html_page(const struct report *r, const bool *selected, struct strbuf *out);
extern const char html_style[];

/* Sections. */
void section_cells_html(const struct report *r, struct strbuf *out);
void section_verdict_html(const struct report *r, struct strbuf *out);
void section_ledger_html(const struct report *r, struct strbuf *out);
void section_differences_html(const struct report *r, struct strbuf *out);
void section_what_html(const struct report *r, struct strbuf *out);
void section_benchmark_html(const struct report *r, struct strbuf *out);
void section_histograms_html(const struct report *r, struct strbuf *out);
void section_migrations_html(const struct report *r, struct strbuf *out);
void section_hot_html(const struct report *r, struct strbuf *out);
void section_profile_html(const struct report *r, struct strbuf *out);
void section_setup_html(const struct report *r, struct strbuf *out);

#endif
