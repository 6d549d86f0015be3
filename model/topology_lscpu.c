// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of `lscpu -p`: comment lines, the last of which names the columns,
 * then one line of numbers per CPU. A file without that line has the columns
 * CPU,Core,Socket,Node. An empty field is not known; caches are columns L1d, L2,
 * L3, or one column of them with colons (the last one named is taken as the LLC).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schedblame/alloc.h"
#include "topology_build.h"

enum field { F_CPU, F_CORE, F_SOCKET, F_NODE, F_LLC, F_ONLINE, F_NR };
#define COLUMNS_MAX 32
#define ID_MAX 1000000

struct reader {
	const char *name;
	int field_of[COLUMNS_MAX]; /* enum field or -1 */
	int nr_columns;
	/* foreign ids seen, in order of arrival: their place is the dense id */
	struct ids {
		long *v;
		size_t n, cap;
	} cores, sockets, llcs, nodes;
};

static int dense(struct ids *ids, long id)
{
	if (id < 0)
		return -1;
	/* backwards: neighbours in the list mostly share */
	for (size_t i = ids->n; i--;)
		if (ids->v[i] == id)
			return (int)i;
	GROW(ids->v, ids->n, ids->cap);
	ids->v[ids->n] = id;
	return (int)ids->n++;
}

static int field_by_name(const char *s, size_t len)
{
	static const struct {
		const char *name;
		enum field field;
	} names[] = { { "CPU", F_CPU },	    { "Core", F_CORE }, { "Socket", F_SOCKET },
		      { "Node", F_NODE },   { "L1d", F_LLC },	{ "L2", F_LLC },
		      { "L3", F_LLC },	    { "L4", F_LLC },	{ "Online", F_ONLINE } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == len && !strncasecmp(s, names[i].name, len))
			return (int)names[i].field;
	return -1;
}

/* "CPU,Core,Socket,Node,,L1d,L1i,L2,L3", at end or newline. */
static void read_header(struct reader *r, const char *s)
{
	r->nr_columns = 0;
	while (r->nr_columns < COLUMNS_MAX) {
		size_t len = strcspn(s, ",:\n\r");
		int field = field_by_name(s, len);

		if (field == F_LLC) /* a farther cache takes the place of a nearer */
			for (int i = 0; i < r->nr_columns; i++)
				if (r->field_of[i] == F_LLC)
					r->field_of[i] = -1;
		r->field_of[r->nr_columns++] = field;
		if (s[len] != ',' && s[len] != ':')
			break;
		s += len + 1;
	}
}

static void read_row(const struct reader *r, const char *line, long value[F_NR])
{
	for (int i = 0; i < F_NR; i++)
		value[i] = -1;
	for (int col = 0; col < r->nr_columns; col++) {
		size_t len = strcspn(line, ",:\n\r");
		int f = r->field_of[col];

		if (f == F_ONLINE && len)
			value[f] = *line == 'Y' || *line == 'y' || *line == '1';
		else if (f >= 0 && len && isdigit((unsigned char)*line))
			value[f] = strtol(line, NULL, 10);
		if (f >= 0 && value[f] > ID_MAX)
			value[f] = -1;
		line += len;
		if (*line != ',' && *line != ':')
			break;
		line++;
	}
}

static int add_cpu(struct topology *t, struct reader *r, const long value[F_NR],
		   unsigned line, struct err *err)
{
	struct topology_cpu *cpu;
	long core = value[F_CORE];

	if (value[F_CPU] < 0 || value[F_CPU] >= CPUSET_MAX)
		return err_set(err, EINVAL, "%s: line %u names no CPU below %d", r->name, line,
			       CPUSET_MAX);
	if (value[F_CPU] < t->nr_cpus && t->cpu[value[F_CPU]].present)
		return err_set(err, EINVAL, "%s: line %u names CPU %ld a second time", r->name,
			       line, value[F_CPU]);
	if (value[F_CPU] >= t->nr_cpus)
		topology_set_nr_cpus(t, (unsigned)value[F_CPU] + 1);
	cpu = &t->cpu[value[F_CPU]];
	cpu->present = true;
	cpu->online = value[F_ONLINE] != 0;
	/* core numbers may start again in each socket */
	if (core >= 0 && value[F_SOCKET] > 0)
		core += value[F_SOCKET] * (ID_MAX + 1);
	cpu->core = dense(&r->cores, core);
	cpu->package = dense(&r->sockets, value[F_SOCKET]);
	cpu->llc = dense(&r->llcs, value[F_LLC]);
	cpu->node = dense(&r->nodes, value[F_NODE]);
	if (r->nodes.n > TOPOLOGY_NODES_MAX)
		return err_set(err, EINVAL, "%s names more than %d nodes", r->name,
			       TOPOLOGY_NODES_MAX);
	return 0;
}

/* Dense node indexes follow the kernel's numbers; without any there is one node. */
static void place_nodes(struct topology *t, struct reader *r)
{
	bool none = !r->nodes.n;

	if (none)
		dense(&r->nodes, 0);
	topology_set_nr_nodes(t, (unsigned)r->nodes.n);
	for (unsigned i = 0; i < t->nr_nodes; i++) {
		unsigned rank = 0;

		for (unsigned j = 0; j < t->nr_nodes; j++)
			rank += r->nodes.v[j] < r->nodes.v[i];
		t->node[rank].os_id = (unsigned)r->nodes.v[i];
	}
	for (unsigned c = 0; c < t->nr_cpus; c++) {
		struct topology_cpu *cpu = &t->cpu[c];
		int rank = 0;

		if (!cpu->present)
			continue;
		if (cpu->node >= 0)
			while (t->node[rank].os_id != (unsigned)r->nodes.v[cpu->node])
				rank++;
		if (cpu->node >= 0 || none)
			cpu->node = rank;
	}
}

static int read_lines(struct topology *t, struct reader *r, const char *text,
		      struct err *err)
{
	long value[F_NR];
	unsigned line = 1;
	int ret = 0;

	for (const char *p = text; *p && !ret; line++) {
		if (*p == '#') {
			const char *s = p + 1 + strspn(p + 1, " ");

			if (!strncasecmp(s, "CPU,", 4))
				read_header(r, s);
		} else if (*p != '\n' && *p != '\r') {
			read_row(r, p, value);
			ret = add_cpu(t, r, value, line, err);
		}
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (!ret && !t->nr_cpus)
		ret = err_set(err, EINVAL,
			      "%s names no CPU; expected the output of 'lscpu -p'", r->name);
	return ret;
}

int topology_load_lscpu(struct topology *t, const char *text, const char *name,
			struct err *err)
{
	struct reader r = { .name = name };
	int ret;

	topology_release(t);
	read_header(&r, "CPU,Core,Socket,Node");
	ret = read_lines(t, &r, text, err);
	if (!ret) {
		place_nodes(t, &r);
		t->nr_cores = (unsigned)r.cores.n;
		t->nr_packages = (unsigned)r.sockets.n;
		t->nr_llcs = (unsigned)r.llcs.n;
		topology_finish(t, name);
	} else {
		topology_release(t);
	}
	free(r.cores.v);
	free(r.sockets.v);
	free(r.llcs.v);
	free(r.nodes.v);
	return ret;
}
