// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source "numa": what NUMA balancing did (bpf/numa.bpf.c), written as numa.json:
 * moves between nodes, hint faults by node and sharing, and the groups of tasks
 * that share memory. Where functions cannot be probed, only the moves remain.
 */
#include "schedblame/source.h"

#include <errno.h>
#include <string.h>

#include "bpf_probe.h"
#include "schedblame/alloc.h"
#include "sources.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "bpf_log.h"
#include "numa_private.h"

#include "numa.skel.h" /* needs the types of numa_shared.h */

#define FILE_VERSION 1

struct source {
	struct numa_bpf *skel; /* NULL: one node, nothing to watch */
	const char *method; /* of the faults: fentry, kprobe, none */
	unsigned nr_nodes;  /* highest kernel node + 1 */
};

static unsigned kernel_nodes(const struct topology *t)
{
	unsigned max = 0;

	for (unsigned i = 0; i < t->nr_nodes; i++)
		if (t->node[i].os_id > max)
			max = t->node[i].os_id;
	return max + 1;
}

static int fill_cpu_node(struct source *src, unsigned nr_cpus, const struct topology *t,
			 struct err *err)
{
	int fd = bpf_map__fd(src->skel->maps.cpu_node);

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		int dense = topology_node_of(t, cpu);
		unsigned node = dense < 0 ? ~0U : t->node[dense].os_id;

		if (bpf_map_update_elem(fd, &cpu, &node, BPF_ANY) < 0)
			return err_errno(err, errno, "source numa: cannot tell the BPF programs "
					 "the node of CPU %u", cpu);
	}
	return 0;
}

/* Opens and loads with one of the ways to see a fault, or with none. */
static int load(struct source *src, const struct session *s, const char *method,
		struct err *err)
{
	unsigned nr_cpus = (unsigned)libbpf_num_possible_cpus();
	int ret;

	src->method = method;
	src->skel = numa_bpf__open();
	if (!src->skel)
		return bpf_refused(err, errno, "source numa: cannot open the BPF programs");
	src->skel->rodata->nr_cpus = nr_cpus;
	src->skel->rodata->nr_nodes = src->nr_nodes;
	bpf_program__set_autoload(src->skel->progs.on_fault, !strcmp(method, "fentry"));
	bpf_program__set_autoload(src->skel->progs.on_fault_kprobe, !strcmp(method, "kprobe"));
	bpf_map__set_max_entries(src->skel->maps.cpu_node, nr_cpus);
	bpf_map__set_max_entries(src->skel->maps.moves,
				 NUMA_EVENTS * src->nr_nodes * src->nr_nodes);
	ret = numa_bpf__load(src->skel);
	if (ret < 0)
		return bpf_refused(err, -ret, "source numa: cannot load the BPF programs");
	ret = fill_cpu_node(src, nr_cpus, s->topology, err);
	if (ret < 0)
		return ret;
	ret = numa_bpf__attach(src->skel);
	return ret < 0 ? bpf_refused(err, -ret, "source numa: cannot attach the BPF programs") : 0;
}

static int numa_open(struct source **out, const struct session *s, struct err *err)
{
	static const char *const methods[] = { "fentry", "kprobe", "none" };
	struct source *src = xcalloc(1, sizeof(*src));
	int ret = -EIO;

	*out = src;
	if (s->topology->nr_nodes < 2)
		return 0;
	src->nr_nodes = kernel_nodes(s->topology);
	bpf_log_begin();
	for (size_t i = 0; i < ARRAY_SIZE(methods) && ret < 0; i++) {
		if (probe_forbidden(methods[i]))
			continue;
		numa_bpf__destroy(src->skel);
		ret = load(src, s, methods[i], err);
	}
	bpf_log_end();
	if (!ret)
		err_release(err); /* of the ways that were tried before */
	return ret;
}

static int numa_start(struct source *src, const struct session *s, struct err *err)
{
	if (src->skel)
		__atomic_store_n(&src->skel->bss->active, 1, __ATOMIC_RELEASE);
	return 0;
}

static int numa_stop(struct source *src, const struct session *s, struct err *err)
{
	if (src->skel)
		__atomic_store_n(&src->skel->bss->active, 0, __ATOMIC_RELEASE);
	return 0;
}

static void read_maps(const struct source *src, struct numa_counts *c)
{
	const struct numa_bpf__bss *bss = src->skel->bss;

	c->nr_nodes = src->nr_nodes;
	c->faults_seen = strcmp(src->method, "none") != 0;
	c->lost_pairs = bss->lost_pairs;
	c->lost_tasks = bss->lost_tasks;
	c->lost_moves = bss->lost_moves;
	numa_read_moves(c, bpf_map__fd(src->skel->maps.moves));
	numa_read_pairs(c, bpf_map__fd(src->skel->maps.pairs));
	numa_read_tasks(c, bpf_map__fd(src->skel->maps.tasks));
}

static int numa_write(struct source *src, const struct session *s, json_t *info,
		      struct err *err)
{
	struct numa_counts counts = { 0 };
	struct series_set set;
	json_t *root;
	int ret;

	if (!src->skel)
		return 0;
	read_maps(src, &counts);
	series_init(&set);
	numa_counts_to_series(&counts, s->topology, &set);
	json_object_set_new(info, "faults", json_string(src->method));
	json_object_set_new(info, "lost", json_integer((json_int_t)(counts.lost_pairs +
								    counts.lost_moves)));
	root = series_to_json(&set);
	json_object_set_new(root, "version", json_integer(FILE_VERSION));
	ret = json_file_save(root, s->dirfd, "numa.json", err);
	json_decref(root);
	series_release(&set);
	numa_counts_release(&counts);
	return ret;
}

static void numa_close(struct source *src)
{
	if (!src)
		return;
	numa_bpf__destroy(src->skel);
	free(src);
}
#else
static int numa_open(struct source **out, const struct session *s, struct err *err)
{
	*out = NULL;
	return err_set(err, ENOSYS, "source numa: this schedblame was built without BPF");
}
#define numa_start NULL
#define numa_stop NULL
#define numa_write NULL
static void numa_close(struct source *src)
{
}
#endif

static void numa_probe(const struct session *s, struct probe *probe)
{
	struct probe functions = { 0 };

	if (s->topology->nr_nodes < 2) {
		probe_say(probe, PROBE_WORKS, 0, "one node: there is nothing to balance", NULL, NULL);
		return;
	}
	probe_bpf_tp_btf(s, probe);
	if (probe->state != PROBE_WORKS)
		return;
	probe_bpf_fentry(s, &functions);
	if (functions.state == PROBE_FAILS) {
		probe_release(&functions);
		probe_kprobe(s, &functions);
	}
	if (functions.state == PROBE_FAILS) {
		probe_release(probe);
		probe_say(probe, PROBE_LIMITED, functions.code, "moves, but no hint faults",
			  functions.why, functions.advice);
	}
	probe_release(&functions);
}

const struct source_ops source_numa = {
	.name = "numa",
	.help = "NUMA balancing: moves, hint faults, tasks that share memory",
	.by_default = true,
	.probe = numa_probe,
	.open = numa_open,
	.start = numa_start,
	.stop = numa_stop,
	.write = numa_write,
	.close = numa_close,
};
