// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.dat version 7: a chain of option lists, whose options point at sections
 * that may be compressed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "schedblame/alloc.h"
#include "trace_dat.h"

#define LISTS_MAX 1000 /* option lists; a longer chain is a loop */
#define SECTION_COMPRESSED 1

ssize_t dat_unpack(enum dat_codec codec, const void *in, size_t in_len, void *out,
		   size_t out_len)
{
	uLongf len = out_len;
	size_t n;

	switch (codec) {
	case CODEC_ZLIB:
		return uncompress(out, &len, in, in_len) == Z_OK ? (ssize_t)len : -EBADMSG;
	case CODEC_ZSTD:
		n = ZSTD_decompress(out, out_len, in, in_len);
		return ZSTD_isError(n) ? -EBADMSG : (ssize_t)n;
	default:
		return -ENOTSUP;
	}
}

struct section {
	struct dat_cursor c; /* over its content */
	void *unpacked;	     /* owned */
	bool compressed;
};

static void section_release(struct section *s)
{
	free(s->unpacked);
}

/* The content in memory, unpacked if need be. */
static int section_unpack(struct dat_file *d, struct section *s, struct err *err)
{
	uint32_t packed = dat_u32(&s->c), size = dat_u32(&s->c);
	const uint8_t *in = dat_bytes(&s->c, packed);
	ssize_t n;

	if (!in || size > DAT_SECTION_MAX)
		return dat_truncated(d, &s->c, "compressed section", err);
	s->unpacked = xmalloc(size ? size : 1);
	n = dat_unpack(d->codec, in, packed, s->unpacked, size);
	if (n < 0)
		return err_set(err, EBADMSG, "%s: a section at offset %zu cannot be "
			       "uncompressed; the file is damaged", d->path,
			       (size_t)(in - s->c.base));
	s->c.base = s->c.p = s->unpacked;
	s->c.end = s->c.p + n;
	return 0;
}

/* Opens the section at offset; id must match. raw leaves it packed. */
static int section_open(struct dat_file *d, struct section *s, uint64_t offset, unsigned id,
			bool raw, struct err *err)
{
	uint64_t len;
	unsigned found, flags;

	memset(s, 0, sizeof(*s));
	s->c.base = d->data;
	s->c.end = d->data + d->len;
	s->c.p = d->data + (offset < d->len ? offset : d->len);
	s->c.swap = d->swap;
	found = dat_u16(&s->c);
	flags = dat_u16(&s->c);
	dat_u32(&s->c); /* description */
	len = dat_u64(&s->c);
	if (s->c.bad)
		return dat_truncated(d, &s->c, "section header", err);
	if (found != id)
		return err_set(err, EBADMSG, "%s: the section at offset %llu has id %u, %u "
			       "was expected; the file is damaged", d->path,
			       (unsigned long long)offset, found, id);
	s->compressed = flags & SECTION_COMPRESSED;
	if (raw)
		return 0;
	if (len < (uint64_t)(s->c.end - s->c.p))
		s->c.end = s->c.p + len;
	return s->compressed ? section_unpack(d, s, err) : 0;
}

static int read_section(struct dat_file *d, uint64_t offset, unsigned id, struct err *err)
{
	struct section s;
	int ret = section_open(d, &s, offset, id, false, err);

	if (ret)
		goto out;
	switch (id) {
	case DAT_OPTION_HEADER_INFO:
		ret = dat_read_headers(d, &s.c, err);
		break;
	case DAT_OPTION_FTRACE_EVENTS:
		ret = dat_read_ftrace_formats(d, &s.c, err);
		break;
	case DAT_OPTION_EVENT_FORMATS:
		ret = dat_read_event_formats(d, &s.c, err);
		break;
	default:
		ret = dat_read_cmdlines(d, &s.c, err);
		break;
	}
out:
	section_release(&s);
	return ret;
}

