/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between sets besides what is to be compared, and whether it makes
 * the comparison void. Facts come from run->fact, topology, manifest and the
 * series that were recorded; blame and report use the same list.
 */
#ifndef SCHEDBLAME_COMPARABILITY_H
#define SCHEDBLAME_COMPARABILITY_H

#include <stddef.h>

#include "schedblame/run.h"
#include "schedblame/strmap.h"

enum difference_level {
	DIFFER_EXPECTED, /* what a comparison is about: kernel, label, knobs */
	DIFFER_NOTED,	 /* may matter: a config option, a sysctl */
	DIFFER_SERIOUS,	 /* the numbers do not compare: CPUs, governor, command */
};

struct difference {
	enum difference_level level;
	char *key;    /* "sched.migration_cost_ns", "topology", "command" */
	char *title;  /* "topology" */
	char **value; /* one per set; "" where not known */
	char *why;    /* of serious ones: what it does to the numbers; else "" */
};

struct comparability {
	struct difference *v; /* serious first, then noted, then expected */
	size_t n, cap;
	size_t nr_sets;
	/* sentences about one set alone: mixed boots, incomplete runs, losses,
	 * failed workloads, sources that one set lacks */
	struct notes notes;
	/* per set, while checking: what its foreign file does not tell and others do */
	struct strmap *untold;
};

void comparability_check(struct comparability *c, const struct run_set *const *sets,
			 size_t nr_sets);
void comparability_release(struct comparability *c);
/* Sentences why causes of the change of set against set 0 are moot: serious
 * differences but the command, which is what some comparisons are about. */
void comparability_moot(const struct comparability *c, size_t set, struct notes *notes);
size_t comparability_count(const struct comparability *c, enum difference_level level);

#endif
