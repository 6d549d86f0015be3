// SPDX-License-Identifier: GPL-2.0-or-later
/* What differs besides what is compared, and what each set says about itself. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/text.h"

#define NOTED_MAX 12 /* rows of lesser differences in the text */
#define BRIEF_MAX 2 /* the command that differs is among the first */

static const struct {
	const char *name, *mark, *head;
} levels[] = {
	[DIFFER_EXPECTED] = { "expected", " ", "Differs, as is to be expected:" },
	[DIFFER_NOTED] = { "noted", "*", "Differs, and may matter:" },
	[DIFFER_SERIOUS] = { "serious", "!",
			     "WARNING: these differ, and the numbers may not compare:" },
};

static void add_difference(const struct report *r, struct strbuf *out,
			   const struct difference *d)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s%s%s", d->title, *d->why ? ": " : "", d->why);
	report_wrap(out, levels[d->level].mark[0] == '!' ? "! " :
			 levels[d->level].mark[0] == '*' ? "* " : "  ", line.buf, 4);
	for (size_t i = 0; i < r->nr_sets; i++) {
		struct strbuf prefix = STRBUF_INIT;

		strbuf_addf(&prefix, "    %-20s ", r->name[i]);
		report_wrap(out, prefix.buf, *d->value[i] ? d->value[i] : "-",
			    (int)prefix.len);
		strbuf_release(&prefix);
	}
	strbuf_release(&line);
}

static void add_level(const struct report *r, struct strbuf *out,
		      enum difference_level level)
{
	size_t all = comparability_count(&r->diff, level), shown = 0;
	size_t max = level == DIFFER_SERIOUS ? all : r->verbose ? all : r->brief ? BRIEF_MAX : NOTED_MAX;

	if (!all || (level == DIFFER_EXPECTED && r->brief))
		return;
	if (out->len)
		strbuf_addch(out, '\n');
	strbuf_addf(out, "%s\n", levels[level].head);
	for (size_t i = 0; i < r->diff.n && shown < max; i++)
		if (r->diff.v[i].level == level) {
			add_difference(r, out, &r->diff.v[i]);
			shown++;
		}
	if (shown < all)
		strbuf_addf(out, "  and %zu more, by --verbose and --format json\n",
			    all - shown);
}

void section_differences_text(const struct report *r, struct strbuf *out)
{
	for (int level = DIFFER_SERIOUS; level >= 0; level--)
		add_level(r, out, (enum difference_level)level);
	if (!r->diff.notes.n && !r->cmp.notes.n)
		return;
	if (out->len)
		strbuf_addch(out, '\n');
	strbuf_addstr(out, "To know about these runs:\n");
	for (size_t i = 0; i < r->diff.notes.n; i++)
		report_wrap(out, "- ", r->diff.notes.v[i], 2);
	for (size_t i = 0; i < r->cmp.notes.n; i++)
		report_wrap(out, "- ", r->cmp.notes.v[i], 2);
}

static json_t *notes_json(const struct notes *a, const struct notes *b)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->n; i++)
		json_array_append_new(list, json_text(a->v[i], strlen(a->v[i])));
	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(list, json_text(b->v[i], strlen(b->v[i])));
	return list;
}

json_t *section_differences_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->diff.n; i++) {
		const struct difference *d = &r->diff.v[i];
		json_t *values = json_array(), *obj;

		for (size_t j = 0; j < r->nr_sets; j++)
			json_array_append_new(values, json_text(d->value[j],
								strlen(d->value[j])));
		obj = json_pack("{s:s,s:o,s:s,s:o}", "level", levels[d->level].name, "key",
				json_text(d->key, strlen(d->key)), "why", d->why, "values",
				values);
		json_array_append_new(list, obj);
	}
	return json_pack("{s:o,s:o}", "differences", list, "notes",
			 notes_json(&r->diff.notes, &r->cmp.notes));
}
