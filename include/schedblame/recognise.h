/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file is, by its content and never by its name: one table of readers.
 * A reader that turns the file into a run stands in analyze/recognise.c; formats
 * known but of no use as a run (a schedstat copy, a topology) have none and give
 * a sentence that says where they are of use.
 */
#ifndef SCHEDBLAME_RECOGNISE_H
#define SCHEDBLAME_RECOGNISE_H

#include "schedblame/input.h"
#include "schedblame/run.h"

struct file_kind {
	const char *name;  /* "trace.dat" */
	const char *title; /* "a trace-cmd trace" */
	bool (*matches)(const unsigned char *head, size_t len, bool whole);
	/*
	 * Fills run, which is initialised, from the file's content, unpacked if
	 * it was wrapped; in is the caller's and lives for the call only. NULL:
	 * not usable as a run. On failure the caller closes the run.
	 */
	int (*open)(struct run *run, const struct input *in,
		    const struct run_options *opts, struct err *err);
	const char *advice; /* when open is NULL: what to do with such a file */
};

/* The kind of a file, or NULL with a sentence in err. */
const struct file_kind *file_recognise(const char *path, struct err *err);
/* Opens any file that can be a run. opts may be NULL. */
int run_from_file(struct run *run, const char *path, const struct run_options *opts,
		  struct err *err);

#endif
