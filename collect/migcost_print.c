// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of migcost and its file. No measuring. */
#include "migcost_print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

#define PATH_WIDTH 17
#define CELL_WIDTH 10
#define MATRIX_MAX 9 /* CPUs whose pairs fit in 78 columns */

static void add_cell(struct strbuf *sb, const char *text, int width)
{
	text_pad(sb, text, width, true);
}

static void add_path(struct strbuf *sb, enum distance path, unsigned node_distance)
{
	char *name = node_distance ? xasprintf("%s, %u", distance_title(path), node_distance) :
				     xstrdup(distance_title(path));

	text_pad(sb, name, PATH_WIDTH, false);
	free(name);
}

static void add_ns(struct strbuf *sb, uint64_t ns, bool doubtful, int width)
{
	char buf[32];

	format_ns(buf, sizeof(buf), ns);
	if (doubtful)
		strcat(buf, "?"); /* format_ns needs no more than a dozen */
	add_cell(sb, buf, width);
}

static void add_header(struct strbuf *sb, const struct migcost_result *r, const char *title)
{
	text_pad(sb, title, PATH_WIDTH, false);
	for (size_t i = 0; i < r->nr_sizes; i++) {
		char buf[32];

		format_bytes(buf, sizeof(buf), r->size[i]);
		if (i == r->counts)
			strcat(buf, "*");
		add_cell(sb, buf, CELL_WIDTH);
	}
	strbuf_addch(sb, '\n');
}

static void add_rows(struct strbuf *sb, const struct migcost_result *r, bool worst)
{
	for (size_t i = 0; i < r->costs.nr_entries; i++) {
		const struct migcost_entry *e = &r->costs.entry[i];

		add_path(sb, e->path, e->node_distance);
		for (size_t j = 0; j < e->nr_sizes; j++)
			add_ns(sb, worst ? e->size[j].worst_ns : e->size[j].median_ns,
			       !e->size[j].repeats, CELL_WIDTH);
		if (!worst)
			strbuf_addf(sb, "  %d>%d", e->cpu_a, e->cpu_b);
		strbuf_addch(sb, '\n');
	}
}

static void count_tries(const struct migcost_result *r, unsigned *fewest, unsigned *disturbed)
{
	*fewest = ~0U;
	*disturbed = 0;
	for (size_t i = 0; i < r->costs.nr_entries; i++) {
		const struct migcost_entry *e = &r->costs.entry[i];

		for (size_t j = 0; j < e->nr_sizes; j++) {
			*disturbed += e->size[j].disturbed;
			if (e->size[j].repeats < *fewest)
				*fewest = e->size[j].repeats;
		}
	}
}

static const struct migcost_pair_cost *pair_of(const struct migcost_result *r, unsigned a,
					       unsigned b)
{
	for (size_t i = 0; i < r->nr_pairs; i++)
		if ((r->pair[i].a == a && r->pair[i].b == b) ||
		    (r->pair[i].a == b && r->pair[i].b == a))
			return &r->pair[i];
	return NULL;
}

static void add_matrix(struct strbuf *sb, const struct migcost_result *r,
		       const struct cpuset *cpus)
{
	strbuf_addstr(sb, "\nCPU   ");
	cpuset_for_each(b, cpus)
		strbuf_addf(sb, "%8d", b);
	strbuf_addch(sb, '\n');
	cpuset_for_each(a, cpus) {
		strbuf_addf(sb, "%-6d", a);
		cpuset_for_each(b, cpus) {
			const struct migcost_pair_cost *p =
				pair_of(r, (unsigned)a, (unsigned)b);

			if (p)
				add_ns(sb, p->size.median_ns, !p->size.repeats, 8);
			else
				add_cell(sb, "-", 8);
		}
		strbuf_addch(sb, '\n');
	}
}

