// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source "sched": switches, wakeups, waits, migrations and idle time of the
 * whole system, counted by BPF programs inside the kernel (bpf/sched.bpf.c) and
 * written as sched.json.
 *
 * The programs are attached in open() and count nothing until start() sets
 * their flag: start and stop are a store each, and all programs begin at once.
 */
#include "schedblame/source.h"

#include <errno.h>
#include <string.h>

#include "bpf_probe.h"
#include "sched_source.h"
#include "schedblame/alloc.h"
#include "schedblame/migcost.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bpf_log.h"
#include "bpf_prime.h"
#include "sched_private.h"

#include "sched.skel.h" /* needs the types of sched_shared.h */

/* Samples a second on each CPU that look for idle time while work waits; not a
 * divisor or multiple of any HZ. */
#define SAMPLE_HZ 199
#define FILE_VERSION 1

struct source {
	struct sched_bpf *skel;
	struct sched_kernel kernel;
	struct sched_counts counts;
	struct bpf_link **sampler; /* [nr_samplers] */
	size_t nr_samplers;
	struct bpf_link *balance[2]; /* kprobes of the balancer */
	struct {
		void *addr;
		size_t len;
	} map[5];
	size_t nr_maps;
	bool stopped;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/* ---------------------------------------------------------------- open */

static int resize(struct bpf_map *map, size_t entries, struct err *err)
{
	if (entries > UINT32_MAX)
		return err_set(err, E2BIG, "source sched: a table of %zu entries is more "
			       "than a BPF map can have", entries);
	if (bpf_map__set_max_entries(map, (unsigned)entries) < 0)
		return err_errno(err, errno, "source sched: cannot size map %s",
				 bpf_map__name(map));
	return 0;
}

static int size_maps(struct source *src, struct err *err)
{
	const struct sched_counts *c = &src->counts;
	size_t cells = SCHED_NODE_CELLS((size_t)c->nr_nodes);
	size_t pairs = (size_t)c->matrix_cpus * c->matrix_cpus;
	const struct {
		struct bpf_map *map;
		size_t entries;
	} sizes[] = {
		{ src->skel->maps.cpus, c->nr_cpus },
		{ src->skel->maps.places, c->nr_cpus },
		{ src->skel->maps.since, (size_t)c->nr_cpus * SCHED_SLOTS },
		{ src->skel->maps.migrations, c->nr_cpus * REASON_NR * cells },
		{ src->skel->maps.steals,
		  (size_t)SCHED_LEVELS * STEAL_NR * c->nr_nodes * c->nr_nodes },
		{ src->skel->maps.cpu_migrations, pairs ? pairs * REASON_NR : 1 },
	};
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ret = resize(sizes[i].map, sizes[i].entries, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static void fill_constants(struct source *src, const struct session *s)
{
	struct sched_bpf__rodata *ro = src->skel->rodata;
	const struct sched_kernel *k = &src->kernel;

	ro->switch_has_prev_state = k->switch_has_prev_state;
	ro->nr_cpus = src->counts.nr_cpus;
	ro->nr_nodes = src->counts.nr_nodes;
	ro->matrix_cpus = src->counts.matrix_cpus;
	if (s->config && s->config->grace_ns)
		ro->grace_ns = s->config->grace_ns;
	ro->nr_rules = k->nr_rules;
	memcpy((void *)ro->rules, k->rule, sizeof(k->rule));
	memcpy((void *)ro->callers, k->caller, sizeof(k->caller));
	ro->addr_cpu_stopper = k->addr_cpu_stopper;
	ro->addr_per_cpu_offset = k->addr_per_cpu_offset;
	ro->addr_runqueues = k->addr_runqueues;
	ro->balance_probed = k->balance != NULL;
	ro->kernel_cost_ns = k->migration_cost_ns;
}

/* Remote paths count with the nearest: what is hot there is hot everywhere. */
static int fill_costs(struct source *src, const char *file, struct err *err)
{
	struct migcost cost;
	int ret;

	migcost_init(&cost);
	ret = migcost_load(&cost, file, err);
	for (unsigned d = DIST_SMT; !ret && d <= DIST_REMOTE; d++)
		src->skel->rodata->cost_ns[d] = migration_cost_ns(&cost, d, 0);
	migcost_release(&cost);
	return ret;
}

static int fill_places(struct source *src, const struct topology *t, struct err *err)
{
	int fd = bpf_map__fd(src->skel->maps.places);

	for (uint32_t cpu = 0; cpu < src->counts.nr_cpus; cpu++) {
		struct sched_place place = { -1, -1, -1, 0 };

		if (cpu < t->nr_cpus && t->cpu[cpu].present)
			place = (struct sched_place){ t->cpu[cpu].core, t->cpu[cpu].llc,
						      t->cpu[cpu].node, 1 };
		if (bpf_map_update_elem(fd, &cpu, &place, BPF_ANY) < 0)
			return err_errno(err, errno, "source sched: cannot tell the BPF "
					 "programs the place of CPU %u", cpu);
	}
	return 0;
}

/* Maps a BPF array into our memory. */
static void *map_array(struct source *src, const struct bpf_map *map, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t len = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	void *p;

	len = (len + page - 1) / page * page;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED) {
		err_errno(err, errno, "source sched: cannot map %s", bpf_map__name(map));
		return NULL;
	}
	src->map[src->nr_maps].addr = p;
	src->map[src->nr_maps++].len = len;
	return p;
}

static int map_counts(struct source *src, struct err *err)
{
	struct sched_counts *c = &src->counts;

	c->slot_of = src->skel->bss->slot_of;
	c->level_key = src->skel->bss->level_key;
	c->level_name = src->skel->bss->level_name;
	c->cpu = map_array(src, src->skel->maps.cpus, err);
	if (c->cpu)
		c->since = map_array(src, src->skel->maps.since, err);
	if (c->since)
		c->migrations = map_array(src, src->skel->maps.migrations, err);
	if (c->migrations)
		c->cpu_migrations = map_array(src, src->skel->maps.cpu_migrations, err);
	if (c->cpu_migrations)
		c->steals = map_array(src, src->skel->maps.steals, err);
	return c->steals ? 0 : -EIO;
}

/* A kernel that cannot take the sampler loses one series, not the source. */
static void attach_samplers(struct source *src, const struct session *s)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = src->counts.sample_ns,
	};

