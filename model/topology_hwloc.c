// SPDX-License-Identifier: GPL-2.0-or-later
/* Topologies by hwloc: this machine, XML, synthetic descriptions. hwloc's tree is
 * copied into plain arrays and freed. */
#include <errno.h>
#include <glob.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/topology.h"
#include "topology_build.h"

static bool is_cache(hwloc_obj_type_t type)
{
	return type >= HWLOC_OBJ_L1CACHE && type <= HWLOC_OBJ_L5CACHE;
}

/* Caches and containers above one PU; the outermost data cache is its LLC. */
static void copy_pu(struct topology *t, hwloc_obj_t pu, int *llc_of_obj,
		    const unsigned *first)
{
	struct topology_cpu *cpu = &t->cpu[pu->os_index];

	cpu->present = cpu->online = true;
	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		if (o->type == HWLOC_OBJ_CORE)
			cpu->core = (int)o->logical_index;
		else if (o->type == HWLOC_OBJ_PACKAGE)
			cpu->package = (int)o->logical_index;
		if (!is_cache(o->type))
			continue;
		if (o->type == HWLOC_OBJ_L1CACHE)
			t->l1d_bytes = o->attr->cache.size;
		else if (o->type == HWLOC_OBJ_L2CACHE)
			t->l2_bytes = o->attr->cache.size;
		t->llc_bytes = o->attr->cache.size;
		cpu->llc = (int)(first[o->type] + o->logical_index);
	}
	/* llc so far is a number over all caches; make it dense */
	if (cpu->llc >= 0) {
		if (llc_of_obj[cpu->llc] < 0)
			llc_of_obj[cpu->llc] = (int)t->nr_llcs++;
		cpu->llc = llc_of_obj[cpu->llc];
	}
}

static int copy_cpus(struct topology *t, hwloc_topology_t hw, const char *name,
		     struct err *err)
{
	unsigned first[HWLOC_OBJ_TYPE_MAX] = { 0 }, caches = 0;
	hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(hw);
	int last = hwloc_bitmap_last(complete), *llc_of_obj, cpu;

	if (last < 0 || last >= CPUSET_MAX)
		return err_set(err, EINVAL, "%s describes no CPUs, or more than %d", name,
			       CPUSET_MAX);
	for (hwloc_obj_type_t type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; type++) {
		int n = hwloc_get_nbobjs_by_type(hw, type);

		first[type] = caches;
		caches += n > 0 ? (unsigned)n : 0;
	}
	topology_set_nr_cpus(t, (unsigned)last + 1);
	hwloc_bitmap_foreach_begin(cpu, complete)
		t->cpu[cpu].present = true;
	hwloc_bitmap_foreach_end();
	llc_of_obj = xmalloc((caches + 1) * sizeof(*llc_of_obj));
	memset(llc_of_obj, 0xff, (caches + 1) * sizeof(*llc_of_obj));
	for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, pu));)
		if (pu->os_index <= (unsigned)last)
			copy_pu(t, pu, llc_of_obj, first);
	free(llc_of_obj);
	t->nr_cores = (unsigned)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_CORE);
	t->nr_packages = (unsigned)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PACKAGE);
	return 0;
}

/* Dense index of a node by its kernel number, -1. */
static int node_by_os_id(const struct topology *t, unsigned os_id)
{
	for (unsigned i = 0; i < t->nr_nodes; i++)
		if (t->node[i].os_id == os_id)
			return (int)i;
	return -1;
}

static int by_os_id(const void *a, const void *b)
{
	const struct topology_node *x = a, *y = b;

	return x->os_id < y->os_id ? -1 : x->os_id > y->os_id;
}

/*
 * hwloc gives memory without CPUs the CPUs around it, so that a CPU may be local
 * to several nodes (DRAM and HBM, or a CXL node beside all). The kernel knows one
 * node per CPU: the one with the fewest CPUs, of equals the lowest number.
 */
static void place_cpus(struct topology *t, hwloc_topology_t hw)
{
	unsigned *weight = xmalloc((t->nr_cpus + 1) * sizeof(*weight));
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, obj))) {
		int node = node_by_os_id(t, obj->os_index), cpu;
		int w = hwloc_bitmap_weight(obj->cpuset); /* -1: endless */

		if (w <= 0)
			continue;
		hwloc_bitmap_foreach_begin(cpu, obj->cpuset) {
			struct topology_cpu *c = &t->cpu[cpu];

			if ((unsigned)cpu >= t->nr_cpus)
				break;
			if (c->node >= 0 && (weight[cpu] < (unsigned)w ||
					     (weight[cpu] == (unsigned)w && c->node < node)))
				continue;
			c->node = node;
			weight[cpu] = (unsigned)w;
		} hwloc_bitmap_foreach_end();
	}
	free(weight);
}

