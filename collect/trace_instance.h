/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A private tracefs instance: its own buffers, events and clock, so that no
 * other tracer on the machine notices us. Works without a mounted tracefs.
 *
 * Instances are named schedblame-PID.START, START being the start time of the
 * process in clock ticks: a later process with the same pid is no owner.
 */
#ifndef COLLECT_TRACE_INSTANCE_H
#define COLLECT_TRACE_INSTANCE_H

#include <stdbool.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

struct trace_instance {
	int root;      /* dirfd of tracefs, -1 */
	int dir;       /* dirfd of the instance, -1 */
	char name[96]; /* "instances/schedblame-..." */
	bool top;      /* dir is tracefs' own buffer, name only marks it as ours */
	unsigned kb;   /* of top: per CPU, to be given back; 0: leave it */
};

#define TRACE_INSTANCE_INIT                                                    \
	{                                                                      \
		-1, -1, "", false, 0                                                \
	}

/* Makes an instance with tracing off. suffix ("" or ".probe") allows several
 * in one process. */
int trace_instance_create(struct trace_instance *ti, const char *suffix, struct err *err);
/*
 * For what instances cannot do (the function graph tracer before 6.12): the buffer
 * that everybody shares, with tracing off. -EBUSY where somebody uses it, or where its
 * size is not the same on all CPUs. An empty instance named ".KB.top" marks it as ours
 * and says how large it was, so that a later command can tidy up.
 */
int trace_instance_top(struct trace_instance *ti, struct err *err);
/* Removes it, waiting a little for readers to go; safe on an unmade one. */
void trace_instance_remove(struct trace_instance *ti);
/* Writes a control file of the instance. */
int trace_instance_write(const struct trace_instance *ti, const char *file,
			 const char *value, struct err *err);
/* Appends a file of the instance; -errno. */
int trace_instance_read(const struct trace_instance *ti, struct strbuf *sb,
			const char *file, struct err *err);
/* Removes instances whose process is gone; a note for each. */
void trace_remove_stale(struct notes *notes);

#endif
