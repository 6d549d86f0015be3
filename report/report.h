/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report being made, and its sections. A section is one record in
 * report_sections[] (report/sections.c): what it prints as text and what it adds
 * to the JSON. Sections print; what they print was decided in blame/.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "schedblame/blame.h"
#include "schedblame/comparability.h"
#include "schedblame/compare.h"
#include "schedblame/json.h"
#include "schedblame/migcost.h"
#include "schedblame/profdiff.h"
#include "schedblame/run.h"
#include "schedblame/strbuf.h"

#define REPORT_WIDTH 78

struct benchmark_style;
struct mail_options;

/* A set against another: why it differs. */
struct report_blame {
	size_t base, set; /* the two sides */
	bool made; /* false: no ledger could be made; why says it */
	char *why;
	struct ledger ledger;
	struct blame blame;
};

/* The runs of one case under one load: of a plan there are many in a set. */
struct report_cell {
	const char *kase, *load; /* as in run.json; borrowed */
	char *title;		 /* "process-pipe 4 groups", ASCII */
	struct run_set *view;	 /* by set: a part of it; n == 0: it has none */
	struct report_blame *blame;
	size_t nr_blames;
};

/* What of the sets is reported. */
struct report_options {
	const struct run_options *run;
	const char *migration_cost; /* of 'schedblame migcost'; NULL: the kernel's threshold */
	const char *kase, *load;    /* only these runs; NULL: all */
	bool against_previous;	    /* causes against the set before, not the first */
};

struct report {
	struct run_set *opened; /* owned array, nr_sets open sets */
	/*
	 * What all sections but the benchmark's table are about: the opened sets, or,
	 * when those hold several cases or loads, their runs of one of these.
	 */
	struct run_set *set;
	const struct run_set **sets; /* the same as pointers */
	struct report_cell *cell;
	size_t nr_cells; /* 1: all runs are of one case and load */
	size_t focus;	 /* the cell that set holds; nr_cells: none is in all sets */
	struct comparison table; /* of all runs; used when nr_cells > 1 */
	size_t nr_sets;
	char **name; /* of each set: ASCII, distinct, short */
	struct comparison cmp;
	struct comparability diff;
	struct migcost migcost; /* no entries: not given */
	struct report_blame *blame; /* of set; sets 1.. against set 0 or the one before */
	size_t nr_blames;
	const struct benchmark_style *style;
	bool brief, verbose;
	bool asked; /* sections were named: an empty one says so */
};

struct report_section {
	const char *name; /* in --sections and as key in the JSON */
	const char *title; /* NULL: the text has its own */
	bool brief;	   /* stays in --brief */
	/* Appends lines; nothing when there is nothing to say. */
	void (*text)(const struct report *r, struct strbuf *out);
	/* Its value in the JSON; NULL when there is nothing. */
	json_t *(*json)(const struct report *r);
	/* Its part of the page, see html.h; NULL: the text as it is. */
	void (*html)(const struct report *r, struct strbuf *out);
};
extern const struct report_section report_sections[]; /* ends with name NULL */

/* Opens the sets and makes the comparison; on failure nothing is held. */
int report_open(struct report *r, char *const *paths, size_t n,
		const struct report_options *options, struct err *err);
void report_close(struct report *r);

/* --sections: names separated by commas, each known; NULL: all, or the brief ones.
 * selected has one flag per section. */
int report_select(const struct report *r, const char *list, bool *selected,
		  struct err *err);
size_t report_nr_sections(void);

/* What the sections are put into: report/formats.c. */
struct report_format {
	const char *name; /* --format NAME */
	int (*render)(struct strbuf *out, const struct report *r, const bool *selected,
		      const struct mail_options *mail, struct err *err);
};
extern const struct report_format report_formats[]; /* ends with name NULL */
/* NULL: the first one. -EINVAL with the names of all. */
int report_format_find(const struct report_format **format, const char *name,
		       struct err *err);
void report_text(const struct report *r, const bool *selected, struct strbuf *out);
json_t *report_json(const struct report *r, const bool *selected);

/* ---- for sections: report/text.c ---- */

/* Appends foreign text made ASCII, wrapped at REPORT_WIDTH, lines after the first
 * indented; first is where the cursor stands. Ends the line. */
void report_wrap(struct strbuf *out, const char *prefix, const char *s, int indent);
/* "  key:   value" with the value wrapped below itself. */
void report_pair(struct strbuf *out, const char *key, int key_width, const char *value);
typedef void report_pair_fn(struct strbuf *out, const char *key, int key_width,
			    const char *value);