	src->sampler = xcalloc(cpuset_count(&s->online) + 1, sizeof(*src->sampler));
	cpuset_for_each(cpu, &s->online) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
				      PERF_FLAG_FD_CLOEXEC);
		struct bpf_link *link = NULL;

		if (fd >= 0)
			link = bpf_program__attach_perf_event(src->skel->progs.on_sample, fd);
		if (!link && fd >= 0)
			close(fd);
		if (link)
			src->sampler[src->nr_samplers++] = link;
	}
	/* some CPUs unseen would be a count that is too small: then none */
	src->counts.sampler = src->nr_samplers == cpuset_count(&s->online);
}

/* The probes of the balancer, those alone that this kernel takes. */
static int choose_balance_probes(struct source *src, struct err *err)
{
	const struct sched_kernel *k = &src->kernel;
	bool fentry = k->balance && k->balance_by_fentry;
	bool kprobe = k->balance && !fentry;
	const struct {
		struct bpf_program *prog;
		bool wanted;
	} progs[] = {
		{ src->skel->progs.on_balance_fentry, fentry },
		{ src->skel->progs.on_balance_fexit, fentry },
		{ src->skel->progs.on_balance_kprobe, kprobe },
		{ src->skel->progs.on_balance_kretprobe, kprobe },
	};

	for (size_t i = 0; i < ARRAY_SIZE(progs); i++) {
		bpf_program__set_autoload(progs[i].prog, progs[i].wanted);
		bpf_program__set_autoattach(progs[i].prog, progs[i].wanted && fentry);
		if (progs[i].wanted && fentry &&
		    bpf_program__set_attach_target(progs[i].prog, 0, k->balance) < 0)
			return bpf_refused(err, errno, "source sched: cannot probe the "
					   "balancer");
	}
	src->counts.balance_probed = k->balance != NULL;
	src->counts.verdicts = k->migration_cost_ns != COST_UNKNOWN;
	return 0;
}

