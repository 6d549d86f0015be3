// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the tables of data/. */
#include "tsv.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/file.h"

#define TSV_MAX (4UL << 20)

static char *trim(char *s)
{
	size_t len;

	s += strspn(s, " \r");
	len = strlen(s);
	while (len && strchr(" \r", s[len - 1]))
		s[--len] = '\0';
	return s;
}

static void split(struct tsv_line *line, char *text)
{
	line->n = 0;
	while (text && line->n < TSV_FIELDS_MAX) {
		char *field = strsep(&text, "\t");

		line->field[line->n++] = trim(field);
	}
}

int tsv_read(const char *path, const char *name,
	     int (*fn)(void *arg, const struct tsv_line *line, struct err *err),
	     void *arg, struct err *err)
{
	char *found = path ? NULL : path_join(data_dir(), name), *rest, *text;
	struct strbuf sb = STRBUF_INIT;
	struct tsv_line line = { .path = path ? path : found };
	int ret = file_read(&sb, line.path, TSV_MAX, err);

	rest = sb.buf;
	while (!ret && (text = strsep(&rest, "\n"))) {
		line.number++;
		if (*text == '#' || !text[strspn(text, " \t\r")])
			continue;
		split(&line, text);
		ret = fn(arg, &line, err);
	}
	strbuf_release(&sb);
	free(found);
	return ret;
}
