/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of tracepoints by fixed places, where a perf.data lays them out alike. */
#ifndef ANALYZE_PERF_PLAIN_H
#define ANALYZE_PERF_PLAIN_H

#include "perf_parts.h"

struct perf_plain {
	bool is; /* else every sample is parsed field by field */
	/* All tracepoints lay out their samples as this one does, with raw data
	 * at a fixed place; a copy, since a pipe may tell of more events. */
	struct perf_attr attr;
	/* Where others share the file: by id, which begins a sample, whether it
	 * is such a tracepoint's. NULL: there are no others. */
	uint8_t *id;
	uint64_t first_id, nr_ids;
};

void perf_plain_find(struct perf_plain *p, const struct perf_file *pf);
void perf_plain_release(struct perf_plain *p);

/*
 * Time, CPU and raw data of a tracepoint's sample by its fixed places.
 * Returns whether it was one and within bounds.
 */
static inline bool perf_plain_parse(const struct perf_plain *plain, const struct perf_file *pf,
				    const struct perf_record *rec, struct perf_sample *s)
{
	const struct perf_layout *at = &plain->attr.sample;
	const unsigned char *p = rec->data + PERF_HEADER;
	size_t len = rec->size - (size_t)PERF_HEADER;

	if (len < (size_t)at->fixed + 4)
		return false;
	if (plain->id) {
		uint64_t id = perf_u64(pf, p) - plain->first_id;

		if (id >= plain->nr_ids || !plain->id[id])
			return false;
	}
	s->time = perf_u64(pf, p + at->time);
	s->cpu = perf_u32(pf, p + at->cpu);
	s->raw_len = perf_u32(pf, p + at->fixed);
	s->raw = p + at->fixed + 4;
	return s->raw_len <= len - (size_t)at->fixed - 4;
}

#endif
