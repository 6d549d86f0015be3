/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string. Invariants: buf is never NULL and always NUL-terminated at
 * buf[len]; an empty strbuf points at a static "" and owns nothing.
 */
#ifndef SCHEDBLAME_STRBUF_H
#define SCHEDBLAME_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *buf;
	size_t len;
	size_t cap; /* 0: buf is the static empty string */
};

extern char strbuf_empty[];
#define STRBUF_INIT                                                            \
	{                                                                      \
		strbuf_empty, 0, 0                                             \
	}

void strbuf_init(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb); /* len = 0, memory kept */
void strbuf_grow(struct strbuf *sb, size_t extra);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addchn(struct strbuf *sb, char c, size_t n); /* n times c */
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void strbuf_setlen(struct strbuf *sb, size_t len); /* len <= sb->len */
void strbuf_rtrim(struct strbuf *sb); /* drops blanks and newlines at the end */
/* Hands the string to the caller, who frees it; sb is empty afterwards. */
char *strbuf_detach(struct strbuf *sb);

#endif
