// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One line of text to one event. Words before the time:
 *	ftrace:		COMM-PID [(TGID)] [CPU] [FLAGS] TIME: EVENT: PAYLOAD
 *	perf script:	COMM PID[/TID] [CPU] TIME: [PERIOD] [SYSTEM:]EVENT: PAYLOAD
 * COMM may hold blanks, brackets, colons and dashes: so the time is found first,
 * then the words in front of it are taken from the right.
 */
#include <ctype.h>
#include <string.h>

#include "ftrace_text.h"

#define NS_DIGITS 9

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "12345.678901:" or "12345:" that ends in front of colon, after a blank. */
static bool parse_time(const char *s, const char *colon, struct text_line *line,
		       const char **start)
{
	const char *p = colon, *dot = NULL;
	uint64_t whole = 0, part = 0;

	while (p > s && (is_digit(p[-1]) || (p[-1] == '.' && !dot))) {
		p--;
		if (*p == '.')
			dot = p;
	}
	if (p == colon || *p == '.' || p == s || p[-1] != ' ' || colon - p > 24)
		return false;
	*start = p;
	for (; p < colon && p != dot; p++)
		whole = whole * 10 + (uint64_t)(*p - '0');
	if (dot) {
		int digits = 0;

		for (p = dot + 1; p < colon && digits < NS_DIGITS; p++, digits++)
			part = part * 10 + (uint64_t)(*p - '0');
		for (; digits < NS_DIGITS; digits++)
			part *= 10;
		if (whole > UINT64_MAX / 1000000000u - 1)
			return false;
		whole = whole * 1000000000u + part;
	}
	line->ts = whole;
	return true;
}

/* "[001]" at the end of [s, end); *end moves in front of it. */
static bool take_cpu(const char *s, const char **end, struct text_line *line)
{
	const char *p = *end;
	int cpu = 0, digits = 0;

	if (p == s || p[-1] != ']')
		return false;
	for (p--; p > s && is_digit(p[-1]); p--)
		;
	for (const char *q = p; is_digit(*q) && digits < 6; q++, digits++)
		cpu = cpu * 10 + (*q - '0');
	if (!digits || p == s || p[-1] != '[' || cpu >= CPU_NONE)
		return false;
	line->cpu = cpu;
	*end = p - 1;
	return true;
}

static void trim_right(const char *s, const char **end)
{
	while (*end > s && (*end)[-1] == ' ')
		(*end)--;
}

/* "COMM-PID" or "COMM PID[/TID]" in [s, end): the number at the end. */
static bool take_task(const char *s, const char *end, struct text_line *line)
{
	const char *p = end;
	int64_t pid = 0;

	while (p > s && is_digit(p[-1]))
		p--;
	if (p == end || end - p > 10)
		return false;
	for (const char *q = p; q < end; q++)
		pid = pid * 10 + (*q - '0');
	if (pid > INT32_MAX)
		return false;
	line->pid = (int32_t)pid;
	if (p > s && p[-1] == '/') /* PID/TID */
		for (p--; p > s && is_digit(p[-1]); p--)
			;
	if (p == s || (p[-1] != '-' && p[-1] != ' '))
		return false;
	p--;
	trim_right(s, &p);
	while (s < p && (*s == ' ' || *s == '\t'))
		s++;
	line->comm = s;
	line->comm_len = (size_t)(p - s);
	return true;
}

/* The words before the time, from the right: flags, CPU, (tgid), task. */
static bool take_front(const char *s, const char *end, struct text_line *line)
{
	const char *p;

	line->cpu = -1;
	trim_right(s, &end);
	if (!take_cpu(s, &end, line)) {
		/* one word of flags: "d..3", "dNh2.", "...." */
		p = end;
		while (p > s && p[-1] != ' ')
			p--;
		if (end - p > 0 && end - p <= 8) {
			const char *before = p;

			trim_right(s, &before);
			if (take_cpu(s, &before, line))
				end = before;
		}
	}
	trim_right(s, &end);
	if (end > s && end[-1] == ')') { /* (TGID) or (-----) */
		for (p = end - 1; p > s && *p != '('; p--)
			;
		end = p;
		trim_right(s, &end);
	}
	return take_task(s, end, line);
}

/* "[PERIOD] [SYSTEM:]EVENT:" */
static bool take_event(const char *s, const char *end, struct text_line *line)
{
	const char *p, *word;

	while (s < end && *s == ' ')
		s++;
	for (p = s; p < end && is_digit(*p); p++)
		;
	if (p > s && p < end && *p == ' ')
		for (s = p; s < end && *s == ' '; s++)
			;
	for (;;) {
		for (word = s; s < end && (isalnum((unsigned char)*s) || *s == '_' ||
					   *s == '-' || *s == '.'); s++)
			;
		if (s == word || s == end || *s != ':')
			return false;
		line->event = word;
		line->event_len = (size_t)(s - word);
		s++;
		if (s == end || *s == ' ' || *s == '\t')
			break; /* else that was the system */
	}
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	line->payload = s;
	line->end = end;
	return true;
}

bool text_split(const char *s, const char *end, struct text_line *line)
{
	for (const char *colon = s; (colon = memchr(colon, ':', (size_t)(end - colon)));
	     colon++) {
		const char *start;

		if (colon == s || !is_digit(colon[-1]) || colon + 1 >= end ||
		    (colon[1] != ' ' && colon[1] != '\t') ||
		    !parse_time(s, colon, line, &start))
			continue;
		if (take_front(s, start, line) && take_event(colon + 1, end, line))
			return true;
	}
	return false;
}
