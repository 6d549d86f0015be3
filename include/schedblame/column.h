/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A column of a table, defined once: text, JSON and TUI draw from the same
 * definition, so that they cannot drift. docs/definitions.md explains every title
 * (tests/unit/test_definitions.c checks that it does).
 */
#ifndef SCHEDBLAME_COLUMN_H
#define SCHEDBLAME_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

/* Which direction of a number is good. */
enum column_better { BETTER_NONE, BETTER_LOWER, BETTER_HIGHER };

/* How often a column stands in a table of several sides. */
enum column_side {
	COLUMN_ROW,  /* once per row: a name */
	COLUMN_BASE, /* for side 0 */
	COLUMN_NEW,  /* for every side but 0 */
	COLUMN_EACH, /* for every side */
};

enum column_form {
	FORM_TEXT,
	FORM_NUMBER, /* fixed decimals */
	FORM_COUNT,  /* format_count(): 12.3K */
	FORM_SIGNED, /* fixed decimals, always a sign */
	FORM_PERCENT, /* fixed decimals, in parentheses in text */
};

/* text is borrowed from the row; a number that is not known is NaN. */
struct column_value {
	const char *text;
	double number;
};

struct column {
	const char *name;  /* JSON key */
	const char *title; /* "std%" */
	const char *unit;  /* "" when it is the row's */
	enum column_better better;
	enum column_side side;
	enum column_form form;
	int width;    /* columns in text */
	int decimals; /* FORM_NUMBER, FORM_SIGNED, FORM_PERCENT */
	const char *help; /* one sentence */
	struct column_value (*get)(const void *row, size_t side);
};

#endif
