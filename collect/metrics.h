/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers found in the workload's output: metrics.json of a run. */
#ifndef COLLECT_METRICS_H
#define COLLECT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "patterns.h"
#include "schedblame/err.h"
#include "schedblame/json.h"
#include "schedblame/strbuf.h"

struct metrics_input {
	char *const *command;
	const char *out; /* any bytes; line ends \n or \r */
	size_t out_len;
	const char *err;
	size_t err_len;
	double wall_s;
};

/* Appends what is looked at of an output file: the whole, or its beginning and
 * end when it is longer than METRICS_HEAD + METRICS_TAIL. */
#define METRICS_HEAD (1L << 20)
#define METRICS_TAIL (4L << 20)
int metrics_read(struct strbuf *sb, int fd, const char *name, struct err *err);

/* metrics.json: wall_time, and what the patterns find. A forced pattern that
 * finds nothing, and running out of time, become notes. */
json_t *metrics_find(const struct patterns *set, const struct metrics_input *in,
		     struct notes *notes);
/* A number as benchmarks print it: "1,234.5", with clock "1:02:03.4", "2m3.4s".
 * NaN when it is none. */
double metric_value(const char *text, bool clock);

#endif
