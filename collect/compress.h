/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole texts written compressed, read unpacked. */
#ifndef COLLECT_COMPRESS_H
#define COLLECT_COMPRESS_H

#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

/* One zstd frame with its content size. */
int zstd_write_at(int dirfd, const char *name, const void *data, size_t len,
		  struct err *err);
/* Appends the unpacked file to sb, at most max bytes; a file that is no gzip
 * is read as it is. */
int gzip_read(struct strbuf *sb, const char *path, size_t max, struct err *err);

#endif
