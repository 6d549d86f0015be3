/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file to read, whatever it is wrapped in: the whole content as one piece of
 * memory. Plain files are mapped, without a copy; gzip, xz, zstd and standard
 * input ("-") go through an unlinked temporary file ($TMPDIR, else /tmp) that
 * is mapped instead, so that their size costs disk, not memory. Wrappers are
 * recognised by content, one around the other too (at most INPUT_MAX_WRAPS).
 *
 *	struct input in;
 *	int ret = input_open(&in, path, err);
 *	... in.data, in.len, in.name ...
 *	input_close(&in);
 *
 * A plain file that another process cuts short while it is mapped ends the
 * program with SIGBUS; files being written must be copied first.
 */
#ifndef SCHEDBLAME_INPUT_H
#define SCHEDBLAME_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"

#define INPUT_MAX_WRAPS 3
/* What a wrapped file may unpack to: far above every real trace. */
#define INPUT_MAX_UNPACKED (UINT64_C(1) << 40)

struct input {
	const unsigned char *data; /* never NULL */
	size_t len;
	char *name;	     /* the path, "standard input": for sentences */
	const char *wrapper; /* outermost: "gzip", "xz", "zstd"; NULL: plain */
	int fd;		     /* the same content, for pread(2); -1: in memory only */
	void *map;	     /* owned; NULL when there is nothing to unmap */
};

/* 0 or -errno with a sentence; *in is always valid for input_close(). */
int input_open(struct input *in, const char *path, struct err *err);
/* Borrowed bytes, which must outlive in: tests, fuzzers, parts of files. */
void input_memory(struct input *in, const void *data, size_t len, const char *name);
void input_close(struct input *in);
/* Tells the kernel that the content will be read once, from start to end. */
void input_sequential(const struct input *in);
/* Gives the memory of a range back that was read; reading it again is allowed
 * and costs a page fault. */
void input_drop(const struct input *in, uint64_t from, uint64_t to);

#endif
