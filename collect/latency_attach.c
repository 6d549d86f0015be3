// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One timed function: its BPF object, its probes, its counts. fentry and fexit
 * where the kernel takes them, else kprobe and kretprobe; kprobes in any case
 * on the edges of an inlined body.
 */
#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_log.h"
#include "bpf_prime.h"
#include "bpf_probe.h"
#include "latency_private.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#include "latency.skel.h" /* needs the types of latency_shared.h */

struct latency_probe {
	struct latency_bpf *skel;
	struct bpf_link **link; /* [nr_links] */
	size_t nr_links, cap_links;
	struct latency_cpu *cpu; /* [nr_cpus], mapped */
	size_t map_len;
	unsigned nr_cpus;
	bool fentry;
};

/* ------------------------------------------------------------- kprobes */

static int number_in(const char *path, const char *before, unsigned *n)
{
	char line[64];

	if (file_read_line(path, line, sizeof(line)) < 0 ||
	    strncmp(line, before, strlen(before)))
		return -ENOENT;
	*n = (unsigned)strtoul(line + strlen(before), NULL, 10);
	return 0;
}

/* An event that fires at addr, or when the function at addr returns; -errno. */
static int open_kprobe(uint64_t addr, bool on_return)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config2 = addr };
	unsigned type, bit = 0;
	int fd;

	if (number_in("/sys/bus/event_source/devices/kprobe/type", "", &type) < 0)
		return -ENOENT;
	number_in("/sys/bus/event_source/devices/kprobe/format/retprobe", "config:", &bit);
	attr.type = type;
	attr.config = on_return ? 1ULL << bit : 0;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int keep_link(struct latency_probe *p, struct bpf_link *link)
{
	if (!link)
		return -errno;
	GROW(p->link, p->nr_links, p->cap_links);
	p->link[p->nr_links++] = link;
	return 0;
}

static int attach_kprobe(struct latency_probe *p, const struct bpf_program *prog,
			 uint64_t addr, bool on_return)
{
	int fd = open_kprobe(addr, on_return), ret;
	struct bpf_link *link;

	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(prog, fd);
	ret = keep_link(p, link);
	if (ret < 0)
		close(fd);
	return ret;
}

static int attach_all(struct latency_probe *p, const struct bpf_program *prog,
		      const struct addresses *a)
{
	int ret = 0;

	for (size_t i = 0; i < a->n && !ret; i++)
		ret = attach_kprobe(p, prog, a->v[i], false);
	return ret;
}

/* Every task gets its stack of calls: those to come, then those that live. */
static int give_stacks(struct latency_probe *p)
{
	int ret = keep_link(p, bpf_program__attach_trace(p->skel->progs.on_newtask));

	return ret ? ret : bpf_prime(p->skel->progs.prime_tasks);
}

/* What every search for an idle CPU asks about each CPU it looks at. */
#define LOOK "available_idle_cpu"

static int attach_look(struct latency_probe *p)
{
	if (p->fentry)
		return keep_link(p, bpf_program__attach_trace(p->skel->progs.look_fentry));
	return keep_link(p, bpf_program__attach_kprobe(p->skel->progs.look_kprobe, false,
						       LOOK));
}

/* Return and exits first, so that no entry is seen without what ends it. */
static int attach_probes(struct latency_probe *p, const struct latency_target *t)
{
	int ret = give_stacks(p);

	if (ret)
		return ret;
	if (p->fentry) {
		ret = keep_link(p, bpf_program__attach_trace(p->skel->progs.fexit_leave));
		if (!ret)
			ret = keep_link(p, bpf_program__attach_trace(
						   p->skel->progs.fentry_enter));
	} else {
		ret = attach_kprobe(p, p->skel->progs.kretprobe_leave, t->addr, true);
		if (!ret)
			ret = attach_kprobe(p, p->skel->progs.kprobe_enter, t->addr, false);
	}
	if (!ret && t->via == VIA_INLINED)
		ret = attach_all(p, p->skel->progs.inlined_leave, &t->body.landings);
	if (!ret && t->via == VIA_INLINED)
		ret = attach_all(p, p->skel->progs.inlined_enter, &t->body.entries);
	if (!ret && t->scan)
		ret = attach_look(p);
	return ret;
}

/* ---------------------------------------------------------------- life */

static int load(struct latency_probe *p, const struct latency_target *t)
{
	bool inlined = t->via == VIA_INLINED;
	int ret;

	p->skel = latency_bpf__open();
	if (!p->skel)
		return -errno;
	p->skel->rodata->inlined = inlined;
	p->skel->rodata->scan = t->scan;
	p->skel->rodata->caller_by = t->caller_by;
	p->skel->rodata->caller_arg = t->caller_arg;
	bpf_program__set_autoload(p->skel->progs.fentry_enter, p->fentry);
	bpf_program__set_autoload(p->skel->progs.fexit_leave, p->fentry);
	bpf_program__set_autoload(p->skel->progs.kprobe_enter, !p->fentry);
	bpf_program__set_autoload(p->skel->progs.kretprobe_leave, !p->fentry);
	bpf_program__set_autoload(p->skel->progs.look_fentry, t->scan && p->fentry);
	bpf_program__set_autoload(p->skel->progs.look_kprobe, t->scan && !p->fentry);
	bpf_program__set_autoload(p->skel->progs.inlined_enter, inlined);
	bpf_program__set_autoload(p->skel->progs.inlined_leave, inlined);
	ret = bpf_map__set_max_entries(p->skel->maps.lat_cpus, p->nr_cpus);
	if (!ret && p->fentry)
		ret = bpf_program__set_attach_target(p->skel->progs.fentry_enter, 0, t->symbol);
	if (!ret && p->fentry)
		ret = bpf_program__set_attach_target(p->skel->progs.fexit_leave, 0, t->symbol);
	if (!ret && p->fentry && t->scan)
		ret = bpf_program__set_attach_target(p->skel->progs.look_fentry, 0, LOOK);
	return ret ? ret : latency_bpf__load(p->skel);
}

