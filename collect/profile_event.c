// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sampling events: one per CPU that takes samples, one dummy per CPU that
 * tells of new tasks and mappings and runs from the moment of opening, so that
 * nothing is missed between the look at /proc and the start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_event.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define RING_MIN (64UL << 10)
#define RING_MAX (8UL << 20)
#define SHORT_CHAIN 24 /* frames: from where a socket wakes a task to its softirq */
#define RING_TOTAL (128UL << 20) /* of all CPUs together */
#define RING_SECONDS 4 /* that a ring holds; collect drains ten times a second */

static int event_open(const struct perf_event_attr *attr, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* True when the event counts: some hypervisors let it open and never count. */
static bool really_counts(const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr a = *attr;
	struct timespec t = { 0, 2000000 };
	uint64_t value[4] = { 0 };
	int fd;

	a.disabled = 0;
	a.freq = 0;
	a.sample_freq = 0;
	a.read_format = 0;
	fd = event_open(&a, cpu);
	if (fd < 0)
		return false;
	for (int i = 0; i < 10 && !value[0]; i++) {
		nanosleep(&t, NULL);
		if (read(fd, value, sizeof(value)) < (ssize_t)sizeof(value[0]))
			break;
	}
	close(fd);
	return value[0] != 0;
}

static uint32_t frequency_limit(uint32_t frequency)
{
	char line[32];
	unsigned long max;

	if (!frequency)
		frequency = PROFILE_FREQUENCY;
	if (file_read_line("/proc/sys/kernel/perf_event_max_sample_rate", line,
			   sizeof(line)) < 0)
		return frequency;
	max = strtoul(line, NULL, 10);
	return max && frequency > max ? (uint32_t)max : frequency;
}

int sampler_choose(struct perf_event_attr *attr, const char **event,
		   uint32_t frequency, const struct cpuset *cpus)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} try[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	};
	int cpu = cpuset_next(cpus, 0), code = ENODEV;

	for (size_t i = 0; i < ARRAY_SIZE(try); i++) {
		int fd;

		memset(attr, 0, sizeof(*attr));
		attr->size = sizeof(*attr);
		attr->type = try[i].type;
		attr->config = try[i].config;
		attr->disabled = 1;
		attr->freq = 1;
		attr->sample_freq = frequency_limit(frequency);
		*event = try[i].name;
		fd = event_open(attr, cpu);
		if (fd < 0) {
			code = errno;
			continue;
		}
		close(fd);
		if (attr->type == PERF_TYPE_SOFTWARE || really_counts(attr, cpu))
			return 0;
	}
	return -code;
}

/* What older kernels do not know, newest first; dropped one by one. */
static void drop_build_id(struct perf_event_attr *sample, struct perf_event_attr *dummy)
{
	dummy->build_id = 0;
}

static void drop_lost(struct perf_event_attr *sample, struct perf_event_attr *dummy)
{
	sample->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	dummy->read_format = sample->read_format;
}

static void drop_ksymbol(struct perf_event_attr *sample, struct perf_event_attr *dummy)
{
	dummy->ksymbol = 0;
}

static void drop_clockid(struct perf_event_attr *sample, struct perf_event_attr *dummy)
{
	sample->use_clockid = dummy->use_clockid = 0;
	sample->clockid = dummy->clockid = 0;
}

static void drop_max_stack(struct perf_event_attr *sample, struct perf_event_attr *dummy)
{
	sample->sample_max_stack = dummy->sample_max_stack = 0;
}

static void (*const drops[])(struct perf_event_attr *, struct perf_event_attr *) = {
	drop_lost, drop_build_id, drop_ksymbol, drop_clockid, drop_max_stack,
};

/*
 * A timer's sample cannot fall where interrupts are off; it falls where they go
 * on again, and a short chain tells who had turned them off.
 */
static void set_chains(struct perf_event_attr *a, bool callchains)
{
	if (callchains || a->type == PERF_TYPE_SOFTWARE)
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (callchains || a->type != PERF_TYPE_SOFTWARE)
		return;
	a->exclude_callchain_user = 1;
	a->sample_max_stack = SHORT_CHAIN;
}

static void set_attrs(struct sampler *s, bool callchains)
{
	struct perf_event_attr *a = &s->attr, *d = &s->dummy;

	a->sample_type = SAMPLE_TYPE;
	set_chains(a, callchains);
	a->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	a->sample_id_all = 1;
	/* The time of everything else in a run; the kernel may read it in an NMI. */
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	/* Nobody sleeps on the rings: no wakeup disturbs the workload. */
	a->watermark = 1;
	a->wakeup_watermark = UINT32_MAX;
	if (a->type == PERF_TYPE_HARDWARE)
		a->exclude_guest = 1;

	*d = *a;
	d->type = PERF_TYPE_SOFTWARE;
	d->config = PERF_COUNT_SW_DUMMY;
	d->freq = 0;
	d->sample_period = 1;
	d->disabled = 0;
	d->exclude_guest = 0;
	d->mmap = d->mmap2 = d->comm = d->comm_exec = d->task = 1;
	d->ksymbol = 1;
	d->build_id = 1;
}

/* Finds what this kernel takes by opening both events on one CPU. */
static int settle_attrs(struct sampler *s, int cpu)
{
	for (size_t i = 0;; i++) {
		int fd = event_open(&s->attr, cpu), code = errno, dummy_fd = -1;

		if (fd >= 0) {
			dummy_fd = event_open(&s->dummy, cpu);
			code = errno;
			close(fd);
		}
		if (dummy_fd >= 0) {
			close(dummy_fd);
			return 0;
		}
		if ((code != EINVAL && code != E2BIG) || i == ARRAY_SIZE(drops))
			return -code;
		drops[i](&s->attr, &s->dummy);
	}
}

