// SPDX-License-Identifier: GPL-2.0-or-later
/* Files recognised by content. */
#include "schedblame/recognise.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/alloc.h"

#define HEAD_MAX 8192

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
MAGIC(is_xz, "\xfd" "7zXZ")
MAGIC(is_gzip, "\x1f\x8b")
MAGIC(is_zstd, "\x28\xb5\x2f\xfd")
MAGIC(is_schedstat, "version 1")
MAGIC(is_xml, "<?xml")

static const struct file_kind kinds[] = {
	{ "trace.dat", "a trace-cmd trace", is_trace_dat, NULL, NULL },
	{ "perf.data", "a perf profile", is_perf_data, NULL, NULL },
	{ "perf.data", "a perf profile of the other byte order", is_perf_data_be, NULL,
	  NULL },
	{ "perf.data v1", "a perf profile of the first format", is_perf_data_v1, NULL,
	  NULL },
	{ "xz", "an xz-compressed file", is_xz, NULL, "unpack it with 'xz -d' first" },
	{ "gzip", "a gzip-compressed file", is_gzip, NULL, "unpack it with 'gzip -d' first" },
	{ "zstd", "a zstd-compressed file", is_zstd, NULL, "unpack it with 'zstd -d' first" },
	{ "schedstat", "a copy of /proc/schedstat", is_schedstat, NULL,
	  "one copy counts since boot; record a run with 'schedblame collect'" },
	{ "xml", "an XML file", is_xml, NULL, "a topology is given with --topology" },
};

static int read_head(const char *path, unsigned char *head, size_t *len, bool *whole,
		     struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, EINVAL, "%s is neither a folder nor a regular file", path);
	}
	do
		n = read(fd, head, HEAD_MAX);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		int code = errno;

		close(fd);
		return err_errno(err, code, "cannot read %s", path);
	}
	close(fd);
	*len = (size_t)n;
	*whole = st.st_size <= n;
	if (!n)
		return err_set(err, EINVAL, "%s is empty", path);
	return 0;
}

const struct file_kind *file_recognise(const char *path, struct err *err)
{
	unsigned char head[HEAD_MAX];
	size_t len;
	bool whole = false;

	if (read_head(path, head, &len, &whole, err) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].matches(head, len, whole))
			return &kinds[i];
	err_set(err, ENOEXEC,
		"%s is of no known format; expected a set or run that 'schedblame collect' "
		"wrote, a trace.dat or a perf.data",
		path);
	return NULL;
}

int run_from_file(struct run *run, const char *path, const struct run_options *opts,
		  struct err *err)
{
	static const struct run_options defaults;
	const struct file_kind *kind = file_recognise(path, err);
	int ret;

	if (!kind)
		return err && err->code ? -err->code : -EINVAL;
	if (!kind->open)
		return err_set(err, ENOTSUP, "%s is %s, not a run; %s", path, kind->title,
			       kind->advice ? kind->advice : "it cannot be read yet");
	ret = kind->open(run, path, opts ? opts : &defaults, err);
	if (!ret)
		run->foreign = true;
	return ret;
}
