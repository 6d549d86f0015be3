/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is there or the program ends: out of memory prints one sentence
 * and exits with EXIT_FAILED, so that no caller checks for NULL.
 * Sizes that come from foreign bytes must be bounded by the caller first.
 */
#ifndef SCHEDBLAME_ALLOC_H
#define SCHEDBLAME_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
/* At a multiple of align, a power of 2; of whole multiples of it. */
void *xaligned(size_t align, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/*
 * Growing arrays: for pointers v with count n and capacity cap, makes room for
 * one more. v may be NULL when cap is 0.
 *	GROW(t->v, t->n, t->cap); t->v[t->n++] = x;
 */
#define GROW(v, n, cap)                                                        \
	do {                                                                   \
		if ((n) >= (cap)) {                                            \
			(cap) = (cap) ? (cap) * 2 : 16;                        \
			(v) = xrealloc((v), (cap), sizeof(*(v)));              \
		}                                                              \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
