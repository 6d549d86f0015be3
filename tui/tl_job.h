/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that reads a trace into an index while the view already shows it. */
#ifndef TUI_TL_JOB_H
#define TUI_TL_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "schedblame/topology.h"
#include "tl_index.h"

struct tl_job {
	struct tl_index index;
	pthread_t thread;
	bool running;
	atomic_bool stop;
	char *path;
	const struct topology *topology; /* borrowed; may be the unknown one */
};

/* The topology must outlive the job. */
struct tl_job *tl_job_start(const char *path, const struct topology *topology,
			    struct err *err);
/* Stops reading where it is. */
void tl_job_stop(struct tl_job *job);

#endif
