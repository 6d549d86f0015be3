// SPDX-License-Identifier: GPL-2.0-or-later
/* gzip, xz and zstd, each in pieces of bounded size. */
#include "unwrap.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/input.h"

#define CHUNK (256 << 10)
#define XZ_MEMORY (256UL << 20) /* dictionaries above that are refused */

static int damaged(const char *name, const char *what, size_t at, struct err *err)
{
	return err_set(err, EINVAL, "%s is damaged or cut short: its %s data does not "
		       "unpack beyond byte %zu", name, what, at);
}

/* Appends a piece; total is the size so far. */
static int put(int fd, const void *data, size_t len, uint64_t *total, const char *name,
	       struct err *err)
{
	int ret;

	*total += len;
	if (*total > INPUT_MAX_UNPACKED)
		return err_set(err, EFBIG, "%s unpacks to more than %llu bytes", name,
			       (unsigned long long)INPUT_MAX_UNPACKED);
	ret = write_full(fd, data, len);
	return ret ? err_errno(err, -ret, "cannot unpack %s into a temporary file; set "
			       "TMPDIR to a folder with more room", name) : 0;
}

static int unpack_gzip(const unsigned char *data, size_t len, int fd, const char *name,
		       struct err *err)
{
	z_stream z = { 0 };
	unsigned char *out = xmalloc(CHUNK);
	uint64_t total = 0;
	size_t at = 0;
	int ret = 0, code = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		code = Z_MEM_ERROR;
	while (!ret && code == Z_OK) {
		size_t left = len - at;

		z.next_in = (unsigned char *)data + at;
		z.avail_in = left > UINT_MAX / 2 ? UINT_MAX / 2 : (unsigned)left;
		z.next_out = out;
		z.avail_out = CHUNK;
		code = inflate(&z, Z_NO_FLUSH);
		at = (size_t)(z.next_in - data);
		ret = put(fd, out, CHUNK - z.avail_out, &total, name, err);
		/* members may follow each other */
		if (code == Z_STREAM_END && len - at > 2 && data[at] == 0x1f &&
		    data[at + 1] == 0x8b)
			code = inflateReset(&z);
	}
	inflateEnd(&z);
	free(out);
	if (!ret && code != Z_STREAM_END)
		ret = damaged(name, "gzip", at, err);
	return ret;
}

static int unpack_xz(const unsigned char *data, size_t len, int fd, const char *name,
		     struct err *err)
{
	lzma_stream z = LZMA_STREAM_INIT;
	unsigned char *out = xmalloc(CHUNK);
	lzma_ret code = lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED);
	uint64_t total = 0;
	size_t at;
	int ret = 0;

	z.next_in = data;
	z.avail_in = len;
	while (!ret && code == LZMA_OK) {
		z.next_out = out;
		z.avail_out = CHUNK;
		code = lzma_code(&z, LZMA_FINISH);
		ret = put(fd, out, CHUNK - z.avail_out, &total, name, err);
	}
	at = len - z.avail_in;
	lzma_end(&z);
	free(out);
	if (!ret && code == LZMA_MEMLIMIT_ERROR)
		ret = err_set(err, ENOMEM, "%s needs more than %lu bytes of memory to unpack",
			      name, XZ_MEMORY);
	else if (!ret && code != LZMA_STREAM_END)
		ret = damaged(name, "xz", at, err);
	return ret;
}

static int unpack_zstd(const unsigned char *data, size_t len, int fd, const char *name,
		       struct err *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { data, len, 0 };
	unsigned char *out = xmalloc(CHUNK);
	uint64_t total = 0;
	size_t left = 1;
	int ret = 0;

	/* left is 0 at the end of a frame; frames may follow each other */
	while (!ret && (in.pos < in.size || left)) {
		ZSTD_outBuffer piece = { out, CHUNK, 0 };
		size_t before = in.pos;

		left = ZSTD_decompressStream(stream, &piece, &in);
		if (ZSTD_isError(left) || (!piece.pos && before == in.pos))
			break;
		ret = put(fd, out, piece.pos, &total, name, err);
	}
	ZSTD_freeDStream(stream);
	free(out);
	if (!ret && left)
		ret = damaged(name, "zstd", in.pos, err);
	return ret;
}

static const struct wrapper wrappers[] = {
	{ "gzip", "\x1f\x8b\x08", 3, unpack_gzip },
	{ "xz", "\xfd" "7zXZ\0", 6, unpack_xz },
	{ "zstd", "\x28\xb5\x2f\xfd", 4, unpack_zstd },
};

const struct wrapper *wrapper_of(const unsigned char *data, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (len >= wrappers[i].magic_len &&
		    !memcmp(data, wrappers[i].magic, wrappers[i].magic_len))
			return wrappers + i;
	return NULL;
}
