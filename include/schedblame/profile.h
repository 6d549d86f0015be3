/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: where one run spent its time, as counts per symbol and, where the
 * input has call chains, per node of a call tree; one event only.
 *
 * Everything is an index: strings live once in p->strings, symbols refer to
 * them, tree nodes refer to symbols. Ids are dense and never change, so a
 * reader of samples keeps its own address -> symbol id cache and the hot path is
 *
 *	profile_add(p, sym, 1, period);
 *
 * without a look at a string and without an allocation.
 *
 * Invariants: symbol 0 is the line "user mode" and symbol 1 is "[unknown]",
 * both there from profile_init() on; node 0 is the root and has no symbol.
 * p->samples is the sum over symbols of samples, p->weight of weight. With
 * chains, the self counts of all nodes have the same sums, except for samples
 * that were added without a chain.
 */
#ifndef SCHEDBLAME_PROFILE_H
#define SCHEDBLAME_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/strmap.h"
#include "schedblame/u64map.h"

enum profile_space {
	SPACE_KERNEL,
	SPACE_USER,
	SPACE_HYPERVISOR,
	SPACE_GUEST_KERNEL,
	SPACE_GUEST_USER,
	SPACE_UNKNOWN, /* the input does not tell (folded stacks, pprof) */
	NR_SPACES,
};
extern const char *const profile_space_name[NR_SPACES]; /* "kernel", ... */

#define PROFILE_USER 0	  /* symbol id: all of user mode as one line */
/* Stands as the caller of the outermost frame that a recorder with a limit kept. */
#define PROFILE_CHAIN_CUT "[chain cut here]"
#define PROFILE_UNKNOWN 1 /* symbol id: an address that no symbol covers */
#define PROFILE_ROOT 0	  /* node id */
#define PROFILE_NONE UINT32_MAX

/* What samples are part of by their callers, with the names of data/callers.tsv. */
#define PROFILE_PARTS(X)                                                       \
	X(NUMA, "NUMA balancing")                                              \
	X(SOFTIRQ_BALANCE, "softirq: load balance")                            \
	X(SOFTIRQ_NETWORK, "softirq: network")                                 \
	X(SOFTIRQ, "softirq") /* the rest */
#define PROFILE_PART_ID(id, name) PART_##id,
enum profile_part { PROFILE_PARTS(PROFILE_PART_ID) NR_PROFILE_PARTS };
extern const char *const profile_part_name[NR_PROFILE_PARTS];

struct profile_symbol {
	uint32_t name;	 /* id in strings, raw as the kernel prints it */
	uint32_t module; /* id: "" for vmlinux and where not known; "ext4", "libc.so.6" */
	uint32_t file;	 /* id of the source file, "" where not known */
	uint8_t space;	 /* enum profile_space */
	bool idle;	 /* the CPU did nothing: kept out of shares */
	bool inlined;	 /* samples were attributed to it through its inlined body */
	uint64_t addr, size; /* in the module; size 0: not known */
	uint64_t samples;    /* self */
	double weight;	     /* self, in unit: sum of sample periods */
	/* Of weight, as far as the samples' chains tell; no sample is in two parts.
	 * perf.data only, and only without options.chains. */
	double part[NR_PROFILE_PARTS];
};

struct profile_node {
	uint32_t parent; /* node id; the root is its own parent */
	uint32_t symbol;
	uint64_t samples; /* self; see profile_tree_totals() for subtrees */
	double weight;
};

/* A body of code that samples fell into: of several functions of one name, each
 * is its own. Kept only when options.addresses. */
struct profile_body {
	uint32_t symbol; /* the function itself, never one inlined in it */
	uint64_t start, size; /* link-time address; kernel modules: see kernel_slide */
};

/* One instruction address, kept only when options.addresses. */
struct profile_address {
	uint32_t body;
	uint32_t offset; /* bytes from the start of the body */
	uint32_t symbol; /* that the samples count for: one inlined there, or the
			    body's own */
	uint64_t samples;
	double weight;
};

