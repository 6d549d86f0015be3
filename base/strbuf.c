// SPDX-License-Identifier: GPL-2.0-or-later
/* Growing strings. */
#include "schedblame/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

char strbuf_empty[1];

void strbuf_init(struct strbuf *sb)
{
	sb->buf = strbuf_empty;
	sb->len = sb->cap = 0;
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->buf);
	strbuf_init(sb);
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	if (!sb->cap)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_setlen(sb, 0);
}

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1, cap = sb->cap ? sb->cap : 64;

	if (need <= sb->cap)
		return;
	while (cap < need)
		cap *= 2;
	sb->buf = xrealloc(sb->cap ? sb->buf : NULL, cap, 1);
	if (!sb->cap)
		sb->buf[0] = '\0';
	sb->cap = cap;
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_addchn(sb, c, 1);
}

void strbuf_addchn(struct strbuf *sb, char c, size_t n)
{
	strbuf_grow(sb, n);
	memset(sb->buf + sb->len, c, n);
	strbuf_setlen(sb, sb->len + n);
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!len)
		return;
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	strbuf_setlen(sb, sb->len + len);
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	strbuf_grow(sb, 64);
	len = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, ap);
	if (len > 0) {
		if ((size_t)len >= sb->cap - sb->len) {
			strbuf_grow(sb, (size_t)len);
			vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, again);
		}
		sb->len += (size_t)len;
	}
	va_end(again);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_rtrim(struct strbuf *sb)
{
	size_t len = sb->len;

	while (len && strchr(" \t\r\n", sb->buf[len - 1]))
		len--;
	strbuf_setlen(sb, len);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->cap ? sb->buf : xstrdup("");

	strbuf_init(sb);
	return s;
}
