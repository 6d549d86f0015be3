// SPDX-License-Identifier: GPL-2.0-or-later
#include "file_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"

void file_window_init(struct file_window *w, int fd, uint64_t from, uint64_t end, size_t cap)
{
	*w = (struct file_window){ .fd = fd, .cap = cap, .at = from, .end = end };
}

void file_window_release(struct file_window *w)
{
	free(w->buf);
	w->buf = NULL;
}

/* Makes room for cap bytes and keeps what stands from offset on at the start. */
static void make_room(struct file_window *w, uint64_t offset, size_t need)
{
	size_t keep = offset - w->at < w->have ? w->have - (size_t)(offset - w->at) : 0;
	uint8_t *old = w->buf;

	if (need > w->cap || !w->buf) {
		if (need > w->cap)
			w->cap = need;
		w->buf = xmalloc(w->cap);
		if (keep)
			memcpy(w->buf, old + (offset - w->at), keep);
		free(old);
	} else if (keep) {
		memmove(w->buf, w->buf + (offset - w->at), keep);
	}
	w->at = offset;
	w->have = keep;
}

const uint8_t *file_window_move(struct file_window *w, uint64_t offset, size_t need)
{
	if (offset < w->at || offset > w->end || need > w->end - offset)
		return NULL;
	make_room(w, offset, need);
	while (w->have < need) {
		uint64_t left = w->end - w->at - w->have;
		size_t want = w->cap - w->have;
		ssize_t n = pread(w->fd, w->buf + w->have, want < left ? want : (size_t)left,
				  (off_t)(w->at + w->have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return NULL;
		w->have += (size_t)n;
	}
	return w->buf;
}
