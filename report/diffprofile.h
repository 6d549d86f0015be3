/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command diffprofile: its options and renderers. Private to report/. */
#ifndef REPORT_DIFFPROFILE_H
#define REPORT_DIFFPROFILE_H

#include "schedblame/annotation.h"
#include "schedblame/command.h"
#include "schedblame/profdiff.h"
#include "schedblame/strbuf.h"

struct diffprofile_view {
	double threshold;   /* NaN: chosen so that about rows remain */
	size_t rows;	    /* rows to keep when the threshold is chosen */
	bool percent;	    /* classic layout with a per cent column */
	bool no_caption;
	const char *workload; /* named in the caption; NULL: from the inputs */
	const char *gate;   /* "symbol>5%,..." */
	const char *annotate; /* function to show by instruction; NULL */
};

/* What is given once for all sides, or once by side. */
struct by_side {
	const char *v[PROFDIFF_SIDES_MAX];
	size_t n;
};
const char *by_side(const struct by_side *b, size_t side);

/* The command line. */
struct diffprofile_arguments {
	struct profdiff_options diff;
	struct profile_options load;
	struct diffprofile_view view;
	struct { char **v; size_t n, cap; } path[PROFDIFF_SIDES_MAX];
	size_t nr_sides;
	struct by_side kallsyms, vmlinux, source;
	int side; /* -a, -b: arguments go here; -1: each is a side */
	const char *work;
	const char *format; /* NULL: text */
};
/* Ends the program on wrong usage. */
void diffprofile_parse(struct diffprofile_arguments *a, int argc, char **argv);

/* What a renderer draws from; inputs in side order. */
struct diffprofile_page {
	const struct profdiff *d;
	const struct profdiff_input *in;
	const struct diffprofile_view *view;
};

struct diffprofile_format {
	const char *name, *help;
	bool chains; /* needs call chains */
	int (*render)(struct strbuf *sb, const struct diffprofile_page *page,
		      struct err *err);
};
extern const struct diffprofile_format *const diffprofile_formats[]; /* NULL ends */

int diffprofile_classic(struct strbuf *sb, const struct diffprofile_page *page,
			struct err *err);
int diffprofile_long(struct strbuf *sb, const struct diffprofile_page *page,
		     struct err *err);
int diffprofile_csv(struct strbuf *sb, const struct diffprofile_page *page,
		    struct err *err);
int diffprofile_json(struct strbuf *sb, const struct diffprofile_page *page,
		     struct err *err);

int diffprofile_tree(struct strbuf *sb, const struct diffprofile_page *page,
		     struct err *err);
int diffprofile_folded(struct strbuf *sb, const struct diffprofile_page *page,
		       struct err *err);
int diffprofile_svg(struct strbuf *sb, const struct diffprofile_page *page,
		    struct err *err);
/* Rules that were broken (each a note in found), or -errno. A row breaks a rule
 * when it grew by more than the limit and significantly. */
int diffprofile_gate(const char *text, const struct profdiff *d, struct notes *found,
		     struct err *err);

/* The function a->view.annotate of every side against the first. */
int diffprofile_annotate(struct strbuf *sb, const struct diffprofile_page *page,
			 const struct diffprofile_arguments *a, struct err *err);

/* The graph of one side as an element of a page: no background, scaled to its
 * place; its ids bear the number of the side. */
int diffprofile_flame(struct strbuf *sb, const struct profdiff *d, size_t side,
		      struct err *err);
/* Rows that the classic list shows, worst first, as numbers in d->row; index has
 * room for d->n. */
size_t diffprofile_shown(const struct profdiff *d, size_t side, double threshold,
			 size_t *index);
/* The rows of the classic list alone: for the report's section too. */
void diffprofile_rows(struct strbuf *sb, const struct profdiff *d, size_t side,
		      const struct diffprofile_view *view);
/* "per cent of all samples outside idle, sampling noise only" ... "" for ticks */
void diffprofile_caption(struct strbuf *sb, const struct profdiff *d);
/* The name column: module in brackets, marks for guesses; ASCII only. */
void diffprofile_add_name(struct strbuf *sb, const struct profdiff_row *row);
/* Threshold of a side: the view's, or the chosen one. */
double diffprofile_threshold(const struct profdiff *d, size_t side,
			     const struct diffprofile_view *view);

#endif
