// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed records. All COMPRESSED payloads of a file are one zstd stream; a
 * record inside may begin in one payload and end in the next. Output comes in
 * pieces, so that memory does not depend on what the payload claims.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "perf_parts.h"
#include "schedblame/alloc.h"

#define BUFFER (256 << 10) /* above the largest record, 64 KiB */

struct perf_inflate {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool flushed; /* the stream holds no more output */
	bool broken;  /* nothing can be read any more */
	uint64_t offset;
	size_t pos, len; /* of what is unpacked, in buf */
	unsigned char buf[BUFFER];
};

static struct perf_inflate *get(struct perf_file *pf)
{
	if (!pf->inflate) {
		pf->inflate = xmalloc(sizeof(*pf->inflate));
		memset(pf->inflate, 0, offsetof(struct perf_inflate, buf));
		pf->inflate->stream = ZSTD_createDStream();
		pf->inflate->flushed = true;
	}
	return pf->inflate;
}

void perf_inflate_feed(struct perf_file *pf, const unsigned char *data, size_t len,
		       uint64_t offset)
{
	struct perf_inflate *z = get(pf);

	if (z->broken)
		return;
	z->in = (ZSTD_inBuffer){ data, len, 0 };
	z->flushed = false;
	z->offset = offset;
}

static int give_up(struct perf_file *pf, const char *why)
{
	struct perf_inflate *z = pf->inflate;

	notes_add(&pf->notes, "%s: the compressed records at byte %" PRIu64 " %s; what is "
		  "compressed from there on is missing", pf->in.name, z->offset, why);
	pf->cut = true;
	z->broken = true;
	z->pos = z->len = 0;
	z->flushed = true;
	z->in = (ZSTD_inBuffer){ NULL, 0, 0 };
	return 0;
}

/* Unpacks some more; false when there is nothing more for now. */
static bool unpack(struct perf_file *pf)
{
	struct perf_inflate *z = pf->inflate;
	ZSTD_outBuffer out;
	size_t ret;

	if (z->flushed && z->in.pos == z->in.size)
		return false;
	memmove(z->buf, z->buf + z->pos, z->len - z->pos);
	z->len -= z->pos;
	z->pos = 0;
	out = (ZSTD_outBuffer){ z->buf + z->len, BUFFER - z->len, 0 };
	ret = ZSTD_decompressStream(z->stream, &out, &z->in);
	if (ZSTD_isError(ret)) {
		give_up(pf, "do not unpack");
		return false;
	}
	z->len += out.pos;
	z->flushed = out.pos < out.size;
	if (z->flushed && !out.pos && z->in.pos < z->in.size) {
		give_up(pf, "do not unpack");
		return false;
	}
	return true;
}

int perf_inflate_next(struct perf_file *pf, struct perf_record *rec)
{
	struct perf_inflate *z = pf->inflate;

	if (!z || z->broken)
		return 0;
	do {
		const unsigned char *p = z->buf + z->pos;
		size_t left = z->len - z->pos;
		uint16_t size;

		if (left < PERF_HEADER)
			continue;
		size = perf_u16(pf, p + 6);
		if (size < PERF_HEADER)
			return give_up(pf, "hold a record without a size");
		if (size > left)
			continue;
		*rec = (struct perf_record){
			.type = perf_u32(pf, p), .misc = perf_u16(pf, p + 4), .size = size,
			.data = p, .offset = z->offset,
		};
		z->pos += size;
		return 1;
	} while (unpack(pf));
	return 0;
}


void perf_inflate_release(struct perf_file *pf)
{
	if (pf->inflate)
		ZSTD_freeDStream(pf->inflate->stream);
	free(pf->inflate);
	pf->inflate = NULL;
}
