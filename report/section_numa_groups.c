// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is the memory private or shared, and is a group of tasks that share memory
 * larger than a node? By hint faults (source numa). Groups have no names that
 * last, so those of the first run of each set stand for the set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

#define GROUPS_SHOWN 6
#define NAME_WIDTH 24
/* Fewer tasks, or less of it shared, and the node's size does not matter. */
#define SHARED_MIN 0.1

struct numa_row {
	const char *name; /* borrowed */
	uint64_t tasks, pages, shared, remote;
	int home;	    /* node with most of its pages, -1: not known */
	uint64_t home_pages;
	bool outgrows;
};

struct numa_rows {
	const struct run *run;
	struct numa_row *v;
	size_t n, cap;
};

static struct numa_row *row_of(struct numa_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (!strcmp(rows->v[i].name, name))
			return &rows->v[i];
	GROW(rows->v, rows->n, rows->cap);
	rows->v[rows->n] = (struct numa_row){ .name = name, .home = -1 };
	return &rows->v[rows->n++];
}

static int add_field(const struct series_set *set, const struct series *s, void *arg)
{
	const char *name = series_label(set, s, "group"), *field = series_label(set, s, "field");
	struct numa_row *row;

	if (!name || !field)
		return 0;
	row = row_of(arg, name);
	if (!strcmp(field, "tasks"))
		row->tasks += s->counter;
	else if (!strcmp(field, "pages"))
		row->pages += s->counter;
	else if (!strcmp(field, "pages_shared"))
		row->shared += s->counter;
	else if (!strcmp(field, "pages_remote"))
		row->remote += s->counter;
	return 0;
}

static void find_home(struct numa_row *row, const struct run *run)
{
	const struct topology *t = &run->topology;

	for (unsigned node = 0; node < t->nr_nodes; node++) {
		char text[12];
		uint64_t pages;

		snprintf(text, sizeof(text), "%u", node);
		pages = series_sum(&run->series, "numa_group_pages",
				   LABELS("group", row->name, "mem_node", text));
		if (pages > row->home_pages) {
			row->home = (int)node;
			row->home_pages = pages;
		}
	}
	row->outgrows = row->home >= 0 && row->tasks > t->node[row->home].nr_cpus &&
			(double)row->shared >= SHARED_MIN * (double)row->pages;
}

static int by_pages(const void *va, const void *vb)
{
	const struct numa_row *a = va, *b = vb;

	return a->pages < b->pages ? 1 : a->pages > b->pages ? -1 : 0;
}

static void collect_rows(struct numa_rows *rows, const struct run *run)
{
	memset(rows, 0, sizeof(*rows));
	rows->run = run;
	series_for_each(&run->series, "numa_group", NO_LABELS, add_field, rows);
	for (size_t i = 0; i < rows->n; i++)
		find_home(&rows->v[i], run);
	if (rows->n)
		qsort(rows->v, rows->n, sizeof(*rows->v), by_pages);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* Over all runs: how much of what was faulted on was remote, or shared. */
static void add_summary(struct strbuf *out, const char *name, const struct run_set *set)
{
	uint64_t all = 0, shared = 0, local = 0;
	char count[32];

	for (size_t i = 0; i < set->n; i++) {
		const struct run *run = &set->run[i];

		all += series_sum(&run->series, "numa_faults", NO_LABELS);
		shared += series_sum(&run->series, "numa_faults", LABELS("sharing", "shared"));
		for (unsigned node = 0; node < run->topology.nr_nodes; node++) {
			char text[12];

			snprintf(text, sizeof(text), "%u", node);
			local += series_sum(&run->series, "numa_faults",
					    LABELS("cpu_node", text, "mem_node", text));
		}
	}
	strbuf_addf(out, "%s: hint faults on %s pages, %.1f %% local in the end, "
		    "%.1f %% shared", name, format_count(count, sizeof(count), (double)all),
		    percent(local, all), percent(shared, all));
	report_end_line(out);
}

static void add_row(struct strbuf *out, const struct numa_row *row)
{
	struct strbuf name = STRBUF_INIT;
	char count[32];

	text_add_ascii(&name, row->name, strlen(row->name));
	strbuf_addstr(out, "  ");
	text_pad(out, name.buf, NAME_WIDTH, false);
	strbuf_addf(out, "%7llu %9s %7.1f%% %7.1f%%", (unsigned long long)row->tasks,
		    format_count(count, sizeof(count), (double)row->pages),
		    percent(row->shared, row->pages), percent(row->remote, row->pages));
	if (row->home >= 0)
		strbuf_addf(out, "  node%d %3.0f%%", row->home,
			    percent(row->home_pages, row->pages));
	report_end_line(out);
	strbuf_release(&name);
}

static void add_outgrown(struct strbuf *out, const struct numa_rows *rows)
{
	for (size_t i = 0; i < rows->n && i < GROUPS_SHOWN; i++) {
		const struct numa_row *row = &rows->v[i];
		char *sentence;

		if (!row->outgrows)
			continue;
		sentence = xasprintf("%s: %llu tasks share memory, but node%d has %u CPUs: the "
				     "group is larger than its node", row->name,
				     (unsigned long long)row->tasks, row->home,
				     rows->run->topology.node[row->home].nr_cpus);
		report_wrap(out, "  ! ", sentence, 4);
		free(sentence);
	}
}

void section_numa_groups_text(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		struct numa_rows rows;

		if (!r->sets[i]->n || !series_has(&r->sets[i]->run[0].series, "numa_faults"))
			continue;
		add_summary(out, r->name[i], r->sets[i]);
		collect_rows(&rows, &r->sets[i]->run[0]);
		if (rows.n)
			strbuf_addf(out, "  %-*s%7s %9s %8s %8s  %s\n", NAME_WIDTH,
				    "group:id, first run", "tasks", "pages", "shared", "remote",
				    "memory");
		for (size_t j = 0; j < rows.n && j < GROUPS_SHOWN; j++)
			add_row(out, &rows.v[j]);
		add_outgrown(out, &rows);
		free(rows.v);
	}
}

static json_t *row_json(const struct numa_row *row)
{
	json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:b}", "tasks", (json_int_t)row->tasks,
			      "pages", (json_int_t)row->pages, "pages_shared",
			      (json_int_t)row->shared, "pages_remote", (json_int_t)row->remote,
			      "outgrows_node", row->outgrows);

	json_object_set_new(o, "group", json_text(row->name, strlen(row->name)));
	json_object_set_new(o, "home_node", row->home >= 0 ? json_integer(row->home) :
							     json_null());
	return o;
}

json_t *section_numa_groups_json(const struct report *r)
{
	json_t *sets = json_array();

	for (size_t i = 0; i < r->nr_sets; i++) {
		struct numa_rows rows;
		json_t *groups;

		if (!r->sets[i]->n)
			continue;
		groups = json_array();
		collect_rows(&rows, &r->sets[i]->run[0]);
		for (size_t j = 0; j < rows.n; j++)
			json_array_append_new(groups, row_json(&rows.v[j]));
		json_array_append_new(sets, json_pack("{s:s, s:o}", "set", r->name[i], "groups",
						      groups));
		free(rows.v);
	}
	return sets;
}
