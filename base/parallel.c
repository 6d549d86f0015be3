// SPDX-License-Identifier: GPL-2.0-or-later
/* The same work for many things, on all CPUs: threads that take the next index. */
#include "schedblame/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "schedblame/alloc.h"

struct job {
	void (*work)(void *arg, size_t i);
	void *arg;
	size_t n;
	atomic_size_t next;
};

static void *run(void *arg)
{
	struct job *job = arg;
	size_t i;

	while ((i = atomic_fetch_add(&job->next, 1)) < job->n)
		job->work(job->arg, i);
	return NULL;
}

/* CPUs of our affinity mask; a machine too large for cpu_set_t has enough. */
static size_t usable_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return PARALLEL_MAX;
	return (size_t)CPU_COUNT(&set);
}

void parallel_for(size_t n, void (*work)(void *arg, size_t i), void *arg)
{
	struct job job = { work, arg, n, 0 };
	pthread_t thread[PARALLEL_MAX - 1];
	size_t cpus = usable_cpus(), started = 0;

	while (started < PARALLEL_MAX - 1 && started + 1 < cpus && started + 1 < n) {
		if (pthread_create(&thread[started], NULL, run, &job))
			break;
		started++;
	}
	run(&job);
	for (size_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}
