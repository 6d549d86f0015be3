/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migrations: why, from where to where, and how long since the task ran there.
 * Part of sched.bpf.c (one object: the programs share their maps).
 *
 * sched_migrate_task says nothing of the reason. The state of the task tells
 * wakeups and forks. For the rest, which is rarer, the kernel's stack is walked
 * and the innermost function that has a rule decides: collect makes the rules
 * from kallsyms. What no rule covers is unknown.
 */

#define STACK_DEPTH 20

static __always_inline bool cpu_allowed(struct task_struct *p, u32 cpu)
{
	const struct cpumask *mask = p->cpus_ptr;
	unsigned long word = 0;

	if (bpf_probe_read_kernel(&word, sizeof(word), &mask->bits[cpu / 64]))
		return true;
	return word & (1UL << (cpu & 63));
}

/*
 * migration_cpu_stop() moves a task for exec, for a change of affinity and for
 * NUMA balancing. The stopper knows who asked; where its address is not to be
 * had, the task's state tells the first two.
 */
static __always_inline u32 stop_reason(struct task_struct *p, u32 cpu, u32 orig)
{
	struct task_struct___exec *e = (void *)p;
	struct cpu_stopper *stopper;
	u64 offset = 0, caller;

	if (addr_cpu_stopper && bpf_core_field_exists(struct cpu_stopper, caller) &&
	    !bpf_probe_read_kernel(&offset, sizeof(offset),
				   (void *)(addr_per_cpu_offset + 8 * (u64)cpu))) {
		stopper = (void *)(addr_cpu_stopper + offset);
		caller = BPF_CORE_READ(stopper, caller);
		for (u32 i = 0; i < SCHED_CALLERS; i++) {
			if (!callers[i].lo)
				break;
			if (caller >= callers[i].lo && caller < callers[i].hi)
				return callers[i].kind;
		}
	}
	if (!cpu_allowed(p, orig))
		return REASON_AFFINITY;
	if (bpf_core_field_exists(e->in_execve) && BPF_CORE_READ_BITFIELD(e, in_execve))
		return REASON_EXEC;
	return REASON_STOPPER;
}

/*
 * Periodic balancing: its idle type was chosen from rq->idle_balance when it
 * began and is chosen again after each domain that pulled something. Certain
 * only while both ways say the same.
 */
static __always_inline u32 balance_reason(struct task_struct *curr, u32 cpu, u32 dest)
{
	struct sched_cpu *d;
	struct rq *rq;

	if (dest != cpu) { /* on behalf of a CPU whose tick is stopped */
		d = bpf_map_lookup_elem(&cpus, &dest);
		rq = d ? (void *)d->rq : NULL;
		if (rq && !BPF_CORE_READ(rq, nr_running))
			return REASON_STEAL_IDLE;
		return REASON_STEAL;
	}
	rq = task_rq(curr);
	if (!rq)
		return REASON_STEAL;
	if (curr->pid == 0 && rq->idle_balance && !rq->nr_running)
		return REASON_STEAL_IDLE;
	if (curr->pid && !rq->idle_balance)
		return REASON_STEAL_BUSY;
	return REASON_STEAL;
}

/* Index of the rule for an address, SCHED_RULES: none. */
__noinline u32 find_rule(u64 ip)
{
	u32 lo = 0, hi = nr_rules, mid;

	for (int i = 0; i < 7 && lo < hi; i++) {
		mid = (lo + hi) / 2;
		if (mid >= SCHED_RULES)
			break;
		if (ip < rules[mid].lo)
			hi = mid;
		else
			lo = mid + 1;
	}
	lo--;
	if (lo >= SCHED_RULES || ip >= rules[lo].hi)
		return SCHED_RULES;
	return lo;
}

/* Kind of the innermost rule on the stack, REASON_UNKNOWN: none. */
static __always_inline u32 stack_kind(void *ctx)
{
	u64 ip[STACK_DEPTH];
	long bytes = bpf_get_stack(ctx, ip, sizeof(ip), 0);
	u32 r;

	for (u32 i = 0; i < STACK_DEPTH; i++) {
		if ((long)(i * 8) >= bytes)
			break;
		r = find_rule(ip[i]);
		if (r < SCHED_RULES)
			return rules[r].kind;
	}
	return REASON_UNKNOWN;
}

/* Steals: exact where the balancer is probed. */
static __always_inline u32 steal_reason(struct sched_cpu *c, u32 kind, u32 cpu, u32 dest)
{
	if (balancing(c)) {
		switch (steal_kind(c->lb_idle)) {
		case STEAL_NEWIDLE:
			return REASON_STEAL_NEWIDLE;
		case STEAL_IDLE:
			return REASON_STEAL_IDLE;
		}
		return REASON_STEAL_BUSY;
	}
	if (kind == RULE_BALANCE)
		return balance_reason(bpf_get_current_task_btf(), cpu, dest);
	return kind;
}

static __always_inline u32 migration_reason(void *ctx, struct sched_cpu *c,
					    struct task_struct *p, u32 cpu, u32 orig,
					    u32 dest)
{
	u32 state = task_state(p), kind;
	bool dl = p->prio < MAX_DL_PRIO;

	if (state & TASK_WAKING)
		return REASON_WAKEUP;
	if (state & TASK_NEW)
		return REASON_FORK;
	kind = stack_kind(ctx);
	switch (kind) {
	case RULE_BALANCE:
	case REASON_STEAL_NEWIDLE:
		return steal_reason(c, kind, cpu, dest);
	case RULE_PUSH:
		return dl ? REASON_DL_PUSH : REASON_RT_PUSH;
	case RULE_PULL:
		return dl ? REASON_DL_PULL : REASON_RT_PULL;
	case RULE_STOP:
		return stop_reason(p, cpu, orig);
	case REASON_UNKNOWN: /* a walk ends at the trampoline of another tool */
		if (balancing(c) && p->prio >= MAX_RT_PRIO)
			return steal_reason(c, kind, cpu, dest);
	}
	return kind;
}

