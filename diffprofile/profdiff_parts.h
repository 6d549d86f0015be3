/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the profdiff_*.c files share. Private to diffprofile/. */
#ifndef DIFFPROFILE_PROFDIFF_PARTS_H
#define DIFFPROFILE_PROFDIFF_PARTS_H

#include "schedblame/profdiff.h"
#include "schedblame/symbol_groups.h"
#include "schedblame/symbols.h"

struct profdiff_parts {
	size_t nr_profiles;
	const struct profile **profile; /* of all sides, in order */
	size_t *first;	  /* by side and one more: number of its first profile */
	double *work;	  /* by profile */
	double *period;	  /* mean weight of a sample; 1 for an empty profile */
	double *scale;	  /* weight x scale = value */
	uint32_t **row_of; /* by profile and symbol: row, PROFILE_NONE */
	double *weight;	  /* by row and profile */
};

/* A row while it is being matched. */
struct match_row {
	uint32_t name, module, file; /* ids in match.strings; name is stripped */
	uint8_t space;
	bool idle, several, renamed, guess;
	uint32_t raw;	  /* the first raw name seen */
	uint32_t sides;	  /* bit set: seen on these sides */
	uint32_t into;	  /* the row it was merged into; itself: alive */
	uint32_t name_of[PROFDIFF_SIDES_MAX]; /* name by side, STRMAP_NONE */
};

struct match {
	struct strmap strings;
	struct match_row *row;
	size_t n, cap;
	struct u64map pairs, keys;
	const struct profdiff_options *options;
	struct symbol_groups *groups; /* NULL: table not readable */
};

/* Rows from the symbols of all profiles; fills d->row, d->n, parts->row_of and
 * parts->weight. */
int profdiff_match(struct profdiff *d, const struct profdiff_options *options,
		   struct err *err);
void match_release(struct match *m);
/* Rows of symbols into parts->row_of; all: also those without samples of their own. */
void match_symbols(struct match *m, struct profdiff *d, bool all);
/* Rows "function <- caller" of the nodes of all call trees. -EINVAL with a sentence
 * when there are none. */
int match_callers(struct match *m, struct profdiff *d, uint32_t **row_of_node,
		  struct err *err);
/* Follows the merges. */
uint32_t match_root(const struct match *m, uint32_t row);
/* Merges row b into a. */
void match_merge(struct match *m, uint32_t a, uint32_t b);
/* The row of (name, module, file, space), made if new. */
uint32_t match_row_for(struct match *m, uint32_t name, uint32_t module, uint32_t file,
		       uint8_t space);
/* What is there on one side only under another key: module or file known on one
 * side only, renames of data/renames.tsv. */
int match_loose(struct match *m, const struct profdiff_options *options,
		struct notes *notes, struct err *err);
/* Pairs of gone and new by likeness; fills match_row.guess. */
void match_guess(struct match *m, const struct profdiff *d);
/* The part of a module name that stays between versions, into buf. */
const char *match_module(const char *module, char *buf, size_t size);

/* parts->period, parts->scale, d->total, busy, idle, factor. */
int profdiff_normalise(struct profdiff *d, struct err *err);
/* The cells of all rows. */
void profdiff_fill(struct profdiff *d, const struct profdiff_options *options);

#endif
