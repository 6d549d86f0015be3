/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run queue model: events in, steps out. */
#ifndef ANALYZE_PASS_MODEL_H
#define ANALYZE_PASS_MODEL_H

#include "schedblame/pass.h"

struct model *model_new(void);
void model_free(struct model *m);
/* Applies one event; emits its steps. */
void model_event(struct walk *w, const struct event *ev);
/* Steps that waited for what follows. */
void model_finish(struct walk *w);
/* Moves the rows of tasks and CPUs into w->tables. */
void model_collect(struct walk *w);

/* pass_tasks.c: the table of tasks by pid. */
struct task_table {
	struct task ***leaf; /* by pid >> 10, then by pid & 1023 */
	struct task **chunk;
	uint32_t nr, nr_chunks;
};
void task_table_init(struct task_table *t);
void task_table_release(struct task_table *t);
/* The task with that pid, made if new; NULL for 0 and impossible pids. */
struct task *task_get(struct task_table *t, int32_t pid);
/* A new task under that pid, whatever was there. */
struct task *task_replace(struct task_table *t, int32_t pid);
/* The task is known under this pid from now on. */
void task_set_pid(struct task_table *t, struct task *task, int32_t pid);
struct task *task_at(const struct task_table *t, uint32_t index);

/* pass_reason.c: why a task moved, from the model's state at the event. */
enum reason migrate_reason(const struct walk *w, const struct task *t,
			   const struct cpu *c, const struct event *ev, bool saw_waking);

#endif