/* A module (DSO) whose symbols were used; for debug information and warnings. */
struct profile_module {
	uint32_t name;	     /* as in symbols: "" is vmlinux */
	char *path;	     /* file it was loaded from, "" when not known */
	unsigned char build_id[20];
	uint8_t build_id_len; /* 0: not known */
};

/*
 * Names the functions inlined at an address, so that a function inlined in one
 * kernel only is still one row in both. Called once per distinct address.
 * Gives at most max name ids (from strings), outermost first, without the
 * symbol itself: 0 when nothing is inlined there or nothing is known. addr is
 * the address in the module's file (link-time), after KASLR and load bias.
 */
struct profile_inliner {
	size_t (*expand)(void *data, struct strmap *strings, uint32_t module,
			 const char *symbol, uint64_t addr, uint32_t *names,
			 uint32_t *files, size_t max);
	void *data;
};

/* Whether samples of a timer (cpu-clock) that fall on a function that turns
 * interrupts back on (data/irq-enabling.tsv) are charged to its nearest caller that
 * is none, as far as the samples' chains tell. Without, the counts are those of
 * perf report. */
enum profile_unskid {
	UNSKID_RUNS, /* our own runs, whose profiles are sampled so; not foreign files */
	UNSKID_ALWAYS,
	UNSKID_NEVER,
};

/* What to ask a reader for: UNSKID_ALWAYS or UNSKID_NEVER. The one place that decides. */
static inline int profile_unskid(int wanted, bool foreign)
{
	return wanted == UNSKID_RUNS ? (foreign ? UNSKID_NEVER : UNSKID_ALWAYS) : wanted;
}

struct profile_options {
	bool user_symbols; /* else all of user mode is symbol PROFILE_USER */
	bool chains;	   /* keep call chains where the input has them */
	bool addresses;	   /* keep counts per instruction (--annotate) */
	int unskid; /* enum profile_unskid; readers of a file move only when ALWAYS */
	const char *event; /* NULL: the first event that has samples */
	const char *comm;  /* only samples of this task name; NULL: all */
	const char *kallsyms; /* file (plain, .zst) to resolve kernel addresses */
	const char *vmlinux;  /* NULL: by build id from the usual places */
	const struct profile_inliner *inliner; /* NULL: no debug information */
};

struct profile {
	struct strmap strings;
	struct profile_symbol *symbol;
	size_t nr_symbols, cap_symbols;
	struct profile_node *node; /* nr_nodes == 1: no call chains */
	size_t nr_nodes, cap_nodes;
	struct profile_body *body;
	size_t nr_bodies, cap_bodies;
	struct profile_address *address;
	size_t nr_addresses, cap_addresses;
	uint64_t kernel_slide; /* kernel: recorded address minus that of a body */
	struct profile_module *module;
	size_t nr_modules, cap_modules;

	uint64_t samples; /* idle included */
	double weight;
	uint64_t idle_samples;
	double idle_weight;
	uint64_t lost;	    /* samples that the recorder dropped */
	uint64_t throttled; /* times the kernel throttled the event */
	uint64_t unchained; /* samples added without a chain */

	char *event;  /* "cycles", "cpu-clock", "ticks"; "" when not known */
	char *unit;   /* of weight: "cycles", "ns", "ticks", "samples" */
	bool estimated; /* samples were computed from printed percentages */
	bool chained; /* samples of kernel mode came with their callers; those parts can be told */
	bool fixed_period; /* every sample weighs the same: weight/samples */
	uint64_t duration_ns; /* first to last sample or header; 0: not known */
	unsigned nr_cpus;     /* that were sampled; 0: not known */
	double frequency;     /* samples per second and CPU asked for; 0: not known */
	char *format;	      /* "perf.data", "readprofile", ... */
	char *path;	      /* as given */
	char *kernel_release; /* "" when not known */
	char *arch;	      /* "x86_64", "" when not known */
	uint32_t kallsyms_hash; /* of the symbols used; 0: not known */
	struct notes notes;

