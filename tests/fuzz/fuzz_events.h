/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes through a reader, the model and all passes; what fuzzers of events share. */
#ifndef TESTS_FUZZ_EVENTS_H
#define TESTS_FUZZ_EVENTS_H

#include <stdint.h>
#include <string.h>

#include "schedblame/pass.h"

static inline void fuzz_events(const uint8_t *data, size_t len)
{
	static struct topology topology; /* loaded once: it is slow */
	struct event_stream *s;
	struct series_set series;
	struct trace_tables *tables;
	struct input in;

	input_memory(&in, data, len, "fuzz");
	if (event_stream_open_input(&s, &in, NULL)) {
		input_close(&in);
		return;
	}
	if (!topology.nr_cpus) {
		topology_init(&topology);
		topology_load(&topology, "node:2 core:2 pu:2", NULL);
	}
	series_init(&series);
	tables = trace_tables_new();
	walk_stream(s, &topology, &(struct walk_options){ .quiet = true }, &series, tables, NULL);
	trace_tables_free(tables);
	series_release(&series);
	event_stream_close(s);
	input_close(&in);
}

#endif
