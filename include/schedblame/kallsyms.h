/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbols as /proc/kallsyms prints them, live or from the snapshot of a
 * run (kallsyms.zst). Text symbols only (T t W w): what can be executed, traced
 * or sampled.
 *
 * Invariants: sym[] is sorted by address, and by place in the file where
 * addresses are equal; so the last of several names at one address is the one
 * that kallsyms_find() gives, as perf does. Names stay where they are for the
 * life of the table.
 */
#ifndef SCHEDBLAME_KALLSYMS_H
#define SCHEDBLAME_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"
#include "schedblame/strmap.h"

struct ksym {
	uint64_t addr;
	const char *name; /* raw, as the kernel prints it */
	uint16_t module;  /* id in modules; 0 is the kernel itself, "" */
	char type;	  /* T t W w */
};

struct kallsyms_part; /* private */

struct kallsyms {
	/* NULL in a table of two parts (kallsyms_pack()) until kallsyms_lookup() needs
	 * one: a report over ten runs looks for addresses only */
	const struct ksym *sym;
	size_t n;
	struct strmap modules;
	/*
	 * Every address reads as zero: kernel.kptr_restrict hid them from the
	 * one who made the copy. Names are still true, kallsyms_find() finds
	 * nothing.
	 */
	bool restricted;
	uint32_t *by_name; /* built by the first kallsyms_lookup() */
	size_t nr_slots;

	/* private: where sym and the names lie */
	struct kallsyms_part *base, *rest;
	struct ksym *merged;
};

/*
 * Reads a file: text, or text wrapped in zstd. -EINVAL when it holds no symbol
 * at all. *ks is always valid afterwards; kallsyms_close() works on it. Files of
 * the same boot share their first zstd frame in memory (kallsyms_pack()).
 */
int kallsyms_open(struct kallsyms *ks, const char *path, struct err *err);
/* From text in memory, which is copied; name stands in sentences. */
int kallsyms_parse(struct kallsyms *ks, const char *text, size_t len,
		   const char *name, struct err *err);
void kallsyms_close(struct kallsyms *ks);
/*
 * Packs the text of /proc/kallsyms so that kallsyms_open() can share what stays
 * the same during a boot; any zstd unpacks it. Appends to packed.
 */
int kallsyms_pack(struct strbuf *packed, const char *text, size_t len, struct err *err);

/*
 * The symbol that holds addr, NULL when there is none. A symbol reaches to the
 * next address with a symbol; the last one of the kernel image or of a module
 * to the end of the page after its own. *end may be NULL, else the end.
 */
const struct ksym *kallsyms_find(const struct kallsyms *ks, uint64_t addr,
				 uint64_t *end);
/*
 * The first symbol of that name (in address order) in a module; "" is the
 * kernel itself, NULL any. NULL when there is none. Duplicates of a static name
 * lie in the same table: scan sym[] for them.
 */
const struct ksym *kallsyms_lookup(struct kallsyms *ks, const char *name,
				   const char *module);
/* True when that name stands at that address; needs no index of names. */
bool kallsyms_has(const struct kallsyms *ks, const char *name, uint64_t addr);
const char *kallsyms_name(const struct kallsyms *ks, const struct ksym *sym);
const char *kallsyms_module(const struct kallsyms *ks, const struct ksym *sym);
/* The sentence for a restricted table. */
void kallsyms_note_restricted(const struct kallsyms *ks, const char *path,
			      struct notes *notes);

#endif
