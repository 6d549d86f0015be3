/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kernel functions: suffixes that compilers add, and renames between
 * kernels (data/renames.tsv). For groups of functions see symbol_groups.h.
 */
#ifndef SCHEDBLAME_SYMBOLS_H
#define SCHEDBLAME_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/strmap.h"

/*
 * The part of a name that a programmer wrote: without the prefix __pfx_ and
 * without .isra.N .constprop.N .part.N .cold .cold.N .llvm.N .lto_priv.N and a
 * plain .N, in any order. *start points into name; the return value is the
 * length. Names that begin with a dot (".text.lock.file_table") stay whole.
 */
size_t symbol_strip(const char *name, const char **start);

/* Old and new names of functions; chains (a became b, b became c) are followed. */
struct renames {
	struct strmap names; /* every name of the file */
	struct renames_row *row;
	size_t n, cap;
};

/* path NULL: renames.tsv of data_dir(). A line that cannot be used is an error
 * that names it. */
int renames_load(struct renames *r, const char *path, struct err *err);
void renames_release(struct renames *r);
/*
 * The newest name of a stripped name into buf; false (buf untouched) when the
 * file does not know it or size is too small.
 */
bool renames_newest(const struct renames *r, const char *name, char *buf, size_t size);

#endif
