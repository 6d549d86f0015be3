/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel types our BPF programs touch, and nothing more of them: the
 * loader moves every access to where the running kernel has the field (CO-RE).
 * A field that was renamed or moved exists here twice, the other form in a type
 * with a ___suffix, which the loader ignores; bpf_core_field_exists() decides.
 * What changed when stands beside the field, here and nowhere else.
 */
#ifndef SCHEDBLAME_BPF_KERNEL_TYPES_H
#define SCHEDBLAME_BPF_KERNEL_TYPES_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

/* Values of task_struct.__state and .on_rq; these since 4.14. */
#define TASK_DEAD 0x80
#define TASK_WAKING 0x200
#define TASK_NEW 0x800
#define TASK_ON_RQ_QUEUED 1
#define TASK_ON_RQ_MIGRATING 2

#define MAX_DL_PRIO 0	/* below: deadline class */
#define MAX_RT_PRIO 100 /* below: real-time classes */
#define POLICY_IDLE 5
#define POLICY_EXT 7	/* SCHED_EXT, 6.12 */

enum cpu_idle_type { CPU_IDLE, CPU_NOT_IDLE, CPU_NEWLY_IDLE }; /* values move */

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct list_head {
	struct list_head *next, *prev;
};

struct cpumask {
	unsigned long bits[1]; /* NR_CPUS bits; read word by word */
};

struct thread_info {
	u32 cpu; /* x86 since 5.16; before: task_struct.cpu */
};

struct sched_info {
	unsigned long long last_queued; /* rq clock; 0 while it runs */
};

struct cfs_rq;
struct bpf_iter_meta;

struct sched_entity {
	struct list_head group_node;
	u64 exec_start; /* clock_task when last accounted */
	struct cfs_rq *cfs_rq; /* CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity___delayed {
	unsigned char sched_delayed; /* 6.12: blocked, but still queued */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* 5.14, and back-ported */
	int on_cpu;
	int on_rq;
	int prio;
	unsigned int policy;
	const struct cpumask *cpus_ptr; /* 5.3 */
	struct sched_info sched_info;
	struct sched_entity se;
	int pid;
};

struct task_struct___old {
	long state; /* before 5.14 */
	unsigned int cpu;
};

struct task_struct___exec {
	unsigned int in_execve : 1;
};

struct task_struct___delayed {
	struct sched_entity___delayed se;
};

struct cfs_rq {
	unsigned int h_nr_running; /* until 6.13 */
	struct rq *rq;		   /* CONFIG_FAIR_GROUP_SCHED */
};

struct cfs_rq___queued {
	unsigned int h_nr_queued;   /* 6.14 */
	unsigned int h_nr_runnable; /* 6.14: without the delayed ones */
};

struct cfs_rq___delayed {
	unsigned int h_nr_delayed; /* some of 6.12 and 6.13 */
};

/* A level of balancing, of one CPU. */
struct sched_domain {
	struct sched_domain *parent, *child;
	char *name; /* CONFIG_SCHED_DEBUG, later always */
	unsigned long span[];
};

struct rq {
	unsigned int nr_running; /* the delayed ones included */
	struct cfs_rq cfs;
	struct task_struct *curr, *idle, *stop;
	u64 clock, clock_task;
	unsigned char idle_balance;
	struct sched_domain *sd;
	struct list_head cfs_tasks;
};

struct rq___queued {
	struct cfs_rq___queued cfs;
};

struct rq___delayed {
	struct cfs_rq___delayed cfs;
};

/* What the stopper thread of a CPU is doing; fn and caller since 5.11. */
struct cpu_stopper {
	unsigned long caller;
	void *fn;
};

/* What a walk over all tasks is given; the last call has no task. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_mem_alloc {
	void *cache;
};

struct bpf_local_storage_map {
	struct bpf_mem_alloc selem_ma; /* 6.4: allocates from caches, no longer by kmalloc() */
};

#pragma clang attribute pop

/*
 * Flags to get task storage with on hot paths, which may hold run queue locks:
 * kernels before 6.4 must not allocate there. So a task gets its storage when it
 * is born (task_newtask), those that live already by one walk over all tasks
 * (iter/task, run by collect); what the walk was not shown, later kernels make up
 * for here.
 */
static __always_inline u64 storage_hot_flags(void)
{
	struct bpf_local_storage_map *map = NULL;

	return bpf_core_field_exists(map->selem_ma) ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0;
}

static __always_inline u32 task_state(struct task_struct *p)
{
	struct task_struct___old *old = (void *)p;

	if (bpf_core_field_exists(p->__state))
		return p->__state;
	return (u32)old->state;
}

static __always_inline u32 task_cpu(struct task_struct *p)
{
	struct task_struct___old *old = (void *)p;

	if (bpf_core_field_exists(p->thread_info.cpu))
		return p->thread_info.cpu;
	return old->cpu;
}

/* Queued, but only until the next pick takes it off: it has blocked. */
static __always_inline bool task_delayed(struct task_struct *p)
{
	struct task_struct___delayed *d = (void *)p;

	return bpf_core_field_exists(d->se.sched_delayed) && d->se.sched_delayed;
}

/*
 * The run queue of the CPU a task is on. By way of the task, since the per-CPU
 * symbol can be had only on kernels with CONFIG_KALLSYMS_ALL. NULL without
 * CONFIG_FAIR_GROUP_SCHED.
 */
static __always_inline struct rq *task_rq(struct task_struct *p)
{
	if (!bpf_core_field_exists(p->se.cfs_rq))
		return NULL;
	return p->se.cfs_rq->rq;
}

/*
 * Tasks that run or want to, delayed ones not among them. rq may be the address
 * of another CPU's queue, kept as a number: hence the checked reads.
 */
static __always_inline u32 rq_runnable(const struct rq *rq)
{
	const struct rq___queued *q = (const void *)rq;
	const struct rq___delayed *d = (const void *)rq;
	u32 nr = BPF_CORE_READ(rq, nr_running), delayed = 0;

	if (bpf_core_field_exists(q->cfs.h_nr_runnable))
		delayed = BPF_CORE_READ(q, cfs.h_nr_queued) -
			  BPF_CORE_READ(q, cfs.h_nr_runnable);
	else if (bpf_core_field_exists(d->cfs.h_nr_delayed))
		delayed = BPF_CORE_READ(d, cfs.h_nr_delayed);
	return delayed < nr ? nr - delayed : 0;
}

#endif
