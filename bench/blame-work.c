// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A workload with knobs, for scenarios whose cause is known. Workers come in
 * pairs that hand a token through pipes; each hop does some user work, touches
 * memory, and may take a lock in the kernel. Prints "loops" and "time".
 */
#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SPIN 5000 /* additions between two looks at the clock */

struct config {
	int pairs, loops;
	long user;	/* additions per hop */
	long memory;	/* bytes touched per hop */
	int locks;	/* mmap/munmap pairs per hop: the address space's lock */
	long hop_us;	/* move every worker to the next CPU of the list that often */
	long sleep_us;	/* sleep per hop */
	int yields;	/* sched_yield() per hop */
	long spin_us;	/* CPU time per hop by the clock, not by work */
	bool together;	/* no worker starts before all are there */
	bool far;	/* memory is touched first on node 0, workers run on the last CPUs */
};

static struct config config = { .pairs = 4, .loops = 20000, .user = 1000 };
static cpu_set_t config_cpus; /* allowed at the start */
static atomic_bool finished;
static pthread_barrier_t start_line;

struct worker {
	pthread_t thread;
	atomic_int tid; /* 0: not started yet */
	int in, out, first;
	volatile uint64_t sum;
	char *memory;
};

static double read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static double cpu_now(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Burns user time as the kernel accounts it. In an emulated machine, whose CPUs
 * share few real ones, only such work is done faster by more CPUs: a CPU that the
 * emulator holds still counts as running. The clock is a system call, so it is
 * looked at only now and then.
 */
static void spin(struct worker *w, double seconds)
{
	double end = cpu_now() + seconds;
	uint64_t sum = w->sum;

	while (cpu_now() < end)
		for (int i = 0; i < SPIN; i++)
			sum = sum * 6364136223846793005ULL + 1442695040888963407ULL;
	w->sum = sum;
}

static void work(struct worker *w)
{
	uint64_t sum;

	if (config.spin_us)
		spin(w, (double)config.spin_us / 1e6);
	sum = w->sum;
	for (long i = 0; i < config.user; i++)
		sum = sum * 6364136223846793005ULL + 1442695040888963407ULL;
	for (long i = 0; i < config.memory; i += 64)
		sum += (uint64_t)++w->memory[i];
	w->sum = sum;
	for (int i = 0; i < config.locks; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p != MAP_FAILED) {
			*(volatile char *)p = 1;
			munmap(p, 4096);
		}
	}
	for (int i = 0; i < config.yields; i++)
		sched_yield();
	if (config.sleep_us)
		usleep((useconds_t)config.sleep_us);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	char token = 0;

	w->tid = gettid();
	if (config.together)
		pthread_barrier_wait(&start_line);
	for (int i = 0; i < config.loops; i++) {
		if (!(w->first && i == 0) && read(w->in, &token, 1) != 1)
			break;
		work(w);
		if (write(w->out, &token, 1) != 1)
			break;
	}
	return NULL;
}

