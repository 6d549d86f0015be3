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

/* Two sets may bear the same label; sentences about them must not. */
static void make_labels(struct report *r)
{
	for (size_t i = r->nr_sets; i-- > 1;) {
		struct run_set *set = &r->opened[i];
		size_t same = 1;

		for (size_t j = 0; j < i; j++)
			same += !strcmp(r->opened[j].label, set->label);
		if (same > 1) {
			char *label = xasprintf("%s(%zu)", set->label, same);

			free(set->label);
			set->label = label;
		}
	}
}

/* Short, ASCII and distinct. */
static void make_names(struct report *r)
{
	r->name = xcalloc(r->nr_sets, sizeof(*r->name));
	for (size_t i = 0; i < r->nr_sets; i++) {
		const char *label = r->opened[i].label;
		struct strbuf sb = STRBUF_INIT;
		size_t same = 1;

		text_add_ascii(&sb, label, strnlen(label, NAME_WIDTH));
		if (!sb.len)
			strbuf_addf(&sb, "set %zu", i + 1);
		for (size_t j = 0; j < i; j++)
			same += !strncmp(r->opened[j].label, label, NAME_WIDTH);
		if (same > 1) {
			if (sb.len > NAME_WIDTH - 4)
				strbuf_setlen(&sb, NAME_WIDTH - 4);
			strbuf_addf(&sb, "(%zu)", same);
		}
		r->name[i] = strbuf_detach(&sb);
	}
}

/* One case and load: all runs. Several: those of the cell that tells most. */
static void choose_runs(struct report *r)
{
	struct report_cell *cell = r->focus < r->nr_cells ? &r->cell[r->focus] : NULL;

	r->set = cell && r->nr_cells > 1 ? cell->view : r->opened;
	for (size_t i = 0; i < r->nr_sets; i++)
		r->sets[i] = &r->set[i];
	r->blame = cell ? cell->blame : NULL;
	r->nr_blames = cell ? cell->nr_blames : 0;
}

static int compare(struct report *r, const struct report_options *options, struct err *err)
{
	const struct migcost *migcost = r->migcost.nr_entries ? &r->migcost : NULL;
	struct hot_threshold hot;
	struct compare_options opts = { 0 };
	int ret = report_make_cells(r, options, migcost, err);

	if (ret < 0)
		return ret;
	if (migcost) {
		hot_threshold_measured(&hot, migcost);
		opts.hot = &hot;
	}
	if (r->nr_cells > 1) {
		for (size_t i = 0; i < r->nr_sets; i++)
			r->sets[i] = &r->opened[i];
		comparison_make(&r->table, r->sets, r->nr_sets, &opts);
	}
	choose_runs(r);
	comparison_make(&r->cmp, r->sets, r->nr_sets, &opts);
	if (opts.hot)
		free(hot.source);
	comparability_check(&r->diff, r->sets, r->nr_sets);
	return 0;
}

int report_open(struct report *r, char *const *paths, size_t n,
		const struct report_options *options, struct err *err)
{
	int ret = 0;

	memset(r, 0, sizeof(*r));
	migcost_init(&r->migcost);
	r->opened = xcalloc(n, sizeof(*r->opened));
	r->sets = xcalloc(n, sizeof(*r->sets));
	if (options->migration_cost)
		ret = migcost_load(&r->migcost, options->migration_cost, err);
	for (size_t i = 0; i < n && !ret; i++) {
		ret = run_set_open(&r->opened[i], paths[i], options->run, err);
		r->nr_sets += !ret;
	}
	if (!ret) {
		make_labels(r);
		make_names(r);
		run_sets_load_profiles(r->opened, n);
		ret = compare(r, options, err);
	}
	if (ret)
		report_close(r);
	return ret;
}

void report_close(struct report *r)
{
	if (r->cmp.set)
		comparison_release(&r->cmp);
	if (r->table.set)
		comparison_release(&r->table);
	comparability_release(&r->diff);
	report_release_cells(r);
	for (size_t i = 0; i < r->nr_sets; i++) {
		run_set_close(&r->opened[i]);
		if (r->name)
			free(r->name[i]);
	}
	migcost_release(&r->migcost);
	free(r->name);
	free(r->sets);
	free(r->opened);
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
		if (selected[i] && r->asked && !body.len)
			strbuf_addstr(&body, "Nothing of this was recorded.\n");
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
