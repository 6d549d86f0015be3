/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU time ledger: where the CPUs' time went, per unit of work, on two
 * sides, in rows that sum to the whole.
 *
 * For one run, with C = the CPUs the workload may use and W = units of work:
 *
 *	total = |C| x elapsed / W		(elapsed between the two /proc copies)
 *	row   = time of that mode on the CPUs of C / W
 *
 * Modes come from /proc/stat. "user, others" is user time beyond what the command
 * and its children used by their rusage: foreign load, or a server the command
 * talks to. "system" is split by the kernel profile:
 * system x (samples of a symbol group / all kernel samples outside idle). Where
 * the profile's clock is a timer, which cannot look where interrupts are off,
 * and the search for an idle CPU or newly idle balancing was timed itself, the
 * measured time stands for its group and the samples split what is left.
 * Softirq time is split likewise by the samples that fell in softirqs, where the
 * profiles tell callers: what balances load or serves the network, and the rest.
 * What /proc/stat's ticks leave over or count too much is the row "unaccounted"
 * (clock tick rounding; may be negative), so that rows sum to total exactly.
 *
 * A side's value is the mean over its runs; points are per cent of side A's
 * total, so the points of all rows sum to the change of the total in per cent.
 */
#ifndef SCHEDBLAME_LEDGER_H
#define SCHEDBLAME_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/run.h"

struct ledger_row {
	char *name;	/* "user", "system: idle search", "idle", "unaccounted" */
	char *group;	/* symbol group of a system or softirq row, else NULL */
	double *a, *b;	/* by run: ns of CPU time per unit of work; owned */
	double mean_a, mean_b;
	double points;	/* (mean_b - mean_a) / total_a * 100 */
	double share;	/* of the change of the total, 0..1 or beyond; NaN if none */
	double ci_low, ci_high; /* 95 % of points; NaN with one run a side */
	double p;	/* two-sided, Welch; NaN with one run a side */
};

#define NR_TIMED_GROUPS 2 /* idle search, load balance */

struct ledger {
	struct ledger_row *row; /* in the order of the report */
	size_t n;
	size_t na, nb;	   /* runs */
	double *total_a, *total_b; /* by run, ns per unit of work */
	double mean_a, mean_b;
	double change;	   /* per cent of mean_a */
	double ci_low, ci_high, p; /* of change; NaN with one run a side */
	char *work_unit;   /* one unit: "message"; "run" when the work is fixed */
	/* whose measured time stands for its group; NULL: sampled */
	const char *timed[NR_TIMED_GROUPS];
	bool chained;	   /* profiles of all runs tell callers: NUMA balancing, softirqs */
	bool split;	   /* system is split by profiles of all runs */
	double apart_a, apart_b; /* ns per unit of work outside C, busy; shown apart */
	struct notes notes;
};

/* -ENODATA with a sentence when a side has no CPU times, -EINVAL when runs count
 * different units of work. */
int ledger_make(struct ledger *l, const struct run_set *a, const struct run_set *b,
		struct err *err);
void ledger_release(struct ledger *l);
/* The row of that name, NULL. */
const struct ledger_row *ledger_find(const struct ledger *l, const char *name);
/* Is it the row of that name or, as ":GROUP", one of that symbol group? */
bool ledger_row_is(const struct ledger_row *row, const char *name);

/* CPU time of one mode over the CPUs the workload may use (inside) or over the
 * others, ns. */
double run_cpu_time(const struct run *run, enum cpu_mode mode, bool inside);
/* What the command and its children used, by rusage; key: "user_ns", "system_ns".
 * NaN where it is not known. */
double run_own_time(const struct run *run, const char *key);
/* CPUs the workload may use that were online. */
unsigned run_cpu_count(const struct run *run);

#endif