/* Many CPUs: how far the pairs of each kind differ. */
static void add_spread(struct strbuf *sb, const struct migcost_result *r)
{
	uint64_t *v = xcalloc(r->nr_pairs, sizeof(*v));

	text_pad(sb, "\nall pairs", PATH_WIDTH + 1, false);
	for (const char *const *w = (const char *const[]){ "pairs", "lowest", "median", "highest",
							   NULL }; *w; w++)
		add_cell(sb, *w, CELL_WIDTH);
	strbuf_addch(sb, '\n');
	for (enum distance d = DIST_SMT; d <= DIST_REMOTE; d++) {
		char count[32];
		size_t n = 0;

		for (size_t i = 0; i < r->nr_pairs; i++)
			if (r->pair[i].path == d)
				v[n++] = r->pair[i].size.median_ns;
		if (!n)
			continue;
		uint64_t median = migcost_median(v, n); /* sorts v */

		add_path(sb, d, 0);
		format_count(count, sizeof(count), (double)n);
		add_cell(sb, count, CELL_WIDTH);
		add_ns(sb, v[0], false, CELL_WIDTH);
		add_ns(sb, median, false, CELL_WIDTH);
		add_ns(sb, v[n - 1], false, CELL_WIDTH);
		strbuf_addch(sb, '\n');
	}
	free(v);
}

static void add_pairs(struct strbuf *sb, const struct migcost_result *r)
{
	struct cpuset cpus = CPUSET_INIT;

	for (size_t i = 0; i < r->nr_pairs; i++) {
		cpuset_set(&cpus, r->pair[i].a);
		cpuset_set(&cpus, r->pair[i].b);
	}
	if (cpuset_count(&cpus) <= MATRIX_MAX)
		add_matrix(sb, r, &cpus);
	else
		add_spread(sb, r);
	if (r->pairs_left_out)
		strbuf_addf(sb, "%zu pairs were left out for lack of time: see --time\n",
			    r->pairs_left_out);
	cpuset_release(&cpus);
}

void migcost_text(struct strbuf *sb, const struct migcost_result *r,
		  const struct topology *t)
{
	char *machine = topology_summary(t);
	unsigned fewest, disturbed;

	count_tries(r, &fewest, &disturbed);
	text_wrap(sb, machine, 78, 0);
	strbuf_rtrim(sb);
	strbuf_addstr(sb, "\nextra time to read a dirtied working set on another CPU, less the "
			  "time where\nit is warm; the column * counts as the cost of a migration\n\n");
	add_header(sb, r, "median");
	add_rows(sb, r, false);
	strbuf_addch(sb, '\n');
	add_header(sb, r, "worst");
	add_rows(sb, r, true);
	if (r->nr_pairs)
		add_pairs(sb, r);
	strbuf_addf(sb, "\n%s; ", r->fifo ? "SCHED_FIFO" : "normal priority");
	if (fewest)
		strbuf_addf(sb, "at least %u undisturbed repeats, %u disturbed ones thrown away\n",
			    fewest, disturbed);
	else
		strbuf_addf(sb, "%u repeats were disturbed, and where ? stands all of them: these\n"
			    "values hold other tasks' time too. Try on a quiet machine.\n",
			    disturbed);
	if (t->nr_nodes < 2)
		strbuf_addstr(sb, "one node: what a move to a remote node costs cannot be measured "
				  "here; for\nruns of a machine with more, measure there\n");
	free(machine);
}

static json_t *pairs_json(const struct migcost_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nr_pairs; i++)
		json_array_append_new(list, json_pack("{s:i, s:i, s:I}", "a", (int)r->pair[i].a, "b",
						      (int)r->pair[i].b, "median_ns",
						      (json_int_t)r->pair[i].size.median_ns));
	return list;
}

json_t *migcost_report(const struct migcost_result *r, const struct topology *t)
{
	json_t *root = migcost_to_json(&r->costs);
	char *machine = topology_summary(t);
	struct utsname u;

	if (uname(&u) == 0) {
		json_object_set_new(root, "host", json_text(u.nodename, strlen(u.nodename)));
		json_object_set_new(root, "kernel", json_text(u.release, strlen(u.release)));
	}
	json_object_set_new(root, "topology", json_text(machine, strlen(machine)));
	json_object_set_new(root, "policy", json_string(r->fifo ? "fifo" : "other"));
	if (r->nr_pairs)
		json_object_set_new(root, "pairs", pairs_json(r));
	free(machine);
	return root;
}
