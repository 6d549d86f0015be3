/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of the raw /proc copies of a run; the names are those of docs/series.md. */
#ifndef ANALYZE_PROCFS_H
#define ANALYZE_PROCFS_H

#include "schedblame/err.h"
#include "schedblame/series.h"
#include "schedblame/topology.h"

/* Differences after - before of one file, given as NUL-terminated text. What does
 * not parse is left out; what makes a number doubtful becomes a note. */
struct procfs_reader {
	const char *path; /* below before/ and after/ */
	void (*add)(struct series_set *set, const char *before, const char *after,
		    const struct topology *t, struct notes *notes);
};

/* Ends with a NULL path. */
extern const struct procfs_reader procfs_readers[];

/* procfs_tables.c: vmstat, interrupts, softirqs, pressure */
void procfs_add_vmstat(struct series_set *set, const char *before, const char *after,
		       const struct topology *t, struct notes *notes);
void procfs_add_interrupts(struct series_set *set, const char *before,
			   const char *after, const struct topology *t,
			   struct notes *notes);
void procfs_add_softirqs(struct series_set *set, const char *before, const char *after,
			 const struct topology *t, struct notes *notes);
void procfs_add_pressure(struct series_set *set, const char *resource,
			 const char *before, const char *after);

#endif
