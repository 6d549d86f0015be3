/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tunables that are changed for the time of a collect (--set) and restored.
 *
 *	sched.migration_cost_ns=0	debugfs sched/, on kernels before 5.13 the
 *					sysctl kernel.sched_migration_cost_ns
 *	sched.features.SIS_UTIL=off	also SIS_UTIL=off, or plain NO_SIS_UTIL
 *	kernel.numa_balancing=0		a sysctl
 *	/sys/...=VALUE			a file below /sys or /proc/sys
 *
 * One process owns a knob at a time (a lock per knob); the old value stands in
 * the state file before the new one is written.
 */
#ifndef COLLECT_KNOBS_H
#define COLLECT_KNOBS_H

#include "schedblame/err.h"
#include "schedblame/json.h"
#include "state.h"

enum knob_kind { KNOB_SCHED, KNOB_FEATURE, KNOB_SYSCTL, KNOB_FILE };

struct knob {
	char *name;  /* canonical: the same knob has one name */
	enum knob_kind kind;
	char *asked; /* the value to set */
	char *old;   /* before; NULL: not read yet */
	char *now;   /* as the kernel shows it after the write; NULL: not written */
	char *lock_path;
	int lock_fd; /* -1: not held */
};

struct knobs {
	struct knob *v;
	size_t n, cap;
};

/* One --set argument. -EINVAL with a sentence. */
int knobs_parse(struct knobs *knobs, const char *arg, struct err *err);
/* Sets all or none. */
int knobs_apply(struct knobs *knobs, struct state *state, struct err *err);
/* Back to the old values, last one first; failures become notes and -EIO, and
 * stay in the state for the next command to try again. */
int knobs_restore(struct knobs *knobs, struct state *state, struct notes *notes);
void knobs_release(struct knobs *knobs);
/* run.json "knobs". */
json_t *knobs_to_json(const struct knobs *knobs);
/* What a dead process had set, from its state file. False: some could not be
 * restored, so that the record must be kept for another try. */
bool knobs_restore_stale(const json_t *list, struct notes *notes);

/* The value now, in a new string; -errno with a sentence. */
int knob_read(const struct knob *knob, char **value, struct err *err);
int knob_write(const struct knob *knob, const char *value, struct err *err);

#endif
