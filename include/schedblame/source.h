/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of collect: something that watches while the workload runs and
 * writes its files into the run directory. Sources know nothing of each other;
 * collect drives them through this table, doctor calls only probe.
 *
 * Order per repeat:	probe (once a command) -> open -> start -> [workload] ->
 *			stop -> write -> close
 * open does what is slow (load programs, map buffers) so that start and stop
 * are short. close undoes everything, is called whatever happened before, and
 * may be called from no signal handler: signals only set a flag.
 */
#ifndef SCHEDBLAME_SOURCE_H
#define SCHEDBLAME_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/json.h"
#include "schedblame/topology.h"

/* What doctor says about one ability. */
enum probe_state { PROBE_WORKS, PROBE_LIMITED, PROBE_FAILS };
struct probe {
	enum probe_state state;
	int code;    /* positive errno of the refusal, 0 */
	char *what;  /* "cpu-clock, no hardware counters": how it works here */
	char *why;   /* likely cause of a refusal or limit; NULL when it works */
	char *advice; /* what to do about it; NULL */
};
void probe_release(struct probe *probe);
/* Fills an empty probe with copies; any text may be NULL. */
void probe_say(struct probe *probe, enum probe_state state, int code, const char *what,
	       const char *why, const char *advice);

struct collect_config {
	uint32_t frequency;	/* -F, samples per second and CPU */
	bool callchains;	/* --call-graph */
	struct cpuset cpus;	/* --cpus; empty: all online */
	uint64_t grace_ns;	/* idle while work waits */
	uint64_t trace_buffer_kb; /* per CPU */
	const char *latency;	/* --latency list; NULL: the default set */
	const char *migration_cost; /* --migration-cost FILE; NULL */
};

/* Given to every call; owned by collect. */
struct session {
	const struct collect_config *config;
	const struct topology *topology;
	int dirfd;	      /* of the run directory being written; -1 before */
	const char *dir;      /* its path, for sentences */
	int workload_pid;     /* 0: none yet, or --duration */
	struct cpuset online; /* CPUs to watch: config->cpus or all online */
};

struct source;

struct source_ops {
	const char *name; /* as in --with NAME and run.json "sources" */
	const char *help;
	bool by_default;
	/* Really tries, then cleans up. Never fails: it says so in probe. */
	void (*probe)(const struct session *s, struct probe *probe);
	int (*open)(struct source **src, const struct session *s, struct err *err);
	int (*start)(struct source *src, const struct session *s, struct err *err);
	/* Called about ten times a second while the workload runs; may be NULL. */
	int (*poll)(struct source *src, const struct session *s, struct err *err);
	int (*stop)(struct source *src, const struct session *s, struct err *err);
	/*
	 * Writes files into s->dirfd and fills info (an object: what was lost,
	 * throttled, which method was used), which becomes run.json
	 * sources.NAME. "lost" is the conventional key for a count of losses.
	 */
	int (*write)(struct source *src, const struct session *s, json_t *info,
		     struct err *err);
	void (*close)(struct source *src);
};

extern const struct source_ops source_host;	/* collect/host.c */
extern const struct source_ops source_counters; /* collect/counters.c */
extern const struct source_ops source_sched;	/* collect/sched.c, BPF */
extern const struct source_ops source_numa;	/* collect/numa.c, BPF */
extern const struct source_ops source_profile;	/* collect/profile.c */
extern const struct source_ops source_trace;	/* collect/trace.c, tracefs */
extern const struct source_ops source_latency;	/* collect/latency.c, BPF */

#endif
