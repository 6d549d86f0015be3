/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a trace (tasks, worst waits), read in the background. */
#ifndef TUI_TASKS_H
#define TUI_TASKS_H

#include "schedblame/trace_tables.h"
#include "view.h"
#include "work.h"

struct tasks_job {
	struct work_job job; /* first */
	struct tasks_job *older;
	struct run_set *set;
	const struct trace_tables *tables; /* of the first run that has some */
	struct err err;
};

struct tasks_job *tasks_job_for(struct app *app);
void tasks_free_all(struct app *app);
/* Tables of side A's trace, or NULL and a sentence. */
const struct trace_tables *tasks_tables(struct app *app, const char **why_not);

extern const struct view_ops view_task;	 /* arg: const struct trace_task * */
extern const struct view_ops view_worst; /* the worst waits; Enter: on the timeline */
/* The timeline at a moment (ns since the first event) on a CPU. */
void timeline_at(struct app *app, uint64_t ts, unsigned cpu);
/* The lane of a task over the time it was seen. */
void timeline_at_task(struct app *app, int32_t pid, uint64_t from, uint64_t to);

#endif