static int map_counts(struct latency_probe *p)
{
	void *addr;

	p->map_len = p->nr_cpus * sizeof(*p->cpu);
	addr = mmap(NULL, p->map_len, PROT_READ | PROT_WRITE, MAP_SHARED,
		    bpf_map__fd(p->skel->maps.lat_cpus), 0);
	if (addr == MAP_FAILED)
		return -errno;
	p->cpu = addr;
	return 0;
}

static int try_attach(struct latency_probe **probe, const struct latency_target *t,
		      unsigned nr_cpus, bool fentry)
{
	struct latency_probe *p = xcalloc(1, sizeof(*p));
	int ret;

	p->nr_cpus = nr_cpus;
	p->fentry = fentry;
	ret = load(p, t);
	if (!ret)
		ret = map_counts(p);
	if (!ret)
		ret = attach_probes(p, t);
	if (ret < 0) {
		latency_detach(p);
		return ret;
	}
	*probe = p;
	return 0;
}

int latency_attach(struct latency_probe **probe, const struct latency_target *t,
		   struct err *err)
{
	int nr_cpus = libbpf_num_possible_cpus(), ret;
	char *what;

	if (nr_cpus <= 0)
		return err_set(err, EIO, "source latency: cannot tell how many CPUs are "
			       "possible (/sys/devices/system/cpu/possible)");
	what = xasprintf("source latency: cannot time %s", t->symbol);
	bpf_log_begin();
	ret = probe_forbidden("fentry") ? -EOPNOTSUPP : try_attach(probe, t, (unsigned)nr_cpus, true);
	if (ret < 0 && !probe_forbidden("kprobe"))
		ret = try_attach(probe, t, (unsigned)nr_cpus, false);
	if (ret < 0)
		bpf_refused(err, -ret, what);
	bpf_log_end();
	free(what);
	return ret;
}

void latency_activate(struct latency_probe *p, const struct cpuset *cpus)
{
	for (unsigned i = 0; i < p->nr_cpus; i++)
		__atomic_store_n(&p->cpu[i].active, cpus && cpuset_test(cpus, i),
				 __ATOMIC_RELEASE);
}

const char *latency_method(const struct latency_probe *p)
{
	return p->fentry ? "fentry" : "kprobe";
}

void latency_detach(struct latency_probe *p)
{
	if (!p)
		return;
	while (p->nr_links)
		bpf_link__destroy(p->link[--p->nr_links]);
	free(p->link);
	if (p->cpu)
		munmap(p->cpu, p->map_len);
	if (p->skel)
		latency_bpf__destroy(p->skel);
	free(p);
}

/* -------------------------------------------------------------- series */

void latency_to_series(const struct latency_probe *p, const struct latency_target *t,
		       struct series_set *set)
{
#define X(id, name) name,
	static const char *const callers[] = { LATENCY_CALLER_LIST(X) };
	static const char *const drops[] = { LATENCY_DROP_LIST(X) };
#undef X
	static const char *const via[] = { "function", "inlined", "container" };

	for (unsigned cpu = 0; cpu < p->nr_cpus; cpu++) {
		for (unsigned c = 0; c < CALLER_NR; c++)
			series_add_sched_hist(set, "function_latency",
					      LABELS("function", t->function, "via",
						     via[t->via], "caller", callers[c]),
					      &p->cpu[cpu].hist[c]);
		if (t->scan)
			series_add_sched_hist(set, "function_scanned",
					      LABELS("function", t->function),
					      &p->cpu[cpu].scanned);
		for (unsigned i = 0; i < LDROP_NR; i++)
			if (p->cpu[cpu].dropped[i])
				series_add(set, "dropped",
					   LABELS("what", drops[i], "function", t->function),
					   p->cpu[cpu].dropped[i]);
	}
}
#else
#include <errno.h>

#include "latency_private.h"

int latency_attach(struct latency_probe **probe, const struct latency_target *t,
		   struct err *err)
{
	return err_set(err, ENOSYS, "this schedblame was built without BPF");
}

void latency_activate(struct latency_probe *p, const struct cpuset *cpus)
{
}

const char *latency_method(const struct latency_probe *p)
{
	return "none";
}

void latency_to_series(const struct latency_probe *p, const struct latency_target *t,
		       struct series_set *set)
{
}

void latency_detach(struct latency_probe *p)
{
}
#endif
