/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to analyze/perf_*.c: which file is mapped where, per process and
 * time. Built by one walk over the records that are no samples, because the
 * rings of different CPUs stand in the file one after the other: a sample may
 * stand before the mapping that it hit.
 *
 * A process is one space until it execs, then another; a forked child looks
 * into its parent's space as it was at the fork.
 */
#ifndef ANALYZE_PERF_SPACE_H
#define ANALYZE_PERF_SPACE_H

#include "perf_parts.h"
#include "schedblame/strmap.h"

struct perf_map {
	uint64_t start, end, pgoff;
	uint64_t time;	/* known from then on; 0: from the beginning */
	uint64_t reach; /* greatest end of this and all before it in the order */
	uint32_t file;	/* id in perf_spaces.files */
};

struct perf_epoch {
	uint64_t from;	      /* time of the fork or exec that began it */
	uint32_t parent;      /* epoch to look into, UINT32_MAX: none */
	uint64_t parent_time; /* as it was then */
	uint32_t next;	      /* of the same process, later; UINT32_MAX: none */
	struct perf_map *map; /* sorted by start, then time */
	size_t n, cap;
};

struct perf_process {
	uint32_t first, last, nr; /* epochs */
};

struct perf_mapped_file {
	unsigned char build_id[20];
	uint8_t build_id_len;
};

struct perf_spaces {
	struct u64map pids;
	struct perf_process *proc; /* by pid number */
	size_t cap_proc;
	struct perf_epoch *epoch;
	size_t nr_epochs, cap_epochs;
	struct strmap files;	/* paths */
	struct perf_mapped_file *file; /* by file id */
	size_t nr_files, cap_files;
	struct perf_epoch kernel; /* the image and the modules */
	bool timed; /* records carry times: without, all is known always */
};

/* Walks the file, which is rewound afterwards: to its end for the sake of
 * processes, else to the first sample, for the kernel alone. */
void perf_spaces_build(struct perf_spaces *s, struct perf_file *pf, bool processes);
void perf_spaces_release(struct perf_spaces *s);
/* The epoch of a process at a time; UINT32_MAX: never heard of. */
uint32_t perf_spaces_epoch(const struct perf_spaces *s, uint32_t pid, uint64_t time);
/* What is mapped there; NULL: nothing known. */
const struct perf_map *perf_spaces_find(const struct perf_spaces *s, uint32_t epoch,
					uint64_t addr, uint64_t time);
const struct perf_map *perf_spaces_find_kernel(const struct perf_spaces *s, uint64_t addr);

#endif