/* Moves one worker after the other to the other half of the allowed CPUs. */
static void *hopper_main(void *arg)
{
	struct worker *worker = arg;
	cpu_set_t all, half[2];
	int n = 0, seen = 0;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&half[0]);
	CPU_ZERO(&half[1]);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &half[seen++ * 2 >= CPU_COUNT(&all)]);
	while (!finished) {
		for (int i = 0; i < config.pairs * 2; i++)
			if (worker[i].tid) /* one that has ended is no error */
				sched_setaffinity(worker[i].tid, sizeof(cpu_set_t),
						  &half[(n + i / 2) & 1]);
		n++;
		usleep((useconds_t)config.hop_us);
	}
	return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'p': config.pairs = atoi(arg); return 0;
	case 'l': config.loops = atoi(arg); return 0;
	case 'u': config.user = atol(arg); return 0;
	case 'm': config.memory = atol(arg); return 0;
	case 'k': config.locks = atoi(arg); return 0;
	case 'o': config.hop_us = atol(arg); return 0;
	case 's': config.sleep_us = atol(arg); return 0;
	case 'y': config.yields = atoi(arg); return 0;
	case 't': config.spin_us = atol(arg); return 0;
	case 'f': config.far = true; return 0;
	case 'w': config.together = true; return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "pairs", 'p', "N", 0, "pairs of workers (4)" },
	{ "loops", 'l', "N", 0, "hops per worker (20000)" },
	{ "user", 'u', "N", 0, "additions per hop (1000)" },
	{ "memory", 'm', "BYTES", 0, "memory touched per hop (0)" },
	{ "locks", 'k', "N", 0, "mmap and munmap per hop (0)" },
	{ "hop", 'o', "US", 0, "move workers to other CPUs every US (never)" },
	{ "sleep", 's', "US", 0, "sleep per hop (0)" },
	{ "yields", 'y', "N", 0, "sched_yield() per hop (0)" },
	{ "time", 't', "US", 0, "CPU time per hop, by the clock (0)" },
	{ "far", 'f', NULL, 0, "touch memory first in the lower half of the CPUs, then "
	  "run in the upper one" },
	{ "wait", 'w', NULL, 0, "workers wait for each other before the first hop; with many "
	  "of them the first ones have ended else before the last begin" },
	{ 0 },
};

/* Keeps the calling thread, and those it makes, to one half of the allowed CPUs. */
static void keep_to_half(const cpu_set_t *all, int half)
{
	cpu_set_t set;
	int seen = 0;

	CPU_ZERO(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, all) && (seen++ * 2 >= CPU_COUNT(all)) == half)
			CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static char *touched(long bytes)
{
	char *memory = malloc((size_t)bytes + 64);

	if (memory)
		memset(memory, 1, (size_t)bytes + 64);
	return memory;
}

static int start_pair(struct worker *a, struct worker *b)
{
	int ab[2], ba[2];

	if (pipe(ab) < 0 || pipe(ba) < 0)
		return -errno;
	*a = (struct worker){ .in = ba[0], .out = ab[1], .first = 1 };
	*b = (struct worker){ .in = ab[0], .out = ba[1] };
	a->memory = touched(config.memory);
	b->memory = touched(config.memory);
	if (!a->memory || !b->memory)
		return -ENOMEM;
	if (config.far) /* the thread that touches goes back for the next pair */
		keep_to_half(&config_cpus, 1);
	return -(pthread_create(&a->thread, NULL, worker_main, a) ||
		 pthread_create(&b->thread, NULL, worker_main, b));
}

int main(int argc, char **argv)
{
	const struct argp argp = { options, parse, NULL, "A workload with knobs." };
	struct worker *worker;
	pthread_t hopper;
	double start;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	worker = calloc((size_t)config.pairs * 2, sizeof(*worker));
	pthread_barrier_init(&start_line, NULL, 2 * (unsigned)config.pairs + 1);
	start = now();
	sched_getaffinity(0, sizeof(config_cpus), &config_cpus);
	for (int i = 0; i < config.pairs; i++) {
		if (config.far)
			keep_to_half(&config_cpus, 0);
		if (start_pair(&worker[2 * i], &worker[2 * i + 1]) < 0) {
			fprintf(stderr, "blame-work: cannot start pair %d\n", i);
			return 1;
		}
	}
	if (config.together) {
		pthread_barrier_wait(&start_line);
		start = now();
	}
	if (config.hop_us)
		pthread_create(&hopper, NULL, hopper_main, worker);
	for (int i = 0; i < 2 * config.pairs; i++)
		pthread_join(worker[i].thread, NULL);
	finished = true;
	if (config.hop_us)
		pthread_join(hopper, NULL);
	printf("loops: %ld\n", 2L * config.pairs * config.loops);
	printf("time: %.6f s\n", now() - start);
	return 0;
}