/* The same of a command line: it can be pasted, lines after the first are joined. */
void report_command(struct strbuf *out, const char *key, int key_width, const char *command);
/* The set's name to the right of width columns, cut in the middle where it is longer. */
void report_add_name(const struct report *r, size_t set, struct strbuf *out, int width);
/* "5 runs of 10.0 s, 1 boot, ..." of a set: report/section_what.c. */
void report_what_runs(struct strbuf *sb, const struct run_set *set);
/* Command, machine, CPU and topology where all sets share them. */
void report_what_shared(const struct report *r, struct strbuf *out, report_pair_fn *pair);
/* Rows of a table of the comparison, see report/rows.c; with_group puts the row's
 * group above its rows. */
void report_add_number(struct strbuf *out, double v, const char *unit, int width);
/* "+12.3%*", the star where it is significant. */
void report_add_change(struct strbuf *out, const struct compare_row *row, size_t set,
		       int width);
void report_rows(const struct report *r, struct strbuf *out, enum compare_table table);
json_t *report_rows_json(const struct report *r, enum compare_table table);
/* The last line loses its blanks; bytes outside ASCII become '?'. */
void report_end_line(struct strbuf *out);

/* report/make_blame.c: blames of sets that have runs; migcost may be NULL. */
struct report_blame *report_make_blames(const struct run_set *set, size_t nr_sets,
					bool against_previous,
					const struct migcost *migcost, size_t *n);
void report_release_blames(struct report_blame *blame, size_t n);
/* report/cells.c: sorts the runs of the opened sets and fills cell and focus.
 * -ENODATA with a sentence when a set has no run of the chosen case and load. */
int report_make_cells(struct report *r, const struct report_options *options,
		      const struct migcost *migcost, struct err *err);
void report_release_cells(struct report *r);
/* The comparison that holds a table: for the benchmark the one of all runs. */
const struct comparison *report_comparison(const struct report *r, enum compare_table t);

/* ---- sections: one file per subject ---- */
void section_verdict_text(const struct report *r, struct strbuf *out);
json_t *section_verdict_json(const struct report *r);
void section_cells_text(const struct report *r, struct strbuf *out);
json_t *section_cells_json(const struct report *r);
void section_ledger_text(const struct report *r, struct strbuf *out);
json_t *section_ledger_json(const struct report *r);
void section_what_text(const struct report *r, struct strbuf *out);
json_t *section_what_json(const struct report *r);
void section_differences_text(const struct report *r, struct strbuf *out);
json_t *section_differences_json(const struct report *r);
void section_benchmark_text(const struct report *r, struct strbuf *out);
json_t *section_benchmark_json(const struct report *r);
void section_histograms_text(const struct report *r, struct strbuf *out);
json_t *section_histograms_json(const struct report *r);
void section_migrations_text(const struct report *r, struct strbuf *out);
json_t *section_migrations_json(const struct report *r);
void section_hot_text(const struct report *r, struct strbuf *out);
json_t *section_hot_json(const struct report *r);
void section_numa_groups_text(const struct report *r, struct strbuf *out);
json_t *section_numa_groups_json(const struct report *r);
void section_profile_text(const struct report *r, struct strbuf *out);
json_t *section_profile_json(const struct report *r);
void section_trace_text(const struct report *r, struct strbuf *out);
json_t *section_trace_json(const struct report *r);
void section_setup_text(const struct report *r, struct strbuf *out);
json_t *section_setup_json(const struct report *r);

/* The profile diff of all sets (of one set: with itself). -ENODATA when one lacks a
 * profile, without a sentence when none has one; *lacks is that set, or NULL. */
int report_profdiff(const struct report *r, struct profdiff *d, const char **lacks,
		    struct err *err);

/* "new is 13.0 % slower than base", from whole labels made safe (UTF-8); of several
 * sets their labels: for a subject and a title. */
void report_headline(const struct report *r, struct strbuf *sb);
/* What follows the change of CPU time: why no cause is named, or ", of which". */
char *report_why_unnamed(const struct blame *blame, const struct ledger *l);
/* What ran on CPUs that the workload may not use; NULL: nothing. */
char *report_apart(const struct ledger *l);
/* The verdict of one set against another, for the section of cells. */
json_t *report_blame_json(const struct report *r, const struct report_blame *b);

/* report/styles.c */
struct benchmark_style {
	const char *name; /* --style NAME */
	const char *help;
	void (*print)(const struct report *r, struct strbuf *out);
};
extern const struct benchmark_style benchmark_styles[]; /* ends with name NULL */
const struct benchmark_style *benchmark_style(const char *name);

#endif
