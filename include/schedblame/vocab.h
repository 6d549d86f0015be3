/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the field, each list once: the enum, the names in files, in
 * titles and in JSON all come from these. Also included by BPF programs, so
 * nothing but macros and enums above the __bpf__ line.
 */
#ifndef SCHEDBLAME_VOCAB_H
#define SCHEDBLAME_VOCAB_H

/*
 * Distance between two CPUs, by what they share. Order matters: farther is
 * greater. "self" is the same CPU, "unknown" means the topology is not known.
 */
#define DISTANCE_LIST(X)                                                       \
	X(SELF, "self", "same CPU")                                            \
	X(SMT, "smt", "same core")                                             \
	X(LLC, "llc", "same LLC")                                              \
	X(NODE, "node", "same node")                                           \
	X(REMOTE, "remote", "remote node")                                     \
	X(UNKNOWN, "unknown", "unknown")

/*
 * Why a task moved (a migration is sched_migrate_task with orig != dest).
 * steal_*: a balancer on the destination pulled a queued task; newidle, idle
 * and busy say in which state the destination CPU was. A reason that could not
 * be observed is unknown, never guessed.
 */
#define REASON_LIST(X)                                                         \
	X(UNKNOWN, "unknown", "not observed")                                  \
	X(WAKEUP, "wakeup", "wakeup placement")                                \
	X(FORK, "fork", "fork placement")                                      \
	X(EXEC, "exec", "exec placement")                                      \
	X(STEAL, "steal", "steal, idle type not observed")                     \
	X(STEAL_NEWIDLE, "steal_newidle", "steal, newly idle")                 \
	X(STEAL_IDLE, "steal_idle", "steal, idle")                             \
	X(STEAL_BUSY, "steal_busy", "steal, busy")                             \
	X(ACTIVE_BALANCE, "active_balance", "active balance")                  \
	X(NUMA_MOVE, "numa_move", "NUMA move")                                 \
	X(NUMA_SWAP, "numa_swap", "NUMA swap")                                 \
	X(AFFINITY, "affinity", "affinity change")                             \
	X(RT_PUSH, "rt_push", "RT push")                                       \
	X(RT_PULL, "rt_pull", "RT pull")                                       \
	X(DL_PUSH, "dl_push", "deadline push")                                 \
	X(DL_PULL, "dl_pull", "deadline pull")                                 \
	X(HOTPLUG, "hotplug", "CPU hotplug")                                   \
	X(STOPPER, "stopper", "stopper thread, cause not observed")

/* Where CPU time goes; the columns of a cpu line of /proc/stat. */
#define CPU_MODE_LIST(X)                                                       \
	X(USER, "user", "user")                                                \
	X(NICE, "nice", "user, niced")                                         \
	X(SYSTEM, "system", "system")                                          \
	X(IDLE, "idle", "idle")                                                \
	X(IOWAIT, "iowait", "I/O wait")                                        \
	X(IRQ, "irq", "interrupts")                                            \
	X(SOFTIRQ, "softirq", "softirqs")                                      \
	X(STEAL, "steal", "hypervisor steal")

#define VOCAB_ENUM(prefix, id) prefix##id,
#define X(id, name, title) VOCAB_ENUM(DIST_, id)
enum distance { DISTANCE_LIST(X) DIST_NR };
#undef X
#define X(id, name, title) VOCAB_ENUM(REASON_, id)
enum reason { REASON_LIST(X) REASON_NR };
#undef X
#define X(id, name, title) VOCAB_ENUM(CPU_MODE_, id)
enum cpu_mode { CPU_MODE_LIST(X) CPU_MODE_NR };
#undef X

#ifndef __bpf__
/* Names as they stand in files, and titles for people. Never NULL. */
const char *distance_name(enum distance d);
const char *distance_title(enum distance d);
const char *reason_name(enum reason r);
const char *reason_title(enum reason r);
const char *cpu_mode_name(enum cpu_mode m);
const char *cpu_mode_title(enum cpu_mode m);
/* The value with that name, or -1. */
int distance_by_name(const char *name);
int reason_by_name(const char *name);
int cpu_mode_by_name(const char *name);
#endif
#endif
