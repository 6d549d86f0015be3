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
#include "schedblame/strbuf.h"

struct kallsyms_part {
	struct ksym *sym; /* sorted, after _finish() */
	size_t n, cap;
	struct strbuf names; /* what sym[].name points into, each with its NUL */
	struct strmap modules;
	uint64_t key; /* of the packed bytes; 0: not shared */
	unsigned refs;
};

struct kallsyms_part *kallsyms_part_new(void);
/* Takes in the whole lines of text; returns how many bytes they are. At the end of
 * the text, last says that what has no newline is a line too. */
size_t kallsyms_part_feed(struct kallsyms_part *part, const char *text, size_t len,
			  bool last);
/* Sorts. Nothing may be looked at before, nothing fed after. */
void kallsyms_part_finish(struct kallsyms_part *part);

/*
 * A shared part with that key, or NULL: then the caller parses it, and others who
 * ask for it wait until he calls _share() (with NULL if he could not).
 */
struct kallsyms_part *kallsyms_part_get(uint64_t key);
void kallsyms_part_share(struct kallsyms_part *part, uint64_t key);
void kallsyms_part_put(struct kallsyms_part *part);

#endif
