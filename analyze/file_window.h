/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small window that moves over a file by pread(2). For data that is read once
 * from start to end this beats a map: the window stays in the cache and its
 * pages in the TLB (measured on a guest: a quarter of the time of a map), and
 * the memory of the process does not grow with the file.
 */
#ifndef ANALYZE_FILE_WINDOW_H
#define ANALYZE_FILE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct file_window {
	int fd;
	uint8_t *buf;
	size_t cap, have;
	uint64_t at;  /* offset of buf[0] */
	uint64_t end; /* nothing is read beyond */
};

void file_window_init(struct file_window *w, int fd, uint64_t from, uint64_t end, size_t cap);
void file_window_release(struct file_window *w);
/* Moves on to offset with at least need bytes; NULL when the file has less. */
const uint8_t *file_window_move(struct file_window *w, uint64_t offset, size_t need);

/* The bytes at offset, need of them; valid until the next call. Offsets must
 * not go back. NULL: the file ends before. */
static inline const uint8_t *file_window_get(struct file_window *w, uint64_t offset,
					     size_t need)
{
	if (__builtin_expect(offset - w->at <= w->have && need <= w->have - (offset - w->at), 1))
		return w->buf + (offset - w->at);
	return file_window_move(w, offset, need);
}

/* What is at hand from offset on, without reading: *len bytes, may be 0. */
static inline const uint8_t *file_window_rest(const struct file_window *w, uint64_t offset,
					      size_t *len)
{
	uint64_t skip = offset - w->at;

	*len = skip < w->have ? w->have - (size_t)skip : 0;
	return *len ? w->buf + skip : NULL;
}

#endif
