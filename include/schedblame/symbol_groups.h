/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of kernel functions by what they do: "idle search", "load balance",
 * "switch" ... (data/symbol-groups.tsv). A line of that file is
 *
 *	GROUP <tab> PATTERN
 *
 * with a shell pattern for the function's name without compiler suffixes; the
 * first line that matches wins. Groups are numbered in order of appearance;
 * "other", for what nothing matches, is the last.
 */
#ifndef SCHEDBLAME_SYMBOL_GROUPS_H
#define SCHEDBLAME_SYMBOL_GROUPS_H

#include <stddef.h>

#include "schedblame/err.h"

struct symbol_groups;

/* path NULL: the installed file. */
int symbol_groups_load(struct symbol_groups **groups, const char *path, struct err *err);
void symbol_groups_free(struct symbol_groups *groups);
size_t symbol_groups_count(const struct symbol_groups *groups);
const char *symbol_groups_name(const struct symbol_groups *groups, size_t group);
/* Group of a symbol, suffixes (.isra.0, .cold ...) ignored. Remembers answers. */
size_t symbol_groups_of(struct symbol_groups *groups, const char *symbol);

#endif
