// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of the numa programs as series; groups of tasks that share memory. */
#include "numa_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"
#include "schedblame/text.h"

#define GROUPS_MAX 32 /* with rows of their own */

struct group {
	unsigned id, tgid;
	unsigned tasks;
	const char *comm; /* of its task with the most pages; may lack a NUL */
	uint64_t comm_pages;
	uint64_t pages, shared, remote;
};

struct node_name {
	char text[12];
};

/* The topology's index of a kernel node. */
static struct node_name node_name(const struct topology *t, unsigned os_id)
{
	struct node_name name = { "unknown" };

	for (unsigned i = 0; i < t->nr_nodes; i++)
		if (t->node[i].os_id == os_id)
			snprintf(name.text, sizeof(name.text), "%u", i);
	return name;
}

static void add_moves(const struct numa_counts *c, const struct topology *t,
		      struct series_set *set)
{
	static const char *const event[NUMA_EVENTS] = { "move", "swap", "stick" };
	unsigned n = c->nr_nodes;

	series_declare(set, "numa");
	series_declare(set, "numa_moves");
	for (unsigned i = 0; c->move && i < NUMA_EVENTS * n * n; i++) {
		struct node_name from = node_name(t, i / n % n), to = node_name(t, i % n);
		const char *name = event[i / n / n];

		if (!c->move[i])
			continue;
		series_add(set, "numa", LABELS("event", name), c->move[i]);
		series_add(set, "numa_moves", LABELS("event", name, "from_node", from.text,
						     "to_node", to.text), c->move[i]);
	}
}

static void add_faults(const struct numa_counts *c, const struct topology *t,
		       struct series_set *set)
{
	series_declare(set, "numa_faults");
	series_declare(set, "numa_fault_moves");
	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct numa_pair_count *p = &c->pair[i];
		struct node_name cpu = node_name(t, p->key.cpu_node);
		struct node_name mem = node_name(t, p->key.mem_node);

		series_add(set, "numa_faults",
			   LABELS("sharing", p->key.shared ? "shared" : "private", "cpu_node",
				  cpu.text, "mem_node", mem.text), p->n.pages);
		if (p->n.migrated)
			series_add(set, "numa_fault_moves", LABELS("to_node", mem.text),
				   p->n.migrated);
	}
}

static struct group *group_of(struct group **v, size_t *n, size_t *cap, unsigned id,
			      unsigned tgid)
{
	if (id)
		tgid = 0;
	for (size_t i = 0; i < *n; i++)
		if ((*v)[i].id == id && (*v)[i].tgid == tgid)
			return &(*v)[i];
	GROW(*v, *n, *cap);
	memset(&(*v)[*n], 0, sizeof(**v));
	(*v)[*n].id = id;
	(*v)[*n].tgid = tgid;
	return &(*v)[(*n)++];
}

static int by_pages(const void *va, const void *vb)
{
	const struct group *a = va, *b = vb;

	return a->pages < b->pages ? 1 : a->pages > b->pages ? -1 : 0;
}

static size_t find_groups(const struct numa_counts *c, struct group **v)
{
	size_t n = 0, cap = 0;

	*v = NULL;
	for (size_t i = 0; i < c->nr_tasks; i++) {
		const struct numa_task *t = &c->task[i];
		struct group *g = group_of(v, &n, &cap, t->group, t->tgid);

		g->tasks++;
		if (!g->comm || t->pages > g->comm_pages) {
			g->comm = t->comm;
			g->comm_pages = t->pages;
		}
	}
	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct numa_pair_count *p = &c->pair[i];
		struct group *g = group_of(v, &n, &cap, p->key.group, p->key.tgid);

		g->pages += p->n.pages;
		if (p->key.shared)
			g->shared += p->n.pages;
		if (p->key.cpu_node != p->key.mem_node)
			g->remote += p->n.pages;
	}
	if (n)
		qsort(*v, n, sizeof(**v), by_pages);
	return n;
}

static void group_name(const struct group *g, struct strbuf *sb)
{
	size_t len = g->comm ? strnlen(g->comm, NUMA_COMM) : 0;

	text_add_utf8(sb, g->comm ? g->comm : "?", g->comm ? len : 1);
	strbuf_addf(sb, ":%u", g->id ? g->id : g->tgid);
}

static void add_group(const struct group *g, const char *name, struct series_set *set)
{
	const struct {
		const char *field;
		uint64_t value;
	} rows[] = {
		{ "tasks", g->tasks },
		{ "pages", g->pages },
		{ "pages_shared", g->shared },
		{ "pages_remote", g->remote },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		series_add(set, "numa_group", LABELS("group", name, "field", rows[i].field),
			   rows[i].value);
}

static void add_group_nodes(const struct numa_counts *c, const struct group *g,
			    const char *name, const struct topology *t,
			    struct series_set *set)
{
	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct numa_pair_count *p = &c->pair[i];
		struct node_name cpu = node_name(t, p->key.cpu_node);
		struct node_name mem = node_name(t, p->key.mem_node);

		if (p->key.group == g->id && p->key.tgid == g->tgid)
			series_add(set, "numa_group_pages",
				   LABELS("group", name, "cpu_node", cpu.text, "mem_node",
					  mem.text), p->n.pages);
	}
}

static void add_groups(const struct numa_counts *c, const struct topology *t,
		       struct series_set *set)
{
	struct group *v;
	size_t n = find_groups(c, &v);

	series_declare(set, "numa_group");
	series_declare(set, "numa_group_pages");
	for (size_t i = 0; i < n; i++) {
		struct strbuf name = STRBUF_INIT;

		if (i < GROUPS_MAX) {
			group_name(&v[i], &name);
			add_group_nodes(c, &v[i], name.buf, t, set);
		} else {
			strbuf_addstr(&name, "others");
		}
		add_group(&v[i], name.buf, set);
		strbuf_release(&name);
	}
	free(v);
}

void numa_counts_to_series(const struct numa_counts *c, const struct topology *t,
			   struct series_set *set)
{
	add_moves(c, t, set);
	series_add(set, "dropped", LABELS("what", "numa_moves"), c->lost_moves);
	if (!c->faults_seen)
		return;
	add_faults(c, t, set);
	add_groups(c, t, set);
	series_add(set, "dropped", LABELS("what", "numa_pages"), c->lost_pairs);
	series_add(set, "dropped", LABELS("what", "numa_tasks"), c->lost_tasks);
}

void numa_counts_release(struct numa_counts *c)
{
	free(c->move);
	free(c->pair);
	free(c->task);
	memset(c, 0, sizeof(*c));
}
