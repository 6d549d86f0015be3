/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of 16 bytes in many growing rows (one per CPU), all in one unlinked
 * temporary file that is mapped: a trace of a hundred million events costs disk
 * and page cache that the kernel may take back, not memory of ours.
 *
 * A row is a list of chunks; record i of a row is found in constant time.
 */
#ifndef TUI_TL_STORE_H
#define TUI_TL_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"

#define TL_RECORD 16
#define TL_CHUNK 4096 /* records a chunk: 64 KiB */

struct tl_store {
	int fd;		/* -1: nothing was stored yet */
	unsigned char *map;
	size_t mapped;	/* chunks */
	size_t used;
};

struct tl_row {
	uint32_t *chunk; /* owned */
	size_t n;	 /* records */
	size_t cap;	 /* chunks that chunk[] has room for */
};

void tl_store_init(struct tl_store *s);
void tl_store_release(struct tl_store *s);
/* Room for one more record of the row; NULL with a sentence when the disk is
 * full. Valid until the next call. */
void *tl_store_add(struct tl_store *s, struct tl_row *row, struct err *err);
void tl_row_release(struct tl_row *row);

static inline void *tl_at(const struct tl_store *s, const struct tl_row *row, size_t i)
{
	return s->map + ((size_t)row->chunk[i / TL_CHUNK] * TL_CHUNK + i % TL_CHUNK) *
				TL_RECORD;
}

#endif
