/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes over a stream of events, all in one walk.
 *
 * The run queue model (analyze/pass_model.c) turns events into steps: what they
 * mean given the state of each task and CPU. A pass sees the steps it asked
 * for, counts, and at the end adds series (docs/series.md) and rows.
 *
 * What spans a loss of events is not measured: the step carries UNKNOWN_NS.
 */
#ifndef SCHEDBLAME_PASS_H
#define SCHEDBLAME_PASS_H

#include <stdatomic.h>

#include "schedblame/event.h"
#include "schedblame/series.h"
#include "schedblame/topology.h"
#include "schedblame/trace_tables.h"

#define UNKNOWN_NS INT64_MIN

enum step_kind {
	STEP_SWITCH,	 /* prev left cpu, task came; NULL is the idle task */
	STEP_WAKEUP,	 /* task was woken by prev (NULL: not known) */
	STEP_MIGRATE,	 /* task moved from_cpu -> to_cpu; reason known now */
	STEP_WAIT_BEGIN, /* task waits on to_cpu */
	STEP_WAIT_MOVE,	 /* it waits on to_cpu instead of from_cpu */
	STEP_WAIT_END,	 /* it no longer waits on from_cpu */
	STEP_IDLE_BEGIN, /* to_cpu */
	STEP_IDLE_END,	 /* from_cpu; spent_ns: how long */
	STEP_NUMA,	 /* a NUMA balancing event, in ev */
	STEP_LOST,	 /* events of to_cpu were lost from ev->ts to ev->until */
	STEP_NR
};

/* State of a task in the model. */
enum run_state {
	RUN_UNKNOWN, /* not seen yet, or lost sight of */
	RUN_NEW,     /* forked, not woken yet */
	RUN_BLOCKED,
	RUN_WAKING,  /* sched_waking seen, sched_wakeup not yet */
	RUN_QUEUED,  /* waits for a CPU */
	RUN_RUNNING,
	RUN_DEAD,
};

struct task {
	uint32_t index;
	uint32_t comm; /* id in the stream */
	uint8_t run;	   /* enum run_state */
	uint8_t wait_kind; /* enum wait_kind, while it waits */
	uint8_t off_state; /* enum task_state it left the CPU in */
	uint8_t numa;	   /* EV_NUMA_* announced for it, 0 */
	bool waits;	   /* between WAIT_BEGIN and WAIT_END */
	bool long_wait;	   /* idle pass: beyond the grace time */
	uint16_t cpu;	   /* runs or waits there, or last did */
	uint16_t last_cpu; /* last ran there; CPU_NONE */
	uint16_t waker_cpu, woken_cpu;
	uint16_t numa_dest;
	uint64_t wait_since;   /* what a wait is measured from; 0: not known */
	uint64_t queued_since; /* when WAIT_BEGIN was emitted */
	uint64_t run_since;  /* 0: not known */
	uint64_t last_ran;   /* switched out; 0: not known */
	uint64_t woken_early; /* sched_waking came while it ran; 0 */
	struct task *waker;
	struct task *next_wait, *prev_wait; /* idle pass: those within grace */
	struct trace_task row;
};

struct cpu {
	uint16_t number;
	bool known;	       /* current is known */
	struct task *current;  /* NULL: idle */
	uint64_t since;	       /* current's switch-in; 0: not known */
	uint32_t queued;       /* tasks that wait there */
	bool idle;	       /* between IDLE_BEGIN and IDLE_END */
	uint64_t last_ts;
	struct trace_cpu row;
};

struct step {
	enum step_kind kind;
	const struct event *ev;
	struct task *task, *prev;
	uint16_t from_cpu, to_cpu;
	int64_t spent_ns; /* SWITCH: prev ran; IDLE_END: idled; MIGRATE: since it last
			   * ran on from_cpu */
	int64_t waited_ns; /* SWITCH: task waited */
	enum wait_kind wait_kind; /* SWITCH: what is over; WAKEUP: what begins,
				   * NONE: the task had not blocked yet */
	enum distance distance; /* SWITCH: as the wait histograms have it;
				 * WAKEUP, MIGRATE: from_cpu to to_cpu */
	enum reason reason;
};

struct walk;

struct pass_ops {
	const char *name;
	unsigned steps; /* mask of 1 << enum step_kind */
	void *(*init)(struct walk *w);
	void (*step)(void *self, struct walk *w, const struct step *s);
	/* Adds to w->series and w->tables. */
	void (*finish)(void *self, struct walk *w);
	void (*release)(void *self);
};

struct pass {
	const struct pass_ops *ops;
	void *self;
};

#define PASSES_MAX 16

/* Who gets a kind of step: compact, since every event walks such a list. */
struct subscriber {
	void (*step)(void *self, struct walk *w, const struct step *s); /* NULL ends */
	void *self;
};

struct walk {
	struct event_stream *stream;
	const struct topology *topology; /* may be the unknown one */
	uint64_t grace_ns;
	struct series_set *series;
	struct trace_tables *tables;
	struct pass pass[PASSES_MAX];
	unsigned nr_passes;
	/* by kind: the passes that asked for it */
	struct subscriber subscriber[STEP_NR][PASSES_MAX + 1];
	struct cpu **cpu; /* by number */
	unsigned nr_cpus;
	uint64_t first_ts, last_ts;
	uint64_t before; /* time of the event before */
	uint64_t gap_until; /* no pair that began before may be measured */
	bool saw[EV_NR]; /* types that came at least once */
	uint64_t dropped_gap, unpaired, backwards, inconsistent;
	struct model *model;
	void *arg; /* of the caller's own passes */
};

struct walk_options {
	uint64_t grace_ns; /* idle while work waits; 0: 1 ms */
	const struct pass_ops *const *extra; /* the caller's passes, NULL ends them */
	void *arg;			     /* they find it in walk->arg */
	const atomic_bool *stop; /* set by another thread: the walk ends early */
	bool quiet;		 /* no progress on the terminal */
	bool alone;		 /* without the standard passes */
};

/* The standard passes over a whole stream. Fills series and tables, which the
 * caller has initialised (trace_tables_new()). -ECANCELED when it was stopped;
 * opts may be NULL. */
int walk_stream(struct event_stream *stream, const struct topology *topology,
		const struct walk_options *opts, struct series_set *series,
		struct trace_tables *tables, struct err *err);

struct cpu *walk_new_cpu(struct walk *w, unsigned number);
/* CPU by number, made if new; NULL for impossible ones. */
static inline struct cpu *walk_cpu(struct walk *w, unsigned number)
{
	if (__builtin_expect(number < w->nr_cpus && w->cpu[number] != NULL, 1))
		return w->cpu[number];
	return walk_new_cpu(w, number);
}
/* What was not recorded is not zero: a pass declares only what it saw. */
static inline bool walk_saw(const struct walk *w, enum event_type type)
{
	return w->saw[type];
}
/* kind is s->kind: told apart, since it is a constant wherever steps are made. */
static inline void walk_emit(struct walk *w, enum step_kind kind, const struct step *s)
{
	for (const struct subscriber *p = w->subscriber[kind]; p->step; p++)
		p->step(p->self, w, s);
}

/* The passes, one a file. */
extern const struct pass_ops pass_switch, pass_wait, pass_wake, pass_migrate, pass_idle,
	pass_numa, pass_map;

#endif
