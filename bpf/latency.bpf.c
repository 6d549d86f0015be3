// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time inside one kernel function, or inside a body that the compiler inlined
 * into another function, its container.
 *
 * A call is a frame on a small stack kept with the task, so that calls by an
 * interrupt inside a call, and tasks that sleep or change CPU inside one, do not
 * mix. Entry and return of one call share an identity: the place of the
 * trampoline's arguments on the stack (fentry and fexit), or the stack pointer
 * (kprobe and kretprobe). A return without its entry is counted and dropped.
 *
 * Inlined: kprobes stand on the addresses where control comes into the body and
 * on those where it lands outside; per call of the container the time runs from
 * the first entry to the last exit. Landing addresses are also reached in other
 * ways: only a landing that ends a stay inside counts.
 */
#include "kernel_types.h"
#include "latency_shared.h"

#include <linux/ptrace.h>

char LICENSE[] SEC("license") = "GPL";

#define DEPTH 4 /* calls inside each other on one task: interrupts, mostly */

struct frame {
	u64 id;
	u64 start;
	u64 first, last; /* entry to and exit from the inlined body; 0: none */
	u32 caller;
	u32 inside;
	u64 scanned; /* CPUs looked at */
};

struct call_stack {
	u64 depth;
	struct frame frame[DEPTH];
};

/* Set by collect before the programs are loaded. */
const volatile bool inlined;
const volatile bool scan; /* count the CPUs that the function looks at */
const volatile sched_u32 caller_by;
const volatile sched_u32 caller_arg; /* 0 to 4 */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call_stack);
} calls SEC(".maps");

/* The idle task never leaves its CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct call_stack);
} idle_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct latency_cpu);
} lat_cpus SEC(".maps");

static __always_inline struct latency_cpu *active_cpu(void)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct latency_cpu *c = bpf_map_lookup_elem(&lat_cpus, &cpu);

	return c && c->active ? c : NULL;
}

static __always_inline void hist_add(struct sched_hist *h, u64 v)
{
	u32 i = hist_index(v);

	barrier_var(i);
	if (i < HIST_BUCKETS)
		h->bucket[i]++;
	h->sum += v;
	if (v > h->max)
		h->max = v;
}

static __always_inline void record(struct latency_cpu *c, u32 caller, u64 v)
{
	barrier_var(caller);
	if (caller < CALLER_NR)
		hist_add(&c->hist[caller], v);
}

/* An exec places the task that runs; a fork places one that never ran. */
static __always_inline u32 caller_of(u64 arg)
{
	struct task_struct *p = (void *)arg;
	u32 state;

	if (caller_by == CALLER_BY_NEWIDLE)
		return CALLER_NEWIDLE;
	if (caller_by == CALLER_BY_IDLE) {
		if (arg == bpf_core_enum_value(enum cpu_idle_type, CPU_IDLE))
			return CALLER_IDLE;
		if (arg == bpf_core_enum_value(enum cpu_idle_type, CPU_NEWLY_IDLE))
			return CALLER_NEWIDLE;
		return CALLER_BUSY;
	}
	if (caller_by != CALLER_BY_TASK)
		return CALLER_ANY;
	if (bpf_core_field_exists(p->__state))
		state = BPF_CORE_READ(p, __state);
	else
		state = BPF_CORE_READ((struct task_struct___old *)p, state);
	if (state & TASK_WAKING)
		return CALLER_WAKEUP;
	return arg == bpf_get_current_task() ? CALLER_EXEC : CALLER_FORK;
}

