// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sched source: switches, wakeups, waits, migrations and idle time, counted
 * where they happen; no event leaves the kernel.
 *
 * Cost is the subject of this file. A pinned pipe switches every few hundred
 * nanoseconds, so a switch touches: one line of per-CPU counters, the state of
 * the two tasks (task storage, no hash), one histogram. Distances are worked
 * out in the rare paths (a wakeup from another CPU, a migration) and kept with
 * the task until it is switched in.
 *
 * The life of a wait, kept in struct task_data:
 *	sched_waking		wait = WAKEUP (dist = SELF, from = task's CPU)
 *	sched_wakeup_new	wait = NEW
 *	sched_switch, prev runnable	wait = PREEMPTED
 *	sched_migrate_task	dist = distance(CPU the wait began on, dest)
 *	sched_switch, next	histogram of wait and dist; wait = NONE
 */
#include "kernel_types.h"
#include "sched_shared.h"

#include <linux/ptrace.h>

char LICENSE[] SEC("license") = "GPL";

enum wait_kind { WAIT_NONE, WAIT_WAKEUP, WAIT_NEW, WAIT_PREEMPTED };

struct task_data {
	u64 last_ran;	/* switched out at, 0: not seen yet */
	u64 wait_start;
	u32 last_cpu;	/* switched out on */
	u32 wait_cpu;	/* the wait began on */
	u32 wait;	/* enum wait_kind */
	u32 dist;	/* enum distance from wait_cpu to where it queues */
};

/* Set by collect before the programs are loaded. */
const volatile bool switch_has_prev_state = true; /* sched_switch, 5.18 */
const volatile sched_u32 nr_cpus = 1;
const volatile sched_u32 nr_nodes = 1; /* the one for "not known" included */
const volatile sched_u32 matrix_cpus;	 /* 0: no table of CPU pairs */
const volatile bool balance_probed; /* load_balance() has a probe */
const volatile sched_u64 grace_ns = 1000000;
const volatile struct sched_rule rules[SCHED_RULES];
const volatile sched_u32 nr_rules;
/* Addresses of what a migration by the stopper was asked by; 0: not known. */
const volatile sched_u64 addr_cpu_stopper, addr_per_cpu_offset, addr_runqueues;
/* Cost of a migration in ns. The kernel's own, where 0 and -1 are special: nothing
 * is hot, all is; COST_UNKNOWN: not known. And as measured, 0: not known. */
const volatile long long kernel_cost_ns = COST_UNKNOWN;
const volatile sched_u64 cost_ns[DIST_NR];
const volatile struct sched_rule callers[SCHED_CALLERS];

sched_u64 start_ns; /* set by collect before the programs are told to count */

/* Shared, rarely written. */
sched_u32 slots_used;
sched_u32 slot_of[REASON_NR * DIST_NR]; /* slot + 1, 0: none yet */
sched_u64 level_key[SCHED_LEVELS]; /* 0: free */
char level_name[SCHED_LEVELS][SCHED_LEVEL_NAME];
long long clock_offset;	  /* ktime - rq clock, 0: not seen yet */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_data);
} tasks SEC(".maps");

/* collect sets max_entries of all of these before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sched_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sched_place);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sched_hist);
} since SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} migrations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} cpu_migrations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} steals SEC(".maps");

static __always_inline void hist_add(struct sched_hist *h, u64 v)
{
	u32 i = hist_index(v);

	barrier_var(i); /* the verifier wants to see the check */
	if (i < HIST_BUCKETS)
		h->bucket[i]++;
	h->sum += v;
	if (v > h->max)
		h->max = v;
}

/* The counters of a CPU, NULL while nothing is to be counted. */
static __always_inline struct sched_cpu *active_cpu(u32 cpu)
{
	struct sched_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	return c && c->active ? c : NULL;
}

/* The state of a task, NULL and counted when it has none. Idle tasks have none. */
static __always_inline struct task_data *task_data(struct sched_cpu *c,
						   struct task_struct *p)
{
	struct task_data *t = bpf_task_storage_get(&tasks, p, 0, storage_hot_flags());

