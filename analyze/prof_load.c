// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens a profile file of any known format: turns UTF-16 into UTF-8 and asks
 * each format in turn whether it knows the content.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prof.h"
#include "schedblame/alloc.h"
#include "schedblame/input.h"
#include "schedblame/strbuf.h"

#define TEXT_MAX (4UL << 30)

/* The more specific first: what a later one would accept too stands above it. */
static const struct prof_format *const formats[] = {
	&prof_format_pprof,
	&prof_format_report,
	&prof_format_script,
	&prof_format_oprofile,
	&prof_format_readprofile,
	&prof_format_bpftrace,
	&prof_format_folded,
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
	return len >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8) ||
			    !memcmp(head, "PERFFILE", 8));
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
static void normalise(struct prof_input *in, struct strbuf *sb)
{
	const unsigned char *s = (const unsigned char *)in->data;

	if (in->len >= 2 && ((s[0] == 0xff && s[1] == 0xfe) ||
			     (s[0] == 0xfe && s[1] == 0xff))) {
		from_utf16(sb, in);
		in->data = sb->buf;
		in->len = sb->len;
	} else if (in->len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) {
		in->data += 3;
		in->len -= 3;
	}
}

/* Profiles of other kinds: known, and why they are of no use here. */
static const struct {
	const char *magic;
	size_t len;
	const char *what;
} refused[] = {
	{ "SIMPLEPERF", 10, "a recording of simpleperf; write it out with 'simpleperf report-sample' "
			    "and fold the stacks" },
	{ "heap profile:", 13, "a heap profile of gperftools' old format; convert it with "
			       "'pprof -proto'" },
	{ "--- ", 4, "a profile of pprof's old text formats; convert it with 'pprof -proto'" },
	{ "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16, "a CPU profile of gperftools' old format; "
			       "convert it with 'pprof -proto'" },
	{ "\0\0\0\0\3\0\0\0", 8, "a CPU profile of gperftools' old format; convert it with "
			       "'pprof -proto'" },
	{ "PeriodType: ", 12, "pprof's text dump; keep the profile itself" },
};

/* Histograms of bpftrace, as text or JSON: of latencies, not of code. */
static bool is_histogram(const struct prof_input *in)
{
	static const char *const marks[] = { "|@", "\"type\": \"hist\"", "\"type\": \"lhist\"",
					     "\"type\": \"stats\"", "\"type\": \"tseries\"" };
	size_t len = in->len < 65536 ? in->len : 65536;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (memmem(in->data, len, marks[i], strlen(marks[i])))
			return true;
	return false;
}

static int refuse(const struct prof_input *in, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (in->len >= refused[i].len &&
		    !memcmp(in->data, refused[i].magic, refused[i].len))
			return err_set(err, ENOEXEC, "%s is %s", in->path, refused[i].what);
	if (!in->len)
		return err_set(err, ENOEXEC, "%s is empty", in->path);
	if (memmem(in->data, in->len < 512 ? in->len : 512, "perf stat ", 10))
		return err_set(err, ENOEXEC, "%s holds counts of perf stat, not a profile: those "
			       "are not by function", in->path);
	if (is_histogram(in))
		return err_set(err, ENOEXEC, "%s holds histograms, not a profile: what is compared "
			       "here are samples by function", in->path);
	return err_set(err, ENOEXEC,
		       "%s holds no profile that is known here (perf.data, perf report "
		       "or perf script text, readprofile, opreport, folded stacks, pprof, "
		       "bpftrace stacks)", in->path);
}

static int load_input(struct profile *p, struct prof_input *in,
		      const struct profile_options *options, struct err *err)
{
	const struct prof_format *format = recognise(in);
	int ret;

	if (!format)
		return refuse(in, err);
	profile_init(p);
	profile_set(&p->format, format->name);
	profile_set(&p->path, in->path);
	ret = format->load(p, in, options, err);
	if (ret < 0)
		profile_release(p);
	return ret;
}

static int load_text(struct profile *p, const struct input *file, const char *path,
		     const struct profile_options *options, struct err *err)
{
	struct prof_input in = { (const char *)file->data, file->len, path };
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (file->len > TEXT_MAX)
		return err_set(err, EFBIG, "%s has more than %lu MiB of text", path,
			       TEXT_MAX >> 20);
	normalise(&in, &sb);
	ret = load_input(p, &in, options, err);
	strbuf_release(&sb);
	return ret;
}

int profile_load(struct profile *p, const char *path,
		 const struct profile_options *options, struct err *err)
{
	static const struct profile_options none;
	struct input in;
	int ret;

	memset(p, 0, sizeof(*p));
	if (!options)
		options = &none;
	ret = input_open(&in, path, err);
	if (ret < 0)
		return ret;
	if (is_perf_data(in.data, in.len))
		ret = profile_from_perf(p, path, options, err);
	else
		ret = load_text(p, &in, path, options, err);
	input_close(&in);
	return ret;
}

int profile_load_memory(struct profile *p, const void *data, size_t len,
			const char *name, const struct profile_options *options,
			struct err *err)
{
	static const struct profile_options none;
	struct input in;
	int ret;

	memset(p, 0, sizeof(*p));
	input_memory(&in, data, len, name);
	ret = load_text(p, &in, name, options ? options : &none, err);
	input_close(&in);
	return ret;
}
