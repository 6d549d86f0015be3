/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to analyze/perf_*.c: from addresses to symbols of a profile. Each
 * (address, space) is looked up once; after that a sample costs one probe of a
 * hash table.
 */
#ifndef ANALYZE_PERF_RESOLVE_H
#define ANALYZE_PERF_RESOLVE_H

#include "elf_symbols.h"
#include "perf_space.h"
#include "schedblame/kallsyms.h"
#include "schedblame/profile.h"
#include "schedblame/symbol_groups.h"

/* Spaces beside the epochs of user processes. */
#define IN_KERNEL UINT32_MAX
#define IN_NOWHERE (UINT32_MAX - 1) /* a process the file does not tell of */

/* Symbols of the kernel that was recorded, from whichever source fits. */
struct perf_kernel {
	struct kallsyms ks;
	struct elf_symbols vmlinux;
	bool has_kallsyms, has_vmlinux;
	uint64_t slide;	 /* address recorded minus address in the table */
	uint64_t text;	 /* where the recorded image begins; 0: not told */
	uint64_t link_slide; /* address recorded minus link-time address */
	unsigned char build_id[20]; /* as recorded */
	uint8_t build_id_len;
};

void perf_kernel_open(struct perf_kernel *k, struct perf_file *pf,
		      const struct perf_spaces *spaces, const char *path,
		      const struct profile_options *options, struct notes *notes);
void perf_kernel_close(struct perf_kernel *k);

struct spot {
	uint64_t ip;
	uint32_t space;
	uint32_t symbol;     /* the innermost, where functions are inlined */
	uint32_t frames;     /* index of its symbols, leaf first */
	uint16_t nr_frames;
	bool skids; /* turns interrupts on: a timer's samples gather here */
	uint8_t part; /* what it and its callees are: enum profile_part, or NR_ */
	uint64_t samples;
	double weight, part_weight[NR_PROFILE_PARTS];
	uint64_t start, size; /* of the symbol that holds ip: link-time */
	uint64_t offset; /* of ip in it; size 0: no symbol is known */
};

struct resolver {
	struct profile *p;
	struct perf_file *pf;
	const struct profile_options *options;
	struct perf_spaces spaces;
	struct perf_kernel kernel;
	struct spot *spot;
	size_t nr_spots, cap_spots;
	uint32_t *slot; /* index + 1 */
	size_t nr_slots;
	uint32_t *frame; /* symbol ids */
	size_t nr_frames, cap_frames;
	struct elf_file *elf; /* by file id; opened when first hit */
	size_t nr_elf;
	struct symbol_groups *enabling; /* NULL: options.unskid is not set */
	struct symbol_groups *callers; /* data/callers.tsv; NULL: chains are kept anyway */
	bool same_machine; /* recorded here: files need no build id to be trusted */
};

void resolver_init(struct resolver *r, struct profile *p, struct perf_file *pf,
		   const char *path, const struct profile_options *options);
void resolver_release(struct resolver *r);
/* The spot, valid until the next call; time tells which mapping was there. */
struct spot *resolver_spot(struct resolver *r, uint64_t ip, uint32_t space, uint64_t time);

#endif
