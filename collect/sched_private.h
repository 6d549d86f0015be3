/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to collect/sched*.c: what the parts of the sched source share. */
#ifndef COLLECT_SCHED_PRIVATE_H
#define COLLECT_SCHED_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched_shared.h"
#include "schedblame/series.h"
#include "schedblame/source.h"

/* What must be known of the running kernel before the programs are loaded. */
struct sched_kernel {
	bool switch_has_prev_state;
	struct sched_rule rule[SCHED_RULES]; /* sorted by lo */
	unsigned nr_rules;
	struct sched_rule caller[SCHED_CALLERS];
	unsigned nr_callers;
	unsigned left_out; /* ranges that found no place in these two */
	/* 0: not known; CONFIG_KALLSYMS_ALL only */
	uint64_t addr_cpu_stopper, addr_per_cpu_offset, addr_runqueues;
	bool kallsyms; /* addresses could be read, so there are rules */
	/* The function that balances one domain, NULL: it cannot be probed. */
	const char *balance;
	bool balance_by_fentry; /* else by kprobe */
	int64_t migration_cost_ns; /* 0: nothing is hot, -1: all is, COST_UNKNOWN */
};

/* Looks at BTF, /proc/kallsyms and what may be probed; never fails, knows less at
 * worst. "fentry", "kprobe", "stack" or "state": where reasons come from. */
const char *sched_kernel_method(const struct sched_kernel *k);
void sched_kernel_look(struct sched_kernel *k);

/* What the programs counted, mapped into our memory. */
struct sched_counts {
	unsigned nr_cpus;   /* possible */
	unsigned nr_nodes;  /* the last one is "not known" */
	unsigned matrix_cpus;
	bool sampler;	    /* it ran on every CPU */
	bool balance_probed; /* steals were counted */
	bool verdicts;	    /* the kernel's migration cost was known */
	uint64_t sample_ns; /* its period */
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC */
	struct sched_cpu *cpu;			 /* [nr_cpus] */
	const struct sched_hist *since;		 /* [nr_cpus][SCHED_SLOTS] */
	const uint64_t *migrations;		 /* [nr_cpus][REASON_NR][cells] */
	const uint64_t *cpu_migrations;		 /* [REASON_NR][matrix][matrix] */
	const uint32_t *slot_of;		 /* [REASON_NR * DIST_NR] */
	/* [SCHED_LEVELS][STEAL_NR][nr_nodes][nr_nodes] */
	const uint64_t *steals;
	const sched_u64 *level_key;		 /* [SCHED_LEVELS] */
	const char (*level_name)[SCHED_LEVEL_NAME];
};

/*
 * How many of the CPUs gave far fewer samples than were due: a kernel under a
 * hypervisor may take none while it idles. With one such CPU nothing is said
 * about idle time while work waits, for the count would be too small.
 */
unsigned sched_counts_unsampled(const struct sched_counts *c, const struct cpuset *cpus);

/* Names and labels of docs/series.md, of the CPUs in the set. */
void sched_counts_to_series(const struct sched_counts *c, const struct cpuset *cpus,
			    struct series_set *set);

/* Adds what a CPU counted to the series; nothing for an empty histogram. */
void series_add_sched_hist(struct series_set *set, const char *name,
			   const struct label *labels, size_t nr_labels,
			   const struct sched_hist *h);

#endif