static size_t ring_size(uint64_t frequency, bool callchains, size_t nr_cpus)
{
	uint64_t want = frequency * (callchains ? 512 : 144) * RING_SECONDS;
	size_t size = RING_MIN;

	while (size < want && size < RING_MAX)
		size *= 2;
	if (size < 4 * RING_MIN)
		size = 4 * RING_MIN;
	while (size * nr_cpus > RING_TOTAL && size > RING_MIN)
		size /= 2;
	return size;
}

static int map_ring(struct sampler *s, struct sampler_cpu *c)
{
	for (;;) {
		c->map = mmap(NULL, s->ring_size + (size_t)sysconf(_SC_PAGESIZE),
			      PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
		if (c->map != MAP_FAILED)
			return 0;
		c->map = NULL;
		/* All rings have one size: only the first may shrink it. */
		if (errno != EPERM || c != s->cpu || s->ring_size <= RING_MIN)
			return -errno;
		s->ring_size /= 2;
	}
}

/* 0, or -errno; -ENODEV when the CPU went offline. */
static int open_cpu(struct sampler *s, struct sampler_cpu *c)
{
	int ret;

	c->fd = event_open(&s->attr, c->cpu);
	if (c->fd < 0)
		return -errno;
	c->dummy_fd = event_open(&s->dummy, c->cpu);
	if (c->dummy_fd < 0)
		return -errno;
	ret = map_ring(s, c);
	if (ret < 0)
		return ret;
	if (ioctl(c->dummy_fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd) < 0 ||
	    ioctl(c->fd, PERF_EVENT_IOC_ID, &c->id) < 0 ||
	    ioctl(c->dummy_fd, PERF_EVENT_IOC_ID, &c->dummy_id) < 0)
		return -errno;
	return 0;
}

static void close_cpu(struct sampler *s, struct sampler_cpu *c)
{
	if (c->map)
		munmap(c->map, s->ring_size + (size_t)sysconf(_SC_PAGESIZE));
	if (c->dummy_fd >= 0)
		close(c->dummy_fd);
	if (c->fd >= 0)
		close(c->fd);
	c->map = NULL;
	c->fd = c->dummy_fd = -1;
}

static int open_cpus(struct sampler *s, const struct cpuset *cpus, struct err *err)
{
	cpuset_for_each(cpu, cpus) {
		struct sampler_cpu *c = s->cpu + s->nr_cpus;
		int ret;

		*c = (struct sampler_cpu){ .cpu = cpu, .fd = -1, .dummy_fd = -1 };
		ret = open_cpu(s, c);
		if (ret == -ENODEV) { /* went offline since the set was made */
			close_cpu(s, c);
			continue;
		}
		s->nr_cpus++;
		if (ret < 0)
			return err_errno(err, -ret, "cannot sample CPU %d", cpu);
	}
	if (!s->nr_cpus)
		return err_set(err, ENODEV, "none of the CPUs to profile is online");
	return 0;
}

/*
 * Two descriptors per CPU, beside those of other sources: the soft limit (1024)
 * is too small for large machines. Files stay open when it is set back, so that
 * the workload starts with the limit it would have had.
 */
static void raise_file_limit(struct rlimit *old, size_t nr_cpus)
{
	struct rlimit wide;

	if (getrlimit(RLIMIT_NOFILE, old) < 0 || old->rlim_cur == RLIM_INFINITY) {
		old->rlim_cur = 0;
		return;
	}
	wide = *old;
	wide.rlim_cur += 2 * nr_cpus;
	if (wide.rlim_cur > wide.rlim_max)
		wide.rlim_cur = wide.rlim_max;
	setrlimit(RLIMIT_NOFILE, &wide);
}

int sampler_open(struct sampler *s, const struct cpuset *cpus, uint32_t frequency,
		 bool callchains, struct err *err)
{
	struct rlimit old;
	int ret;

	memset(s, 0, sizeof(*s));
	if (!cpuset_count(cpus))
		return err_set(err, EINVAL, "there is no CPU to profile");
	ret = sampler_choose(&s->attr, &s->event, frequency, cpus);
	if (!ret) {
		set_attrs(s, callchains);
		s->ring_size = ring_size(s->attr.sample_freq, callchains,
					 cpuset_count(cpus));
		ret = settle_attrs(s, cpuset_next(cpus, 0));
	}
	if (ret < 0)
		return err_errno(err, -ret, "cannot open a sampling event");
	s->cpu = xcalloc(cpuset_count(cpus), sizeof(*s->cpu));
	raise_file_limit(&old, cpuset_count(cpus));
	ret = open_cpus(s, cpus, err);
	if (old.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &old);
	return ret;
}

int sampler_enable(struct sampler *s, struct err *err)
{
	for (size_t i = 0; i < s->nr_cpus; i++) {
		if (ioctl(s->cpu[i].fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
			return err_errno(err, errno, "cannot start sampling on CPU %d",
					 s->cpu[i].cpu);
	}
	return 0;
}

void sampler_disable(struct sampler *s)
{
	for (size_t i = 0; i < s->nr_cpus; i++)
		ioctl(s->cpu[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < s->nr_cpus; i++)
		ioctl(s->cpu[i].dummy_fd, PERF_EVENT_IOC_DISABLE, 0);
}

void sampler_close(struct sampler *s)
{
	for (size_t i = 0; i < s->nr_cpus; i++)
		close_cpu(s, s->cpu + i);
	free(s->cpu);
	memset(s, 0, sizeof(*s));
}
