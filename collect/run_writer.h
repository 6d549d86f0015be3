/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set directory being written, and the runs in it.
 *
 * A run stands as SET/.NNN.partial until run_writer_keep() renames it to
 * SET/NNN. With force over an existing set, all is written beside it
 * (SET.new-PID) and takes its place by one rename in set_writer_finish(); until
 * then nothing of the old set is touched.
 */
#ifndef COLLECT_RUN_WRITER_H
#define COLLECT_RUN_WRITER_H

#include <stdbool.h>

#include "schedblame/err.h"
#include "schedblame/json.h"

struct set_writer {
	char *path;	/* as the user named it */
	char *work;	/* where runs are written now: path, or beside it */
	char *label;
	bool created;	/* work is ours: removed again if no run was kept */
	bool replaces;	/* work takes the place of path in the end */
	unsigned kept;	/* runs kept so far */
};

enum set_mode { SET_NEW, SET_APPEND, SET_FORCE };

/*
 * SET_NEW refuses a path that exists (an empty folder is taken), SET_APPEND
 * asks for a set, SET_FORCE replaces a set or an empty folder and refuses
 * anything else. label may be NULL: the set's own, else path's last part.
 */
int set_writer_open(struct set_writer *set, const char *path, const char *label,
		    enum set_mode mode, struct err *err);
/* Puts a replacing set in its place. Not called when a run was cut short. */
int set_writer_finish(struct set_writer *set, struct err *err);
/* Frees; removes what was created when no run was kept. */
void set_writer_release(struct set_writer *set);

struct run_writer {
	struct set_writer *set;
	char *dir;    /* SET/.NNN.partial, then SET/NNN */
	int dirfd;
	unsigned number;
};

int run_writer_open(struct run_writer *run, struct set_writer *set, struct err *err);
/* Creates a file in the run for the workload's output; a descriptor. */
int run_writer_create(struct run_writer *run, const char *name, struct err *err);
/* Writes run.json; may be called again. */
int run_writer_manifest(struct run_writer *run, const json_t *manifest, struct err *err);
/* .NNN.partial -> NNN */
int run_writer_keep(struct run_writer *run, struct err *err);
/* Frees; a run that was not kept is removed. */
void run_writer_release(struct run_writer *run);

/*
 * path is a SET/.NNN.partial whose writer died: keeps it as a run that was cut
 * short, or removes it when it holds nothing yet. What was done is noted.
 */
void run_recover(const char *path, struct notes *notes);

#endif
