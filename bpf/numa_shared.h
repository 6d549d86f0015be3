/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What numa.bpf.c and collect/numa.c share. Plain types only. */
#ifndef SCHEDBLAME_BPF_NUMA_SHARED_H
#define SCHEDBLAME_BPF_NUMA_SHARED_H

#define NUMA_PAIRS_MAX 16384 /* what does not fit is counted, see numa_lost */
#define NUMA_TASKS_MAX 16384
#define NUMA_COMM 16

enum numa_event { NUMA_MOVE, NUMA_SWAP, NUMA_STICK, NUMA_EVENTS };

/* Pages that tasks of one group faulted on, running on one node, lying on another. */
struct numa_pair_key {
	unsigned int group; /* numa_group.gid, or 0 */
	unsigned int tgid;  /* when group is 0 */
	unsigned short cpu_node, mem_node; /* the kernel's numbers */
	unsigned int shared; /* 1: another task had touched the page last */
};

struct numa_pair {
	unsigned long long pages;
	unsigned long long migrated; /* of them, moved to mem_node by this fault */
};

struct numa_task {
	unsigned int tgid, group;
	char comm[NUMA_COMM]; /* untrusted */
	unsigned long long pages;
};

#endif
