/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions that were inlined at an address, by the DWARF of a kernel
 * image: so that a function inlined in one kernel and not in the other is one row
 * of a profile diff.
 */
#ifndef SCHEDBLAME_INLINE_H
#define SCHEDBLAME_INLINE_H

#include "schedblame/err.h"
#include "schedblame/profile.h"

struct inliner;

/* Opens an ELF file with debug information. -ENODATA with a sentence when it has
 * none. */
int inliner_open(struct inliner **in, const char *path, struct err *err);
void inliner_close(struct inliner *in);
/* What profile_options.inliner wants; in must outlive the loading. Only symbols
 * of module "" (the kernel image) are looked up. */
struct profile_inliner inliner_hook(struct inliner *in);
/* The names at a link-time address, outermost first, at most max; borrowed. */
size_t inliner_names(struct inliner *in, uint64_t addr, const char **names, size_t max);

#endif