static int attach_balance_kprobes(struct source *src, struct err *err)
{
	const struct sched_kernel *k = &src->kernel;

	if (!k->balance || k->balance_by_fentry)
		return 0;
	src->balance[0] = bpf_program__attach_kprobe(src->skel->progs.on_balance_kretprobe,
						     true, k->balance);
	src->balance[1] = bpf_program__attach_kprobe(src->skel->progs.on_balance_kprobe,
						     false, k->balance);
	if (!src->balance[0] || !src->balance[1])
		return bpf_refused(err, errno, "source sched: cannot probe the balancer");
	return 0;
}

static int load(struct source *src, const struct session *s, struct err *err)
{
	int ret;

	src->skel = sched_bpf__open();
	if (!src->skel)
		return bpf_refused(err, errno, "source sched: cannot open the BPF programs");
	ret = size_maps(src, err);
	if (ret < 0)
		return ret;
	fill_constants(src, s);
	if (s->config && s->config->migration_cost) {
		ret = fill_costs(src, s->config->migration_cost, err);
		if (ret < 0)
			return ret;
	}
	ret = choose_balance_probes(src, err);
	if (ret < 0)
		return ret;
	ret = sched_bpf__load(src->skel);
	if (ret < 0)
		return bpf_refused(err, -ret, "source sched: cannot load the BPF programs");
	ret = fill_places(src, s->topology, err);
	if (ret < 0)
		return ret;
	ret = map_counts(src, err);
	if (ret < 0)
		return ret;
	bpf_program__set_autoattach(src->skel->progs.on_sample, false);
	bpf_program__set_autoattach(src->skel->progs.prime_tasks, false);
	ret = sched_bpf__attach(src->skel);
	if (ret < 0)
		return bpf_refused(err, -ret, "source sched: cannot attach the BPF programs");
	/* after on_newtask is attached: no task is missed between the two */
	ret = bpf_prime(src->skel->progs.prime_tasks);
	if (ret < 0)
		return bpf_refused(err, -ret, "source sched: cannot walk over the tasks");
	attach_samplers(src, s);
	return attach_balance_kprobes(src, err);
}

static int sched_open(struct source **out, const struct session *s, struct err *err)
{
	struct source *src = xcalloc(1, sizeof(*src));
	int nr_cpus = libbpf_num_possible_cpus(), ret;

	*out = src;
	if (nr_cpus <= 0)
		return err_set(err, EIO, "source sched: cannot tell how many CPUs are "
			       "possible (/sys/devices/system/cpu/possible)");
	sched_kernel_look(&src->kernel);
	src->counts.nr_cpus = (unsigned)nr_cpus;
	src->counts.nr_nodes = s->topology->nr_nodes + 1;
	src->counts.sample_ns = 1000000000ULL / SAMPLE_HZ;
	if (nr_cpus <= SCHED_MATRIX_CPUS)
		src->counts.matrix_cpus = (unsigned)nr_cpus;
	bpf_log_begin();
	ret = load(src, s, err);
	bpf_log_end();
	return ret;
}

/* ------------------------------------------------------- start to close */

static void set_active(const struct sched_counts *c, uint64_t active)
{
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++)
		__atomic_store_n(&c->cpu[cpu].active, active, __ATOMIC_RELEASE);
}

static int sched_start(struct source *src, const struct session *s, struct err *err)
{
	src->counts.start_ns = src->skel->bss->start_ns = now_ns();
	set_active(&src->counts, 1);
	return 0;
}

static int sched_stop(struct source *src, const struct session *s, struct err *err)
{
	if (src->stopped)
		return 0;
	set_active(&src->counts, 0);
	src->counts.stop_ns = now_ns();
	src->stopped = true;
	return 0;
}

