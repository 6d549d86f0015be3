// SPDX-License-Identifier: GPL-2.0-or-later
/* What all sections print with: wrapped foreign text and pairs, always ASCII. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

/* Cuts a word longer than a line into pieces, so that no line is too long. */
static void add_cut(struct strbuf *sb, const char *s, size_t width)
{
	while (*s) {
		size_t word = strcspn(s, " ");
		size_t n = word > width ? width : word;

		text_add_ascii(sb, s, n);
		s += n;
		if (n < word)
			strbuf_addch(sb, ' ');
		while (*s == ' ') {
			strbuf_addch(sb, ' ');
			s++;
		}
	}
}

#define GLUE '\1' /* a blank at which no line ends; never in text made safe */

/* Is what stands here a unit, as a word of its own? */
static bool is_unit(const char *s)
{
	static const char *const unit[] = { "%", "ns", "us", "ms", "s", "points", "pt" };
	size_t len = strcspn(s, " ,;.:()");

	for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
		if (strlen(unit[i]) == len && !strncmp(s, unit[i], len))
			return true;
	return false;
}

/* A number keeps its unit on its line. */
static void glue_units(char *s)
{
	for (char *p = s; *p; p++)
		if (*p == ' ' && p > s && p[-1] >= '0' && p[-1] <= '9' && is_unit(p + 1))
			*p = GLUE;
}

static void unglue(char *s)
{
	for (; *s; s++)
		if (*s == GLUE)
			*s = ' ';
}

void report_wrap(struct strbuf *out, const char *prefix, const char *s, int indent)
{
	struct strbuf text = STRBUF_INIT, lines = STRBUF_INIT;
	int width = REPORT_WIDTH - indent;
	bool first = true;

	add_cut(&text, s, (size_t)width);
	glue_units(text.buf);
	text_wrap(&lines, text.buf, width, 0);
	unglue(lines.buf);
	strbuf_rtrim(&lines);
	strbuf_addstr(out, prefix);
	for (char *p = lines.buf, *end; first || *p; p = end) {
		size_t n = strcspn(p, "\n");

		end = p + n + (p[n] == '\n');
		if (!first)
			strbuf_addchn(out, ' ', (size_t)indent);
		strbuf_add(out, p, n);
		report_end_line(out);
		first = false;
	}
	strbuf_release(&text);
	strbuf_release(&lines);
}

void report_pair(struct strbuf *out, const char *key, int key_width, const char *value)
{
	struct strbuf prefix = STRBUF_INIT;

	strbuf_addstr(&prefix, "  ");
	text_add_ascii(&prefix, key, strlen(key));
	strbuf_addstr(&prefix, ": ");
	while ((int)prefix.len < key_width + 4)
		strbuf_addch(&prefix, ' ');
	if ((int)prefix.len > key_width + 4) {
		strbuf_rtrim(&prefix);
		strbuf_addch(&prefix, '\n');
		strbuf_addchn(&prefix, ' ', (size_t)key_width + 4);
	}
	report_wrap(out, prefix.buf, value, key_width + 4);
	strbuf_release(&prefix);
}

/* Bytes up to the blank or end behind the next word of a shell. */
static size_t shell_word(const char *s)
{
	char quote = '\0';
	size_t i;

	for (i = 0; s[i] && (quote || s[i] != ' '); i++) {
		if (s[i] == '\\' && quote != '\'' && s[i + 1])
			i++;
		else if (s[i] == quote)
			quote = '\0';
		else if (!quote && (s[i] == '\'' || s[i] == '"'))
			quote = s[i];
	}
	return i;
}

void report_command(struct strbuf *out, const char *key, int key_width, const char *command)
{
	struct strbuf safe = STRBUF_INIT, lines = STRBUF_INIT;
	size_t indent = (size_t)key_width + 4, column = indent;

	text_add_ascii(&safe, command, strlen(command));
	strbuf_addf(&lines, "  %s:", key);
	strbuf_addchn(&lines, ' ', indent > lines.len ? indent - lines.len : 1);
	for (const char *p = safe.buf; *p; p += strspn(p, " ")) {
		size_t n = shell_word(p);

		/* room for the backslash that joins the lines */
		if (column > indent && column + 1 + n > REPORT_WIDTH - 2) {
			strbuf_addstr(&lines, " \\\n");
			strbuf_addchn(&lines, ' ', indent);
			column = indent;
		} else if (column > indent) {
			strbuf_addch(&lines, ' ');
			column++;
		}
		if (n > REPORT_WIDTH - 2 - indent) { /* cannot be pasted, then */
			strbuf_release(&lines);
			report_pair(out, key, key_width, safe.buf);
			strbuf_release(&safe);
			return;
		}
		strbuf_add(&lines, p, n);
		column += n;
		p += n;
	}
	strbuf_add(out, lines.buf, lines.len);
	report_end_line(out);
	strbuf_release(&lines);
	strbuf_release(&safe);
}

void report_add_name(const struct report *r, size_t set, struct strbuf *out, int width)
{
	const char *name = r->name[set];
	int len = (int)strlen(name), tail = width / 2;

	if (len <= width)
		strbuf_addf(out, "%*s", width, name);
	else if (width < 6)
		strbuf_addf(out, "%.*s", width, name);
	else /* names of kernels often differ at their end */
		strbuf_addf(out, "%.*s..%s", width - tail - 2, name, name + len - tail);
}

void report_end_line(struct strbuf *out)
{
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	strbuf_addch(out, '\n');
}
