// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of a perf.data file: attributes of any length, where their fields
 * stand in a record, their ids and names.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "perf_parts.h"
#include "schedblame/alloc.h"

/* Offsets in perf_event_attr; the first 64 bytes never changed. */
enum {
	ATTR_TYPE = 0,
	ATTR_CONFIG = 8,
	ATTR_PERIOD = 16,
	ATTR_SAMPLE_TYPE = 24,
	ATTR_READ_FORMAT = 32,
	ATTR_FLAGS = 40,
	ATTR_MAX_STACK = 108, /* since attributes have 112 bytes */
};

static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend",
	"stalled-cycles-backend", "ref-cycles",
};

static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

/* A name for events that the file does not name. */
static char *default_name(const struct perf_attr *a)
{
	if (a->type == PERF_TYPE_HARDWARE && a->config < ARRAY_SIZE(hardware))
		return xstrdup(hardware[a->config]);
	if (a->type == PERF_TYPE_SOFTWARE && a->config < ARRAY_SIZE(software))
		return xstrdup(software[a->config]);
	if (a->type == PERF_TYPE_TRACEPOINT)
		return xasprintf("tracepoint %" PRIu64, a->config);
	return xasprintf("type %u config 0x%" PRIx64, a->type, a->config);
}

/*
 * The flags are bit fields: a compiler for the other byte order counts them
 * from the other end of each byte. Reading the bytes in order and turning each
 * around gives the kernel's numbering on a little-endian machine.
 */
static uint64_t read_flags(const struct perf_file *pf, const unsigned char *p)
{
	uint64_t flags = 0;

	if (!pf->swap)
		return perf_u64(pf, p);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned bit = 0; bit < 8; bit++)
			if (p[i] & (0x80u >> bit))
				flags |= UINT64_C(1) << (i * 8 + bit);
	return flags;
}

/* Fields of fixed place, in the order in which the kernel writes them. */
static void set_layout(struct perf_attr *a)
{
	struct perf_layout *l = &a->sample;
	struct {
		uint64_t bit;
		int16_t *at;
	} fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, &l->id }, { PERF_SAMPLE_IP, &l->ip },
		{ PERF_SAMPLE_TID, &l->tid },	    { PERF_SAMPLE_TIME, &l->time },
		{ PERF_SAMPLE_ADDR, &l->addr },	    { PERF_SAMPLE_ID, &l->id },
		{ PERF_SAMPLE_STREAM_ID, &l->stream_id }, { PERF_SAMPLE_CPU, &l->cpu },
		{ PERF_SAMPLE_PERIOD, &l->period },
	};
	int16_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		*fields[i].at = -1;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(a->sample_type & fields[i].bit))
			continue;
		if (*fields[i].at < 0) /* with IDENTIFIER, ID repeats it */
			*fields[i].at = at;
		at += 8;
	}
	l->fixed = at;
	a->id_size = (uint16_t)(8 * __builtin_popcountll(
		a->sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				  PERF_SAMPLE_IDENTIFIER)));
	if (!(a->flags >> PERF_FLAG_SAMPLE_ID_ALL & 1))
		a->id_size = 0;
}

static void add_ids(struct perf_file *pf, const unsigned char *ids, uint64_t nr_ids)
{
	uint32_t attr = (uint32_t)pf->nr_attrs - 1;

	for (uint64_t i = 0; i < nr_ids; i++) {
		size_t known = pf->ids.n;
		uint32_t at = u64map_add(&pf->ids, perf_u64(pf, ids + 8 * i));

		if (at < known)
			continue;
		GROW(pf->id_attr, at, pf->cap_id_attr);
		pf->id_attr[at] = attr;
	}
}

