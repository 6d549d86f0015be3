/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The head of a trace.dat file, version 6 or 7: where what lies. */
#ifndef ANALYZE_TRACE_DAT_H
#define ANALYZE_TRACE_DAT_H

#include "event_layout.h"
#include "schedblame/input.h"
#include "schedblame/strbuf.h"
#include "trace_shift.h"

#include <sys/types.h>

enum dat_codec { CODEC_NONE, CODEC_ZLIB, CODEC_ZSTD };

struct dat_cpu {
	unsigned cpu;
	uint64_t offset, size; /* checked to lie in the file */
};

/* One trace instance. */
struct dat_buffer {
	char *name;  /* "" for the top one */
	char *clock;
	size_t page_size;
	bool compressed; /* pages come in chunks */
	bool text;	 /* offset and size of cpu[0] are a text, no pages */
	struct dat_cpu *cpu;
	unsigned nr_cpus;
};

struct dat_file {
	const uint8_t *data; /* outlives it */
	size_t len;
	int fd; /* the same, for pread; -1: none */
	bool mapped; /* pages may be given back to the kernel */
	char *path;
	int version;
	bool swap, big_endian;
	enum dat_codec codec;
	/* ring buffer page: from header_page */
	size_t page_size, data_offset, commit_offset;
	unsigned commit_size, ts_size;
	struct event_layouts *layouts;
	struct dat_buffer *buffer;
	unsigned nr_buffers;
	char *clock, *uname, *writer;
	struct strbuf cpustat;	/* texts of per_cpu/cpuN/stats, "CPU: N" before each */
	struct strbuf cmdlines; /* "PID COMM" lines */
	int64_t ts_offset;	/* options DATE and OFFSET */
	uint32_t tsc_mult, tsc_shift; /* option TSC2NSEC; mult 0: none */
	uint64_t tsc_offset;
	bool guest; /* has option TIME_SHIFT: recorded in a guest */
	struct time_shift shift;
	unsigned nr_cpus;
	struct notes notes;
};

/* in must outlive d. dat_close() also after a failure. */
int dat_open(struct dat_file *d, const struct input *in, struct err *err);
void dat_close(struct dat_file *d);

/* A bounded walk over bytes of the file's byte order. After an overrun, bad is
 * set, everything read is 0 and stays so. */
struct dat_cursor {
	const uint8_t *base, *p, *end;
	bool swap, bad;
};
uint16_t dat_u16(struct dat_cursor *c);
uint32_t dat_u32(struct dat_cursor *c);
uint64_t dat_u64(struct dat_cursor *c);
/* n bytes, or NULL. */
const uint8_t *dat_bytes(struct dat_cursor *c, uint64_t n);
/* A NUL-terminated string, or NULL. */
const char *dat_string(struct dat_cursor *c);

/* The parts that versions 6 and 7 share; each reads from c. */
int dat_read_headers(struct dat_file *d, struct dat_cursor *c, struct err *err);
int dat_read_ftrace_formats(struct dat_file *d, struct dat_cursor *c, struct err *err);
int dat_read_event_formats(struct dat_file *d, struct dat_cursor *c, struct err *err);
int dat_read_cmdlines(struct dat_file *d, struct dat_cursor *c, struct err *err);
/* One option of those that need no further reading. */
void dat_take_option(struct dat_file *d, unsigned id, struct dat_cursor *option);
struct dat_buffer *dat_add_buffer(struct dat_file *d, const char *name, const char *clock);
void dat_add_cpu(struct dat_file *d, struct dat_buffer *b, unsigned cpu, uint64_t offset,
		 uint64_t size);
int dat_truncated(struct dat_file *d, const struct dat_cursor *c, const char *what,
		  struct err *err);

int dat_read_v6(struct dat_file *d, struct dat_cursor *c, struct err *err);
int dat_read_v7(struct dat_file *d, struct dat_cursor *c, struct err *err);

/* Unpacks a chunk; out holds out_len bytes. Returns bytes made or -errno. */
ssize_t dat_unpack(enum dat_codec codec, const void *in, size_t in_len, void *out,
		   size_t out_len);

/* Options of both versions. */
enum {
	DAT_OPTION_DONE = 0,
	DAT_OPTION_DATE = 1,
	DAT_OPTION_CPUSTAT = 2,
	DAT_OPTION_BUFFER = 3,
	DAT_OPTION_TRACECLOCK = 4,
	DAT_OPTION_UNAME = 5,
	DAT_OPTION_OFFSET = 7,
	DAT_OPTION_CPUCOUNT = 8,
	DAT_OPTION_VERSION = 9,
	DAT_OPTION_TIME_SHIFT = 12,
	DAT_OPTION_TSC2NSEC = 14,
	DAT_OPTION_HEADER_INFO = 16,
	DAT_OPTION_FTRACE_EVENTS = 17,
	DAT_OPTION_EVENT_FORMATS = 18,
	DAT_OPTION_CMDLINES = 21,
	DAT_OPTION_BUFFER_TEXT = 22,
};

#define DAT_PAGE_MAX (1u << 26)
#define DAT_CPUS_MAX 65535
#define DAT_CHUNK_MAX (64u << 20)
#define DAT_SECTION_MAX (512u << 20)

#endif
