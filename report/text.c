// SPDX-License-Identifier: GPL-2.0-or-later
/* What all sections print with: wrapped foreign text and pairs, always ASCII. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
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

void report_wrap(struct strbuf *out, const char *prefix, const char *s, int indent)
{
	struct strbuf text = STRBUF_INIT, lines = STRBUF_INIT;
	int width = REPORT_WIDTH - indent;
	bool first = true;

	add_cut(&text, s, (size_t)width);
	text_wrap(&lines, text.buf, width, 0);
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

void report_end_line(struct strbuf *out)
{
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	strbuf_addch(out, '\n');
}
