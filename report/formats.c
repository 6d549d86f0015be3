// SPDX-License-Identifier: GPL-2.0-or-later
/* What a report can be put into. Formats lay out; sections hold what is said. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "mail.h"
#include "report.h"

static int render_text(struct strbuf *out, const struct report *r, const bool *selected,
		       const struct mail_options *mail, struct err *err)
{
	(void)mail;
	(void)err;
	report_text(r, selected, out);
	return 0;
}

static int add_dumped(const char *data, size_t len, void *out)
{
	strbuf_add(out, data, len);
	return 0;
}

static int render_json(struct strbuf *out, const struct report *r, const bool *selected,
		       const struct mail_options *mail, struct err *err)
{
	json_t *root = report_json(r, selected);

	(void)mail;
	(void)err;
	json_dump_callback(root, add_dumped, out,
			   JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(10));
	strbuf_addch(out, '\n');
	json_decref(root);
	return 0;
}

/* The verdict up to its numbers in brackets: "new is 13.0 % slower than base". */
static void default_subject(const struct report *r, struct strbuf *sb)
{
	const struct report_blame *first = r->nr_blames == 1 ? &r->blame[0] : NULL;

	strbuf_addstr(sb, "schedblame: ");
	if (first && first->made && first->blame.headline) {
		const char *s = first->blame.headline;

		strbuf_add(sb, s, strcspn(s, ":(.") == strlen(s) ? strlen(s) : strcspn(s, ":("));
		strbuf_rtrim(sb);
		return;
	}
	for (size_t i = 0; i < r->nr_sets; i++)
		strbuf_addf(sb, "%s%s", i > 1 ? ", " : i ? " against " : "", r->name[i]);
}

static int render_mbox(struct strbuf *out, const struct report *r, const bool *selected,
		       const struct mail_options *mail, struct err *err)
{
	struct strbuf body = STRBUF_INIT, subject = STRBUF_INIT;
	int ret;

	report_text(r, selected, &body);
	default_subject(r, &subject);
	ret = mail_write(out, mail, subject.buf, body.buf, err);
	strbuf_release(&body);
	strbuf_release(&subject);
	return ret;
}

static int render_html(struct strbuf *out, const struct report *r, const bool *selected,
		       const struct mail_options *mail, struct err *err)
{
	(void)mail;
	(void)err;
	html_page(r, selected, out);
	return 0;
}

const struct report_format report_formats[] = {
	{ "text", render_text },
	{ "json", render_json },
	{ "mbox", render_mbox },
	{ "html", render_html },
	{ NULL, NULL },
};

int report_format_find(const struct report_format **format, const char *name,
		       struct err *err)
{
	struct strbuf known = STRBUF_INIT;
	int ret;

	for (*format = report_formats; (*format)->name; (*format)++) {
		if (!name || !strcmp(name, (*format)->name))
			return 0;
		strbuf_addf(&known, "%s%s", known.len ? ", " : "", (*format)->name);
	}
	ret = err_set(err, EINVAL, "there is no format '%s'; there are %s", name, known.buf);
	strbuf_release(&known);
	return ret;
}
