/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process has changed in the system, written down before it is
 * changed, so that the next command can undo it after a crash or kill -9.
 *
 *	DIR/PID.lock	held by the living process
 *	DIR/PID.json	{"version":1, "boot_id":.., "token":.., "knobs":[..],
 *			 "partial":"SET/.001.partial"}
 *
 * DIR is /run/schedblame for root, else a private folder of the user. A
 * PID.json whose lock nobody holds is stale: stale_cleanup() undoes it.
 */
#ifndef COLLECT_STATE_H
#define COLLECT_STATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "schedblame/err.h"
#include "schedblame/json.h"

struct state {
	char *lock_path, *file; /* owned; NULL: not open */
	int lock_fd;
	json_t *root;
};

/* The folder, made if needed; NULL with a sentence when it cannot be had. */
const char *state_dir(struct err *err);
/* DIR/NAME in a new string. */
char *state_path(const char *name, struct err *err);

int state_open(struct state *state, struct err *err);
/* Takes the reference of value (NULL: removes the key) and writes the file. */
int state_set(struct state *state, const char *key, json_t *value, struct err *err);
/* Removes the record, unless it still holds knobs: those are for the next command. */
void state_close(struct state *state);

/* Names this process in the environment of its workload. */
const char *state_token(const struct state *state);

/* Is the schedblame process of that pid, of this user, still running? */
bool state_alive(pid_t pid);

#endif
