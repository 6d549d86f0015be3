// SPDX-License-Identifier: GPL-2.0-or-later
/* The raw copies of /proc in before/ and after/ of a run directory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "procfs.h"
#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define COPY_MAX (64UL << 20)

/* 0, or -errno; -ENOENT is no news. */
static int read_copy(struct run *run, struct strbuf *sb, const char *side,
		     const char *name)
{
	char *path = xasprintf("%s/%s/%s", run->path, side, name);
	struct err err = ERR_INIT;
	int ret = file_exists(path) ? file_read(sb, path, COPY_MAX, &err) : -ENOENT;

	if (ret < 0 && ret != -ENOENT)
		notes_add(&run->notes, "%s", err_text(&err));
	err_release(&err);
	free(path);
	return ret;
}

static void read_pair(struct run *run, const struct procfs_reader *reader)
{
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	int a = read_copy(run, &before, "before", reader->path);
	int b = read_copy(run, &after, "after", reader->path);

	if (!a && !b)
		reader->add(&run->series, before.buf, after.buf, &run->topology,
			    &run->notes);
	else if (a != b)
		notes_add(&run->notes, "%s is there only %s the run; its counts are left out",
			  reader->path, a ? "after" : "before");
	strbuf_release(&before);
	strbuf_release(&after);
}

/* Between the two copies, which is a little longer than the run itself. */
static void read_clock(struct run *run)
{
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	if (!read_copy(run, &before, "before", "clock") &&
	    !read_copy(run, &after, "after", "clock")) {
		uint64_t a = strtoull(before.buf, NULL, 10);
		uint64_t b = strtoull(after.buf, NULL, 10);

		if (b > a)
			series_add(&run->series, "proc_elapsed", NO_LABELS, b - a);
	}
	strbuf_release(&before);
	strbuf_release(&after);
}

/* With kernel.sched_schedstats off, Debian's default, most of /proc/schedstat stands
 * still: that is not measured, not zero. */
static bool stands_still(const struct run *run, const struct procfs_reader *r)
{
	const char *on = run_fact(run, "sysctl.kernel.sched_schedstats");

	return !strcmp(r->path, "proc/schedstat") && on && !strcmp(on, "0");
}

void run_read_counters(struct run *run)
{
	for (const struct procfs_reader *r = procfs_readers; r->path; r++)
		if (!stands_still(run, r))
			read_pair(run, r);
	read_clock(run);
}
