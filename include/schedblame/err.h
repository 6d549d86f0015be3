/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as whole sentences.
 *
 * A function that can fail returns 0 or -errno and, when it fails, fills the
 * caller's struct err with one sentence: what happened, to which file (and at
 * which offset), what was expected, what to do. Libraries never print and
 * never exit; out of memory is the one exception (see alloc.h).
 *
 * Usage:
 *	struct err err = ERR_INIT;
 *	if (run_open(&run, path, &err) < 0)
 *		return command_fail(&err);
 *
 * A NULL struct err is allowed: the sentence is dropped, the code stays.
 */
#ifndef SCHEDBLAME_ERR_H
#define SCHEDBLAME_ERR_H

#include <stdarg.h>
#include <stddef.h>

/* Exit codes of every command. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_GATE = 1,	   /* a comparison found what --gate was told to look for */
	EXIT_USAGE = 2,	   /* the command line is wrong */
	EXIT_FAILED = 3,   /* input, system or I/O: a sentence on stderr says what */
	EXIT_WORKLOAD = 4, /* all was recorded, but the workload itself failed */
};

struct err {
	int code;   /* positive errno, 0 when nothing was set */
	char *text; /* owned; NULL when nothing was set */
};

#define ERR_INIT                                                               \
	{                                                                      \
		0, NULL                                                        \
	}

/* Frees the text; the struct can be used again. */
void err_release(struct err *err);

/* Sets code and sentence (replacing an older one). Returns -code. */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_vset(struct err *err, int code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* err_set() with ": " and strerror(code) at the end. Returns -code. */
int err_errno(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts context in front of the sentence: "PREFIX: old". Keeps the code. */
void err_prefix(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The sentence; never NULL. */
const char *err_text(const struct err *err);

/*
 * Sentences that are no errors: what an input lacked, what was dropped, why a
 * number is missing. Kept with the object they belong to, shown by report.
 */
struct notes {
	char **v;
	size_t n;
};

void notes_release(struct notes *notes);
/* Adds a sentence; an exact duplicate is not added twice. */
void notes_add(struct notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends copies of all sentences of src. */
void notes_merge(struct notes *notes, const struct notes *src);

#endif
