/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files that read a run directory; not for others. */
#ifndef ANALYZE_RUN_PARTS_H
#define ANALYZE_RUN_PARTS_H

#include "schedblame/input.h"
#include "schedblame/run.h"

#define RUN_FORMAT_NEWEST 1

/* Every pointer set, every string "", nothing known. path is copied. */
void run_init(struct run *run, const char *path);
void run_set_string(char **field, const char *value);
/* Adds a fact about the host; keeps them sorted. Nothing for NULL, "" or a known key. */
void run_add_fact(struct run *run, const char *key, const char *value);
/* run.json: fields, facts, what the sources said. */
int run_read_manifest(struct run *run, struct err *err);
/* metrics.json, or the wall time; sets work. A newer version is an error. */
int run_read_metrics(struct run *run, struct err *err);
void run_release_profile(struct run *run);
/* run_trace.c: a foreign file of events. */
int run_from_trace(struct run *run, const struct input *in,
		   const struct run_options *opts, struct err *err);
/* run_perf.c: a perf.data, with tracepoints, with samples, or both. */
int run_from_perf(struct run *run, const struct input *in,
		  const struct run_options *opts, struct err *err);
bool run_is_event_text(const unsigned char *head, size_t len, bool whole);
/* The raw copies in before/ and after/. */
void run_read_counters(struct run *run);

#endif