/* The option tells where each CPU's data lies; its section, whether packed. */
static int read_buffer(struct dat_file *d, unsigned id, struct dat_cursor *o, struct err *err)
{
	uint64_t at = dat_u64(o);
	const char *name = dat_string(o), *clock = dat_string(o);
	struct dat_buffer *b;
	struct section s;
	uint32_t page_size, nr;
	int ret;

	if (o->bad)
		return dat_truncated(d, o, "buffer option", err);
	ret = section_open(d, &s, at, id, true, err);
	section_release(&s);
	if (ret)
		return ret;
	b = dat_add_buffer(d, name, clock);
	b->compressed = s.compressed;
	if (id == DAT_OPTION_BUFFER_TEXT) {
		b->text = true;
		dat_add_cpu(d, b, 0, (uint64_t)(s.c.p - s.c.base),
			    (uint64_t)(s.c.end - s.c.p));
		return 0;
	}
	page_size = dat_u32(o);
	nr = dat_u32(o);
	if (page_size)
		b->page_size = page_size;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t cpu = dat_u32(o);
		uint64_t offset = dat_u64(o), size = dat_u64(o);

		if (o->bad)
			return dat_truncated(d, o, "buffer option", err);
		if (cpu >= DAT_CPUS_MAX)
			return err_set(err, EBADMSG, "%s holds data of CPU %u; at most %u are "
				       "believed", d->path, cpu, DAT_CPUS_MAX);
		dat_add_cpu(d, b, cpu, offset, size);
	}
	return 0;
}

static int take_option(struct dat_file *d, unsigned id, struct dat_cursor *o, struct err *err)
{
	switch (id) {
	case DAT_OPTION_BUFFER:
	case DAT_OPTION_BUFFER_TEXT:
		return read_buffer(d, id, o, err);
	case DAT_OPTION_HEADER_INFO:
	case DAT_OPTION_FTRACE_EVENTS:
	case DAT_OPTION_EVENT_FORMATS:
	case DAT_OPTION_CMDLINES:
		return read_section(d, dat_u64(o), id, err);
	default:
		dat_take_option(d, id, o);
		return 0;
	}
}

/* One list; *next is the offset of the following one, 0 at the end. */
static int read_list(struct dat_file *d, uint64_t *next, struct err *err)
{
	struct section s;
	int ret = section_open(d, &s, *next, DAT_OPTION_DONE, false, err);

	*next = 0;
	while (!ret) {
		unsigned id = dat_u16(&s.c);
		uint32_t len = dat_u32(&s.c);
		const uint8_t *p = dat_bytes(&s.c, len);
		struct dat_cursor o = { p, p, p ? p + len : p, s.c.swap, false };

		if (!p) {
			ret = dat_truncated(d, &s.c, "list of options", err);
			break;
		}
		if (id == DAT_OPTION_DONE) {
			*next = dat_u64(&o);
			break;
		}
		ret = take_option(d, id, &o, err);
	}
	section_release(&s);
	return ret;
}

int dat_read_v7(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	const char *name = dat_string(c), *version = dat_string(c);
	uint64_t at = dat_u64(c);
	int ret = 0;

	if (c->bad || !version)
		return dat_truncated(d, c, "head", err);
	if (!strcmp(name, "zlib"))
		d->codec = CODEC_ZLIB;
	else if (!strcmp(name, "zstd"))
		d->codec = CODEC_ZSTD;
	else if (strcmp(name, "none") && *name)
		return err_set(err, ENOTSUP, "%s is compressed in a way that is not known "
			       "here; zlib and zstd are: convert it with 'trace-cmd convert "
			       "--compression none'", d->path);
	for (int i = 0; at && !ret; i++) {
		if (i >= LISTS_MAX)
			return err_set(err, EBADMSG, "%s: its lists of options form a loop; "
				       "the file is damaged", d->path);
		ret = read_list(d, &at, err);
	}
	return ret;
}
