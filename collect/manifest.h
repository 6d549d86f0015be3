/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.json; docs/run-format.md is the contract. */
#ifndef COLLECT_MANIFEST_H
#define COLLECT_MANIFEST_H

#include "schedblame/err.h"
#include "schedblame/json.h"
#include "session.h"
#include "workload.h"

struct manifest {
	const char *label;
	const char *kase, *load; /* NULL: not given */
	unsigned repeat, repeats;
	char *const *command;
	const struct cpuset *cpus; /* that the workload may use */
	bool complete;
	bool stopped; /* the workload was ended by --duration */
	int64_t start_unix_ns;
	uint64_t duration_ns;
	const struct workload *workload; /* NULL: --duration alone */
	const json_t *knobs;		 /* or NULL */
	const struct recorder *recorder; /* NULL: before there are results */
	const struct notes *notes;	 /* NULL: none */
};

json_t *manifest_to_json(const struct manifest *m);

#endif
