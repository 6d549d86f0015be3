// SPDX-License-Identifier: GPL-2.0-or-later
/* What a report can be put into. Formats lay out; sections hold what is said. */
#include <errno.h>
#include <math.h>
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

void report_headline(const struct report *r, struct strbuf *sb)
{
	const struct report_blame *b = r->nr_blames == 1 && r->nr_cells <= 1 ? r->blame : NULL;
	const char *base = b ? r->name[b->base] : "", *name = b ? r->name[b->set] : "";

	if (b && b->made && (b->blame.kind == BLAME_SLOWER || b->blame.kind == BLAME_FASTER))
		strbuf_addf(sb, "%s is %.1f %% %s than %s", name, fabs(b->blame.change),
			    b->blame.kind == BLAME_SLOWER ? "slower" : "faster", base);
	else if (b && b->made && b->blame.kind == BLAME_SAME)
		strbuf_addf(sb, "%s and %s do not differ", base, name);
	else if (b && b->made && b->blame.kind == BLAME_CANNOT_TELL)
		strbuf_addf(sb, "Cannot tell whether %s differs from %s", name, base);
	else if (b && b->made && b->blame.kind == BLAME_NOT_COMPARABLE)
		strbuf_addf(sb, "%s and %s are not comparable", base, name);
	else
		for (size_t i = 0; i < r->nr_sets; i++)
			strbuf_addf(sb, "%s%s", i > 1 ? ", " : i ? " against " : "", r->name[i]);
}

static int render_mbox(struct strbuf *out, const struct report *r, const bool *selected,
		       const struct mail_options *mail, struct err *err)
{
	struct strbuf body = STRBUF_INIT, subject = STRBUF_INIT;
	int ret;

	report_text(r, selected, &body);
	strbuf_addstr(&subject, "schedblame: ");
	report_headline(r, &subject);
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
		if (!name || !strcmp(name, (*format)->name)) {
			strbuf_release(&known);
			return 0;
		}
		strbuf_addf(&known, "%s%s", known.len ? ", " : "", (*format)->name);
	}
	ret = err_set(err, EINVAL, "there is no format '%s'; there are %s", name, known.buf);
	strbuf_release(&known);
	return ret;
}
