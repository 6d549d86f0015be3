/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a recorded program: its bytes, and what its debug information says
 * about an address. From an ELF file (with or without a separate debug file), or
 * for the running kernel from /proc/kcore. Addresses are link-time ones.
 */
#ifndef SCHEDBLAME_CODE_H
#define SCHEDBLAME_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/kallsyms.h"

struct code_image;

/*
 * Opens an ELF file; build_id (length 0: not known) must be its own. Its debug
 * information may lie in a debug file, found by build id. -ENOEXEC, -EBADF
 * (another build) with a sentence.
 */
int code_image_open(struct code_image **img, const char *path,
		    const unsigned char *build_id, size_t build_id_len, struct err *err);
/* The running kernel: link-time address + slide is where it runs. -EPERM and the
 * like with a sentence. */
int code_image_open_kcore(struct code_image **img, uint64_t slide, struct err *err);
void code_image_close(struct code_image *img);

const char *code_image_path(const struct code_image *img);
int code_image_machine(const struct code_image *img); /* EM_X86_64, ... */
bool code_image_has_lines(const struct code_image *img);
/* Bytes at addr, at most len; 0 when the image has none there. */
size_t code_image_bytes(const struct code_image *img, uint64_t addr, void *buf, size_t len);
/* The function at addr: its name and start, NULL when none is known. Borrowed. */
const char *code_image_symbol(struct code_image *img, uint64_t addr, uint64_t *start,
			      uint64_t *size);
/* The source line of addr; false when not known. path is the file as the builder
 * had it; file is the end of it that begins where the tree does
 * ("kernel/sched/fair.c"), as far as the image tells. Borrowed; line counts from 1. */
bool code_image_line(struct code_image *img, uint64_t addr, const char **path,
		     const char **file, unsigned *line);
/* Names inlined at addr, outermost first, at most max; borrowed. */
size_t code_image_inlined(struct code_image *img, uint64_t addr, const char **names,
			  size_t max);

#endif
