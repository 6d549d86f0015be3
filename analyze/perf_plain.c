// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out once whether the samples of a perf.data can be read by fixed places. */
#include "perf_plain.h"

#include <stdlib.h>

#include "schedblame/alloc.h"

#define ID_SPAN_MAX (1u << 20)

static bool can_be_plain(const struct perf_attr *a)
{
	return a->sample.time >= 0 && a->sample.cpu >= 0 && a->sample.fixed >= 0 &&
	       a->sample_type & PERF_SAMPLE_RAW &&
	       !(a->sample_type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN));
}

static bool is_plain(const struct perf_attr *a, const struct perf_attr *first)
{
	return a->type == PERF_TYPE_TRACEPOINT && a->sample_type == first->sample_type;
}

/* Ids are numbers of a counter in the kernel, so they stand close together. */
static bool index_ids(struct perf_plain *p, const struct perf_file *pf,
		      const struct perf_attr *first)
{
	uint64_t min = UINT64_MAX, max = 0;

	for (size_t i = 0; i < pf->ids.n; i++) {
		min = pf->ids.key[i] < min ? pf->ids.key[i] : min;
		max = pf->ids.key[i] > max ? pf->ids.key[i] : max;
	}
	if (!pf->has_identifier || min > max || max - min >= ID_SPAN_MAX)
		return false;
	p->first_id = min;
	p->nr_ids = max - min + 1;
	p->id = xcalloc(p->nr_ids, 1);
	for (size_t i = 0; i < pf->ids.n; i++)
		p->id[pf->ids.key[i] - min] = is_plain(&pf->attr[pf->id_attr[i]], first);
	return true;
}

void perf_plain_find(struct perf_plain *p, const struct perf_file *pf)
{
	const struct perf_attr *first = NULL;
	bool others = pf->pipe; /* it may tell of them later */

	for (size_t i = 0; i < pf->nr_attrs; i++) {
		const struct perf_attr *a = &pf->attr[i];

		if (!first && a->type == PERF_TYPE_TRACEPOINT && can_be_plain(a))
			first = a;
		others |= !first || !is_plain(a, first);
	}
	p->is = first && (!others || index_ids(p, pf, first));
	if (p->is)
		p->attr = *first;
}

void perf_plain_release(struct perf_plain *p)
{
	free(p->id);
}