/* The calls of the task that runs, NULL: it has no storage. */
static __always_inline struct call_stack *current_calls(u64 flags)
{
	u32 zero = 0;

	if (!(u32)bpf_get_current_pid_tgid())
		return bpf_map_lookup_elem(&idle_calls, &zero);
	return bpf_task_storage_get(&calls, bpf_get_current_task_btf(), 0, flags);
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_newtask, struct task_struct *p)
{
	bpf_task_storage_get(&calls, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

SEC("iter/task")
int prime_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;

	if (p)
		bpf_task_storage_get(&calls, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

static __always_inline int enter(u64 id, u64 arg)
{
	struct latency_cpu *c = active_cpu();
	struct call_stack *t;
	struct frame *f;
	u64 d;

	if (!c)
		return 0;
	t = current_calls(storage_hot_flags());
	if (!t) {
		c->dropped[LDROP_STORAGE]++;
		return 0;
	}
	d = t->depth;
	if (d >= DEPTH) { /* frames whose ends were missed */
		c->dropped[LDROP_NESTED] += DEPTH;
		d = 0;
	}
	t->depth = d + 1;
	f = &t->frame[d];
	f->id = id;
	f->first = f->last = 0;
	f->inside = 0;
	f->scanned = 0;
	f->caller = caller_of(arg);
	f->start = bpf_ktime_get_ns();
	return 0;
}

/* The frame of a call, taken off the stack with what lies above it. */
static __always_inline struct frame *pop(struct latency_cpu *c, struct call_stack *t,
					 u64 id)
{
	for (int i = DEPTH - 1; i >= 0; i--) {
		if ((u64)i >= t->depth || t->frame[i].id != id)
			continue;
		c->dropped[LDROP_UNPAIRED] += t->depth - 1 - i;
		t->depth = i;
		return &t->frame[i];
	}
	c->dropped[LDROP_UNPAIRED]++;
	return NULL;
}

static __always_inline int leave(u64 id)
{
	u64 now = bpf_ktime_get_ns(), start, end;
	struct latency_cpu *c = active_cpu();
	struct call_stack *t;
	struct frame *f;

	if (!c)
		return 0;
	t = current_calls(0);
	if (!t) {
		c->dropped[LDROP_UNPAIRED]++;
		return 0;
	}
	f = pop(c, t, id);
	if (!f)
		return 0;
	start = f->start;
	end = now;
	if (inlined) {
		if (!f->first)
			return 0; /* this call did not come by */
		start = f->first;
		end = f->inside ? now : f->last;
	}
	if (end < start) {
		c->dropped[LDROP_BACKWARDS]++;
		return 0;
	}
	record(c, f->caller, end - start);
	if (scan)
		hist_add(&c->scanned, f->scanned);
	return 0;
}

SEC("fentry/schedule")
int fentry_enter(u64 *ctx)
{
	u64 arg = 0;

	/* the verifier wants a constant offset; what the function lacks is dead */
#define TAKE(n)                                                                \
	if (caller_by && caller_arg == n) {                                    \
		arg = ctx[n];                                                  \
		barrier();                                                     \
	}
	TAKE(0) TAKE(1) TAKE(2) TAKE(3)
#undef TAKE
	return enter((u64)ctx, arg);
}

SEC("fexit/schedule")
int fexit_leave(u64 *ctx)
{
	return leave((u64)ctx);
}

SEC("kprobe")
int kprobe_enter(struct pt_regs *ctx)
{
	u64 arg = 0;

#define TAKE(n, parm)                                                          \
	if (caller_by && caller_arg == n) {                                    \
		arg = parm(ctx);                                               \
		barrier();                                                     \
	}
	TAKE(0, PT_REGS_PARM1) TAKE(1, PT_REGS_PARM2)
	TAKE(2, PT_REGS_PARM3) TAKE(3, PT_REGS_PARM4)
#undef TAKE
	return enter(PT_REGS_SP(ctx), arg);
}

/* The return address has been taken off the stack by now. */
SEC("kretprobe")
int kretprobe_leave(struct pt_regs *ctx)
{
	return leave(PT_REGS_SP(ctx) - 8);
}

static __always_inline struct frame *top(void)
{
	struct call_stack *t;
	u64 d;

	if (!active_cpu())
		return NULL;
	t = current_calls(0);
	if (!t)
		return NULL;
	d = t->depth - 1;
	return d < DEPTH ? &t->frame[d] : NULL;
}

SEC("kprobe")
int inlined_enter(struct pt_regs *ctx)
{
	struct frame *f = top();

	if (!f)
		return 0;
	f->inside = 1;
	if (!f->first)
		f->first = bpf_ktime_get_ns();
	return 0;
}

SEC("kprobe")
int inlined_leave(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns();
	struct frame *f = top();

	if (!f || !f->inside)
		return 0;
	f->inside = 0;
	f->last = now;
	return 0;
}

/* available_idle_cpu(): every search asks it about each CPU once. */
static __always_inline int look(void)
{
	struct frame *f = top();

	if (f && (!inlined || f->inside))
		f->scanned++;
	return 0;
}

SEC("fentry/schedule")
int look_fentry(u64 *ctx)
{
	return look();
}

SEC("kprobe")
int look_kprobe(struct pt_regs *ctx)
{
	return look();
}
