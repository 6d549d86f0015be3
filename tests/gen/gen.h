/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up scheduler: CPUs in nodes, tasks that run, block, are preempted,
 * woken, stolen. It emits the events a kernel would and keeps the truth about
 * them in the plainest way, independent of the code under test.
 */
#ifndef TESTS_GEN_H
#define TESTS_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gen_config {
	unsigned cpus, nodes, tasks; /* cpus is a multiple of nodes */
	uint64_t events;	     /* stop after about so many */
	uint64_t seed;
	unsigned loss_every;	     /* drop one page in so many, 0: none */
};

enum gen_type { GEN_SWITCH, GEN_WAKING, GEN_WAKEUP, GEN_MIGRATE, GEN_TYPES };

struct gen_event {
	uint64_t ts;
	enum gen_type type;
	unsigned cpu;	 /* where it happens */
	int current_pid; /* what runs there */
	int pid, prev_pid;
	char state;	 /* SWITCH: 'R', 'S', 'D' */
	unsigned target; /* WAKE: target; MIGRATE: dest */
	unsigned orig;
};

struct gen_truth {
	uint64_t events[GEN_TYPES];
	uint64_t voluntary, preempted, idle; /* switches by prev */
	uint64_t wakeup_waits, wakeup_wait_ns;
	uint64_t preempt_waits, preempt_wait_ns;
	uint64_t migrations_wakeup, migrations_newidle, migrations_idle;
	uint64_t remote_migrations;
	uint64_t since_ran_n, since_ran_ns;
	uint64_t idle_ns, run_ns; /* closed intervals only */
	uint64_t max_wait_ns;
};

struct gen_sink {
	void (*event)(struct gen_sink *sink, const struct gen_event *ev);
};

/* Runs the simulation; the same config gives the same events. */
void gen_run(const struct gen_config *c, struct gen_sink *sink, struct gen_truth *truth);

/* Writers; 0 or -errno. */
int gen_write_trace_dat(const struct gen_config *c, const char *path,
			struct gen_truth *truth, uint64_t *lost);
int gen_write_perf_script(const struct gen_config *c, FILE *out, struct gen_truth *truth);

#endif
