/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, record by record: files and pipes, both byte orders, compressed or
 * not, of every perf since 2009. Nothing is copied and nothing allocated per
 * record; memory is bounded by the number of events, whatever the length.
 *
 *	struct perf_file pf;
 *	struct perf_record rec;
 *	struct perf_sample s;
 *	int ret = perf_file_open(&pf, path, err);
 *	while (!ret && (ret = perf_file_next(&pf, &rec, err)) > 0) {
 *		ret = 0;
 *		if (rec.type == PERF_RECORD_SAMPLE && perf_sample_parse(&pf, &rec, &s))
 *			use(s.ip, pf.attr[s.attr].name, s.raw, s.raw_len);
 *	}
 *	perf_file_close(&pf);
 *
 * Records come in the order of the file: in order of time per CPU only. Between
 * two PERF_RECORD_FINISHED_ROUND no record is older than the newest record
 * before the former one; that is how far a merge must look ahead.
 *
 * A file that was cut short, or damaged in the middle, gives what stands before
 * the damage and a note; -errno comes only where nothing can be told at all.
 *
 * For readers of tracepoints: perf_file_tracing_data() is the blob of formats
 * (header_page, events/.../format, kallsyms, printk strings) that perf takes
 * from tracefs; an event with type == PERF_TYPE_TRACEPOINT has the tracepoint's
 * id in config, its name in name ("sched:sched_switch"), and s.raw holds the
 * record as its format describes it, from common_type on, in the file's byte
 * order (pf.swap tells whether that is the other one).
 */
#ifndef SCHEDBLAME_PERF_FILE_H
#define SCHEDBLAME_PERF_FILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schedblame/err.h"
#include "schedblame/input.h"
#include "schedblame/u64map.h"

/* Record types of perf itself, above the kernel's. */
enum perf_user_record {
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_AUXTRACE_INFO = 70,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_COMPRESSED2 = 83, /* see perf_file.schedstat */
};

/* Feature sections, by their bit in the header. */
enum perf_feature_bit {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CPUDESC = 8,
	PERF_FEATURE_CPUID = 9,
	PERF_FEATURE_TOTAL_MEM = 10,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_CPU_TOPOLOGY = 13,
	PERF_FEATURE_NUMA_TOPOLOGY = 14,
	PERF_FEATURE_CACHE = 20,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_CLOCKID = 23,
	PERF_FEATURE_COMPRESSED = 27,
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURE_NR = 256,
};

/* perf_event_attr.flags, bit numbers. */
enum perf_attr_flag {
	PERF_FLAG_FREQ = 10,
	PERF_FLAG_SAMPLE_ID_ALL = 18,
};

/* Where fields stand in a record, in bytes from behind its header; -1: absent. */
struct perf_layout {
	int16_t ip, tid, time, addr, id, stream_id, cpu, period;
	int16_t fixed; /* where READ (or what follows) begins */
};

struct perf_attr {
	uint32_t type; /* enum perf_type_id, or a PMU's number */
	uint64_t config;
	uint64_t sample_period; /* or frequency, see flags */
	uint64_t sample_type, read_format;
	uint64_t flags; /* bits in the kernel's order, whatever the file's */
	uint16_t max_stack; /* frames a chain has at most; 0: the system's limit */
	char *name;	/* "cycles", "sched:sched_switch"; never NULL */
	uint64_t nr_ids;
	struct perf_layout sample;
	uint16_t id_size; /* of what stands behind records that are no sample */
};

struct perf_section {
	const unsigned char *data; /* NULL: there is none */
	size_t len;
};

struct perf_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;		   /* with header; >= 8 */
	const unsigned char *data; /* the header; valid until the next call */
	uint64_t offset; /* in the file; of the container when it was compressed */
};

#define PERF_FILE_NO_ATTR UINT32_MAX

struct perf_sample {
	uint32_t attr; /* index in pf->attr, PERF_FILE_NO_ATTR: none fits */
	uint32_t pid, tid, cpu;	/* UINT32_MAX: not recorded */
	uint16_t misc;
	bool has_ip, has_time;
	uint64_t ip, time, addr, id, stream_id;
	uint64_t period; /* the event's own where samples carry none */
	uint64_t nr_chain;
	const unsigned char *chain; /* perf_u64(pf, chain + 8 * i) */
	uint32_t raw_len;
	const unsigned char *raw; /* NULL: none */
};

struct perf_inflate; /* private */

struct perf_file {
	struct input in;
	bool swap;	/* the other byte order */
	bool pipe;	/* written to a pipe: attributes are records */
	unsigned version; /* 1 or 2 */
	struct perf_attr *attr;
	size_t nr_attrs, cap_attrs;
	struct perf_section feature[PERF_FEATURE_NR];
	/* Types 83 and 84 are lines of /proc/schedstat (`perf sched stats` before
	 * it was merged), not COMPRESSED2. */
	bool schedstat;
	bool cut; /* the records end before the file says so */
	struct notes notes; /* damage, limits; for the object built from it */
	uint64_t nr_records; /* given so far */

