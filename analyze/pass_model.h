/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run queue model: events in, steps out. */
#ifndef ANALYZE_PASS_MODEL_H
#define ANALYZE_PASS_MODEL_H

#include "schedblame/pass.h"

struct model *model_new(void);
void model_free(struct model *m);
/* More tasks than the caches hold: see model_prefetch(). */
bool model_is_large(const struct model *m);
/* The event comes soon: fetches what is kept of its tasks. */
void model_prefetch(const struct model *m, const struct event *ev);
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
#define PID_LIMIT (1 << 22) /* the kernel's PID_MAX_LIMIT */
#define TASK_LEAF_BITS 10
#define TASK_LEAF (1 << TASK_LEAF_BITS)

/* The task with that pid or NULL. */
static inline struct task *task_find(const struct task_table *t, int32_t pid)
{
	struct task **leaf;

	if ((uint32_t)pid >= PID_LIMIT)
		return NULL;
	leaf = t->leaf[pid >> TASK_LEAF_BITS];
	return leaf ? leaf[pid & (TASK_LEAF - 1)] : NULL;
}

struct task *task_add(struct task_table *t, int32_t pid);
/* The task with that pid, made if new; NULL for 0 and impossible pids. */
static inline struct task *task_get(struct task_table *t, int32_t pid)
{
	struct task *task;

	if (!pid)
		return NULL;
	task = task_find(t, pid);
	return __builtin_expect(task != NULL, 1) ? task : task_add(t, pid);
}
/* A new task under that pid, whatever was there. */
struct task *task_replace(struct task_table *t, int32_t pid);
/* The task is known under this pid from now on. */
void task_set_pid(struct task_table *t, struct task *task, int32_t pid);
struct task *task_at(const struct task_table *t, uint32_t index);

/* pass_reason.c: why a task moved, from the model's state at the event. */
enum reason migrate_reason(const struct walk *w, const struct task *t,
			   const struct cpu *c, const struct event *ev, bool saw_waking);

#endif
