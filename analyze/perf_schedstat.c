// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `perf sched stats record` before it was merged: records 83 (a cpu line of
 * /proc/schedstat) and 84 (a domain line), all CPUs at the start and once more at
 * the end. Fields stand in the order of the kernel's version; the layout was read
 * off such files and checked against the reports made from them.
 */
#include "perf_schedstat.h"

#include <ctype.h>
#include <inttypes.h>

#include "perf_parts.h"

enum {
	SCHEDSTAT_CPU = 83,
	SCHEDSTAT_DOMAIN = 84,
};

/* Offsets from the start of a record. */
enum {
	CPU_TIMESTAMP = 8,
	CPU_COUNTS = 16,  /* six of 4 bytes */
	CPU_TIMES = 40,	  /* three of 8 bytes */
	CPU_NUMBER = 64,
	CPU_VERSION = 68,
	CPU_END = 72,
	DOMAIN_VERSION = 8,
	DOMAIN_TIMESTAMP = 16,
	DOMAIN_CPU = 24,
	DOMAIN_INDEX = 28, /* 2 bytes */
	DOMAIN_NAME = 30,
	DOMAIN_COUNTS = 48, /* of 4 bytes */
	DOMAIN_MASK = 228, /* number of CPUs in 2 bytes, then bits, lowest first */
};
#define NAMED_VERSION 17
#define MAX_MASK 64 /* bytes */

static void add_cpu(const struct perf_file *pf, const unsigned char *p, struct strbuf *sb)
{
	strbuf_addf(sb, "cpu%u", perf_u32(pf, p + CPU_NUMBER));
	for (unsigned i = 0; i < 6; i++)
		strbuf_addf(sb, " %u", perf_u32(pf, p + CPU_COUNTS + 4 * i));
	for (unsigned i = 0; i < 3; i++)
		strbuf_addf(sb, " %" PRIu64, perf_u64(pf, p + CPU_TIMES + 8 * i));
	strbuf_addch(sb, '\n');
}

static void add_mask(const struct perf_file *pf, const struct perf_record *rec,
		     struct strbuf *sb)
{
	size_t bytes = (perf_u16(pf, rec->data + DOMAIN_MASK) + 7u) / 8;
	size_t room = rec->size - (size_t)DOMAIN_MASK - 2;

	if (bytes > room)
		bytes = room;
	if (bytes > MAX_MASK)
		bytes = MAX_MASK;
	strbuf_addch(sb, ' ');
	if (!bytes)
		strbuf_addch(sb, '0');
	while (bytes-- > 0)
		strbuf_addf(sb, "%02x", rec->data[DOMAIN_MASK + 2 + bytes]);
}

static void add_domain(const struct perf_file *pf, const struct perf_record *rec,
		       struct strbuf *sb)
{
	const unsigned char *p = rec->data;
	uint32_t version = perf_u32(pf, p + DOMAIN_VERSION);
	unsigned counts = version >= NAMED_VERSION ? 45 : 36, n = 0;

	strbuf_addf(sb, "domain%u", perf_u16(pf, p + DOMAIN_INDEX));
	if (version >= NAMED_VERSION) {
		strbuf_addch(sb, ' ');
		for (; n < DOMAIN_COUNTS - DOMAIN_NAME && isalnum(p[DOMAIN_NAME + n]); n++)
			strbuf_addch(sb, (char)p[DOMAIN_NAME + n]);
		if (!n)
			strbuf_addstr(sb, "unnamed");
	}
	add_mask(pf, rec, sb);
	for (unsigned i = 0; i < counts; i++)
		strbuf_addf(sb, " %u", perf_u32(pf, p + DOMAIN_COUNTS + 4 * i));
	strbuf_addch(sb, '\n');
}

/* The copy that a time stamp belongs to; a new one begins with its version. */
static struct strbuf *copy_of(struct strbuf *before, struct strbuf *after, uint64_t time,
			      uint64_t first, uint32_t version)
{
	struct strbuf *sb = time == first ? before : after;

	if (!sb->len)
		strbuf_addf(sb, "version %u\ntimestamp %" PRIu64 "\n", version, time);
	return sb;
}

bool perf_schedstat_text(struct perf_file *pf, struct strbuf *before, struct strbuf *after)
{
	struct perf_record rec;
	uint64_t first = 0, time;
	uint32_t cpu = UINT32_MAX;

	while (perf_file_next(pf, &rec, NULL) > 0) {
		const unsigned char *p = rec.data;

		if (!pf->schedstat)
			continue;
		if (rec.type == SCHEDSTAT_CPU && rec.size >= CPU_END) {
			time = perf_u64(pf, p + CPU_TIMESTAMP);
			cpu = perf_u32(pf, p + CPU_NUMBER);
			if (!before->len)
				first = time;
			add_cpu(pf, p, copy_of(before, after, time, first,
					       perf_u32(pf, p + CPU_VERSION)));
		} else if (rec.type == SCHEDSTAT_DOMAIN && rec.size >= DOMAIN_MASK + 2 &&
			   before->len && perf_u32(pf, p + DOMAIN_CPU) == cpu) {
			time = perf_u64(pf, p + DOMAIN_TIMESTAMP);
			add_domain(pf, &rec, copy_of(before, after, time, first,
						     perf_u32(pf, p + DOMAIN_VERSION)));
		}
	}
	perf_file_rewind(pf);
	return before->len && after->len;
}