	/* private */
	uint64_t pos, end, first, scanned, dropped;
	struct u64map ids;
	uint32_t *id_attr; /* by id number: index of the attribute */
	size_t cap_id_attr;
	uint64_t last_id;
	uint32_t last_attr;
	bool has_identifier; /* every attribute has PERF_SAMPLE_IDENTIFIER */
	struct perf_section tracing;
	struct perf_inflate *inflate;
};

/* Foreign numbers in the file's byte order, at any address. */
static inline uint16_t perf_u16(const struct perf_file *pf, const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return pf->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t perf_u32(const struct perf_file *pf, const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return pf->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t perf_u64(const struct perf_file *pf, const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return pf->swap ? __builtin_bswap64(v) : v;
}

/*
 * Opens any input (input.h). On failure *pf needs no close. -EINVAL with a
 * sentence when it is no perf.data or its header makes no sense.
 */
int perf_file_open(struct perf_file *pf, const char *path, struct err *err);
/* The same from bytes that outlive pf. */
int perf_file_open_memory(struct perf_file *pf, const void *data, size_t len,
			  const char *name, struct err *err);
void perf_file_close(struct perf_file *pf);

/* 1 and *rec, 0 at the end. Containers (COMPRESSED) are unpacked, not given;
 * what is behind AUXTRACE and TRACING_DATA records is passed over. */
int perf_file_next(struct perf_file *pf, struct perf_record *rec, struct err *err);
/* Starts anew at the first record. */
void perf_file_rewind(struct perf_file *pf);

/*
 * Decodes a PERF_RECORD_SAMPLE. False when it is shorter than its event says,
 * or when no event of the file can have made it; *s is then undefined.
 */
bool perf_sample_parse(struct perf_file *pf, const struct perf_record *rec,
		       struct perf_sample *s);
/* pid, tid, time, cpu, id of a record that is no sample: from behind it. False
 * when the file keeps none (sample_id_all unset) or the record is too short. */
bool perf_record_id(struct perf_file *pf, const struct perf_record *rec,
		    struct perf_sample *s);

/* PERF_RECORD_MMAP and MMAP2; filename is no C string. */
struct perf_mmap {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *filename;
	size_t filename_len;
	unsigned char build_id[20];
	uint8_t build_id_len; /* 0: none */
	bool exec; /* executable, as far as the record tells */
};
bool perf_mmap_parse(const struct perf_file *pf, const struct perf_record *rec,
		     struct perf_mmap *m);

/* PERF_RECORD_COMM, FORK, EXIT. */
struct perf_task {
	uint32_t pid, tid;
	uint32_t ppid, ptid; /* FORK, EXIT */
	uint64_t time;	     /* FORK, EXIT: from the record; else 0 */
	const char *comm;    /* COMM; no C string */
	size_t comm_len;
	bool exec; /* COMM: by exec, where the kernel tells (3.16) */
};
bool perf_task_parse(const struct perf_file *pf, const struct perf_record *rec,
		     struct perf_task *t);
/* Records told lost by LOST and LOST_SAMPLES; 0 for other types. */
uint64_t perf_record_lost(const struct perf_file *pf, const struct perf_record *rec);

/* A string feature (HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID) or
 * string i of CMDLINE; a new string, NULL when there is none. */
char *perf_file_string(const struct perf_file *pf, enum perf_feature_bit bit);
char *perf_file_cmdline(const struct perf_file *pf);
/* CPUs that were there; 0: not told. */
uint32_t perf_file_nr_cpus(const struct perf_file *pf, uint32_t *online);
/* The machine's memory in KiB; 0: not told. */
uint64_t perf_file_total_mem_kb(const struct perf_file *pf);
/* The blob of HEADER_TRACING_DATA; data NULL when there is none. */
struct perf_section perf_file_tracing_data(const struct perf_file *pf);

/* Build ids of the BUILD_ID section, and in pipes of its records: call until
 * false, *pos starting at 0. */
struct perf_build_id {
	const char *filename; /* "[kernel.kallsyms]", a path; no C string */
	size_t filename_len;
	uint16_t misc; /* PERF_RECORD_MISC_KERNEL ... */
	unsigned char id[20];
	uint8_t len;
};
bool perf_file_build_id(const struct perf_file *pf, size_t *pos,
			struct perf_build_id *id);
bool perf_build_id_parse(const struct perf_file *pf, const struct perf_record *rec,
			 struct perf_build_id *id);

#endif
