/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan: which cases are run under which loads on which sets, and how often.
 * docs/plans.md has the language. Every run of a plan is one 'schedblame collect
 * --append -r 1', so that a plan can be stopped and taken up again between any two.
 */
#ifndef COLLECT_PLAN_H
#define COLLECT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "schedblame/err.h"

/* Words of a command line; NULL-terminated, owned. */
struct words {
	char **v;
	size_t n, cap;
};

struct plan_case {
	char *name;
	struct words command; /* "{load}" in a word stands for the load */
	struct words loads;   /* at least one; "" when the plan names none */
	char *title;	      /* of a load in reports: "{load} groups" */
	unsigned line;
};

struct plan_set {
	char *name;	     /* its folder and label */
	struct words knobs;  /* KNOB=VALUE each */
	struct words prefix; /* before the command: "chrt -b 0" */
	char *kernel;	     /* pattern of uname -r; NULL: any */
	bool here;	     /* this kernel matches */
	unsigned line;
};

/* One run to be made. */
struct plan_job {
	size_t set, kase, load;
	unsigned repeat; /* 1.. */
	bool done;
};

struct plan {
	char *path, *output;
	unsigned repeats, warmup;
	struct words options; /* handed to every collect */
	struct plan_case *kase;
	size_t nr_cases, cap_cases;
	struct plan_set *set;
	size_t nr_sets, cap_sets;
	struct plan_job *job; /* in the order in which they are made */
	size_t nr_jobs, cap_jobs;
	char *release; /* of this kernel */
};

/* -EINVAL with "FILE:LINE: sentence". On failure plan is empty. */
int plan_load(struct plan *plan, const char *path, const char *output, struct err *err);
void plan_release(struct plan *plan);

/* Puts runs in order: repeat by repeat, the sets of a case and load one after the
 * other, beginning with another set each time. */
void plan_order(struct plan *plan);
/*
 * Marks what the sets on disk already hold. Runs that were cut short or failed are
 * put aside as SET/.cut-NNN.PID and said in notes
 * (NULL: nothing is touched). -EEXIST with a sentence when a set
 * holds runs of another command or kernel.
 */
int plan_find_done(struct plan *plan, struct notes *notes, struct err *err);
/* Folder of a set; a new string. */
char *plan_set_path(const struct plan *plan, size_t set);
/* The case's command for a load, behind the set's prefix. */
void plan_command(const struct plan *plan, const struct plan_job *job, struct words *out);
/* Title of the load in reports; a new string, "" without loads. */
char *plan_load_title(const struct plan *plan, const struct plan_job *job);
void words_add(struct words *w, const char *word);
void words_release(struct words *w);

/* collect --plan: an exit code after all was said. */
int plan_main(const struct collect_options *opts);

#endif
