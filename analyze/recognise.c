// SPDX-License-Identifier: GPL-2.0-or-later
/* Files recognised by content. */
#include "schedblame/recognise.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "ftrace_text.h"
#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/profile.h"

#define HEAD_MAX 65536

static bool starts(const unsigned char *head, size_t len, const char *with, size_t n)
{
	return len >= n && !memcmp(head, with, n);
}

#define MAGIC(fn, bytes)                                                       \
	static bool fn(const unsigned char *head, size_t len, bool whole)      \
	{                                                                      \
		(void)whole;                                                   \
		return starts(head, len, bytes, sizeof(bytes) - 1);            \
	}
MAGIC(is_trace_dat, "\x17\x08\x44tracing")
MAGIC(is_perf_data, "PERFILE2")
MAGIC(is_perf_data_be, "2ELIFREP")
MAGIC(is_perf_data_v1, "PERFFILE")
MAGIC(is_schedstat, "version 1")
MAGIC(is_xml, "<?xml")

/* Header block of a tar: its mark stands behind the first member's facts. */
static bool is_tar(const unsigned char *head, size_t len, bool whole)
{
	(void)whole;
	return len >= 512 && !memcmp(head + 257, "ustar", 5);
}

/* With a byte order mark, or letters with zeros between them. */
static bool is_utf16(const unsigned char *head, size_t len, bool whole)
{
	(void)whole;
	if (len < 16)
		return false;
	if ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff))
		return true;
	for (unsigned i = 0; i < 16; i += 2)
		if (!isprint(head[i]) && !isspace(head[i]))
			return false;
	for (unsigned i = 1; i < 16; i += 2)
		if (head[i])
			return false;
	return true;
}

static const struct file_kind kinds[] = {
	{ "trace.dat", "a trace-cmd trace", is_trace_dat, run_from_trace, NULL },
	{ "perf.data", "a perf recording", is_perf_data, run_from_perf, NULL },
	{ "perf.data", "a perf recording of the other byte order", is_perf_data_be,
	  run_from_perf, NULL },
	{ "perf.data v1", "a perf recording of the first format", is_perf_data_v1,
	  run_from_perf, NULL },
	{ "schedstat", "a copy of /proc/schedstat", is_schedstat, NULL,
	  "one copy counts since boot; record a run with 'schedblame collect'" },
	{ "xml", "an XML file", is_xml, NULL, "a topology is given with --topology" },
	{ "tar", "a tar archive", is_tar, NULL,
	  "unpack it and give one of its files. A collection of SchedViz holds raw buffers of "
	  "each CPU and no trace.dat: join them with 'trace-cmd restore'" },
	{ "utf16", "a text in UTF-16", is_utf16, NULL,
	  "convert it with 'iconv -f UTF-16 -t UTF-8'" },
	{ "text", "a text of scheduler events", run_is_event_text, run_from_trace, NULL },
};

/* Says what the content is instead, where that can be seen. */
static void refuse(const struct input *in, struct err *err)
{
	size_t len = in->len < HEAD_MAX ? in->len : HEAD_MAX;
	const char *profile = profile_recognise(in->data, len);

	if (profile) {
		err_set(err, ENOEXEC, "%s is a profile (%s), not a run or a trace; compare two "
			"of them with 'schedblame diffprofile OLD NEW'", in->name, profile);
		return;
	}
	if (text_has_events(in->data, len)) {
		err_set(err, ENOEXEC, "%s holds events, but none of the scheduler among the "
			"first; record with sched events ('perf sched record', 'trace-cmd record "
			"-e sched')", in->name);
		return;
	}
	err_set(err, ENOEXEC,
		"%s is of no known format; expected a set or run that 'schedblame collect' "
		"wrote, a trace.dat, a perf.data, or the text of trace-cmd report, perf script "
		"or tracefs",
		in->name);
}

static const struct file_kind *kind_of(const struct input *in, struct err *err)
{
	bool whole = in->len <= HEAD_MAX;

	if (!in->len) {
		err_set(err, EINVAL, "%s is empty", in->name);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].matches(in->data, whole ? in->len : HEAD_MAX, whole))
			return &kinds[i];
	refuse(in, err);
	return NULL;
}

const struct file_kind *file_recognise(const char *path, struct err *err)
{
	const struct file_kind *kind = NULL;
	struct input in;

	if (input_open(&in, path, err) == 0)
		kind = kind_of(&in, err);
	input_close(&in);
	return kind;
}

int run_from_file(struct run *run, const char *path, const struct run_options *opts,
		  struct err *err)
{
	static const struct run_options defaults;
	const struct file_kind *kind;
	struct input in;
	int ret = input_open(&in, path, err);

	if (ret)
		goto out;
	kind = kind_of(&in, err);
	if (!kind)
		ret = in.len ? -ENOEXEC : -EINVAL;
	else if (!kind->open)
		ret = err_set(err, ENOTSUP, "%s is %s, not a run; %s", in.name, kind->title,
			      kind->advice ? kind->advice : "it cannot be read yet");
	else
		ret = kind->open(run, &in, opts ? opts : &defaults, err);
	if (!ret)
		run->foreign = true;
out:
	input_close(&in);
	return ret;
}