int sched_snapshot(struct source *src, const struct cpuset *cpus, struct series_set *set,
		   uint64_t *duration_ns, struct err *err)
{
	struct sched_counts counts = src->counts;

	if (!src->stopped)
		counts.stop_ns = now_ns();
	sched_counts_to_series(&counts, cpus, set);
	*duration_ns = counts.stop_ns - counts.start_ns;
	return 0;
}

static uint64_t lost(const struct series_set *set)
{
	return series_sum(set, "dropped", LABELS("what", "task_storage")) +
	       series_sum(set, "dropped", LABELS("what", "since_last_ran_full")) +
	       series_sum(set, "dropped", LABELS("what", "migration_table"));
}

static void note_unsampled(const struct sched_counts *c, const struct cpuset *cpus,
			   json_t *info)
{
	unsigned n = sched_counts_unsampled(c, cpus);

	if (n)
		json_object_set_new(info, "notes", json_pack("[o]", json_sprintf(
			"%u of %u CPUs took hardly any samples (this kernel's clock "
			"event does not reach an idle CPU): how long CPUs idled while "
			"work waited is not known", n, (unsigned)cpuset_count(cpus))));
}

static int sched_write(struct source *src, const struct session *s, json_t *info,
		       struct err *err)
{
	const char *method = sched_kernel_method(&src->kernel);
	struct series_set set;
	uint64_t duration_ns;
	json_t *root;
	int ret;

	series_init(&set);
	sched_snapshot(src, &s->online, &set, &duration_ns, err);
	json_object_set_new(info, "reasons", json_string(method));
	json_object_set_new(info, "lost", json_integer((json_int_t)lost(&set)));
	if (src->kernel.left_out) /* their migrations may have no reason */
		json_object_set_new(info, "rules_left_out",
				    json_integer(src->kernel.left_out));
	if (src->counts.sampler)
		json_object_set_new(info, "sample_hz", json_integer(SAMPLE_HZ));
	note_unsampled(&src->counts, &s->online, info);
	root = series_to_json(&set);
	series_release(&set);
	json_object_set_new(root, "version", json_integer(FILE_VERSION));
	json_object_set_new(root, "duration_ns",
			    json_integer((json_int_t)duration_ns));
	json_object_set_new(root, "reasons", json_string(method));
	ret = json_file_save(root, s->dirfd, "sched.json", err);
	json_decref(root);
	return ret;
}

static void sched_close(struct source *src)
{
	if (!src)
		return;
	for (size_t i = 0; i < src->nr_samplers; i++)
		bpf_link__destroy(src->sampler[i]);
	for (size_t i = 0; i < ARRAY_SIZE(src->balance); i++)
		bpf_link__destroy(src->balance[i]);
	for (size_t i = 0; i < src->nr_maps; i++)
		munmap(src->map[i].addr, src->map[i].len);
	if (src->skel)
		sched_bpf__destroy(src->skel);
	free(src->sampler);
	free(src);
}
#else
static int sched_open(struct source **out, const struct session *s, struct err *err)
{
	*out = NULL;
	return err_set(err, ENOSYS, "source sched: this schedblame was built without BPF");
}
int sched_snapshot(struct source *src, const struct cpuset *cpus, struct series_set *set,
		   uint64_t *duration_ns, struct err *err)
{
	return err_set(err, ENOSYS, "source sched: this schedblame was built without BPF");
}
#define sched_start NULL
#define sched_stop NULL
#define sched_write NULL
static void sched_close(struct source *src)
{
}
#endif

const struct source_ops source_sched = {
	.name = "sched",
	.help = "switches, wakeups, waits and migrations, counted in the kernel by BPF",
	.by_default = true,
	.probe = probe_bpf_tp_btf,
	.open = sched_open,
	.start = sched_start,
	.stop = sched_stop,
	.write = sched_write,
	.close = sched_close,
};
