/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to collect/latency*.c. A target is one function to be timed: what was
 * asked, and how this kernel lets it be done.
 *
 *	latency.c	the source: open, start, stop, write
 *	latency_target.c	from names to targets: symbols, renames, containers
 *	latency_attach.c	a target's BPF object, its probes and its counts
 *	latency_inline.c	the body of an inlined function, from DWARF
 *	latency_ftrace.c	all targets by the function graph tracer, without BPF
 *	latency_edges.c		every way into and out of it, by disassembly
 */
#ifndef COLLECT_LATENCY_PRIVATE_H
#define COLLECT_LATENCY_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "latency_shared.h"
#include "schedblame/err.h"
#include "schedblame/kallsyms.h"
#include "schedblame/series.h"
#include "schedblame/source.h"

enum latency_via { VIA_FUNCTION, VIA_INLINED, VIA_CONTAINER };

struct addresses {
	uint64_t *v; /* owned, sorted, distinct */
	size_t n, cap;
};
void addresses_add(struct addresses *a, uint64_t addr);
void addresses_release(struct addresses *a);

struct address_range {
	uint64_t lo, hi;
};

/* An inlined body inside its container; all addresses of the running kernel. */
struct inlined_body {
	struct address_range *range; /* owned, sorted */
	size_t nr_ranges;
	unsigned copies;
	struct addresses entries, landings;
};
void inlined_body_release(struct inlined_body *body);

struct latency_target {
	char *asked;	/* as the user wrote it */
	char *function; /* that is timed, suffix stripped; newest name */
	char *symbol;	/* as kallsyms has it; for inlined: the container's */
	uint64_t addr;	/* of symbol */
	enum latency_via via;
	enum latency_caller_by caller_by;
	unsigned caller_arg;
	bool scan; /* asked as "NAME:scanned": count the CPUs it looks at */
	struct inlined_body body; /* VIA_INLINED */
};
void latency_target_release(struct latency_target *t);

/*
 * From a list "a,b" (NULL: the default set) to targets. A name that this kernel
 * has in no form becomes a note. bodies: a function's body inside another may be
 * probed. Functions that would be timed twice (two names
 * with one container) appear once.
 */
struct latency_targets {
	struct latency_target *v;
	size_t n, cap;
	struct notes notes;
};
int latency_targets_find(struct latency_targets *t, const char *list, bool bodies,
			 struct err *err);
void latency_targets_release(struct latency_targets *t);

/*
 * The body of function inside the kernel's symbol container, from the running
 * kernel's vmlinux with debug information. -ENOENT: no debug information, or it
 * was not inlined there.
 */
int inlined_body_find(struct inlined_body *body, const char *function,
		      const struct ksym *container, struct kallsyms *ks,
		      struct err *err);
/* The same from a given vmlinux, whose kernel ks describes. */
int inlined_body_load(struct inlined_body *body, const char *path, const char *function,
		      const struct ksym *container, struct kallsyms *ks,
		      struct err *err);
/* The path of the running kernel's vmlinux with DWARF, NULL: none. To be freed. */
char *vmlinux_find(void);

/* A piece of the container: its main part, .cold; bytes as in vmlinux. */
struct code_part {
	uint64_t addr;
	size_t len;
	const uint8_t *code;
};
/* A static branch of the kernel's __jump_table. */
struct code_jump {
	uint64_t from, to;
};
/*
 * Entries and landings of body->range in the container. -ENOTSUP when control
 * flow cannot be followed (an indirect jump inside the body).
 */
int inlined_edges(struct inlined_body *body, const struct code_part *part,
		  size_t nr_parts, const struct code_jump *jump, size_t nr_jumps,
		  struct err *err);

/* A target being timed. */
struct latency_probe;
int latency_attach(struct latency_probe **probe, const struct latency_target *t,
		   struct err *err);
/* Counts on these CPUs, on none: NULL. */
void latency_activate(struct latency_probe *probe, const struct cpuset *cpus);
/* "fentry" or "kprobe". */
const char *latency_method(const struct latency_probe *probe);
void latency_to_series(const struct latency_probe *probe, const struct latency_target *t,
		       struct series_set *set);
void latency_detach(struct latency_probe *probe);

/* In sched_series.c. */
void series_add_sched_hist(struct series_set *set, const char *name,
			   const struct label *labels, size_t nr_labels,
			   const struct sched_hist *h);

#endif
