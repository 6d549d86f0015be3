/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to collect/profile_file.c and profile_feature.c. */
#ifndef COLLECT_PROFILE_FILE_H
#define COLLECT_PROFILE_FILE_H

#include "perf_event.h"

/* A feature section: its number in the header's bit set, and what fills it. */
struct perf_feature {
	unsigned number;
	void (*add)(struct strbuf *sb, const struct perf_writer_info *info);
};

extern const struct perf_feature perf_features[]; /* ascending numbers */
extern const size_t perf_nr_features;

#endif
