// SPDX-License-Identifier: GPL-2.0-or-later
/* What a report can be put into. Formats lay out; sections hold what is said. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "mail.h"
#include "report.h"
#include "schedblame/text.h"

#define LABEL_MAX 100 /* bytes of one in a subject or title */

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

/* The whole label, as far as it can be printed. */
static void add_label(struct strbuf *sb, const struct report *r, size_t set)
{
	const char *label = r->opened[set].label;
	size_t len = strlen(label);

	if (!len)
		strbuf_addstr(sb, r->name[set]);
	text_add_utf8(sb, label, len < LABEL_MAX ? len : LABEL_MAX);
	if (len > LABEL_MAX)
		strbuf_addstr(sb, "..");
}

static void add_labels(struct strbuf *sb, const struct report *r, size_t first,
		       const char *between, size_t second, const char *behind)
{
	add_label(sb, r, first);
	strbuf_addstr(sb, between);
	add_label(sb, r, second);
	strbuf_addstr(sb, behind);
}

void report_headline(const struct report *r, struct strbuf *sb)
{
	const struct report_blame *b = r->nr_blames == 1 && r->nr_cells <= 1 ? r->blame : NULL;
	char change[64];

	if (b && b->made && (b->blame.kind == BLAME_SLOWER || b->blame.kind == BLAME_FASTER)) {
		snprintf(change, sizeof(change), " is %.1f %% %s than ", fabs(b->blame.change),
			 b->blame.kind == BLAME_SLOWER ? "slower" : "faster");
		add_labels(sb, r, b->set, change, b->base, "");
	} else if (b && b->made && b->blame.kind == BLAME_SAME) {
		add_labels(sb, r, b->base, " and ", b->set, " do not differ");
	} else if (b && b->made && b->blame.kind == BLAME_CANNOT_TELL) {
		strbuf_addstr(sb, "Cannot tell whether ");
		add_labels(sb, r, b->set, " differs from ", b->base, "");
	} else if (b && b->made && b->blame.kind == BLAME_NOT_COMPARABLE) {
		add_labels(sb, r, b->base, " and ", b->set, " are not comparable");
	} else {
		for (size_t i = 0; i < r->nr_sets; i++) {
			strbuf_addstr(sb, i > 1 ? ", " : i ? " against " : "");
			add_label(sb, r, i);
		}
	}
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
