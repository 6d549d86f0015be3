// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd out, gzip in. */
#include "compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define ZSTD_LEVEL 3
#define READ_CHUNK 65536

int zstd_write_at(int dirfd, const char *name, const void *data, size_t len,
		  struct err *err)
{
	size_t cap = ZSTD_compressBound(len), n;
	void *out = xmalloc(cap);
	int ret;

	n = ZSTD_compress(out, cap, data, len, ZSTD_LEVEL);
	if (ZSTD_isError(n))
		ret = err_set(err, EIO, "cannot compress %s: %s", name,
			      ZSTD_getErrorName(n));
	else
		ret = file_write_at(dirfd, name, out, n, 0644, err);
	free(out);
	return ret;
}

int gzip_read(struct strbuf *sb, const char *path, size_t max, struct err *err)
{
	gzFile gz = gzopen(path, "rbe");
	size_t start = sb->len;
	int n;

	if (!gz)
		return err_errno(err, errno ? errno : ENOMEM, "cannot open %s", path);
	do {
		strbuf_grow(sb, READ_CHUNK);
		n = gzread(gz, sb->buf + sb->len, READ_CHUNK);
		if (n > 0)
			strbuf_setlen(sb, sb->len + (size_t)n);
	} while (n > 0 && sb->len - start <= max);
	gzclose(gz);
	if (n < 0)
		return err_set(err, EIO, "%s is damaged", path);
	return n > 0 ? err_set(err, EFBIG, "%s is larger than %zu bytes", path, max) : 0;
}
