// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine's topology as the header of a perf.data tells it: cores and sockets by
 * CPU, CPUs by node, caches with the CPUs that share them. Written down as the text of
 * `lscpu -p`, which is read by the same reader as a file of it. Sections as in the
 * kernel's tools/perf/Documentation/perf.data-file-format.txt.
 */
#include "perf_topology.h"

#include <stdlib.h>
#include <string.h>

#include "perf_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/cpuset.h"
#include "schedblame/strbuf.h"

#define NONE (-1)
#define CPUS_MAX 16384 /* more is no machine's */

struct section_reader {
	const struct perf_file *pf;
	struct perf_section s;
	size_t at;
	bool bad;
};

struct places {
	unsigned nr;
	int *core, *socket, *node, *llc; /* by CPU; NONE: not told */
};

static struct section_reader reader_of(const struct perf_file *pf, enum perf_feature_bit bit)
{
	return (struct section_reader){ pf, pf->feature[bit], 0, false };
}

static const unsigned char *take(struct section_reader *r, size_t len)
{
	const unsigned char *p = r->s.data + r->at;

	if (r->bad || r->s.len - r->at < len) {
		r->bad = true;
		return NULL;
	}
	r->at += len;
	return p;
}

static uint32_t take_u32(struct section_reader *r)
{
	const unsigned char *p = take(r, 4);

	return p ? perf_u32(r->pf, p) : 0;
}

/* NULL at the end of the section; the caller frees. */
static char *take_text(struct section_reader *r)
{
	uint32_t len = take_u32(r);
	const unsigned char *p = take(r, len);

	return p ? xstrndup((const char *)p, len) : NULL;
}

static void skip_texts(struct section_reader *r)
{
	for (uint32_t n = take_u32(r); n && !r->bad; n--)
		free(take_text(r));
}

/* Gives the CPUs of a list ("0-3,8") this id. */
static void put_list(int *of, unsigned nr, const char *list, int id)
{
	struct cpuset set = CPUSET_INIT;

	if (list && !cpuset_parse(&set, list, NULL))
		for (int cpu = cpuset_next(&set, 0); cpu >= 0 && (unsigned)cpu < nr;
		     cpu = cpuset_next(&set, (unsigned)cpu + 1))
			of[cpu] = id;
	cpuset_release(&set);
}

/* Lists of siblings that we do not need, then core and socket of each CPU. */
static void read_cores(struct places *p, const struct perf_file *pf)
{
	struct section_reader r = reader_of(pf, PERF_FEATURE_CPU_TOPOLOGY);

	if (!r.s.data)
		return;
	skip_texts(&r);
	skip_texts(&r);
	for (unsigned cpu = 0; cpu < p->nr; cpu++) {
		uint32_t core = take_u32(&r), socket = take_u32(&r);

		if (r.bad)
			return;
		p->core[cpu] = core <= INT32_MAX ? (int)core : NONE;
		p->socket[cpu] = socket <= INT32_MAX ? (int)socket : NONE;
	}
}

static void read_nodes(struct places *p, const struct perf_file *pf)
{
	struct section_reader r = reader_of(pf, PERF_FEATURE_NUMA_TOPOLOGY);

	for (uint32_t n = r.s.data ? take_u32(&r) : 0; n && !r.bad; n--) {
		uint32_t node = take_u32(&r);
		char *list;

		take(&r, 16); /* memory: total, free */
		list = take_text(&r);
		if (node <= INT32_MAX)
			put_list(p->node, p->nr, list, (int)node);
		free(list);
	}
}

/* The cache of the highest level that holds data. */
static void read_caches(struct places *p, const struct perf_file *pf)
{
	struct section_reader r = reader_of(pf, PERF_FEATURE_CACHE);
	uint32_t best = 0;

	if (!r.s.data || take_u32(&r) != 1) /* version */
		return;
	for (uint32_t n = take_u32(&r), id = 0; id < n && !r.bad; id++) {
		uint32_t level = take_u32(&r);
		char *type, *size, *list;

		take(&r, 12); /* line size, sets, ways */
		type = take_text(&r);
		size = take_text(&r);
		list = take_text(&r);
		if (type && strcmp(type, "Instruction") && level >= best && id <= INT32_MAX) {
			if (level > best)
				memset(p->llc, 0xff, p->nr * sizeof(*p->llc));
			best = level;
			put_list(p->llc, p->nr, list, (int)id);
		}
		free(type);
		free(size);
		free(list);
	}
}

static void add_field(struct strbuf *text, int id)
{
	strbuf_addch(text, ',');
	if (id != NONE)
		strbuf_addf(text, "%d", id);
}

static void write_text(struct strbuf *text, const struct places *p)
{
	strbuf_addstr(text, "# CPU,Core,Socket,Node,L3\n");
	for (unsigned cpu = 0; cpu < p->nr; cpu++) {
		if (p->core[cpu] == NONE && p->node[cpu] == NONE)
			continue; /* offline */
		strbuf_addf(text, "%u", cpu);
		add_field(text, p->core[cpu]);
		add_field(text, p->socket[cpu]);
		add_field(text, p->node[cpu]);
		add_field(text, p->llc[cpu]);
		strbuf_addch(text, '\n');
	}
}

bool perf_file_topology(const struct perf_file *pf, struct topology *t)
{
	uint32_t nr = perf_file_nr_cpus(pf, NULL);
	struct strbuf text = STRBUF_INIT;
	struct places p = { .nr = nr < CPUS_MAX ? nr : CPUS_MAX };
	size_t bytes = (p.nr + 1) * sizeof(int);
	bool found = false;

	if (!nr || (!pf->feature[PERF_FEATURE_CPU_TOPOLOGY].data &&
		    !pf->feature[PERF_FEATURE_NUMA_TOPOLOGY].data))
		return false;
	p.core = memset(xmalloc(bytes), 0xff, bytes);
	p.socket = memset(xmalloc(bytes), 0xff, bytes);
	p.node = memset(xmalloc(bytes), 0xff, bytes);
	p.llc = memset(xmalloc(bytes), 0xff, bytes);
	read_cores(&p, pf);
	read_nodes(&p, pf);
	read_caches(&p, pf);
	write_text(&text, &p);
	if (topology_load_lscpu(t, text.buf, pf->in.name, NULL) == 0) {
		found = true;
	} else {
		topology_release(t);
		topology_init(t);
	}
	strbuf_release(&text);
	free(p.core);
	free(p.socket);
	free(p.node);
	free(p.llc);
	return found;
}
