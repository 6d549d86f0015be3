/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: one repeat of one workload on one kernel, read back from a run
 * directory (docs/run-format.md) or from a foreign file (trace.dat, perf.data,
 * text). Const after run_open(); the profile alone is loaded when first asked.
 *
 * A run set: k runs of one configuration. Every comparison takes sets, never
 * single runs; a single run or file is a set of one.
 */
#ifndef SCHEDBLAME_RUN_H
#define SCHEDBLAME_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/json.h"
#include "schedblame/series.h"
#include "schedblame/topology.h"

struct profile;
struct trace_tables; /* trace_tables.h */
struct event_input; /* event.h */

/* A number the workload printed (metrics.json), or its wall time. */
struct metric {
	char *name;	      /* "time", "throughput", "lat_99th" ... */
	char *unit;	      /* "s", "ops/s", "us" ... may be "" */
	bool higher_is_better;
	bool is_work;	      /* counts units of work done in the run */
	double value;
	char *workload;	      /* pattern file that found it: "hackbench" */
};

/* One line of what differs between kernels and machines: flat key and value,
 * from run.json's "host" object; "sched.features.SIS_UTIL" style keys. */
struct host_fact {
	char *key;
	char *value;
};

struct run {
	char *path;	     /* as the user gave it, or SET/001 */
	char *label;	     /* of its set */
	bool foreign;	     /* read from a file that is no run directory */
	bool complete;	     /* false: cut short; what is there is valid */
	char *kernel_release; /* "6.18.44", "" when not known */
	char *kernel_version; /* "#1 SMP ...", "" when not known */
	char *machine_name;  /* host name, "" when not known */
	char *boot_id;
	char *command;	     /* shell-quoted command line, "" for --duration */
	int64_t start_unix_ns; /* wall clock, 0: not known */
	uint64_t duration_ns;  /* between start and stop of the collectors */
	int exit_status;     /* of the workload; -1: none or not known */
	int term_signal;     /* that ended it; 0: none */
	double work;	     /* units of work: a metric with is_work, else 1 */
	char *work_unit;     /* "messages", "loops"; "run" when work is 1 */
	struct cpuset cpus;  /* that the workload may use; empty: all */
	struct topology topology;
	struct series_set series;
	struct metric *metric;
	size_t nr_metrics;
	struct host_fact *fact; /* sorted by key */
	size_t nr_facts;
	json_t *manifest;    /* run.json whole; NULL when foreign */
	struct notes notes;  /* what was lost, missing or cut short */
	struct profile *profile; /* use run_profile() */
	bool profile_tried;
	struct err profile_why; /* it cannot be loaded */
	struct trace_tables *trace; /* use run_trace() */
	bool trace_tried;
};

struct run_set {
	char *path;
	char *label; /* set.json's label, else the last part of path */
	struct run *run;
	size_t n; /* >= 1 after run_set_open() */
	struct notes notes;
};

struct run_options {
	const char *topology; /* --topology for foreign files; NULL */
	uint64_t grace_ns;    /* idle-while-work-waits grace; 0: 1 ms */
	/* Files of events (event.h) whose events join those of the file 'into' on
	 * one line of time; the entry of 'into' itself may give it an offset. */
	const struct event_input *merge;
	unsigned nr_merge;
	const char *merge_into;
};

/* Opens a run directory (one with run.json). */
int run_open(struct run *run, const char *path, struct err *err);
void run_close(struct run *run);
/* How collect says in run.json's notes which sources the kernel refused; each has
 * its own sentence in "sources", so readers leave this one out. */
#define RUN_NOTE_REFUSED "not recorded, since it does not work here: "

/* The run's profile, loaded on the first call; NULL when it has none, with the
 * reason in err (err stays empty when the run simply recorded none). */
const struct profile *run_profile(struct run *run, struct err *err);
/* Loads the profiles of all runs of the sets at once, in threads: for who wants
 * them all. run_profile() tells what came of it. */
struct run_set;
void run_sets_load_profiles(struct run_set *set, size_t nr_sets);
/*
 * Tables of the run's events: a foreign trace's are there from the start, those
 * of a run directory's trace.dat are read on the first call. NULL when there
 * are none, with the reason in err as above.
 */
const struct trace_tables *run_trace(struct run *run, struct err *err);
/* Value of a fact or NULL. */
const char *run_fact(const struct run *run, const char *key);
/* The metric of that name or NULL. */
const struct metric *run_metric(const struct run *run, const char *name);

/*
 * Opens a set directory, a single run directory, or a file whose format is
 * recognised by content. Runs that cannot be opened become notes as long as
 * one can be opened; complete == false runs are kept and noted.
 */
int run_set_open(struct run_set *set, const char *path,
		 const struct run_options *opts, struct err *err);
void run_set_close(struct run_set *set);

#endif
