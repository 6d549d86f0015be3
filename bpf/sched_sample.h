/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle while work waits, sampled: a timer on every CPU looks, when it finds its
 * own CPU idle, at the run queues of the others for a fair task that has been
 * queued there longer than the grace time and may run here. Part of sched.bpf.c.
 *
 * The other queues are read without their locks: a task may move away while we
 * look. Reads of stale memory are caught by the helper, the walk is bounded, and
 * a wrong answer is one sample among many.
 */

#define WALK_TASKS 32	/* per queue; the longest waiting stand last */

struct waiter_search {
	u64 now;    /* in the run queue clock, 0: take each queue's own */
	u32 cpu;    /* the idle one */
	u32 dist[2]; /* of the nearest task that may not and may run here */
};

enum waits { WAITS_NOT, WAITS_ELSEWHERE, WAITS_ALLOWED };

static __always_inline enum waits task_waits(struct waiter_search *s,
				       struct task_struct *p, u64 now)
{
	struct task_struct___delayed *d = (void *)p;
	const struct cpumask *mask = BPF_CORE_READ(p, cpus_ptr);
	u64 queued = BPF_CORE_READ(p, sched_info.last_queued);
	unsigned long word = 0;

	if (!queued || now < queued || now - queued <= grace_ns)
		return WAITS_NOT;
	if (BPF_CORE_READ(p, on_cpu))
		return WAITS_NOT;
	if (bpf_core_field_exists(d->se.sched_delayed) &&
	    BPF_CORE_READ(d, se.sched_delayed))
		return WAITS_NOT;
	if (bpf_probe_read_kernel(&word, sizeof(word), &mask->bits[s->cpu / 64]))
		return WAITS_NOT;
	return word & (1UL << (s->cpu & 63)) ? WAITS_ALLOWED : WAITS_ELSEWHERE;
}

/* One step of the walk; a callback, or the verifier would go through the body
 * for each way through each step (300 thousand instructions, seconds on a slow
 * machine). */
struct queue_walk {
	struct waiter_search *s;
	struct list_head *node, *head;
	u64 now;
	u32 dist;
};

static long walk_queue(u32 i, void *arg)
{
	struct queue_walk *w = arg;
	struct waiter_search *s = w->s;
	u32 offset = bpf_core_field_offset(struct task_struct, se.group_node);
	enum waits waits;

	if (w->node == w->head || !w->node)
		return 1;
	waits = task_waits(s, (void *)w->node - offset, w->now);
	if (waits == WAITS_ALLOWED) {
		s->dist[1] = w->dist;
		return 1;
	}
	if (waits == WAITS_ELSEWHERE && w->dist < s->dist[0])
		s->dist[0] = w->dist;
	return bpf_probe_read_kernel(&w->node, sizeof(w->node), &w->node->prev) ? 1 : 0;
}

static long search_queue(u32 cpu, void *arg)
{
	struct waiter_search *s = arg;
	struct queue_walk w = { .s = s };
	struct sched_cpu *c;
	struct rq *rq;
	u64 busy;

	if (cpu == s->cpu)
		return 0;
	c = bpf_map_lookup_elem(&cpus, &cpu);
	rq = c ? (void *)c->rq : NULL;
	if (!rq)
		return 0;
	busy = BPF_CORE_READ(rq, curr) != BPF_CORE_READ(rq, idle);
	if (rq_runnable(rq) <= busy)
		return 0;
	w.dist = cpu_distance(s->cpu, cpu);
	if (w.dist >= s->dist[1])
		return 0;
	w.now = s->now ? s->now : BPF_CORE_READ(rq, clock);
	w.head = (void *)&rq->cfs_tasks;
	w.node = BPF_CORE_READ(rq, cfs_tasks.prev);
	bpf_loop(WALK_TASKS, walk_queue, &w, 0);
	return 0;
}

SEC("perf_event")
int on_sample(void *ctx)
{
	struct waiter_search s = { .dist = { DIST_NR, DIST_NR } };
	struct sched_cpu *c;
	struct rq *rq;
	u32 nr;

	s.cpu = bpf_get_smp_processor_id();
	c = active_cpu(s.cpu);
	if (!c)
		return 0;
	rq = task_rq(bpf_get_current_task_btf());
	if (!rq)
		return 0;
	c->rq = (u64)rq;
	c->want_clock = 1;
	nr = rq_runnable(rq);
	if ((u32)bpf_get_current_pid_tgid()) {
		c->samples[SAMPLE_BUSY]++;
		hist_add(&c->waiting_tasks, nr ? nr - 1 : 0);
		return 0;
	}
	hist_add(&c->waiting_tasks, nr);
	if (nr) { /* about to be busy */
		c->samples[SAMPLE_BUSY]++;
		return 0;
	}
	if (clock_offset)
		s.now = bpf_ktime_get_ns() - clock_offset;
	bpf_loop(nr_cpus, search_queue, &s, 0);
	if (s.dist[1] < DIST_NR) {
		c->samples[SAMPLE_IDLE_WAITING]++;
		c->idle_waiting[1][s.dist[1]]++;
		return 0;
	}
	c->samples[SAMPLE_IDLE]++;
	if (s.dist[0] < DIST_NR)
		c->idle_waiting[0][s.dist[0]]++;
	return 0;
}
