/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run sets opened by a thread of its own, so that the first screen stands at
 * once however long the files are. Until loader_done() says true the sets belong
 * to the thread.
 */
#ifndef TUI_LOAD_H
#define TUI_LOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "data.h"
#include "schedblame/err.h"
#include "schedblame/run.h"

struct loader {
	pthread_t thread;
	bool joined;
	atomic_bool finished;
	const struct run_options *opts; /* borrowed */
	int n;
	struct {
		const char *path; /* borrowed */
		struct run_set set;
		bool open;
	} item[TUI_MAX_SETS];
	struct err err; /* of the first that could not be opened */
};

int loader_start(struct loader *l, char **paths, int n, const struct run_options *opts,
		 struct err *err);
/* Waits at most timeout_ms (-1: to the end); true when all is read. */
bool loader_done(struct loader *l, int timeout_ms);
/* Puts the sets into data; 0, or -errno with the sentence of the one that failed.
 * After loader_done(). */
int loader_take(struct loader *l, struct data *d, struct err *err);
/* After loader_done(). */
void loader_release(struct loader *l);

#endif