/* Dense indexes follow the kernel's numbers. */
static int copy_nodes(struct topology *t, hwloc_topology_t hw, const char *name,
		      struct err *err)
{
	int n = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_NUMANODE);
	hwloc_obj_t obj = NULL;

	if (n < 0 || n > TOPOLOGY_NODES_MAX)
		return err_set(err, EINVAL, "%s describes %d nodes, at most %d can be", name,
			       n, TOPOLOGY_NODES_MAX);
	topology_set_nr_nodes(t, (unsigned)n);
	for (int i = 0; i < n && (obj = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, obj));
	     i++) {
		t->node[i].os_id = obj->os_index;
		t->node[i].mem_bytes = obj->attr->numanode.local_memory;
	}
	qsort(t->node, t->nr_nodes, sizeof(*t->node), by_os_id);
	place_cpus(t, hw);
	return 0;
}

static void copy_distances(struct topology *t, hwloc_topology_t hw)
{
	struct hwloc_distances_s *d = NULL;
	unsigned nr = 1;

	if (hwloc_distances_get_by_type(hw, HWLOC_OBJ_NUMANODE, &nr, &d,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
	    !nr || !d)
		return;
	for (unsigned i = 0; i < d->nbobjs; i++) {
		for (unsigned j = 0; j < d->nbobjs; j++) {
			int a = d->objs[i] ? node_by_os_id(t, d->objs[i]->os_index) : -1;
			int b = d->objs[j] ? node_by_os_id(t, d->objs[j]->os_index) : -1;
			uint64_t v = d->values[i * d->nbobjs + j];

			if (a >= 0 && b >= 0 && v <= 255)
				t->node_distance[(unsigned)a * t->nr_nodes + (unsigned)b] =
					(unsigned)v;
		}
	}
	hwloc_distances_release(hw, d);
}

static int copy_all(struct topology *t, hwloc_topology_t hw, const char *name,
		    struct err *err)
{
	int ret;

	topology_release(t);
	ret = copy_cpus(t, hw, name, err);
	if (!ret)
		ret = copy_nodes(t, hw, name, err);
	if (ret) {
		topology_release(t);
		return ret;
	}
	copy_distances(t, hw);
	topology_finish(t, name);
	return 0;
}

static hwloc_topology_t new_topology(unsigned long flags)
{
	hwloc_topology_t hw;

	if (hwloc_topology_init(&hw))
		return NULL;
	hwloc_topology_set_all_types_filter(hw, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_io_types_filter(hw, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_flags(hw, flags | HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return hw;
}

static int load_failed(struct err *err, const char *what)
{
	return err_set(err, EINVAL, "hwloc cannot read %s as a topology", what);
}

static hwloc_topology_t load_this_machine(struct err *err)
{
	hwloc_topology_t hw = new_topology(0);

	if (hw && !hwloc_topology_load(hw))
		return hw;
	if (hw)
		hwloc_topology_destroy(hw);
	load_failed(err, "this machine");
	return NULL;
}

/* hwloc gives an offline CPU no place; sysfs still knows its node. */
static void place_offline(struct topology *t)
{
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++) {
		char pattern[80];
		unsigned os_id;
		glob_t g;

		if (!t->cpu[cpu].present || t->cpu[cpu].online)
			continue;
		snprintf(pattern, sizeof(pattern), "/sys/devices/system/cpu/cpu%u/node[0-9]*",
			 cpu);
		if (!glob(pattern, 0, NULL, &g)) {
			if (sscanf(strrchr(g.gl_pathv[0], '/'), "/node%u", &os_id) == 1)
				t->cpu[cpu].node = node_by_os_id(t, os_id);
			globfree(&g);
		}
	}
	topology_finish(t, "this machine");
}

int topology_load_system(struct topology *t, struct err *err)
{
	hwloc_topology_t hw = load_this_machine(err);
	int ret;

	if (!hw)
		return -EINVAL;
	ret = copy_all(t, hw, "this machine", err);
	hwloc_topology_destroy(hw);
	if (!ret)
		place_offline(t);
	return ret;
}

int topology_system_xml(char **xml, struct err *err)
{
	hwloc_topology_t hw = load_this_machine(err);
	char *buf = NULL;
	int len = 0, ret = 0;

	*xml = NULL;
	if (!hw)
		return -EINVAL;
	if (hwloc_topology_export_xmlbuffer(hw, &buf, &len, 0) || !buf)
		ret = err_set(err, EIO, "hwloc cannot write this machine's topology as XML");
	else
		*xml = xstrdup(buf);
	if (buf)
		hwloc_free_xmlbuffer(hw, buf);
	hwloc_topology_destroy(hw);
	return ret;
}

#define XML_MAX (64 << 20) /* bytes; 4096 CPUs take 4 MB */
#define DEPTH_MAX 100

/* Has the tag, which ends at end, that attribute? */
static bool has_attribute(const char *tag, const char *end, const char *name)
{
	const char *p = memmem(tag, (size_t)(end - tag), name, strlen(name));

	return p && p < end;
}

/*
 * hwloc 2.9 crashes on objects whose sets are missing, as in a damaged file; I/O and
 * Misc objects rightly have none. Files of hwloc 1 are converted by hwloc itself.
 */
static bool sets_are_there(const char *xml)
{
	static const char *const sets[] = { " cpuset=\"", " complete_cpuset=\"",
					    " nodeset=\"", " complete_nodeset=\"" };
	static const char *const bare[] = { "type=\"Misc\"", "type=\"Bridge\"",
					    "type=\"PCIDev\"", "type=\"OSDev\"" };

	if (!strstr(xml, "<topology version=\"2"))
		return true;
	for (const char *tag = xml; (tag = strstr(tag, "<object "));) {
		const char *end = tag + strcspn(tag, ">");
		bool io = false;

		for (size_t i = 0; i < ARRAY_SIZE(bare); i++)
			io |= has_attribute(tag, end, bare[i]);
		for (size_t i = 0; !io && i < ARRAY_SIZE(sets); i++)
			if (!has_attribute(tag, end, sets[i]))
				return false;
		tag = end;
	}
	return true;
}

/* hwloc reads objects by recursion and overflows its stack; machines have 20 levels. */
static bool too_deep(const char *xml)
{
	unsigned depth = 0;

	while ((xml = strchr(xml, '<'))) {
		size_t len = strcspn(xml, ">");

		if (!strncmp(xml, "</", 2))
			depth -= depth > 0;
		else if (xml[len - 1] != '/' && xml[1] != '?' && xml[1] != '!' &&
			 ++depth > DEPTH_MAX)
			return true;
		xml += len;
	}
	return false;
}

/* What hwloc does not survive is kept from it. */
static int check_xml(const char *xml, const char *name, struct err *err)
{
	if (strlen(xml) > XML_MAX || too_deep(xml))
		return err_set(err, EINVAL, "%s is no topology of a machine: it has more than "
			       "%d MiB or %d levels", name, XML_MAX >> 20, DEPTH_MAX);
	if (!sets_are_there(xml))
		return err_set(err, EINVAL, "%s is damaged: an object of the topology lacks its "
			       "CPUs or nodes", name);
	return 0;
}

int topology_load_xml(struct topology *t, const char *xml, const char *name,
		      struct err *err)
{
	hwloc_topology_t hw;
	int ret;

	ret = check_xml(xml, name, err);
	if (ret)
		return ret;
	hw = new_topology(0);
	if (!hw || hwloc_topology_set_xmlbuffer(hw, xml, (int)strlen(xml) + 1) ||
	    hwloc_topology_load(hw))
		ret = load_failed(err, name);
	else
		ret = copy_all(t, hw, name, err);
	if (hw)
		hwloc_topology_destroy(hw);
	return ret;
}

int topology_load_synthetic(struct topology *t, const char *description, struct err *err)
{
	hwloc_topology_t hw = new_topology(0);
	int ret;

	if (!hw || hwloc_topology_set_synthetic(hw, description) || hwloc_topology_load(hw))
		ret = err_set(err, EINVAL,
			      "'%s' is no synthetic topology; write it as in "
			      "'node:2 l3:1 core:4 pu:2'",
			      description);
	else
		ret = copy_all(t, hw, description, err);
	if (hw)
		hwloc_topology_destroy(hw);
	return ret;
}
