/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The balancer seen from inside, where functions can be probed: which domain is
 * being balanced and as what kind of idle, so that each steal has its level.
 * Part of sched.bpf.c.
 *
 * Sums are those of /proc/schedstat: detach_tasks() adds to lb_gained of the
 * domain and idle type that load_balance() was called with, one for each
 * sched_migrate_task; active balancing adds one to alb_pushed, and to lb_gained
 * as if idle, of the first domain of the target that spans the busy CPU.
 */

static __always_inline int balance_enter(u64 sd, u64 idle)
{
	struct sched_cpu *c = active_cpu(bpf_get_smp_processor_id());

	if (c) {
		c->lb_idle = idle;
		c->lb_task = bpf_get_current_task();
		c->lb_sd = sd;
	}
	return 0;
}

static __always_inline int balance_leave(void)
{
	struct sched_cpu *c = active_cpu(bpf_get_smp_processor_id());

	if (c)
		c->lb_sd = 0;
	return 0;
}

/* Is it the balancer that moves this task? Not where another task has preempted it
 * (PREEMPT_RT), or its return was missed. */
static __always_inline bool balancing(const struct sched_cpu *c)
{
	return c->lb_sd && c->lb_task == bpf_get_current_task();
}

/* load_balance(this_cpu, this_rq, sd, idle, continue_balancing) */
SEC("fentry/schedule")
int on_balance_fentry(u64 *ctx)
{
	return balance_enter(ctx[2], (u32)ctx[3]);
}

SEC("fexit/schedule")
int on_balance_fexit(u64 *ctx)
{
	return balance_leave();
}

SEC("kprobe")
int on_balance_kprobe(struct pt_regs *ctx)
{
	return balance_enter(PT_REGS_PARM3(ctx), (u32)PT_REGS_PARM4(ctx));
}

SEC("kretprobe")
int on_balance_kretprobe(struct pt_regs *ctx)
{
	return balance_leave();
}

static __always_inline u32 steal_kind(u64 idle)
{
	if (idle == bpf_core_enum_value(enum cpu_idle_type, CPU_NEWLY_IDLE))
		return STEAL_NEWIDLE;
	if (idle == bpf_core_enum_value(enum cpu_idle_type, CPU_IDLE))
		return STEAL_IDLE;
	return STEAL_BUSY;
}

/* What tells levels apart: the name, one string for all CPUs; else the number
 * of domains below. */
static __always_inline u64 level_key_of(struct sched_domain *sd)
{
	u64 n = 1;

	if (bpf_core_field_exists(sd->name))
		return (u64)BPF_CORE_READ(sd, name);
	for (int i = 0; i < SCHED_LEVELS; i++) {
		sd = BPF_CORE_READ(sd, child);
		if (!sd)
			break;
		n++;
	}
	return n;
}

/* The slot of a level; SCHED_LEVELS: none left. */
static __always_inline u32 level_slot(struct sched_domain *sd)
{
	u64 key = level_key_of(sd), old;

	for (u32 i = 0; key && i < SCHED_LEVELS; i++) {
		old = level_key[i];
		if (!old) {
			old = __sync_val_compare_and_swap(&level_key[i], 0, key);
			if (!old && key > SCHED_LEVELS + 1)
				bpf_probe_read_kernel_str(level_name[i],
							  SCHED_LEVEL_NAME, (void *)key);
			if (!old)
				return i;
		}
		if (old == key)
			return i;
	}
	return SCHED_LEVELS;
}

/* The domain that active balancing to dest counts for; NULL: not to be had. */
static __always_inline struct sched_domain *active_domain(u32 orig, u32 dest)
{
	u32 offset = bpf_core_field_offset(struct sched_domain, span);
	struct sched_domain *sd;
	unsigned long word = 0;
	u64 per_cpu = 0;

	if (!addr_runqueues ||
	    bpf_probe_read_kernel(&per_cpu, sizeof(per_cpu),
				  (void *)(addr_per_cpu_offset + 8 * (u64)dest)))
		return NULL;
	sd = BPF_CORE_READ((struct rq *)(addr_runqueues + per_cpu), sd);
	for (int i = 0; i < SCHED_LEVELS && sd; i++) {
		if (!bpf_probe_read_kernel(&word, sizeof(word),
					   (void *)sd + offset + orig / 64 * 8) &&
		    word & (1UL << (orig & 63)))
			return sd;
		sd = BPF_CORE_READ(sd, parent);
	}
	return NULL;
}

static __always_inline void count_steal(struct sched_cpu *c, struct sched_domain *sd,
					u32 kind, u32 from, u32 to)
{
	u32 level = sd ? level_slot(sd) : SCHED_LEVELS, i;
	u64 *n = NULL;

	if (level < SCHED_LEVELS) {
		i = ((level * STEAL_NR + kind) * nr_nodes + from) * nr_nodes + to;
		n = bpf_map_lookup_elem(&steals, &i);
	}
	if (n)
		__sync_fetch_and_add(n, 1);
	else
		c->dropped[DROP_LEVELS]++;
}

/*
 * What task_hot() says, from the same numbers: time since the task was last
 * accounted on its old CPU, by that CPU's clock, against the migration cost. It
 * holds nothing hot between the threads of a core. (Buddies are not looked at.)
 */
static __always_inline bool kernel_holds_hot(struct task_struct *p, s64 ran, u32 dist)
{
	if (p->policy == POLICY_IDLE || dist == DIST_SMT)
		return false;
	return kernel_cost_ns == -1 || ran < kernel_cost_ns;
}

static __always_inline void count_verdict(struct sched_cpu *c, struct task_struct *p,
					  u32 reason, u32 dist)
{
	struct rq *rq = task_rq(p);
	s64 ran;
	u32 v;

	if (!rq || kernel_cost_ns == COST_UNKNOWN || dist >= DIST_NR || reason >= REASON_NR)
		return;
	ran = (s64)(rq->clock_task - p->se.exec_start);
	if (kernel_holds_hot(p, ran, dist))
		v = VERDICT_FORCED;
	else if (cost_ns[dist] && ran < (s64)cost_ns[dist])
		v = VERDICT_THRESHOLD;
	else
		v = VERDICT_COLD;
	c->hot[v][reason][dist]++;
}
