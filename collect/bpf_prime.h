/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task storage for the tasks that live already: see task_data() in sched.bpf.c. */
#ifndef COLLECT_BPF_PRIME_H
#define COLLECT_BPF_PRIME_H

struct bpf_program;

/* Runs a loaded program of type iter/task once, over all tasks. 0 or -errno. */
int bpf_prime(const struct bpf_program *prog);

#endif
