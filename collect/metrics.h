/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers found in the workload's output: metrics.json of a run. */
#ifndef COLLECT_METRICS_H
#define COLLECT_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/json.h"

/* metrics.json with the wall time alone. */
json_t *metrics_new(const char *workload);
/* Adds one; name and unit may be foreign text. */
void metrics_add(json_t *root, const char *workload, const char *name,
		 const char *unit, bool higher, bool work, double value);

#endif
