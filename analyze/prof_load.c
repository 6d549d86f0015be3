// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens a profile file of any known format: unpacks gzip, turns UTF-16 into
 * UTF-8, and asks each format in turn whether it knows the content.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "prof.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define UNPACKED_MAX (1UL << 30)

/* The more specific first: what a later one would accept too stands above it. */
static const struct prof_format *const formats[] = {
	&prof_format_readprofile,
};

static const struct prof_format *recognise(const struct prof_input *in)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i]->probe(in))
			return formats[i];
	return NULL;
}

static bool is_perf_data(const void *head, size_t len)
{
	return len >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8));
}

const char *profile_recognise(const void *head, size_t len)
{
	const struct prof_input in = { head, len, "" };
	const struct prof_format *format;

	if (is_perf_data(head, len))
		return "perf.data";
	format = recognise(&in);
	return format ? format->name : NULL;
}

/* Appends the unpacked bytes of a gzip file, at most UNPACKED_MAX of them. */
static int gunzip(struct strbuf *sb, const struct prof_input *in, struct err *err)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in->data };
	size_t left = in->len;
	int ret;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return err_set(err, ENOMEM, "zlib does not start");
	do {
		size_t before = sb->len;

		strbuf_grow(sb, 1 << 16);
		if (!z.avail_in) {
			z.avail_in = (uInt)(left > 1U << 30 ? 1U << 30 : left);
			left -= z.avail_in;
		}
		z.next_out = (Bytef *)sb->buf + before;
		z.avail_out = 1 << 16;
		ret = inflate(&z, Z_NO_FLUSH);
		strbuf_setlen(sb, before + (1 << 16) - z.avail_out);
	} while (ret == Z_OK && sb->len < UNPACKED_MAX && (z.avail_in || left));
	inflateEnd(&z);
	if (sb->len >= UNPACKED_MAX)
		return err_set(err, EFBIG, "%s unpacks to more than 1 GiB", in->path);
	if (ret != Z_STREAM_END)
		return err_set(err, EINVAL, "%s: the gzip stream is %s after %zu unpacked bytes",
			       in->path, ret == Z_OK || ret == Z_BUF_ERROR ? "cut short" : "damaged",
			       sb->len);
	return 0;
}

static void add_utf8(struct strbuf *sb, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addch(sb, (char)c);
	} else if (c < 0x800) {
		strbuf_addch(sb, (char)(0xc0 | c >> 6));
		strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
	} else {
		strbuf_addch(sb, (char)(0xe0 | c >> 12));
		strbuf_addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
	}
}

/* Windows tools redirect into UTF-16; surrogates become '?' (names are ASCII). */
static void from_utf16(struct strbuf *sb, const struct prof_input *in)
{
	const unsigned char *s = (const unsigned char *)in->data;
	bool little = s[0] == 0xff;

	for (size_t i = 2; i + 1 < in->len; i += 2) {
		uint32_t c = little ? s[i] | (uint32_t)s[i + 1] << 8 :
				      s[i + 1] | (uint32_t)s[i] << 8;

		add_utf8(sb, c >= 0xd800 && c < 0xe000 ? '?' : c);
	}
}

/* Makes *in point into sb when the bytes had to be changed. */
static int normalise(struct prof_input *in, struct strbuf *sb, struct err *err)
{
	const unsigned char *s = (const unsigned char *)in->data;
	int ret = 0;

	if (in->len >= 18 && s[0] == 0x1f && s[1] == 0x8b) {
		ret = gunzip(sb, in, err);
	} else if (in->len >= 2 && ((s[0] == 0xff && s[1] == 0xfe) ||
				    (s[0] == 0xfe && s[1] == 0xff))) {
		from_utf16(sb, in);
	} else {
		if (in->len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) {
			in->data += 3;
			in->len -= 3;
		}
		return 0;
	}
	in->data = sb->buf;
	in->len = sb->len;
	return ret;
}

static int load_input(struct profile *p, struct prof_input *in,
		      const struct profile_options *options, struct err *err)
{
	const struct prof_format *format = recognise(in);
	int ret;

	if (!format)
		return err_set(err, ENOEXEC,
			       "%s holds no profile that is known here (perf.data, perf report "
			       "or perf script text, readprofile, opreport, folded stacks, pprof, "
			       "bpftrace stacks)", in->path);
	profile_init(p);
	profile_set(&p->format, format->name);
	profile_set(&p->path, in->path);
	ret = format->load(p, in, options, err);
	if (ret < 0)
		profile_release(p);
	return ret;
}

int profile_load(struct profile *p, const char *path,
		 const struct profile_options *options, struct err *err)
{
	static const struct profile_options none;
	struct strbuf sb = STRBUF_INIT;
	struct file_map map;
	struct prof_input in;
	int ret;

	memset(p, 0, sizeof(*p));
	if (!options)
		options = &none;
	ret = file_map_open(&map, path, err);
	if (ret < 0)
		return ret;
	in = (struct prof_input){ (const char *)map.data, map.len, path };
	if (is_perf_data(map.data, map.len)) {
		ret = profile_from_perf(p, path, options, err);
	} else {
		ret = normalise(&in, &sb, err);
		if (!ret)
			ret = load_input(p, &in, options, err);
	}
	strbuf_release(&sb);
	file_map_close(&map);
	return ret;
}
