/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report as one message in mbox format (RFC 4155 with ">From" quoting): headers
 * of RFC 5322, MIME of RFC 2045, encoded words of RFC 2047. Private to report/.
 *
 * Whatever comes from the command line is checked before it becomes a header: a
 * line break or another control character is refused, never removed.
 */
#ifndef REPORT_MAIL_H
#define REPORT_MAIL_H

#include <argp.h>
#include <stdbool.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

#define MAIL_WIDTH 78

struct mail_options {
	const char *from;	 /* NULL: $EMAIL, else login@host */
	struct strbuf to, cc;	 /* lists of addresses with commas between */
	const char *subject;	 /* NULL: the verdict */
	const char *in_reply_to; /* message id with or without <>, NULL */
	const char *intro;	 /* file put above the report, NULL */
};

/* argp child; input is a struct mail_options. */
extern const struct argp mail_argp;
void mail_options_init(struct mail_options *o);
void mail_options_release(struct mail_options *o);
/* Was any of them given? */
bool mail_options_given(const struct mail_options *o);

/*
 * Appends the message. subject is used when the options have none. -EINVAL with a
 * sentence that names the option when one cannot stand in a header.
 */
int mail_write(struct strbuf *out, const struct mail_options *o, const char *subject,
	       const char *body, struct err *err);

/* ---- headers: mail_header.c; option names the sentence ---- */

/* A header of free text, encoded words where it is not plain ASCII. */
int mail_add_text(struct strbuf *out, const char *name, const char *value,
		  const char *option, struct err *err);
/* Addresses with commas between, as in "Jane Doe <jd@example.org>, x@example.org". */
int mail_add_addresses(struct strbuf *out, const char *name, const char *list,
		       const char *option, struct err *err);
/* "<id>", with the brackets added when they are missing. */
int mail_add_id(struct strbuf *out, const char *name, const char *id, const char *option,
		struct err *err);
/* The bare address of the first one in a list that was accepted; a new string. */
char *mail_first_address(const char *list);

/* ---- body: mail_body.c ---- */

enum mail_encoding { MAIL_7BIT, MAIL_QUOTED_PRINTABLE };
/* 7bit when it is ASCII of lines that SMTP takes, else quoted-printable. */
enum mail_encoding mail_encoding_of(const char *body);
/* Appends the body in that encoding, its "From " lines quoted for mbox. */
void mail_add_body(struct strbuf *out, const char *body, enum mail_encoding encoding);

#endif
