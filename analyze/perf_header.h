/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to analyze/perf_file.c and perf_header.c. */
#ifndef ANALYZE_PERF_HEADER_H
#define ANALYZE_PERF_HEADER_H

#include "perf_parts.h"

/* Reads the header: byte order, attributes, feature sections, and the range of
 * the records into pf->first and pf->end. */
int perf_header_read(struct perf_file *pf, struct err *err);

#endif