void perf_attr_add(struct perf_file *pf, const unsigned char *data, size_t len,
		   const unsigned char *ids, uint64_t nr_ids)
{
	struct perf_attr a = {
		.type = perf_u32(pf, data + ATTR_TYPE),
		.config = perf_u64(pf, data + ATTR_CONFIG),
		.sample_period = perf_u64(pf, data + ATTR_PERIOD),
		.sample_type = perf_u64(pf, data + ATTR_SAMPLE_TYPE),
		.read_format = perf_u64(pf, data + ATTR_READ_FORMAT),
		.flags = read_flags(pf, data + ATTR_FLAGS),
		.nr_ids = nr_ids,
		.max_stack = len >= ATTR_MAX_STACK + 4 ?
				     perf_u16(pf, data + ATTR_MAX_STACK) : 0,
	};

	a.name = default_name(&a);
	set_layout(&a);
	if (!pf->nr_attrs)
		pf->has_identifier = true;
	if (!(a.sample_type & PERF_SAMPLE_IDENTIFIER))
		pf->has_identifier = false;
	GROW(pf->attr, pf->nr_attrs, pf->cap_attrs);
	pf->attr[pf->nr_attrs++] = a;
	add_ids(pf, ids, nr_ids);
}

uint32_t perf_attr_by_id(struct perf_file *pf, uint64_t id)
{
	uint32_t at;

	if (id == pf->last_id && pf->last_attr != PERF_FILE_NO_ATTR)
		return pf->last_attr;
	at = u64map_find(&pf->ids, id);
	if (at == U64MAP_NONE)
		return PERF_FILE_NO_ATTR;
	pf->last_id = id;
	pf->last_attr = pf->id_attr[at];
	return pf->last_attr;
}

static void set_name(struct perf_attr *a, const unsigned char *s, size_t max)
{
	size_t len = strnlen((const char *)s, max);

	if (!len)
		return;
	free(a->name);
	a->name = xstrndup((const char *)s, len);
}

/* EVENT_DESC: number of events, size of an attribute; per event the attribute,
 * the number of ids, the name (length, text), the ids. */
void perf_attr_names(struct perf_file *pf)
{
	struct perf_section s = pf->feature[PERF_FEATURE_EVENT_DESC];
	uint32_t nr, size;
	size_t at = 8;

	if (s.len < 8)
		return;
	nr = perf_u32(pf, s.data);
	size = perf_u32(pf, s.data + 4);
	for (uint32_t i = 0; i < nr && i < pf->nr_attrs; i++) {
		const unsigned char *attr = s.data + at;
		uint32_t nr_ids, len;

		if (size < 16 || size > s.len - at || s.len - at - size < 8)
			return;
		at += size;
		nr_ids = perf_u32(pf, s.data + at);
		len = perf_u32(pf, s.data + at + 4);
		at += 8;
		if (len > s.len - at)
			return;
		if (perf_u32(pf, attr + ATTR_TYPE) == pf->attr[i].type &&
		    perf_u64(pf, attr + ATTR_CONFIG) == pf->attr[i].config)
			set_name(pf->attr + i, s.data + at, len);
		at += len;
		if (nr_ids > (s.len - at) / 8)
			return;
		at += nr_ids * (size_t)8;
	}
}

/* EVENT_UPDATE: what kind, an id of the event, the new value. */
void perf_attr_update(struct perf_file *pf, const struct perf_record *rec)
{
	const uint64_t update_name = 2;
	uint32_t attr;

	if (rec->size < PERF_HEADER + 17 || perf_u64(pf, rec->data + 8) != update_name)
		return;
	attr = perf_attr_by_id(pf, perf_u64(pf, rec->data + 16));
	if (attr != PERF_FILE_NO_ATTR)
		set_name(pf->attr + attr, rec->data + 24, rec->size - 24u);
}

/* EVENT_TYPE, until perf 3.10: config and a name of 64 bytes. */
void perf_attr_event_type(struct perf_file *pf, const struct perf_record *rec)
{
	if (rec->size < PERF_HEADER + 9)
		return;
	for (size_t i = 0; i < pf->nr_attrs; i++)
		if (pf->attr[i].type == PERF_TYPE_TRACEPOINT &&
		    pf->attr[i].config == perf_u64(pf, rec->data + 8))
			set_name(pf->attr + i, rec->data + 16, rec->size - 16u);
}

void perf_attr_release(struct perf_file *pf)
{
	for (size_t i = 0; i < pf->nr_attrs; i++)
		free(pf->attr[i].name);
	free(pf->attr);
	free(pf->id_attr);
	u64map_release(&pf->ids);
}
