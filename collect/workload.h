/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The benchmark as a child process in a process group of its own.
 *
 * Order: workload_prepare (forks; the child waits) -> sources start ->
 * workload_go (execs) -> workload_reap until it says true -> workload_release.
 * Its output goes straight into files: a pipe would wake collect for every
 * line, and show up in the very numbers that are being taken.
 */
#ifndef COLLECT_WORKLOAD_H
#define COLLECT_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/json.h"

/* In the workload's environment: by it leftovers of a killed collect are known. */
#define WORKLOAD_TOKEN "SCHEDBLAME_SESSION"

struct workload_spec {
	const char *path;	   /* of the program */
	char *const *argv;	   /* NULL-terminated */
	const struct cpuset *cpus; /* its affinity; empty: as inherited */
	int out_fd, err_fd;
	const char *token; /* value of WORKLOAD_TOKEN */
};

struct workload {
	pid_t pid;   /* also its process group; 0: none */
	int go_fd;   /* closed unwritten: the child leaves without exec */
	int exec_fd; /* the child writes errno of a failed exec */
	bool running;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	int status;		   /* as of wait4() */
	struct rusage usage;
};

/* The file that NAME means, by PATH, in a new string; -errno with a sentence. */
int workload_find(const char *name, char **path, struct err *err);
/* Raises the soft limit of open files to the hard one, once; the workload starts
 * with the limit it would have had. */
void workload_raise_files(void);
int workload_prepare(struct workload *w, const struct workload_spec *spec,
		     struct err *err);
int workload_go(struct workload *w, const char *name, struct err *err);
/* True once it has ended (or never ran); does not wait. */
bool workload_reap(struct workload *w);
/* To the whole process group. */
void workload_kill(struct workload *w, int sig);
/* Whatever state it is in: no child is left afterwards. */
void workload_release(struct workload *w);
/* Exit status >= 0, or -1 when a signal ended it. */
int workload_exit_status(const struct workload *w);
int workload_term_signal(const struct workload *w);
bool workload_failed(const struct workload *w);
/* run.json "workload". */
json_t *workload_to_json(const struct workload *w);

/* Waits up to seven seconds for the group to end: the signal, then TERM, then
 * KILL; a further signal to us shortens it. */
void workload_end(struct workload *w, int sig);

#endif
