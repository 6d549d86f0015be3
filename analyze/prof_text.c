// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines, words and numbers of text profiles; never reads past the input. */
#include <string.h>

#include "prof.h"
#include "schedblame/units.h"

bool prof_next_line(struct prof_lines *it, struct prof_line *line)
{
	const char *nl;

	if (it->next >= it->end)
		return false;
	nl = memchr(it->next, '\n', (size_t)(it->end - it->next));
	line->s = it->next;
	line->len = (size_t)((nl ? nl : it->end) - it->next);
	line->number = ++it->number;
	it->next = nl ? nl + 1 : it->end;
	if (line->len && line->s[line->len - 1] == '\r')
		line->len--;
	return true;
}

bool prof_line_only(const struct prof_line *line, const char *set)
{
	for (size_t i = 0; i < line->len; i++)
		if (!line->s[i] || !strchr(set, line->s[i]))
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

bool prof_next_word(const char **p, const char *end, struct prof_word *w)
{
	const char *s = *p;

	while (s < end && is_blank(*s))
		s++;
	w->s = s;
	while (s < end && !is_blank(*s))
		s++;
	w->len = (size_t)(s - w->s);
	*p = s;
	return w->len > 0;
}

bool prof_word_is(const struct prof_word *w, const char *s)
{
	return strlen(s) == w->len && !memcmp(w->s, s, w->len);
}

bool prof_word_u64(const struct prof_word *w, uint64_t *v)
{
	uint64_t sum = 0;

	if (!w->len || w->len > 20)
		return false;
	for (size_t i = 0; i < w->len; i++) {
		unsigned digit = (unsigned)(w->s[i] - '0');

		if (digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	*v = sum;
	return true;
}

bool prof_word_hex(const struct prof_word *w, uint64_t *v)
{
	const char *s = w->s;
	size_t len = w->len;
	uint64_t sum = 0;

	if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		s += 2;
		len -= 2;
	}
	if (!len || len > 16)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = (char)(s[i] | 0x20);

		if (c >= '0' && c <= '9')
			sum = sum << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			sum = sum << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	*v = sum;
	return true;
}

bool prof_word_double(const struct prof_word *w, double *v)
{
	char buf[64], *end;
	size_t len = w->len;
	double d;

	if (len && w->s[len - 1] == '%')
		len--;
	if (!len || len >= sizeof(buf) || !memchr("+-.0123456789", w->s[0], 13))
		return false;
	memcpy(buf, w->s, len);
	buf[len] = '\0';
	d = strtod_c(buf, &end);
	if (*end)
		return false;
	*v = d;
	return true;
}
