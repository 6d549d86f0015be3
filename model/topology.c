// SPDX-License-Identifier: GPL-2.0-or-later
/* The plain arrays of a topology: life, look-ups, summary. Where they come from:
 * topology_hwloc.c (this machine, XML, synthetic) and topology_lscpu.c. */
#include "schedblame/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strbuf.h"
#include "schedblame/units.h"
#include "topology_build.h"

#define TOPOLOGY_FILE_MAX (64UL << 20)
#define SLIT_LOCAL 10 /* ACPI: distance of a node to itself */

void topology_init(struct topology *t)
{
	memset(t, 0, sizeof(*t));
}

void topology_release(struct topology *t)
{
	free(t->cpu);
	free(t->node);
	free(t->node_distance);
	free(t->source);
	topology_init(t);
}

void topology_set_nr_cpus(struct topology *t, unsigned nr)
{
	static const struct topology_cpu none = { -1, -1, -1, -1, false, false };

	t->cpu = xrealloc(t->cpu, nr ? nr : 1, sizeof(*t->cpu));
	for (unsigned i = t->nr_cpus; i < nr; i++)
		t->cpu[i] = none;
	t->nr_cpus = nr;
}

void topology_set_nr_nodes(struct topology *t, unsigned nr)
{
	free(t->node);
	free(t->node_distance);
	t->node = xcalloc(nr ? nr : 1, sizeof(*t->node));
	t->node_distance = xcalloc(nr ? (size_t)nr * nr : 1, sizeof(*t->node_distance));
	t->nr_nodes = nr;
	for (unsigned i = 0; i < nr; i++)
		t->node_distance[(size_t)i * nr + i] = SLIT_LOCAL;
}

void topology_finish(struct topology *t, const char *source)
{
	for (unsigned i = 0; i < t->nr_nodes; i++)
		t->node[i].nr_cpus = 0;
	for (unsigned i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].present && t->cpu[i].node >= 0)
			t->node[t->cpu[i].node].nr_cpus++;
	free(t->source);
	t->source = xstrdup(source);
}

enum distance topology_distance(const struct topology *t, unsigned cpu_a, unsigned cpu_b)
{
	const struct topology_cpu *a, *b;

	if (cpu_a == cpu_b)
		return DIST_SELF;
	if (cpu_a >= t->nr_cpus || cpu_b >= t->nr_cpus)
		return DIST_UNKNOWN;
	a = &t->cpu[cpu_a];
	b = &t->cpu[cpu_b];
	if (!a->present || !b->present)
		return DIST_UNKNOWN;
	if (a->core >= 0 && a->core == b->core)
		return DIST_SMT;
	if (a->llc >= 0 && a->llc == b->llc)
		return DIST_LLC;
	if (a->node < 0 || b->node < 0)
		return DIST_UNKNOWN;
	return a->node == b->node ? DIST_NODE : DIST_REMOTE;
}

int topology_node_of(const struct topology *t, unsigned cpu)
{
	return cpu < t->nr_cpus ? t->cpu[cpu].node : -1;
}

unsigned topology_node_distance(const struct topology *t, int a, int b)
{
	if (a < 0 || b < 0 || (unsigned)a >= t->nr_nodes || (unsigned)b >= t->nr_nodes)
		return 0;
	return t->node_distance[(size_t)a * t->nr_nodes + (size_t)b];
}

static void add_count(struct strbuf *sb, const char *before, unsigned n, const char *one,
		      const char *many)
{
	strbuf_addf(sb, "%s%u %s", before, n, n == 1 ? one : many);
}

char *topology_summary(const struct topology *t)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned present = 0, offline = 0, smt;
	char size[32];

	for (unsigned i = 0; i < t->nr_cpus; i++) {
		present += t->cpu[i].present;
		offline += t->cpu[i].present && !t->cpu[i].online;
	}
	if (!present)
		return xstrdup("unknown topology");
	if (t->nr_nodes)
		add_count(&sb, "", t->nr_nodes, "node, ", "nodes, ");
	add_count(&sb, "", present, "CPU", "CPUs");
	if (t->nr_packages && t->nr_cores) {
		add_count(&sb, " (", t->nr_packages, "package", "packages");
		add_count(&sb, ", ", t->nr_cores, "core", "cores");
		smt = (present - offline + t->nr_cores - 1) / t->nr_cores;
		strbuf_addstr(&sb, ")");
		if (smt > 1) {
			strbuf_setlen(&sb, sb.len - 1);
			strbuf_addf(&sb, ", SMT %u)", smt);
		}
	}
	if (offline)
		strbuf_addf(&sb, ", %u offline", offline);
	if (t->llc_bytes)
		strbuf_addf(&sb, ", LLC %s", format_bytes(size, sizeof(size), t->llc_bytes));
	return strbuf_detach(&sb);
}

static bool same_cpu(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return a->present == b->present && a->online == b->online && a->core == b->core &&
	       a->llc == b->llc && a->node == b->node && a->package == b->package;
}

bool topology_same(const struct topology *a, const struct topology *b)
{
	size_t distances = (size_t)a->nr_nodes * a->nr_nodes * sizeof(*a->node_distance);

	if (a->nr_cpus != b->nr_cpus || a->nr_nodes != b->nr_nodes)
		return false;
	for (unsigned i = 0; i < a->nr_cpus; i++)
		if (!same_cpu(&a->cpu[i], &b->cpu[i]))
			return false;
	/* the size of a node differs a little from boot to boot, having memory not */
	for (unsigned i = 0; i < a->nr_nodes; i++)
		if (a->node[i].os_id != b->node[i].os_id ||
		    !a->node[i].mem_bytes != !b->node[i].mem_bytes)
			return false;
	return !distances || !memcmp(a->node_distance, b->node_distance, distances);
}

static const char *first_mark(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int load_text(struct topology *t, const char *text, const char *name,
		     struct err *err)
{
	const char *p = first_mark(text);

	if (*p == '<')
		return topology_load_xml(t, p, name, err);
	if (*p == '#' || strchr(p, ','))
		return topology_load_lscpu(t, p, name, err);
	if (!*p || strchr(p, '\0') - p > 4096)
		return err_set(err, EINVAL,
			       "%s is no topology: expected hwloc XML, the output of "
			       "'lscpu -p' or a synthetic description",
			       name);
	return topology_load_synthetic(t, p, err);
}

int topology_load(struct topology *t, const char *file_or_string, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (!file_exists(file_or_string)) {
		if (strchr(file_or_string, ':') && !strchr(file_or_string, '/'))
			return topology_load_synthetic(t, file_or_string, err);
		return err_set(err, ENOENT,
			       "there is no topology file %s; expected hwloc XML, the output "
			       "of 'lscpu -p', or a description such as 'node:2 core:4 pu:2'",
			       file_or_string);
	}
	ret = file_read(&sb, file_or_string, TOPOLOGY_FILE_MAX, err);
	if (!ret && strlen(sb.buf) != sb.len)
		ret = err_set(err, EINVAL, "%s is no topology: it holds binary data",
			      file_or_string);
	if (!ret)
		ret = load_text(t, sb.buf, file_or_string, err);
	strbuf_release(&sb);
	return ret;
}