	/* builder state */
	struct u64map pairs, keys, edges, bodies, spots;
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
/* Replaces one of the owned strings: profile_set(&p->event, "cycles"). */
void profile_set(char **field, const char *value);

/*
 * The id of symbol (name, module, file, space), made with zero counts if new.
 * module and file may be NULL or "". Idle functions are recognised by name.
 * Not for the hot path: cache the id.
 */
uint32_t profile_symbol(struct profile *p, const char *name, const char *module,
			const char *file, enum profile_space space);
/* The same by string ids of p->strings. */
uint32_t profile_symbol_ids(struct profile *p, uint32_t name, uint32_t module,
			    uint32_t file, enum profile_space space);
const char *profile_name(const struct profile *p, uint32_t symbol);
const char *profile_module_name(const struct profile *p, uint32_t symbol);
const char *profile_file_name(const struct profile *p, uint32_t symbol);
/* True for kernel functions in which an idle CPU waits. */
bool profile_is_idle_name(const char *name);
/* Adds a module record or finds the one of that name (never NULL). */
struct profile_module *profile_add_module(struct profile *p, const char *name);

static inline void profile_add(struct profile *p, uint32_t symbol, uint64_t samples,
			       double weight)
{
	struct profile_symbol *s = &p->symbol[symbol];

	s->samples += samples;
	s->weight += weight;
	p->samples += samples;
	p->weight += weight;
	if (s->idle) {
		p->idle_samples += samples;
		p->idle_weight += weight;
	}
}

/* Child of node for symbol, made if new. Cheap (one hash lookup). */
uint32_t profile_child(struct profile *p, uint32_t node, uint32_t symbol);
/*
 * A sample with its chain, symbol ids leaf first as perf gives them; the leaf
 * gets the self counts (this calls profile_add()). n 0 is refused silently.
 * Chains longer than PROFILE_CHAIN_MAX are cut at the root end.
 */
#define PROFILE_CHAIN_MAX 512
void profile_add_chain(struct profile *p, const uint32_t *symbols, size_t n,
		       uint64_t samples, double weight);
/* Self counts of a node only: for readers that walk the tree themselves and
 * call profile_add() for the symbol. */
void profile_node_add(struct profile *p, uint32_t node, uint64_t samples,
		      double weight);
/* The id of a body of symbol, made if new. */
uint32_t profile_body(struct profile *p, uint32_t symbol, uint64_t start, uint64_t size);
/* Counts of an instruction; does not touch the symbol's own counts. */
void profile_add_address(struct profile *p, uint32_t body, uint32_t offset,
			 uint32_t symbol, uint64_t samples, double weight);
/*
 * Totals of every subtree into samples[nr_nodes] and weight[nr_nodes] (either
 * may be NULL). Parents stand before children, so one backward walk does it.
 */
void profile_tree_totals(const struct profile *p, uint64_t *samples, double *weight);
/* Counts that are not idle. */
uint64_t profile_busy_samples(const struct profile *p);
double profile_busy_weight(const struct profile *p);

/* ---- readers: analyze/prof_*.c (text, pprof) and analyze/perf_profile.c ---- */

/* perf.data in all its forms: analyze/perf_profile.c. p is initialised here. */
int profile_from_perf(struct profile *p, const char *path,
		      const struct profile_options *options, struct err *err);

/*
 * Any profile file, recognised by content: perf.data, perf report and perf
 * script text, readprofile, opreport, folded stacks, pprof, bpftrace stacks.
 * options may be NULL (user mode as one line where the input can tell, no
 * chains). On failure p is empty and released; -ENOEXEC with a sentence when
 * the content is of no known profile format.
 */
int profile_load(struct profile *p, const char *path,
		 const struct profile_options *options, struct err *err);
/* Text and pprof from bytes (no perf.data); name stands in sentences. */
int profile_load_memory(struct profile *p, const void *data, size_t len,
			const char *name, const struct profile_options *options,
			struct err *err);
/* Name of the recognised format ("folded", ...), NULL when none. */
const char *profile_recognise(const void *head, size_t len);

#endif
