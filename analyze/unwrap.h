/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to analyze/input.c and unwrap.c: the wrappers we can take off. */
#ifndef ANALYZE_UNWRAP_H
#define ANALYZE_UNWRAP_H

#include <stddef.h>

#include "schedblame/err.h"

struct wrapper {
	const char *name;
	const char *magic;
	size_t magic_len;
	/* Writes the content to fd; name stands in sentences. */
	int (*unpack)(const unsigned char *data, size_t len, int fd, const char *name,
		      struct err *err);
};

/* By the first bytes; NULL when the data is not wrapped. */
const struct wrapper *wrapper_of(const unsigned char *data, size_t len);

#endif
