/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two or more sets of runs have in common and what differs: rows of numbers
 * with their statistics, histograms, and the matrix of migrations. The report
 * and the TUI print it, and decide nothing.
 *
 * Set 0 is the base. Every other set is compared with it; with one set the rows
 * hold its values alone. The comparison borrows the sets: they must stay open.
 *
 * Rows are grouped in tables. A row exists when at least one run has the number.
 * Numbers per second use the time of the collectors (run->duration_ns); numbers
 * per unit of work divide by run->work, which is 1 ("run") when the benchmark
 * counts nothing. Benjamini-Hochberg runs over each table.
 */
#ifndef SCHEDBLAME_COMPARE_H
#define SCHEDBLAME_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/column.h"
#include "schedblame/histogram.h"
#include "schedblame/run.h"
#include "schedblame/stats.h"

/* Tables: id, name in JSON and --sections, title. */
#define COMPARE_TABLE_LIST(X)                                                  \
	X(BENCHMARK, "benchmark", "Benchmark")                                 \
	X(CPU, "cpu", "CPU time")                                              \
	X(RATES, "rates", "Switches, wakeups and migrations")                  \
	X(WAITS, "waits", "Time on the run queue")                             \
	X(MIGRATIONS, "migrations", "Migrations by reason and distance")       \
	X(HOT, "hot", "Cache-hot migrations")                                  \
	X(IDLE, "idle", "Idle time and idle while work waits")                 \
	X(FUNCTIONS, "functions", "Time inside kernel functions")              \
	X(BALANCE, "balance", "Load balancing (/proc/schedstat)")              \
	X(NUMA, "numa", "NUMA balancing")                                      \
	X(KERNEL, "kernel", "Interrupts, faults and pressure")

#define X(id, name, title) COMPARE_##id,
enum compare_table { COMPARE_TABLE_LIST(X) COMPARE_NR };
#undef X
const char *compare_table_name(enum compare_table t);
const char *compare_table_title(enum compare_table t);

/* One row on one set. */
struct compare_cell {
	double *value; /* one per run that has the number; owned */
	size_t n;
	struct stats_summary sum;
	/* against set 0; meaningless in set 0 and while either side has no value */
	struct stats_comparison cmp;
	double q; /* cmp.p corrected over the table; NaN: not tested */
	enum verdict verdict;
};

struct compare_row {
	enum compare_table table;
	char *key;	/* "rates.switches.per_second": unique, stable, for JSON */
	char *title;	/* for people; in the benchmark table the metric */
	char *unit;	/* "%", "/s", "us", "/message"; "" allowed */
	enum column_better better;
	const char *help; /* one sentence: what the number is; NULL for metrics */
	char *group;	/* benchmark: the case; migrations: the reason; else "" */
	char *load;	/* benchmark: the load; migrations: the distance; else "" */
	struct compare_cell *cell; /* one per set */
};

/* One distribution, all runs of a set merged. */
struct compare_hist {
	char *key;   /* "wakeup_latency", "function.select_idle_cpu" */
	char *title; /* "Wakeup latency" */
	const char *unit; /* of the printed rows: "us", "CPUs" */
	uint64_t div;	  /* recorded values / div are in unit */
	char *via;	  /* functions: how it was timed, "" else */
	struct histogram **side; /* all runs of the set; NULL: not measured; owned */
	/* One per set, recorded values: the mean over its runs of each run's own number,
	 * as in every table (so that the spread over runs can be judged); owned. */
	struct hist_numbers {
		double mean, p50, p90, p99; /* NaN: nothing was measured */
	} *numbers;
};

/* Migrations per second between nodes, mean over the runs of a set. */
struct compare_matrix {
	unsigned nr_nodes; /* 0: the set knows no nodes */
	double *rate;	   /* nr_nodes^2, [from * nr_nodes + to]; owned */
	double *steal;	   /* the same, steals and active balance only; owned */
	double *reason[REASON_NR]; /* the same by reason; NULL: none; owned */
};

/* From when on a task counts as cache-cold, per distance of the move. */
struct hot_threshold {
	uint64_t ns[DIST_NR]; /* 0: not known for that distance */
	char *source;	      /* whole phrase: "migration_cost_ns of the kernel" */
};

/* Measured costs as thresholds; the source is the caller's to free. */
struct migcost;
void hot_threshold_measured(struct hot_threshold *hot, const struct migcost *m);

struct comparison {
	const struct run_set **set; /* borrowed; array owned */
	size_t nr_sets;
	struct compare_row *row; /* by table, in order of the report */
	size_t nr_rows, cap_rows;
	struct compare_hist *hist;
	size_t nr_hists, cap_hists;
	struct compare_matrix *matrix;	 /* one per set */
	struct hot_threshold *threshold; /* one per set */
	size_t smallest;   /* runs in the smallest set */
	size_t weakest;	   /* set with the fewest runs among the second and later */
	double smallest_p; /* that it and the first can reach; 1 with one run */
	struct stats_limits limits;
	struct notes notes; /* what the comparison as a whole cannot tell */
};

struct compare_options {
	struct stats_limits limits; /* all 0: stats_default_limits */
	const struct hot_threshold *hot; /* NULL: each set's migration_cost_ns */
};

/* Sets must be open and have at least one run. Never fails: what is missing is
 * missing in the rows. options may be NULL. */
void comparison_make(struct comparison *c, const struct run_set *const *sets,
		     size_t nr_sets, const struct compare_options *options);
void comparison_release(struct comparison *c);

/* Rows of a table are one after the other: first row and count. */
const struct compare_row *comparison_table(const struct comparison *c,
					   enum compare_table t, size_t *n);
const struct compare_row *comparison_row(const struct comparison *c, const char *key);
/*
 * Change of set against the base in per cent of the base, from the means; in the
 * benchmark table positive is better, elsewhere positive is more. NaN when
 * either side is missing or the base is 0.
 */
double compare_change(const struct compare_row *row, size_t set);
/* The same as a plain difference of the means, in the row's unit (points for %). */
double compare_difference(const struct compare_row *row, size_t set);
/* Standard deviation (ddof 0, as in the mails) in per cent of the mean. */
double compare_std_percent(const struct compare_cell *cell);
/* One sentence on what the number of repeats allows, into a new string; NULL when
 * nothing needs to be said. */
char *comparison_caveat(const struct comparison *c);

/* The columns of every table of rows: blame/compare_columns.c. A row is a
 * struct compare_row, a side the number of a set. */
extern const struct column compare_columns[];
extern const size_t nr_compare_columns;

#endif
