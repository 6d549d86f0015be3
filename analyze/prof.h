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

/* Does the line hold nothing but these characters? */
bool prof_line_only(const struct prof_line *line, const char *set);

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
extern const struct prof_format prof_format_report;
extern const struct prof_format prof_format_script;
extern const struct prof_format prof_format_oprofile;
extern const struct prof_format prof_format_folded;
extern const struct prof_format prof_format_bpftrace;
extern const struct prof_format prof_format_pprof;

/* One sample's frames, leaf first. */
struct prof_chain {
	uint32_t id[PROFILE_CHAIN_MAX];
	size_t n;
};
/* Frames beyond PROFILE_CHAIN_MAX are dropped at the root end. */
void prof_chain_add(struct prof_chain *c, uint32_t symbol);
/* Adds the sample as options ask (user mode as one line, chains or not) and
 * empties c. */
void prof_chain_flush(struct profile *p, struct prof_chain *c,
		      const struct profile_options *options, uint64_t samples,
		      double weight);
/* The space of a module as perf prints it; *m becomes its plain name, "" for the
 * kernel image and where it is unknown. */
enum profile_space prof_module(struct prof_word *m, uint64_t addr, bool has_addr);
/* Symbol id of words; "[unknown]" and "" are the unknown symbol of the space. */
uint32_t prof_symbol(struct profile *p, const struct prof_word *name,
		     const struct prof_word *module, enum profile_space space);
/* "# os release : 6.1.0" and the like, as perf prints above its texts. */
void prof_header_line(struct profile *p, const struct prof_line *line);

#endif
