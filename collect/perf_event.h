/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to collect/profile*.c: the kernel's sampling events, their rings, and
 * the writer of a perf.data file.
 */
#ifndef COLLECT_PERF_EVENT_H
#define COLLECT_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/strbuf.h"

/* Not a divisor or a multiple of any HZ, so that samples do not fall into step
 * with the tick and what runs from it. */
#define PROFILE_FREQUENCY 997

#define SAMPLE_TYPE                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
/* pid/tid, time, cpu, identifier behind every record that is no sample. */
#define SAMPLE_ID_SIZE 32
/* Bytes from the start of a sample to its time: header, id, ip, pid and tid. */
#define SAMPLE_TIME_OFFSET 32

/* ------------------------------------------------------------- writer */

/*
 * A perf.data file that grows while the workload runs. What was handed to
 * perf_writer_add() stands on disk as whole records or not at all: after a
 * write that failed (a full disk) the file is cut back to the last whole chunk
 * and everything later is dropped, so that what is there stays readable.
 */
struct perf_writer {
	int fd;
	uint64_t data_offset; /* of the first record */
	uint64_t end;	      /* of the last whole chunk */
	int code;	      /* positive errno of the first failed write */
	struct strbuf pending; /* small records not yet written */
};

/* An event as the file describes it. */
struct perf_writer_attr {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *id;
	size_t nr_ids;
};

/* Creates path in dirfd and writes header, ids and attributes. */
int perf_writer_open(struct perf_writer *w, int dirfd, const char *path,
		     const struct perf_writer_attr *attrs, size_t nr_attrs,
		     struct err *err);
/* Appends whole records. False when they could not be written. */
bool perf_writer_add(struct perf_writer *w, const void *a, size_t len_a,
		     const void *b, size_t len_b);
/* Collects small records; written by the next perf_writer_add() or flush. */
void perf_writer_put(struct perf_writer *w, const void *record, size_t len);
bool perf_writer_flush(struct perf_writer *w);

/* What the feature sections tell beside what the writer finds out itself. */
struct perf_writer_info {
	const struct perf_writer_attr *attrs;
	size_t nr_attrs;
	bool clock_monotonic;
	uint64_t first_ns, last_ns; /* time stamps of samples; 0: there are none */
};
/* Adds the feature sections and sets the final sizes in the header. */
int perf_writer_finish(struct perf_writer *w, const struct perf_writer_info *info,
		       struct err *err);
void perf_writer_close(struct perf_writer *w);

/* -------------------------------------------------------------- synth */

/* Records for what existed before the events did: the kernel's mapping and its
 * modules, every task's name and parent, every executable mapping. */
int perf_synth(struct perf_writer *w, struct err *err);

/* ------------------------------------------------------------ sampler */

struct sampler_cpu {
	int cpu;
	int fd, dummy_fd; /* -1: not open */
	uint64_t id, dummy_id;
	void *map; /* control page, then ring_size bytes */
};

struct sampler {
	struct perf_event_attr attr;  /* takes the samples */
	struct perf_event_attr dummy; /* tells of tasks and mappings */
	const char *event;	      /* "cycles", "cpu-clock" */
	size_t ring_size;
	struct sampler_cpu *cpu;
	size_t nr_cpus;
	uint64_t samples, lost, throttled; /* seen in the rings so far */
	uint64_t dropped; /* samples that the disk did not take */
	uint64_t first_ns, last_ns;
};

/* The event that counts here: *event and attr's type and config. Frequency is
 * brought below the kernel's limit. Returns 0 or -errno of the best try. */
int sampler_choose(struct perf_event_attr *attr, const char **event,
		   uint32_t frequency, const struct cpuset *cpus);
/* Opens on every CPU of the set: tracking runs from here, sampling does not. */
int sampler_open(struct sampler *s, const struct cpuset *cpus, uint32_t frequency,
		 bool callchains, struct err *err);
int sampler_enable(struct sampler *s, struct err *err);
void sampler_disable(struct sampler *s);
/* Moves what the rings hold to the file, one round; unless all is asked for,
 * only when a ring is a quarter full. */
void sampler_drain(struct sampler *s, struct perf_writer *w, bool all);
/* After the last round: samples the kernel lost without a record telling so. */
void sampler_count_lost(struct sampler *s, struct perf_writer *w);
void sampler_close(struct sampler *s);

#endif
