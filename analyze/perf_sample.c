// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples and the kernel's other records, field by field, each within bounds. */
#include "perf_parts.h"

#define LEGACY_READ_LOST (1u << 4) /* PERF_FORMAT_LOST, Linux 6.0 */

/* Payload of a record. */
struct span {
	const unsigned char *p, *end;
};

static size_t left(const struct span *s)
{
	return (size_t)(s->end - s->p);
}

static bool take_u64(const struct perf_file *pf, struct span *s, uint64_t *v)
{
	if (left(s) < 8)
		return false;
	*v = perf_u64(pf, s->p);
	s->p += 8;
	return true;
}

static bool pass(struct span *s, uint64_t n, size_t size)
{
	if (n > left(s) / size)
		return false;
	s->p += n * size;
	return true;
}

static bool pass_read(const struct perf_file *pf, const struct perf_attr *a, struct span *s)
{
	uint64_t format = a->read_format, nr = 1, each;

	each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & LEGACY_READ_LOST);
	if (format & PERF_FORMAT_GROUP && !take_u64(pf, s, &nr))
		return false;
	if (!pass(s, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING), 8))
		return false;
	return pass(s, nr, 8 * each);
}

/* What follows the fields of fixed place, as far as somebody needs it. */
static bool take_rest(const struct perf_file *pf, const struct perf_attr *a, struct span s,
		      struct perf_sample *out)
{
	if (a->sample_type & PERF_SAMPLE_READ && !pass_read(pf, a, &s))
		return false;
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN) {
		if (!take_u64(pf, &s, &out->nr_chain))
			return false;
		out->chain = s.p;
		if (!pass(&s, out->nr_chain, 8))
			return false;
	}
	if (a->sample_type & PERF_SAMPLE_RAW) {
		if (left(&s) < 4)
			return false;
		out->raw_len = perf_u32(pf, s.p);
		out->raw = s.p + 4;
		if (out->raw_len > left(&s) - 4)
			return false;
	}
	return true;
}

/* The event of a sample: by its id where there are several. */
static uint32_t sample_attr(struct perf_file *pf, const struct span *s)
{
	int16_t at;
	uint64_t id;

	if (pf->nr_attrs <= 1)
		return pf->nr_attrs ? 0 : PERF_FILE_NO_ATTR;
	at = pf->has_identifier ? 0 : pf->attr[0].sample.id;
	if (at < 0)
		return 0; /* 2009: events of one kind, told apart by nothing */
	if (left(s) < (size_t)at + 8)
		return PERF_FILE_NO_ATTR;
	id = perf_u64(pf, s->p + at);
	return id ? perf_attr_by_id(pf, id) : 0;
}

static void set_defaults(struct perf_sample *s, uint32_t attr, uint16_t misc)
{
	memset(s, 0, sizeof(*s));
	s->attr = attr;
	s->misc = misc;
	s->pid = s->tid = s->cpu = UINT32_MAX;
}

bool perf_sample_parse(struct perf_file *pf, const struct perf_record *rec,
		       struct perf_sample *out)
{
	struct span s = { rec->data + PERF_HEADER, rec->data + rec->size };
	uint32_t attr = sample_attr(pf, &s);
	const struct perf_attr *a;
	const struct perf_layout *l;

	if (attr == PERF_FILE_NO_ATTR)
		return false;
	a = pf->attr + attr;
	l = &a->sample;
	if (left(&s) < (size_t)l->fixed)
		return false;
	set_defaults(out, attr, rec->misc);
	out->has_ip = l->ip >= 0;
	out->has_time = l->time >= 0;
	if (l->ip >= 0)
		out->ip = perf_u64(pf, s.p + l->ip);
	if (l->tid >= 0) {
		out->pid = perf_u32(pf, s.p + l->tid);
		out->tid = perf_u32(pf, s.p + l->tid + 4);
	}
	if (l->time >= 0)
		out->time = perf_u64(pf, s.p + l->time);
	if (l->addr >= 0)
		out->addr = perf_u64(pf, s.p + l->addr);
	if (l->id >= 0)
		out->id = perf_u64(pf, s.p + l->id);
	if (l->stream_id >= 0)
		out->stream_id = perf_u64(pf, s.p + l->stream_id);
	if (l->cpu >= 0)
		out->cpu = perf_u32(pf, s.p + l->cpu);
	out->period = l->period >= 0 ? perf_u64(pf, s.p + l->period) : a->sample_period;
	s.p += l->fixed;
	return take_rest(pf, a, s, out);
}

