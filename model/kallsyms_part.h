/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to model/kallsyms*.c: one parsed piece of a symbol table.
 *
 * The collector packs the kernel's and the modules' symbols as one zstd frame,
 * what comes and goes (BPF programs, trampolines) as another. The first is the
 * same, byte by byte, for all runs of a boot: it is parsed once and shared.
 */
#ifndef MODEL_KALLSYMS_PART_H
#define MODEL_KALLSYMS_PART_H

#include "schedblame/kallsyms.h"

struct kallsyms_part {
	struct ksym *sym; /* sorted */
	size_t n, cap;
	char *text; /* what the names point into */
	struct strmap modules;
	uint64_t key; /* of the packed bytes; 0: not shared */
	unsigned refs;
};

/* Takes the text, which has room for a NUL at text[len]. */
struct kallsyms_part *kallsyms_part_parse(char *text, size_t len);
/* A shared part with that key, or NULL; drop it with _put(). */
struct kallsyms_part *kallsyms_part_get(uint64_t key);
/* Offers a part to later _get()s. */
void kallsyms_part_share(struct kallsyms_part *part, uint64_t key);
void kallsyms_part_put(struct kallsyms_part *part);

#endif
