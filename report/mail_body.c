// SPDX-License-Identifier: GPL-2.0-or-later
/* The body of a message: 7bit or quoted-printable, "From " lines quoted for mbox. */
#include <string.h>

#include "mail.h"

#define SMTP_LINE 998 /* bytes without the line end, RFC 5322 2.1.1 */
#define QP_LINE 76

enum mail_encoding mail_encoding_of(const char *body)
{
	size_t column = 0;

	for (const char *p = body; *p; p++) {
		column = *p == '\n' ? 0 : column + 1;
		if (column > SMTP_LINE || (unsigned char)*p > 126 ||
		    (*p < ' ' && *p != '\n' && *p != '\t'))
			return MAIL_QUOTED_PRINTABLE;
	}
	return MAIL_7BIT;
}

/* Lines that begin with any number of > and "From " get one > more (mboxrd). */
static bool is_from_line(const char *line)
{
	return !strncmp(line + strspn(line, ">"), "From ", 5);
}

static void add_qp_line(struct strbuf *out, const char *line, size_t len)
{
	size_t column = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)line[i];
		bool last = i + 1 == len;
		bool plain = (c >= '!' && c <= '~' && c != '=') ||
			     ((c == ' ' || c == '\t') && !last);
		size_t width;

		if (column + (plain ? 1 : 3) + (last ? 0 : 1) > QP_LINE) {
			strbuf_addstr(out, "=\n");
			column = 0;
		}
		/* also behind a soft break; no second way to quote it is needed then */
		if (column == 0 && is_from_line(line + i))
			plain = false;
		width = plain ? 1 : 3;
		if (plain)
			strbuf_addch(out, (char)c);
		else
			strbuf_addf(out, "=%02X", c);
		column += width;
	}
	strbuf_addch(out, '\n');
}

void mail_add_body(struct strbuf *out, const char *body, enum mail_encoding encoding)
{
	while (*body) {
		size_t n = strcspn(body, "\n");

		if (encoding == MAIL_QUOTED_PRINTABLE) {
			add_qp_line(out, body, n);
		} else {
			if (is_from_line(body))
				strbuf_addch(out, '>');
			strbuf_add(out, body, n);
			strbuf_addch(out, '\n');
		}
		body += n + (body[n] == '\n');
	}
}
