/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest's clock to its host's: what the recorder measured (option TIME_SHIFT). */
#ifndef ANALYZE_TRACE_SHIFT_H
#define ANALYZE_TRACE_SHIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"

struct dat_cursor;

/* At the guest's time, host = guest * scaling / 2^fraction + offset. */
struct shift_sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling;
	unsigned fraction; /* < 64 */
};

struct shift_cpu {
	struct shift_sample *sample; /* by time, which are distinct */
	uint32_t nr;
};

struct time_shift {
	bool interpolate; /* between two samples, else the earlier one holds */
	struct shift_cpu *cpu; /* CPUs beyond the table keep their times */
	uint32_t nr_cpus;
};

/* Reads the option; what does not fit into it is left out. */
void time_shift_read(struct time_shift *s, struct dat_cursor *option);
void time_shift_release(struct time_shift *s);
uint64_t time_shift_apply(const struct time_shift *s, unsigned cpu, uint64_t ts);

#endif
