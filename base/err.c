// SPDX-License-Identifier: GPL-2.0-or-later
/* Error sentences and notes. */
#include "schedblame/err.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

void err_release(struct err *err)
{
	if (!err)
		return;
	free(err->text);
	err->text = NULL;
	err->code = 0;
}

int err_vset(struct err *err, int code, const char *fmt, va_list ap)
{
	if (err) {
		/* format first: an argument may be the old text */
		char *text = xvasprintf(fmt, ap);

		free(err->text);
		err->text = text;
		err->code = code;
	}
	return -code;
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	return -code;
}

int err_errno(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;
	char *head;

	if (!err)
		return -code;
	va_start(ap, fmt);
	head = xvasprintf(fmt, ap);
	va_end(ap);
	err_set(err, code, "%s: %s", head, strerror(code));
	free(head);
	return -code;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	va_list ap;
	char *head;

	if (!err || !err->text)
		return;
	va_start(ap, fmt);
	head = xvasprintf(fmt, ap);
	va_end(ap);
	err_set(err, err->code, "%s: %s", head, err->text);
	free(head);
}

const char *err_text(const struct err *err)
{
	return err && err->text ? err->text : "unknown error";
}

void notes_release(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->v[i]);
	free(notes->v);
	notes->v = NULL;
	notes->n = 0;
}

/* Takes ownership of text. */
static void notes_take(struct notes *notes, char *text)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (!strcmp(notes->v[i], text)) {
			free(text);
			return;
		}
	}
	notes->v = xrealloc(notes->v, notes->n + 1, sizeof(*notes->v));
	notes->v[notes->n++] = text;
}

void notes_add(struct notes *notes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	notes_take(notes, xvasprintf(fmt, ap));
	va_end(ap);
}

void notes_merge(struct notes *notes, const struct notes *src)
{
	for (size_t i = 0; i < src->n; i++)
		notes_take(notes, xstrdup(src->v[i]));
}
