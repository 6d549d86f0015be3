// SPDX-License-Identifier: GPL-2.0-or-later
/* The migration cost file: loading, checking, looking up. Not the measuring. */
#include "schedblame/migcost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

/* Of a file edited by hand: a day, so that sums of costs fit in 64 bits. */
#define COST_MAX_NS (86400ULL * 1000000000ULL)

void migcost_init(struct migcost *m)
{
	memset(m, 0, sizeof(*m));
}

void migcost_release(struct migcost *m)
{
	for (size_t i = 0; i < m->nr_entries; i++)
		free(m->entry[i].size);
	free(m->entry);
	free(m->source);
	migcost_init(m);
}

static int compare(enum distance path, unsigned node_distance,
		   const struct migcost_entry *with)
{
	if (path != with->path)
		return path < with->path ? -1 : 1;
	if (node_distance != with->node_distance)
		return node_distance < with->node_distance ? -1 : 1;
	return 0;
}

struct migcost_entry *migcost_add(struct migcost *m, enum distance path,
				  unsigned node_distance)
{
	size_t at = m->nr_entries;
	struct migcost_entry *e;

	m->entry = xrealloc(m->entry, m->nr_entries + 1, sizeof(*m->entry));
	while (at > 0 && compare(path, node_distance, &m->entry[at - 1]) < 0)
		at--;
	memmove(&m->entry[at + 1], &m->entry[at],
		(m->nr_entries - at) * sizeof(*m->entry));
	m->nr_entries++;
	e = &m->entry[at];
	memset(e, 0, sizeof(*e));
	e->path = path;
	e->node_distance = node_distance;
	e->cpu_a = e->cpu_b = -1;
	return e;
}

static void read_sizes(struct migcost_entry *e, const json_t *sizes)
{
	const json_t *o;
	size_t i;

	if (!json_is_array(sizes) || !json_array_size(sizes))
		return;
	e->size = xcalloc(json_array_size(sizes), sizeof(*e->size));
	json_array_foreach(sizes, i, o) {
		struct migcost_size *s = &e->size[e->nr_sizes++];

		s->bytes = json_u64(o, "bytes", 0);
		s->local_ns = json_u64(o, "local_ns", 0);
		s->median_ns = json_u64(o, "median_ns", 0);
		s->worst_ns = json_u64(o, "worst_ns", 0);
		s->repeats = (unsigned)json_u64(o, "repeats", 0);
		s->disturbed = (unsigned)json_u64(o, "disturbed", 0);
	}
}

static int read_entry(struct migcost *m, const json_t *o, const char *name,
		      size_t nr, struct err *err)
{
	const char *word = json_str(o, "path", "");
	const json_t *cost = json_object_get(o, "cost_ns");
	int64_t node_distance = json_i64(o, "node_distance", 0);
	struct migcost_entry *e;
	int path = distance_by_name(word);

	if (path < DIST_SMT || path > DIST_REMOTE)
		return err_set(err, EINVAL, "%s: cost %zu has path \"%.32s\": expected smt, llc, "
			       "node or remote", name, nr, word);
	if (!json_is_number(cost) || !(json_number_value(cost) >= 0) ||
	    json_number_value(cost) > (double)COST_MAX_NS)
		return err_set(err, EINVAL, "%s: cost %zu (%s) needs a \"cost_ns\" of 0 ns to a day",
			       name, nr, word);
	if (node_distance < 0 || node_distance > 255)
		return err_set(err, EINVAL, "%s: cost %zu (%s) has a \"node_distance\" that is none: "
			       "expected 0 to 255", name, nr, word);
	if (path != DIST_REMOTE)
		node_distance = 0;
	for (size_t i = 0; i < m->nr_entries; i++)
		if (!compare(path, (unsigned)node_distance, &m->entry[i]))
			return err_set(err, EINVAL, "%s: cost %zu (%s) names a path twice", name, nr,
				       word);
	e = migcost_add(m, path, (unsigned)node_distance);
	e->cost_ns = (uint64_t)json_number_value(cost);
	e->cpu_a = (int)json_i64(json_object_get(o, "cpus"), "a", -1);
	e->cpu_b = (int)json_i64(json_object_get(o, "cpus"), "b", -1);
	read_sizes(e, json_object_get(o, "sizes"));
	return 0;
}

int migcost_from_json(struct migcost *m, const json_t *root, const char *name,
		      struct err *err)
{
	const json_t *costs, *o;
	size_t i;
	int ret = json_check_version(root, name, MIGCOST_VERSION, err);

	if (ret < 0)
		return ret;
	costs = json_object_get(root, "cost");
	if (!json_is_array(costs) || !json_array_size(costs))
		return err_set(err, EINVAL, "%s: there is no \"cost\": expected a list with one "
			       "entry per path, as schedblame migcost writes it", name);
	m->source = xstrdup(name);
	m->working_set = json_u64(root, "working_set", 0);
	json_array_foreach(costs, i, o) {
		ret = read_entry(m, o, name, i + 1, err);
		if (ret < 0) {
			migcost_release(m);
			return ret;
		}
	}
	return 0;
}

int migcost_load(struct migcost *m, const char *path, struct err *err)
{
	json_t *root = NULL;
	int ret = json_file_load(&root, path, err);

	if (!ret)
		ret = migcost_from_json(m, root, path, err);
	json_decref(root);
	return ret;
}

static json_t *size_to_json(const struct migcost_size *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:i, s:i}", "bytes", (json_int_t)s->bytes,
			 "local_ns", (json_int_t)s->local_ns, "median_ns",
			 (json_int_t)s->median_ns, "worst_ns", (json_int_t)s->worst_ns,
			 "repeats", (int)s->repeats, "disturbed", (int)s->disturbed);
}

static json_t *entry_to_json(const struct migcost_entry *e)
{
	json_t *o = json_object(), *sizes;

	json_object_set_new(o, "path", json_string(distance_name(e->path)));
	if (e->node_distance)
		json_object_set_new(o, "node_distance", json_integer(e->node_distance));
	json_object_set_new(o, "cost_ns", json_integer((json_int_t)e->cost_ns));
	if (e->cpu_a >= 0)
		json_object_set_new(o, "cpus", json_pack("{s:i, s:i}", "a", e->cpu_a, "b",
							 e->cpu_b));
	if (!e->nr_sizes)
		return o;
	sizes = json_array();
	for (size_t i = 0; i < e->nr_sizes; i++)
		json_array_append_new(sizes, size_to_json(&e->size[i]));
	json_object_set_new(o, "sizes", sizes);
	return o;
}

json_t *migcost_to_json(const struct migcost *m)
{
	json_t *root = json_pack("{s:i, s:I}", "version", MIGCOST_VERSION, "working_set",
				 (json_int_t)m->working_set);
	json_t *costs = json_array();

	for (size_t i = 0; i < m->nr_entries; i++)
		json_array_append_new(costs, entry_to_json(&m->entry[i]));
	json_object_set_new(root, "cost", costs);
	return root;
}

uint64_t migration_cost_ns(const struct migcost *m, enum distance path,
			   unsigned node_distance)
{
	const struct migcost_entry *best = NULL;

	if (path < DIST_SMT || path > DIST_REMOTE)
		return 0;
	/* Sorted near to far: the last one that is not farther. */
	for (size_t i = 0; i < m->nr_entries; i++) {
		const struct migcost_entry *e = &m->entry[i];

		if (compare(path, node_distance, e) >= 0)
			best = e;
		else if (e->path == path && (!best || best->path != path))
			return e->cost_ns; /* nearer than any remote listed */
	}
	return best ? best->cost_ns : 0;
}