	if (!t)
		c->dropped[DROP_STORAGE]++;
	return t;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_newtask, struct task_struct *p)
{
	bpf_task_storage_get(&tasks, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

SEC("iter/task")
int prime_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;

	if (p)
		bpf_task_storage_get(&tasks, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

static __noinline u32 cpu_distance(u32 a, u32 b)
{
	const struct sched_place *pa, *pb;

	if (a == b)
		return DIST_SELF;
	pa = bpf_map_lookup_elem(&places, &a);
	pb = bpf_map_lookup_elem(&places, &b);
	if (!pa || !pb || !pa->present || !pb->present)
		return DIST_UNKNOWN;
	if (pa->core >= 0 && pa->core == pb->core)
		return DIST_SMT;
	if (pa->llc >= 0 && pa->llc == pb->llc)
		return DIST_LLC;
	if (pa->node < 0 || pb->node < 0)
		return DIST_UNKNOWN;
	return pa->node == pb->node ? DIST_NODE : DIST_REMOTE;
}

/* The rare half of a switch: from or to the idle task. */
static __always_inline void leave_idle(struct sched_cpu *c, u64 now)
{
	u64 since = c->idle_since;

	if (!since) {
		/* its first switch: idle since before the start, time but no period;
		 * a later one: the kernel did not show us how it became idle */
		if (c->switches[SWITCH_IDLE] == 1 && !c->switches[SWITCH_VOLUNTARY] &&
		    !c->switches[SWITCH_PREEMPTED] && now > start_ns)
			c->idle_ns += now - start_ns;
		else
			c->dropped[DROP_UNPAIRED]++;
		return;
	}
	c->idle_since = 0;
	if (now < since) {
		c->dropped[DROP_BACKWARDS]++;
		return;
	}
	c->idle_ns += now - since;
	hist_add(&c->idle_periods, now - since);
}

/*
 * The kernel notes in its own run queue clock when a task was queued, and the
 * sampler has only ktime: their offset is taken where the clock is fresh.
 */
static __always_inline void note_clock(struct sched_cpu *c, u64 now,
				       struct task_struct *idle)
{
	struct rq *rq = task_rq(idle);

	c->want_clock = 0;
	if (rq)
		clock_offset = (s64)(now - rq->clock);
}

static __always_inline void switch_out(struct sched_cpu *c, u32 cpu, u64 now,
				       struct task_struct *prev, bool blocked)
{
	struct task_data *t;

	t = task_data(c, prev);
	if (!t)
		return;
	t->last_ran = now;
	t->last_cpu = cpu;
	if (!blocked) {
		t->wait_start = now;
		t->wait_cpu = cpu;
		t->wait = WAIT_PREEMPTED;
		t->dist = DIST_SELF;
	}
}

static __always_inline void switch_in(struct sched_cpu *c, u64 now,
				      struct task_struct *next)
{
	struct task_data *t = bpf_task_storage_get(&tasks, next, 0, 0);
	struct sched_hist *h;
	u32 wait, dist;
	u64 start;

	if (!t || t->wait == WAIT_NONE) {
		c->dropped[DROP_UNPAIRED]++;
		return;
	}
	wait = t->wait;
	dist = t->dist;
	start = t->wait_start;
	t->wait = WAIT_NONE;
	if (now < start) {
		c->dropped[DROP_BACKWARDS]++;
		return;
	}
	barrier_var(dist);
	if (dist >= DIST_NR)
		return;
	if (wait == WAIT_WAKEUP)
		h = &c->wakeup_latency[dist];
	else if (wait == WAIT_PREEMPTED)
		h = &c->preemption_wait[dist];
	else
		h = &c->fork_wait;
	hist_add(h, now - start);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	u32 cpu, prev_state;
	struct sched_cpu *c;
	bool blocked;
	u64 now;

	cpu = bpf_get_smp_processor_id();
	c = active_cpu(cpu);
	if (!c)
		return 0;
	now = bpf_ktime_get_ns();
	if (prev->pid == 0) {
		c->switches[SWITCH_IDLE]++;
		leave_idle(c, now);
	} else {
		prev_state = switch_has_prev_state ? (u32)ctx[3] : task_state(prev);
		/* a pending signal keeps a task runnable whose prev_state says it
		 * blocks (5.18 to 6.13): the run queue knows, and it is locked here */
		blocked = !preempt && prev_state && (!prev->on_rq || task_delayed(prev));
		if (blocked)
			c->switches[SWITCH_VOLUNTARY]++;
		else
			c->switches[SWITCH_PREEMPTED]++;
		if (!(prev_state & TASK_DEAD))
			switch_out(c, cpu, now, prev, blocked);
	}
	if (next->pid) {
		switch_in(c, now, next);
	} else {
		c->idle_since = now;
		if (c->want_clock)
			note_clock(c, now, next);
	}
	return 0;
}

/*
 * A task that is still on its run queue when it is woken has not blocked yet
 * and will not: nothing waits. (Delayed tasks are queued but have blocked.)
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *p)
{
	struct task_data *t;
	struct sched_cpu *c;
	u32 cpu, target, dist = DIST_SELF;

	cpu = bpf_get_smp_processor_id();
	c = active_cpu(cpu);
	if (!c)
		return 0;
	target = task_cpu(p);
	if (target != cpu)
		dist = cpu_distance(cpu, target);
	if (dist >= DIST_NR)
		return 0;
	if (p->on_rq && !task_delayed(p)) {
		c->wakeups[WAKEUP_RUNNING][dist]++;
		return 0;
	}
	c->wakeups[WAKEUP_WAKEUP][dist]++;
	t = task_data(c, p);
	if (!t)
		return 0;
	t->wait_cpu = target;
	t->dist = DIST_SELF;
	t->wait = WAIT_WAKEUP;
	t->wait_start = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *p)
{
	u32 cpu = bpf_get_smp_processor_id(), target, dist;
	struct task_data *t;
	struct sched_cpu *c;

	c = active_cpu(cpu);
	if (!c)
		return 0;
	target = task_cpu(p);
	dist = cpu_distance(cpu, target);
	if (dist >= DIST_NR)
		return 0;
	c->wakeups[WAKEUP_NEW][dist]++;
	t = task_data(c, p);
	if (!t)
		return 0;
	t->wait_cpu = target;
	t->dist = DIST_SELF;
	t->wait = WAIT_NEW;
	t->wait_start = bpf_ktime_get_ns();
	return 0;
}

#include "sched_balance.h"
#include "sched_migrate.h"
#include "sched_sample.h"
