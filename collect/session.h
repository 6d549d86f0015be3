/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drives the chosen sources through one run. A source that nobody asked for by
 * name and that fails is written down (run.json "sources") and left out; one
 * that was asked for makes the call fail.
 */
#ifndef COLLECT_SESSION_H
#define COLLECT_SESSION_H

#include <stdbool.h>

#include "schedblame/err.h"
#include "schedblame/json.h"
#include "schedblame/source.h"
#include "sources.h"

enum source_state { STATE_OFF, STATE_READY, STATE_OPEN, STATE_STARTED, STATE_DONE,
		    STATE_FAILED };

struct session_source {
	const struct source_ops *ops;
	struct source *src; /* NULL: not open */
	enum source_wish wish;
	enum source_state state;
	bool refused;  /* by its probe: fails in every repeat */
	char *why;     /* of STATE_FAILED */
	json_t *info;
};

struct recorder {
	struct session session;
	struct session_source source[SOURCES_MAX];
	size_t n;
	struct notes *notes; /* borrowed: one sentence per failure */
};

/* Probes every wanted source once. */
int recorder_init(struct recorder *r, const struct collect_config *config,
		  const struct topology *topology,
		  const enum source_wish wish[SOURCES_MAX], struct notes *notes,
		  struct err *err);
void recorder_release(struct recorder *r);
/* Per run: dirfd and dir are borrowed until recorder_close(). */
int recorder_open(struct recorder *r, int dirfd, const char *dir, struct err *err);
int recorder_start(struct recorder *r, struct err *err);
int recorder_poll(struct recorder *r, struct err *err);
int recorder_stop(struct recorder *r, struct err *err);
/* Writes all that can be written, also after a failure of one. */
int recorder_write(struct recorder *r, struct err *err);
void recorder_close(struct recorder *r);
/* run.json "sources"; host receives what the sources know of the machine. */
json_t *recorder_to_json(const struct recorder *r, json_t *host);

#endif
