// SPDX-License-Identifier: GPL-2.0-or-later
/* A report: opening the sets, choosing sections, putting them together. */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

#define NAME_WIDTH 20

/* Short, ASCII and distinct: two sets may bear the same label. */
static void make_names(struct report *r)
{
	r->name = xcalloc(r->nr_sets, sizeof(*r->name));
	for (size_t i = 0; i < r->nr_sets; i++) {
		const char *label = r->set[i].label;
		struct strbuf sb = STRBUF_INIT;
		size_t same = 1;

		text_add_ascii(&sb, label, strnlen(label, NAME_WIDTH));
		if (!sb.len)
			strbuf_addf(&sb, "set %zu", i + 1);
		for (size_t j = 0; j < i; j++)
			same += !strncmp(r->set[j].label, label, NAME_WIDTH);
		if (same > 1) {
			if (sb.len > NAME_WIDTH - 4)
				strbuf_setlen(&sb, NAME_WIDTH - 4);
			strbuf_addf(&sb, "(%zu)", same);
		}
		r->name[i] = strbuf_detach(&sb);
	}
}

static void compare(struct report *r)
{
	struct hot_threshold hot;
	struct compare_options opts = { 0 };

	if (r->migcost.nr_entries) {
		hot_threshold_measured(&hot, &r->migcost);
		opts.hot = &hot;
	}
	comparison_make(&r->cmp, r->sets, r->nr_sets, &opts);
	if (opts.hot)
		free(hot.source);
	comparability_check(&r->diff, r->sets, r->nr_sets);
	report_make_blame(r, r->migcost.nr_entries ? &r->migcost : NULL);
}

int report_open(struct report *r, char *const *paths, size_t n,
		const struct run_options *run_opts, const char *migration_cost,
		struct err *err)
{
	int ret = 0;

	memset(r, 0, sizeof(*r));
	migcost_init(&r->migcost);
	r->set = xcalloc(n, sizeof(*r->set));
	if (migration_cost)
		ret = migcost_load(&r->migcost, migration_cost, err);
	for (size_t i = 0; i < n && !ret; i++) {
		ret = run_set_open(&r->set[i], paths[i], run_opts, err);
		r->nr_sets += !ret;
	}
	if (ret) {
		report_close(r);
		return ret;
	}
	r->sets = xcalloc(n, sizeof(*r->sets));
	for (size_t i = 0; i < n; i++)
		r->sets[i] = &r->set[i];
	make_names(r);
	run_sets_load_profiles(r->set, n);
	compare(r);
	return 0;
}

void report_close(struct report *r)
{
	report_release_blame(r);
	if (r->cmp.set)
		comparison_release(&r->cmp);
	comparability_release(&r->diff);
	for (size_t i = 0; i < r->nr_sets; i++) {
		run_set_close(&r->set[i]);
		if (r->name)
			free(r->name[i]);
	}
	migcost_release(&r->migcost);
	free(r->name);
	free(r->sets);
	free(r->set);
	memset(r, 0, sizeof(*r));
}

size_t report_nr_sections(void)
{
	size_t n = 0;

	while (report_sections[n].name)
		n++;
	return n;
}

static int unknown_section(const char *name, size_t len, struct err *err)
{
	struct strbuf known = STRBUF_INIT;
	int ret;

	for (const struct report_section *s = report_sections; s->name; s++)
		strbuf_addf(&known, "%s%s", known.len ? ", " : "", s->name);
	ret = err_set(err, EINVAL, "there is no section '%.*s'; there are: %s",
		      (int)(len < 60 ? len : 60), name, known.buf);
	strbuf_release(&known);
	return ret;
}

int report_select(const struct report *r, const char *list, bool *selected,
		  struct err *err)
{
	size_t n = report_nr_sections();

	for (size_t i = 0; i < n; i++)
		selected[i] = !list && (!r->brief || report_sections[i].brief);
	while (list && *list) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < n && (strlen(report_sections[i].name) != len ||
				 strncmp(report_sections[i].name, list, len)))
			i++;
		if (i == n)
			return unknown_section(list, len, err);
		selected[i] = true;
		list += len + (list[len] == ',');
	}
	return 0;
}

static void add_title(struct strbuf *out, const char *title)
{
	if (out->len)
		strbuf_addch(out, '\n');
	strbuf_addf(out, "%s\n", title);
	strbuf_addchn(out, '=', strlen(title));
	strbuf_addch(out, '\n');
}

void report_text(const struct report *r, const bool *selected, struct strbuf *out)
{
	for (size_t i = 0; report_sections[i].name; i++) {
		const struct report_section *s = &report_sections[i];
		struct strbuf body = STRBUF_INIT;

		if (selected[i])
			s->text(r, &body);
		if (body.len) {
			if (s->title)
				add_title(out, s->title);
			strbuf_add(out, body.buf, body.len);
		}
		strbuf_release(&body);
	}
}

json_t *report_json(const struct report *r, const bool *selected)
{
	json_t *root = json_pack("{s:i,s:s}", "version", 1, "kind", "schedblame report");

	for (size_t i = 0; report_sections[i].name; i++) {
		json_t *value = selected[i] ? report_sections[i].json(r) : NULL;

		if (value)
			json_object_set_new(root, report_sections[i].name, value);
	}
	return root;
}
