// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks by pid: a two-level table, two loads a look-up, and structs that stay
 * at their address. A pid that is used again gets a new struct.
 */
#include <stdlib.h>
#include <string.h>

#include "pass_model.h"
#include "schedblame/alloc.h"

#define CHUNK 64

void task_table_init(struct task_table *t)
{
	memset(t, 0, sizeof(*t));
	t->leaf = xcalloc(PID_LIMIT >> TASK_LEAF_BITS, sizeof(*t->leaf));
}

void task_table_release(struct task_table *t)
{
	for (int i = 0; i < PID_LIMIT >> TASK_LEAF_BITS; i++)
		free(t->leaf[i]);
	for (uint32_t i = 0; i < t->nr_chunks; i++)
		free(t->chunk[i]);
	free(t->leaf);
	free(t->chunk);
}

struct task *task_at(const struct task_table *t, uint32_t index)
{
	return &t->chunk[index / CHUNK][index % CHUNK];
}

static struct task **slot_of(struct task_table *t, int32_t pid)
{
	struct task ***leaf;

	if (pid <= 0 || pid >= PID_LIMIT)
		return NULL;
	leaf = &t->leaf[pid >> TASK_LEAF_BITS];
	if (!*leaf)
		*leaf = xcalloc(TASK_LEAF, sizeof(**leaf));
	return &(*leaf)[pid & (TASK_LEAF - 1)];
}

static struct task *new_task(struct task_table *t, int32_t pid)
{
	struct task *task;

	if (t->nr % CHUNK == 0) {
		t->chunk = xrealloc(t->chunk, t->nr_chunks + 1, sizeof(*t->chunk));
		t->chunk[t->nr_chunks++] = xcalloc(CHUNK, sizeof(struct task));
	}
	task = task_at(t, t->nr);
	task->index = t->nr++;
	task->comm = COMM_NONE;
	task->cpu = task->last_cpu = CPU_NONE;
	task->waker_cpu = task->woken_cpu = task->numa_dest = CPU_NONE;
	task->row.pid = pid;
	return task;
}

struct task *task_add(struct task_table *t, int32_t pid)
{
	struct task **slot = slot_of(t, pid);

	if (!slot)
		return NULL;
	if (__builtin_expect(!*slot, 0))
		*slot = new_task(t, pid);
	return *slot;
}

struct task *task_replace(struct task_table *t, int32_t pid)
{
	struct task **slot = slot_of(t, pid);

	if (slot)
		*slot = new_task(t, pid);
	return slot ? *slot : NULL;
}

void task_set_pid(struct task_table *t, struct task *task, int32_t pid)
{
	struct task **slot = slot_of(t, pid);

	if (!slot)
		return;
	*slot = task;
	task->row.pid = pid;
}
