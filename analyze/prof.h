/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of profile files share. Private to analyze/. */
#ifndef ANALYZE_PROF_H
#define ANALYZE_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/profile.h"

/* Bytes of a whole file, already unpacked and UTF-8 where it was UTF-16. */
struct prof_input {
	const char *data;
	size_t len;
	const char *path; /* for sentences */
};

/* One line without its end (\n or \r\n). */
struct prof_line {
	const char *s;
	size_t len;
	unsigned long number; /* from 1 */
};

struct prof_lines {
	const char *next, *end;
	unsigned long number;
};

static inline void prof_lines_init(struct prof_lines *it, const struct prof_input *in)
{
	it->next = in->data;
	it->end = in->data + in->len;
	it->number = 0;
}
bool prof_next_line(struct prof_lines *it, struct prof_line *line);

/* The next blank-separated word of [*p, end); false at the end. */
struct prof_word {
	const char *s;
	size_t len;
};
bool prof_next_word(const char **p, const char *end, struct prof_word *w);
bool prof_word_is(const struct prof_word *w, const char *s);
/* Whole word as a number; false (value untouched) when it is none or too big. */
bool prof_word_u64(const struct prof_word *w, uint64_t *v);
bool prof_word_hex(const struct prof_word *w, uint64_t *v); /* 0x optional */
bool prof_word_double(const struct prof_word *w, double *v); /* a % may follow */

/* A format of profile files; prof_load.c tries them in order. */
struct prof_format {
	const char *name;
	/* Is it this? Sees the whole input (or its first bytes); must be fast. */
	bool (*probe)(const struct prof_input *in);
	/* p is initialised; -errno and a sentence, p is released by the caller. */
	int (*load)(struct profile *p, const struct prof_input *in,
		    const struct profile_options *options, struct err *err);
};

extern const struct prof_format prof_format_readprofile;

#endif
