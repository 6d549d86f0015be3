/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One repeat, from the empty folder to the kept run. */
#ifndef COLLECT_RECORDING_H
#define COLLECT_RECORDING_H

#include "options.h"
#include "run_writer.h"
#include "session.h"
#include "state.h"

struct recording {
	const struct collect_options *opts;
	const char *program; /* the file that opts->command[0] means */
	const struct cpuset *cpus; /* that the workload may use */
	struct recorder *recorder;
	struct set_writer *set;
	struct notes *notes; /* borrowed; go into every run.json */
	const json_t *knobs; /* run.json "knobs", or NULL */
	struct state *state; /* knows of the run while it is half-written */
	/* results, summed over repeats */
	unsigned workload_failures;
	char *first_failure; /* owned: the run's folder; NULL: none failed */
	unsigned incomplete;
};

/*
 * Records repeat number repeat. 0 when the run was kept, whole or cut short by
 * a signal; -errno with a sentence otherwise, and what was recorded until then
 * is kept if the workload had begun.
 */
int recording_run(struct recording *rec, unsigned repeat, struct err *err);
/* Runs the command unrecorded. */
int recording_warmup(struct recording *rec, unsigned number, struct err *err);

#endif