static __always_inline u32 cpu_node(u32 cpu)
{
	const struct sched_place *place = bpf_map_lookup_elem(&places, &cpu);

	if (!place || !place->present || place->node < 0)
		return nr_nodes - 1;
	return place->node;
}

static __always_inline void count_pair(struct sched_cpu *c, u32 cpu, u32 reason,
				       u32 orig, u32 dest, u32 dist)
{
	u32 cells = SCHED_NODE_CELLS(nr_nodes), cell, i;
	u32 from = cpu_node(orig), to = cpu_node(dest);
	u64 *n;

	if (from == to)
		cell = from * DIST_NR + dist;
	else
		cell = nr_nodes * DIST_NR + from * nr_nodes + to;
	i = (cpu * REASON_NR + reason) * cells + cell;
	n = cell < cells ? bpf_map_lookup_elem(&migrations, &i) : NULL;
	if (n)
		(*n)++;
	else
		c->dropped[DROP_MIGRATION]++;
	if (orig >= matrix_cpus || dest >= matrix_cpus)
		return;
	i = (reason * matrix_cpus + orig) * matrix_cpus + dest;
	n = bpf_map_lookup_elem(&cpu_migrations, &i);
	if (n)
		__sync_fetch_and_add(n, 1);
}

/* The histogram of a pair, a new one when it is the first; NULL: none left. */
static __always_inline struct sched_hist *since_hist(u32 cpu, u32 reason, u32 dist)
{
	u32 pair = reason * DIST_NR + dist, slot, i;

	barrier_var(pair);
	if (pair >= REASON_NR * DIST_NR)
		return NULL;
	slot = slot_of[pair];
	if (!slot) {
		if (slots_used >= SCHED_SLOTS)
			return NULL;
		slot = __sync_fetch_and_add(&slots_used, 1) + 1;
		if (slot > SCHED_SLOTS)
			return NULL;
		i = __sync_val_compare_and_swap(&slot_of[pair], 0, slot);
		if (i)
			slot = i; /* another CPU was first; ours stays unused */
	}
	i = cpu * SCHED_SLOTS + slot - 1;
	return bpf_map_lookup_elem(&since, &i);
}

static __always_inline void count_since(struct sched_cpu *c, u32 cpu, u32 reason,
					u32 orig, u32 dist, struct task_data *t)
{
	u64 now = bpf_ktime_get_ns();
	struct sched_hist *h;

	if (!t->last_ran || t->last_cpu != orig)
		return; /* it has not run there since we look */
	if (now < t->last_ran) {
		c->dropped[DROP_BACKWARDS]++;
		return;
	}
	h = since_hist(cpu, reason, dist);
	if (h)
		hist_add(h, now - t->last_ran);
	else
		c->dropped[DROP_SLOTS]++;
}

/* What only balancing has: the level, and whether the task was hot. */
static __always_inline void count_balance(struct sched_cpu *c, struct task_struct *p,
					  u32 reason, u32 orig, u32 dest, u32 dist)
{
	struct sched_domain *sd = balancing(c) ? (void *)c->lb_sd : NULL;

	switch (reason) {
	case REASON_ACTIVE_BALANCE:
		if (balance_probed)
			count_steal(c, active_domain(orig, dest), STEAL_ACTIVE,
				    cpu_node(orig), cpu_node(dest));
		break;
	case REASON_STEAL_NEWIDLE:
	case REASON_STEAL_IDLE:
	case REASON_STEAL_BUSY:
		if (balance_probed && sd)
			count_steal(c, sd, steal_kind(c->lb_idle), cpu_node(orig),
				    cpu_node(dest));
		break;
	case REASON_STEAL:
		break;
	default:
		return;
	}
	count_verdict(c, p, reason, dist);
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *p, int dest_cpu)
{
	u32 cpu, orig, dest = dest_cpu, reason, dist, d;
	struct task_data *t;
	struct sched_cpu *c;

	orig = task_cpu(p);
	if (orig == dest)
		return 0;
	cpu = bpf_get_smp_processor_id();
	c = active_cpu(cpu);
	if (!c)
		return 0;
	reason = migration_reason(ctx, c, p, cpu, orig, dest);
	dist = cpu_distance(orig, dest);
	if (reason >= REASON_NR || dist >= DIST_NR)
		return 0;
	count_pair(c, cpu, reason, orig, dest, dist);
	count_balance(c, p, reason, orig, dest, dist);
	t = bpf_task_storage_get(&tasks, p, 0, 0);
	if (!t)
		return 0;
	count_since(c, cpu, reason, orig, dist, t);
	if (t->wait != WAIT_NONE)
		t->dist = cpu_distance(t->wait_cpu, dest);
	if (reason == REASON_WAKEUP && t->wait == WAIT_WAKEUP) {
		/* on_waking counted it with the old CPU as the target */
		u32 old = cpu_distance(cpu, orig);

		d = cpu_distance(cpu, dest);
		if (old < DIST_NR)
			c->wakeups[WAKEUP_WAKEUP][old]--;
		if (d < DIST_NR)
			c->wakeups[WAKEUP_WAKEUP][d]++;
	}
	return 0;
}
