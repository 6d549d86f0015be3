// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation that ends the program when memory is gone. */
#include "schedblame/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/err.h"

static void *checked(void *p, size_t size)
{
	if (p || !size)
		return p;
	fprintf(stderr, "schedblame: out of memory (asked for %zu bytes)\n", size);
	exit(EXIT_FAILED);
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), size ? size : 1);
}

void *xcalloc(size_t n, size_t size)
{
	if (!n || !size)
		n = size = 1;
	return checked(calloc(n, size), SIZE_MAX / n < size ? SIZE_MAX : n * size);
}

void *xaligned(size_t align, size_t size)
{
	return checked(aligned_alloc(align, (size + align - 1) / align * align), size);
}

void *xrealloc(void *p, size_t n, size_t size)
{
	if (!n || !size)
		n = size = 1;
	if (SIZE_MAX / n < size)
		return checked(NULL, SIZE_MAX);
	return checked(realloc(p, n * size), n * size);
}

char *xstrdup(const char *s)
{
	return checked(strdup(s), strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(n ? s : "", n), n + 1);
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return checked(s, 1);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}
