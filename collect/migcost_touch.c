// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One measurement. This thread itself migrates: on CPU a it dirties the memory,
 * moves to b and reads it there; the extra time over reading it where it is warm
 * is what a migration costs (Molnar's boot-time measurement of 2005, in user
 * space). A second thread would only disturb, on SMT above all.
 *
 * Lines are visited in strides that no prefetcher follows, but independently of
 * each other, so that misses overlap as they do in most programs.
 *
 * A try counts as disturbed when the thread was switched out, took a fault or
 * found itself elsewhere, or when a chunk of lines took so much longer than the
 * typical one that an interrupt or a hypervisor must have come between.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "migcost.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

#define LINE 64
#define CHUNK 64 /* lines between two looks at the clock: 25 ns in about 1 us */
#define GAP_TIMES 10
#define GAP_NS (20 * NSEC_PER_USEC)
#define TRIES_PER_REPEAT 32 /* on a busy machine the deadline comes first */
#define WARM_UP_NS (50 * NSEC_PER_USEC)
#define REST_NS (200 * NSEC_PER_USEC) /* others want to run, too */
#define MPOL_BIND_MODE 2	      /* of linux/mempolicy.h */

struct migcost_area {
	unsigned char *mem;
	size_t bytes;
	uint32_t *chunk_ns;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t migcost_median(uint64_t *v, size_t n)
{
	if (!n)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

/* The mean of the others stands for the typical chunk: no sorting. */
bool migcost_has_gap(const uint32_t *chunk_ns, size_t n)
{
	uint64_t sum = 0, slowest = 0;

	for (size_t i = 0; i < n; i++) {
		sum += chunk_ns[i];
		if (chunk_ns[i] > slowest)
			slowest = chunk_ns[i];
	}
	if (n < 2)
		return false;
	return slowest > GAP_NS + GAP_TIMES * ((sum - slowest) / (n - 1));
}

static int pin(unsigned cpu, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *mask = CPU_ALLOC(cpu + 1);
	int ret = 0;

	if (!mask)
		return err_set(err, ENOMEM, "no memory for a CPU mask");
	CPU_ZERO_S(size, mask);
	CPU_SET_S(cpu, size, mask);
	if (sched_setaffinity(0, size, mask) < 0)
		ret = err_errno(err, errno, "cannot run on CPU %u", cpu);
	CPU_FREE(mask);
	return ret;
}

/* A stride near the golden section of the lines and prime to their number. */
static size_t stride_of(size_t lines)
{
	size_t step = lines * 618 / 1000 | 1;

	for (;; step += 2) {
		size_t a = lines, b = step;

		while (b) {
			size_t rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return step % lines ? step % lines : 1;
	}
}

static void dirty(unsigned char *mem, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		(*(volatile unsigned char *)(mem + i))++;
}

/* ns to read every line; fills chunk_ns. */
static uint64_t read_lines(struct migcost_area *area, size_t bytes, size_t *nr_chunks)
{
	size_t lines = bytes / LINE, step = stride_of(lines), at = 0, n = 0;
	uint64_t start = now_ns(), last = start;

	for (size_t done = 0; done < lines;) {
		size_t end = done + CHUNK < lines ? done + CHUNK : lines;
		uint64_t t;

		for (; done < end; done++) {
			(void)*(volatile unsigned char *)(area->mem + at * LINE);
			at += step;
			if (at >= lines)
				at -= lines;
		}
		t = now_ns();
		area->chunk_ns[n++] = t - last > UINT32_MAX ? UINT32_MAX : (uint32_t)(t - last);
		last = t;
	}
	*nr_chunks = n;
	return last - start;
}

/* Out of the deep idle states and up with the clock, with no use of memory. */
static void warm_up(void)
{
	uint64_t end = now_ns() + WARM_UP_NS;

	while (now_ns() < end)
		;
}

static uint64_t timed_read(struct migcost_area *area, size_t bytes, unsigned cpu,
			   bool *disturbed)
{
	struct rusage before, after;
	size_t chunks;
	uint64_t ns;

	getrusage(RUSAGE_THREAD, &before);
	ns = read_lines(area, bytes, &chunks);
	getrusage(RUSAGE_THREAD, &after);
	if (before.ru_nivcsw != after.ru_nivcsw || before.ru_minflt != after.ru_minflt ||
	    before.ru_majflt != after.ru_majflt || sched_getcpu() != (int)cpu ||
	    migcost_has_gap(area->chunk_ns, chunks))
		*disturbed = true;
	return ns;
}

/* One migration there; the way back is not timed. */
static int try_once(struct migcost_area *area, size_t bytes, unsigned a, unsigned b,
		    uint64_t *local, uint64_t *moved, bool *disturbed, struct err *err)
{
	int ret = pin(a, err);

	if (ret < 0)
		return ret;
	*disturbed = false;
	warm_up();
	dirty(area->mem, bytes);
	*local = timed_read(area, bytes, a, disturbed);
	dirty(area->mem, bytes);
	ret = pin(b, err);
	if (ret < 0)
		return ret;
	warm_up();
	*moved = timed_read(area, bytes, b, disturbed);
	return 0;
}

struct tries {
	uint64_t *local, *moved;
	size_t n;
};

static void summarise(struct migcost_size *s, struct tries *t)
{
	uint64_t local = migcost_median(t->local, t->n);
	uint64_t moved = migcost_median(t->moved, t->n);
	uint64_t worst = t->n ? t->moved[t->n - 1] : 0; /* sorted by now */

	s->local_ns = local;
	s->median_ns = moved > local ? moved - local : 0;
	s->worst_ns = worst > local ? worst - local : 0;
}

int migcost_measure(struct migcost_size *s, struct migcost_area *area, unsigned a,
		    unsigned b, const struct migcost_aim *aim, struct err *err)
{
	size_t max = (size_t)aim->repeats * TRIES_PER_REPEAT;
	struct tries good = { xcalloc(max, 8), xcalloc(max, 8), 0 };
	struct tries bad = { xcalloc(max, 8), xcalloc(max, 8), 0 };
	struct timespec rest = { 0, REST_NS };
	int ret = 0;

	while (good.n < aim->repeats && good.n + bad.n < max) {
		uint64_t local, moved;
		struct tries *t;
		bool disturbed;

		ret = try_once(area, s->bytes, a, b, &local, &moved, &disturbed, err);
		if (ret < 0)
			break;
		t = disturbed ? &bad : &good;
		t->local[t->n] = local;
		t->moved[t->n++] = moved;
		if (now_ns() >= aim->deadline_ns)
			break;
		nanosleep(&rest, NULL);
	}
	s->repeats = (unsigned)good.n;
	s->disturbed = (unsigned)bad.n;
	summarise(s, good.n ? &good : &bad);
	free(good.local);
	free(good.moved);
	free(bad.local);
	free(bad.moved);
	return ret;
}

/* NUMA balancing would fault on the pages and carry them after the thread: an
 * explicit policy keeps it away. Where that is refused, faults show. */
static void bind_to(void *mem, size_t bytes, int node)
{
	unsigned long mask[CPUSET_MAX / (8 * sizeof(long))] = { 0 };
	size_t bits = 8 * sizeof(long);

	if (node < 0 || node >= CPUSET_MAX)
		return;
	mask[(size_t)node / bits] |= 1UL << ((size_t)node % bits);
	(void)syscall(SYS_mbind, mem, bytes, MPOL_BIND_MODE, mask, (unsigned long)node + 2, 0);
}

struct migcost_area *migcost_area_new(size_t bytes, unsigned cpu, int node_os_id,
				      struct err *err)
{
	struct migcost_area *area;
	void *mem;

	if (pin(cpu, err) < 0)
		return NULL;
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED) {
		char size[32];

		err_errno(err, errno, "no memory for a working set of %s",
			  format_bytes(size, sizeof(size), bytes));
		return NULL;
	}
	bind_to(mem, bytes, node_os_id);
	memset(mem, 1, bytes);
	area = xcalloc(1, sizeof(*area));
	area->mem = mem;
	area->bytes = bytes;
	area->chunk_ns = xcalloc(bytes / LINE / CHUNK + 2, sizeof(*area->chunk_ns));
	return area;
}

void migcost_area_free(struct migcost_area *area)
{
	if (!area)
		return;
	munmap(area->mem, area->bytes);
	free(area->chunk_ns);
	free(area);
}
