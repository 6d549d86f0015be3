// SPDX-License-Identifier: GPL-2.0-or-later
/* Foreign text made safe for terminals and mails; wrapping and padding. */
#include "schedblame/text.h"

#include <stdint.h>
#include <string.h>

void text_add_ascii(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_addch(sb, s[i] >= ' ' && s[i] < 127 ? s[i] : '?');
}

/* Bytes of the well-formed UTF-8 sequence at s, 0 when it is none. */
static size_t utf8_length(const unsigned char *s, size_t len, uint32_t *code)
{
	size_t n;

	if (s[0] < 0x80)
		n = 1;
	else if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	*code = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && *code < 0x800) || (n == 4 && *code < 0x10000) ||
	    (*code >= 0xd800 && *code <= 0xdfff) || *code > 0x10ffff)
		return 0;
	return n;
}

/* Controls, and the marks that reorder or hide text on a terminal. */
static bool unprintable(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xffff);
}

void text_add_utf8(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t code = 0;
		size_t n = utf8_length((const unsigned char *)s + i, len - i, &code);

		if (!n || unprintable(code)) {
			strbuf_addch(sb, '?');
			i += n ? n : 1;
		} else {
			strbuf_add(sb, s + i, n);
			i += n;
		}
	}
}

void text_add_shell(struct strbuf *sb, const char *arg)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";

	if (*arg && !arg[strspn(arg, plain)]) {
		strbuf_addstr(sb, arg);
		return;
	}
	strbuf_addch(sb, '\'');
	for (; *arg; arg++) {
		if (*arg == '\'')
			strbuf_addstr(sb, "'\\''");
		else
			strbuf_addch(sb, *arg);
	}
	strbuf_addch(sb, '\'');
}

bool text_is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 127 || ((unsigned char)*s < 32 && *s != '\n' &&
						 *s != '\t'))
			return false;
	return true;
}

void text_wrap(struct strbuf *sb, const char *s, int width, int indent)
{
	bool fresh = true; /* nothing on this line yet but its indent */
	int col = 0;

	while (*s) {
		size_t word = strcspn(s, " \n");

		if (word) {
			if (!fresh && col + 1 + (int)word > width) {
				strbuf_addch(sb, '\n');
				strbuf_addchn(sb, ' ', (size_t)indent);
				col = indent;
			} else if (!fresh) {
				strbuf_addch(sb, ' ');
				col++;
			}
			strbuf_add(sb, s, word);
			col += (int)word;
			s += word;
			fresh = false;
		}
		if (*s == '\n') {
			strbuf_addch(sb, '\n');
			fresh = true;
			if (s[1]) {
				strbuf_addchn(sb, ' ', (size_t)indent);
				col = indent;
			}
		}
		if (*s)
			s++;
	}
}

void text_pad(struct strbuf *sb, const char *s, int width, bool right)
{
	int len = (int)strlen(s);

	if (len > width)
		len = width;
	if (right)
		strbuf_addchn(sb, ' ', (size_t)(width - len));
	strbuf_add(sb, s, (size_t)len);
	if (!right)
		strbuf_addchn(sb, ' ', (size_t)(width - len));
}

/* Does c belong to the set that begins behind '['? *end is set behind its ']'. */
static bool in_set(const char *p, char c, const char **end)
{
	bool not = *p == '!' || *p == '^', in = false;
	const char *first;

	p += not;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		if (p[1] == '-' && p[2] && p[2] != ']') {
			in |= c >= p[0] && c <= p[2];
			p += 2;
		} else {
			in |= c == *p;
		}
	}
	*end = *p ? p + 1 : p;
	return in != not;
}

bool text_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *back = NULL;

	while (*s) {
		const char *next = pattern + 1;

		if (*pattern == '*') {
			star = next;
			back = s;
			pattern = next;
			continue;
		}
		if (*pattern && (*pattern == '?' || *pattern == *s ||
				 (*pattern == '[' && in_set(next, *s, &next)))) {
			pattern = next;
			s++;
			continue;
		}
		if (!star)
			return false;
		pattern = star;
		s = ++back;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
