/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What mechanisms share: means over repeats, rates, and sentences of evidence. */
#ifndef BLAME_COST_H
#define BLAME_COST_H

#include "schedblame/blame.h"

/* Mean over the runs of a set of fn(run). */
double set_mean(const struct run_set *set, double (*fn)(const struct run *run));
/* Mean count of a series per unit of work. */
double set_per_work(const struct run_set *set, const char *name,
		    const struct label *labels, size_t nr_labels);
/* Mean count per second of the run. */
double set_per_second(const struct run_set *set, const char *name,
		      const struct label *labels, size_t nr_labels);
/* mechanism.measured of those that need system time split by profiles, and no more. */
bool needs_split(const struct blame_input *in, const char **why);
/* All runs of both sides measured that series. */
bool both_have(const struct blame_input *in, const char *name);
/* Mean over the runs of each run's own percentile; NaN when there are none. */
double set_percentile(const struct run_set *set, const char *name,
		      const struct label *labels, size_t nr_labels, double p);
/* ns a run spent in a symbol group: system time x share of its kernel profile. */
double run_group_time(const struct blame_input *in, const struct run *run,
		      const char *group);
/* Adds "WHAT: A -> B UNIT (x RATIO)" when both are known. */
void evidence_change(struct cause *cause, const char *what, double a, double b,
		     const char *unit);
/* The same of a series' count per unit of work, named so: "WHAT per message". */
void evidence_per_work(struct cause *cause, const struct blame_input *in, const char *what,
		       const char *name, const struct label *labels, size_t nr_labels);
/* The same for durations in ns. */
void evidence_ns(struct cause *cause, const char *what, double a, double b);
/* Adds the rows of the ledger that the cause explains, as one number. */
void evidence_rows(struct cause *cause, const struct blame_input *in);
/* Adds a sentence for each host fact with that prefix that differs. */
void evidence_facts(struct cause *cause, const struct blame_input *in,
		    const char *prefix);
/* Adds the symbols of a group that changed most, per unit of work. */
void evidence_symbols(struct cause *cause, const struct blame_input *in,
		      const char *group);
/* ---- what to try next: blame/advice.c ---- */

/* A tunable that a mechanism hangs on: more of it makes the mechanism cheaper. */
struct advice_knob {
	const char *fact; /* key in run.json's host, "sched.base_slice_ns"; NULL: end */
	double factor;	  /* numbers are multiplied by it; 0: on is 1 and costs */
};
/* cause->next = "schedblame collect -o try OPTIONS -- COMMAND of side B". */
void advise_collect(struct cause *cause, const struct blame_input *in, const char *options);
/* The same with the tunables of that prefix that differ set back to side A's, else
 * with the knobs that B's kernel has turned, else with the options otherwise. */
void advise_knobs(struct cause *cause, const struct blame_input *in, const char *prefix,
		  const struct advice_knob *knobs, const char *otherwise);
/* One word of a command line, quoted for a shell. */
void advise_word(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void cause_set(char **field, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
