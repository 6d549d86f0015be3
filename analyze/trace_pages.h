/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lane over the ring buffer pages of one CPU of a trace.dat. */
#ifndef ANALYZE_TRACE_PAGES_H
#define ANALYZE_TRACE_PAGES_H

#include "event_lanes.h"
#include "trace_dat.h"

/*
 * d and b must outlive the lane. offset_ns is added to every time. window is
 * how many bytes of the file are held at once.
 */
struct lane *dat_lane_new(const struct dat_file *d, const struct dat_buffer *b,
			  const struct dat_cpu *cpu, int64_t offset_ns, size_t window);

#endif
