/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to analyze: functions of an ELF file by file offset, as profiles see
 * them (mapping offset + page offset). From .symtab, else .dynsym, of the file
 * or of its detached debug file (/usr/lib/debug/.build-id).
 */
#ifndef ANALYZE_ELF_SYMBOLS_H
#define ANALYZE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbol {
	uint64_t start, end; /* link-time addresses */
	uint32_t name;	     /* offset in names */
	uint8_t rank; /* of several at one place: the lowest is best */
};

struct elf_segment {
	uint64_t offset, vaddr, size; /* of an executable PT_LOAD, in the file */
};

struct elf_symbols {
	struct elf_symbol *sym; /* sorted by start, one per start */
	size_t n, cap;
	char *names; /* owned */
	size_t names_len, names_cap;
	struct elf_segment segment[16];
	size_t nr_segments;
	unsigned char build_id[20];
	uint8_t build_id_len;
};

/* False when the file cannot be read as ELF or, with a wanted build id, when
 * it is another one (*mismatch). *es needs elf_symbols_close() in any case. */
bool elf_symbols_open(struct elf_symbols *es, const char *path,
		      const unsigned char *build_id, size_t build_id_len, bool *mismatch);
void elf_symbols_close(struct elf_symbols *es);
/* Link-time address of a file offset. */
bool elf_symbols_addr(const struct elf_symbols *es, uint64_t offset, uint64_t *addr);
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *es, uint64_t addr);

#endif