bool perf_record_id(struct perf_file *pf, const struct perf_record *rec,
		    struct perf_sample *out)
{
	const struct perf_attr *a = pf->attr;
	const unsigned char *p;

	if (!pf->nr_attrs || !a->id_size || rec->size < PERF_HEADER + a->id_size)
		return false;
	set_defaults(out, 0, rec->misc);
	p = rec->data + rec->size - a->id_size;
	if (a->sample_type & PERF_SAMPLE_TID) {
		out->pid = perf_u32(pf, p);
		out->tid = perf_u32(pf, p + 4);
		p += 8;
	}
	out->has_time = a->sample_type & PERF_SAMPLE_TIME;
	if (out->has_time) {
		out->time = perf_u64(pf, p);
		p += 8;
	}
	if (a->sample_type & PERF_SAMPLE_ID) {
		out->id = perf_u64(pf, p);
		p += 8;
	}
	if (a->sample_type & PERF_SAMPLE_STREAM_ID) {
		out->stream_id = perf_u64(pf, p);
		p += 8;
	}
	if (a->sample_type & PERF_SAMPLE_CPU) {
		out->cpu = perf_u32(pf, p);
		p += 8;
	}
	if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
		out->id = perf_u64(pf, p);
	if (pf->nr_attrs > 1 && out->id)
		out->attr = perf_attr_by_id(pf, out->id);
	return true;
}

/* ------------------------------------------------------ other records */

/* Offsets from the record's start. */
enum {
	MMAP_NAME = 40,
	MMAP2_BUILD_ID = 40, /* length, 3 bytes, 20 bytes of id */
	MMAP2_PROT = 64,
	MMAP2_NAME = 72,
	PROT_EXEC_BIT = 4,
	MISC_MMAP_BUILD_ID = 1 << 14, /* Linux 5.12 */
};

bool perf_mmap_parse(const struct perf_file *pf, const struct perf_record *rec,
		     struct perf_mmap *m)
{
	size_t name = rec->type == PERF_RECORD_MMAP2 ? MMAP2_NAME : MMAP_NAME;

	memset(m, 0, sizeof(*m));
	if ((rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    rec->size <= name)
		return false;
	m->pid = perf_u32(pf, rec->data + 8);
	m->tid = perf_u32(pf, rec->data + 12);
	m->addr = perf_u64(pf, rec->data + 16);
	m->len = perf_u64(pf, rec->data + 24);
	m->pgoff = perf_u64(pf, rec->data + 32);
	m->filename = (const char *)rec->data + name;
	m->filename_len = strnlen(m->filename, rec->size - name);
	m->exec = !(rec->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (rec->type == PERF_RECORD_MMAP)
		return true;
	m->exec = perf_u32(pf, rec->data + MMAP2_PROT) & PROT_EXEC_BIT;
	if (rec->misc & MISC_MMAP_BUILD_ID) {
		m->build_id_len = rec->data[MMAP2_BUILD_ID];
		if (m->build_id_len > sizeof(m->build_id))
			m->build_id_len = 0;
		memcpy(m->build_id, rec->data + MMAP2_BUILD_ID + 4, m->build_id_len);
	}
	return true;
}

bool perf_task_parse(const struct perf_file *pf, const struct perf_record *rec,
		     struct perf_task *t)
{
	memset(t, 0, sizeof(*t));
	if (rec->type == PERF_RECORD_COMM) {
		if (rec->size <= 16)
			return false;
		t->pid = perf_u32(pf, rec->data + 8);
		t->tid = perf_u32(pf, rec->data + 12);
		t->comm = (const char *)rec->data + 16;
		t->comm_len = strnlen(t->comm, rec->size - 16u);
		t->exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
		return true;
	}
	if ((rec->type != PERF_RECORD_FORK && rec->type != PERF_RECORD_EXIT) || rec->size < 24)
		return false;
	t->pid = perf_u32(pf, rec->data + 8);
	t->ppid = perf_u32(pf, rec->data + 12);
	t->tid = perf_u32(pf, rec->data + 16);
	t->ptid = perf_u32(pf, rec->data + 20);
	if (rec->size >= 32)
		t->time = perf_u64(pf, rec->data + 24);
	return true;
}

uint64_t perf_record_lost(const struct perf_file *pf, const struct perf_record *rec)
{
	if (rec->type == PERF_RECORD_LOST && rec->size >= 24)
		return perf_u64(pf, rec->data + 16);
	if (rec->type == PERF_RECORD_LOST_SAMPLES && rec->size >= 16)
		return perf_u64(pf, rec->data + 8);
	return 0;
}
