/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What takes longer than a key may take: jobs that one thread does in turn, so
 * that what reads a run's profile or trace (run.h: not from two threads) never
 * meets another that does.
 */
#ifndef TUI_WORK_H
#define TUI_WORK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct work_job {
	void (*run)(struct work_job *job);
	atomic_bool done;
	struct work_job *next;
};

struct work {
	pthread_t thread;
	bool started, ending;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct work_job *first, *last;
	atomic_uint waiting; /* jobs not yet done */
	unsigned seen;	     /* of finished, by work_news() */
	atomic_uint finished;
};

void work_init(struct work *w);
/* Waits for the job that runs; what has not begun is dropped, never done. */
void work_release(struct work *w);
/* The job must live until it is done, or until work_release(). */
void work_add(struct work *w, struct work_job *job);
/* A job ended since the last call. */
bool work_news(struct work *w);
bool work_idle(struct work *w);
void work_drain(struct work *w);

#endif
