// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread that does what takes long. */
#include "work.h"

#include <string.h>
#include <time.h>

void work_init(struct work *w)
{
	memset(w, 0, sizeof(*w));
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
}

static struct work_job *next_job(struct work *w)
{
	struct work_job *job;

	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->ending)
		pthread_cond_wait(&w->wake, &w->lock);
	job = w->ending ? NULL : w->first;
	if (job) {
		w->first = job->next;
		if (!w->first)
			w->last = NULL;
	}
	pthread_mutex_unlock(&w->lock);
	return job;
}

static void *work(void *arg)
{
	struct work *w = arg;
	struct work_job *job;

	while ((job = next_job(w))) {
		job->run(job);
		atomic_store(&job->done, true);
		atomic_fetch_add(&w->finished, 1);
		atomic_fetch_sub(&w->waiting, 1);
	}
	return NULL;
}

void work_release(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (w->started)
		pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	memset(w, 0, sizeof(*w));
}

void work_add(struct work *w, struct work_job *job)
{
	job->next = NULL;
	atomic_store(&job->done, false);
	atomic_fetch_add(&w->waiting, 1);
	pthread_mutex_lock(&w->lock);
	if (w->last)
		w->last->next = job;
	else
		w->first = job;
	w->last = job;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (!w->started)
		w->started = pthread_create(&w->thread, NULL, work, w) == 0;
	if (!w->started) { /* no thread to be had: here and now */
		w->first = w->last = NULL;
		job->run(job);
		atomic_store(&job->done, true);
		atomic_fetch_add(&w->finished, 1);
		atomic_fetch_sub(&w->waiting, 1);
	}
}

bool work_news(struct work *w)
{
	unsigned n = atomic_load(&w->finished);
	bool news = n != w->seen;

	w->seen = n;
	return news;
}

bool work_idle(struct work *w)
{
	return !atomic_load(&w->waiting);
}

void work_drain(struct work *w)
{
	const struct timespec pause = { 0, 500000 };

	while (!work_idle(w))
		nanosleep(&pause, NULL);
}
