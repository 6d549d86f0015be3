// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numa source: what NUMA balancing decided, and what it saw when it decided.
 *
 * A hint fault tells on which node a task runs, on which node the page lies and
 * whether the same task touched it last. task_numa_fault() is where the kernel
 * counts these itself; it is rate-limited by the scanner, so a hash map may be
 * touched here, unlike in a switch.
 */
#include <linux/ptrace.h>

#include "kernel_types.h"
#include "numa_shared.h"

char LICENSE[] SEC("license") = "GPL";

/* Flags of task_numa_fault(), since 3.13. */
#define TNF_MIGRATED 0x01
#define CPUPID_PID_BITS 8 /* LAST__PID_SHIFT: low bits of the last task's pid */

const volatile unsigned int nr_cpus = 1;
const volatile unsigned int nr_nodes = 1; /* highest kernel node + 1 */

unsigned int active;
/* Events and faults that did not fit or had no node. */
unsigned long long lost_pairs, lost_tasks, lost_moves;

struct numa_group {
	int gid;
} __attribute__((preserve_access_index));

struct task_struct___numa {
	int tgid;
	struct numa_group *numa_group; /* CONFIG_NUMA_BALANCING */
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by collect: CPUs */
	__type(key, u32);
	__type(value, u32);
} cpu_node SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by collect: events x nodes x nodes */
	__type(key, u32);
	__type(value, u64);
} moves SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NUMA_PAIRS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct numa_pair_key);
	__type(value, struct numa_pair);
} pairs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NUMA_TASKS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct numa_task);
} tasks SEC(".maps");

static __always_inline void count_move(u32 event, u32 from_cpu, u32 to_cpu)
{
	u32 *from = bpf_map_lookup_elem(&cpu_node, &from_cpu);
	u32 *to = bpf_map_lookup_elem(&cpu_node, &to_cpu);
	u32 cell;
	u64 *n;

	if (!active)
		return;
	if (!from || !to || *from >= nr_nodes || *to >= nr_nodes) {
		__sync_fetch_and_add(&lost_moves, 1);
		return;
	}
	cell = (event * nr_nodes + *from) * nr_nodes + *to;
	n = bpf_map_lookup_elem(&moves, &cell);
	if (n)
		__sync_fetch_and_add(n, 1);
}

SEC("tp_btf/sched_move_numa")
int BPF_PROG(on_move, struct task_struct *p, int src_cpu, int dst_cpu)
{
	count_move(NUMA_MOVE, src_cpu, dst_cpu);
	return 0;
}

SEC("tp_btf/sched_swap_numa")
int BPF_PROG(on_swap, struct task_struct *src, int src_cpu, struct task_struct *dst,
	     int dst_cpu)
{
	count_move(NUMA_SWAP, src_cpu, dst_cpu);
	return 0;
}

/* The destination is -1 where no better CPU was found at all. */
SEC("tp_btf/sched_stick_numa")
int BPF_PROG(on_stick, struct task_struct *src, int src_cpu, struct task_struct *dst,
	     int dst_cpu)
{
	count_move(NUMA_STICK, src_cpu, dst_cpu < 0 ? src_cpu : dst_cpu);
	return 0;
}

/* As the kernel decides it (task_numa_fault()): a page nobody has touched since
 * it was put there is private, its cpupid is all ones. */
static __always_inline bool is_shared(u32 last_cpupid, u32 pid)
{
	u32 mask = (1 << CPUPID_PID_BITS) - 1;

	if (last_cpupid >> CPUPID_PID_BITS >= nr_cpus)
		return false;
	return (last_cpupid & mask) != (pid & mask);
}

static __always_inline void count_task(u32 pid, u32 tgid, u32 group, u32 pages)
{
	struct numa_task *t = bpf_map_lookup_elem(&tasks, &pid);

	if (!t) {
		struct numa_task fresh = { .tgid = tgid };

		bpf_get_current_comm(fresh.comm, sizeof(fresh.comm));
		if (bpf_map_update_elem(&tasks, &pid, &fresh, BPF_NOEXIST))
			__sync_fetch_and_add(&lost_tasks, 1);
		t = bpf_map_lookup_elem(&tasks, &pid);
		if (!t)
			return;
	}
	t->group = group; /* groups merge: the last one counts */
	__sync_fetch_and_add(&t->pages, pages);
}

static __always_inline void count_fault(u32 last_cpupid, u32 mem_node, u32 pages, u32 flags)
{
	struct task_struct___numa *p = (void *)bpf_get_current_task();
	u64 both = bpf_get_current_pid_tgid();
	struct numa_pair_key key = {};
	struct numa_pair *pair, none = {};
	struct numa_group *group;

	if (!active)
		return;
	key.cpu_node = bpf_get_numa_node_id();
	key.mem_node = mem_node;
	key.shared = is_shared(last_cpupid, (u32)both);
	group = BPF_CORE_READ(p, numa_group);
	if (group)
		key.group = BPF_CORE_READ(group, gid);
	if (!key.group)
		key.tgid = both >> 32;
	count_task((u32)both, both >> 32, key.group, pages);
	pair = bpf_map_lookup_elem(&pairs, &key);
	if (!pair) {
		bpf_map_update_elem(&pairs, &key, &none, BPF_NOEXIST);
		pair = bpf_map_lookup_elem(&pairs, &key);
	}
	if (!pair) {
		__sync_fetch_and_add(&lost_pairs, pages);
		return;
	}
	__sync_fetch_and_add(&pair->pages, pages);
	if (flags & TNF_MIGRATED)
		__sync_fetch_and_add(&pair->migrated, pages);
}

/* Of the two, collect loads the one that the kernel can attach. */
SEC("fentry/task_numa_fault")
int BPF_PROG(on_fault, int last_cpupid, int mem_node, int pages, int flags)
{
	count_fault(last_cpupid, mem_node, pages, flags);
	return 0;
}

SEC("kprobe/task_numa_fault")
int BPF_KPROBE(on_fault_kprobe, int last_cpupid, int mem_node, int pages, int flags)
{
	count_fault(last_cpupid, mem_node, pages, flags);
	return 0;
}
