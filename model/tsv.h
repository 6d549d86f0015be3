/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of data/: tab-separated, '#' starts a comment line, empty lines skip. */
#ifndef MODEL_TSV_H
#define MODEL_TSV_H

#include <stddef.h>

#include "schedblame/err.h"

#define TSV_FIELDS_MAX 8

struct tsv_line {
	const char *path;
	unsigned long number;
	char *field[TSV_FIELDS_MAX]; /* trimmed; valid during the call */
	size_t n;
};

/* Calls fn for every line of path, or of data_dir()/name when path is NULL;
 * stops at the first failure. */
int tsv_read(const char *path, const char *name,
	     int (*fn)(void *arg, const struct tsv_line *line, struct err *err),
	     void *arg, struct err *err);

#endif
