/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes small perf.data files in memory, in either byte order. */
#ifndef TESTS_PERF_BUILDER_H
#define TESTS_PERF_BUILDER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "schedblame/strbuf.h"

struct pb {
	struct strbuf sb;
	bool swap;
	size_t record, data; /* where the open record, the records began */
};

static inline void pb_u16(struct pb *b, uint16_t v)
{
	v = b->swap ? __builtin_bswap16(v) : v;
	strbuf_add(&b->sb, &v, sizeof(v));
}

static inline void pb_u32(struct pb *b, uint32_t v)
{
	v = b->swap ? __builtin_bswap32(v) : v;
	strbuf_add(&b->sb, &v, sizeof(v));
}

static inline void pb_u64(struct pb *b, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	strbuf_add(&b->sb, &v, sizeof(v));
}

static inline void pb_set_u64(struct pb *b, size_t at, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	memcpy(b->sb.buf + at, &v, sizeof(v));
}

/* Flags as a compiler of that byte order lays bit fields out. */
static inline void pb_flags(struct pb *b, uint64_t flags)
{
	unsigned char bytes[8] = { 0 };

	if (!b->swap) {
		pb_u64(b, flags);
		return;
	}
	for (unsigned i = 0; i < 64; i++)
		if (flags >> i & 1)
			bytes[i / 8] |= (unsigned char)(0x80u >> (i % 8));
	strbuf_add(&b->sb, bytes, sizeof(bytes));
}

/* A perf_event_attr of any size of at least 64. */
static inline void pb_attr(struct pb *b, uint32_t size, uint32_t type, uint64_t config,
			   uint64_t sample_type, uint64_t read_format, uint64_t flags)
{
	pb_u32(b, type);
	pb_u32(b, size);
	pb_u64(b, config);
	pb_u64(b, 1000); /* period or frequency */
	pb_u64(b, sample_type);
	pb_u64(b, read_format);
	pb_flags(b, flags);
	strbuf_addchn(&b->sb, '\0', size - 48);
}

/* A header for nr attributes of that size, to be followed by them with
 * pb_attr() and pb_ids(), then pb_begin(). */
static inline void pb_header(struct pb *b, size_t nr, uint32_t attr_size)
{
	size_t entry = attr_size + 16;

	strbuf_reset(&b->sb);
	strbuf_add(&b->sb, b->swap ? "2ELIFREP" : "PERFILE2", 8);
	pb_u64(b, 104);
	pb_u64(b, entry);
	pb_u64(b, 104 + 8 * nr);
	pb_u64(b, nr * entry);
	pb_u64(b, 104 + 8 * nr + nr * entry);
	strbuf_addchn(&b->sb, '\0', 104 - b->sb.len);
	for (size_t i = 0; i < nr; i++)
		pb_u64(b, 100 + i); /* one id per event: 100, 101, ... */
}

static inline void pb_ids(struct pb *b, size_t i)
{
	pb_u64(b, 104 + 8 * i);
	pb_u64(b, 8);
}

static inline void pb_begin(struct pb *b)
{
	b->data = b->sb.len;
}

static inline void pb_end(struct pb *b)
{
	pb_set_u64(b, 48, b->sb.len - b->data);
}

static inline void pb_record(struct pb *b, uint32_t type, uint16_t misc)
{
	b->record = b->sb.len;
	pb_u32(b, type);
	pb_u16(b, misc);
	pb_u16(b, 0);
}

static inline void pb_done(struct pb *b)
{
	uint16_t size = (uint16_t)(b->sb.len - b->record);

	size = b->swap ? __builtin_bswap16(size) : size;
	memcpy(b->sb.buf + b->record + 6, &size, sizeof(size));
}

#define PB_SAMPLE_TYPE                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define PB_ID_ALL (1ULL << 18)

/* What follows records that are no samples, for PB_SAMPLE_TYPE. */
static inline void pb_sample_id(struct pb *b, uint32_t pid, uint64_t time, uint64_t id)
{
	pb_u32(b, pid);
	pb_u32(b, pid);
	pb_u64(b, time);
	pb_u32(b, 1);
	pb_u32(b, 0);
	pb_u64(b, id);
}

static inline void pb_sample(struct pb *b, uint16_t misc, uint64_t id, uint64_t ip,
			     uint32_t pid, uint64_t time)
{
	pb_record(b, PERF_RECORD_SAMPLE, misc);
	pb_u64(b, id);
	pb_u64(b, ip);
	pb_u32(b, pid);
	pb_u32(b, pid);
	pb_u64(b, time);
	pb_u32(b, 3); /* CPU */
	pb_u32(b, 0);
	pb_u64(b, 7); /* period */
	pb_done(b);
}

static inline void pb_mmap(struct pb *b, uint32_t pid, uint64_t addr, uint64_t len,
			   const char *file, uint64_t time)
{
	char name[64] = "";

	strncpy(name, file, sizeof(name) - 1);
	pb_record(b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	pb_u32(b, pid);
	pb_u32(b, pid);
	pb_u64(b, addr);
	pb_u64(b, len);
	pb_u64(b, 0);
	strbuf_add(&b->sb, name, sizeof(name));
	pb_sample_id(b, pid, time, 100);
	pb_done(b);
}

static inline void pb_fork(struct pb *b, uint32_t pid, uint32_t parent, uint64_t time)
{
	pb_record(b, PERF_RECORD_FORK, 0);
	pb_u32(b, pid);
	pb_u32(b, parent);
	pb_u32(b, pid);
	pb_u32(b, parent);
	pb_u64(b, time);
	pb_sample_id(b, parent, time, 100);
	pb_done(b);
}

static inline void pb_comm(struct pb *b, uint32_t pid, const char *comm, uint16_t misc,
			   uint64_t time)
{
	char name[16] = "";

	strncpy(name, comm, sizeof(name) - 1);
	pb_record(b, PERF_RECORD_COMM, misc);
	pb_u32(b, pid);
	pb_u32(b, pid);
	strbuf_add(&b->sb, name, sizeof(name));
	pb_sample_id(b, pid, time, 100);
	pb_done(b);
}

#endif
