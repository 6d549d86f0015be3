/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a timeline: what ran where and when, made in one walk over a trace
 * and asked for any window of time at any zoom.
 *
 * Two layers. Records: every switch and every mark (wakeup, migration, loss) of a
 * CPU, 16 bytes each, sorted by time, in a mapped temporary file. Buckets: per CPU
 * a fixed number of intervals of equal width that cover the whole trace; when time
 * runs beyond them their width is doubled and neighbours are merged, so memory
 * does not depend on the length. A column of the screen at least TL_COARSE
 * buckets wide is answered from buckets, a narrower one from records: at most
 * about TL_COARSE / TL_BUCKETS of all records per column.
 *
 * One thread adds, another asks: both hold the lock, the adder for short times.
 * Times are ns since the first event.
 */
#ifndef TUI_TL_INDEX_H
#define TUI_TL_INDEX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/strmap.h"
#include "schedblame/vocab.h"
#include "tl_store.h"

#define TL_IDLE 0	  /* task number of the idle task */
#define TL_UNKNOWN UINT32_MAX /* nobody knows who runs: before the first switch, in a
			       * loss of events */
#define TL_MAX_TIME ((1ULL << 56) - 1)

/* What runs from ts until the next slice of the CPU. */
struct tl_slice {
	uint64_t ts : 56, state : 8; /* in which the task before was left: enum task_state */
	uint32_t task;		     /* number */
	uint32_t wait;		     /* it waited before: 64 ns, saturated; 0: not known */
};

enum tl_mark_kind { TL_WAKEUP, TL_MIGRATE, TL_LOST };

struct tl_mark {
	uint64_t ts : 56, kind : 8; /* enum tl_mark_kind */
	uint32_t task;
	uint16_t cpu;	 /* WAKEUP: of the waker; MIGRATE: where it came from */
	uint16_t reason; /* MIGRATE: enum reason */
};

struct tl_bucket {
	uint32_t task, weight; /* who ran most, by majority vote over ns / 64 */
	uint32_t busy;	       /* of 2^32 - 1: share of the time */
	uint32_t worst_wait;   /* as in slices */
	uint16_t switches, wakeups, migrations, steals; /* saturated */
	uint8_t lost;
};

struct tl_cpu {
	struct tl_row slice, mark;
	struct tl_bucket *bucket;
	uint64_t filled; /* time up to which buckets know what ran */
};

struct tl_task {
	int32_t pid;
	uint32_t comm; /* in names */
	uint64_t run_ns, first, last;
	uint32_t migrations;
	uint16_t cpu; /* last seen there */
};

struct tl_wait {
	uint64_t end, ns;
	uint32_t task;
	uint16_t cpu;
};

#define TL_WORST 256

struct tl_index {
	pthread_mutex_t lock;
	atomic_uint waiting; /* askers that want the lock: the adder lets them first */
	struct tl_store store;
	struct tl_cpu *cpu; /* nr_cpus */
	unsigned nr_cpus;
	struct tl_task *task;
	size_t nr_tasks, cap_tasks;
	struct strmap names;
	uint32_t nr_buckets;
	uint64_t bucket_ns; /* a power of two */
	uint64_t end;	    /* last time seen */
	uint64_t events, steals, lost;
	struct tl_wait worst[TL_WORST]; /* a heap while adding, shortest first */
	unsigned nr_worst;
	bool finished;
	struct err err;	    /* why it ended early */
	double progress;    /* 0..1 */
};

void tl_init(struct tl_index *ix, unsigned nr_cpus);
void tl_release(struct tl_index *ix);

/* For who asks; the adder takes the mutex itself. */
void tl_lock(struct tl_index *ix);
void tl_unlock(struct tl_index *ix);

/* Adding, in order of time per CPU. task is the caller's number + 1, dense. The
 * caller holds the lock. -errno when the store is full. */
int tl_add_slice(struct tl_index *ix, unsigned cpu, uint64_t ts, uint32_t task,
		 unsigned state, uint64_t wait_ns);
int tl_add_mark(struct tl_index *ix, unsigned cpu, uint64_t ts, enum tl_mark_kind kind,
		uint32_t task, unsigned other_cpu, unsigned reason);
/* Names a task, new or not. */
void tl_name_task(struct tl_index *ix, uint32_t task, int32_t pid, const char *comm);
void tl_finish(struct tl_index *ix);

/* Asking, with the lock held. */
const char *tl_comm(const struct tl_index *ix, uint32_t task);
/* Number of slices that begin at or before ts: slice n - 1 runs at ts. */
size_t tl_slice_after(const struct tl_index *ix, unsigned cpu, uint64_t ts);
/* First mark at or after ts. */
size_t tl_mark_from(const struct tl_index *ix, unsigned cpu, uint64_t ts);
static inline const struct tl_slice *tl_slice(const struct tl_index *ix, unsigned cpu,
					      size_t i)
{
	return tl_at(&ix->store, &ix->cpu[cpu].slice, i);
}
static inline const struct tl_mark *tl_mark(const struct tl_index *ix, unsigned cpu,
					    size_t i)
{
	return tl_at(&ix->store, &ix->cpu[cpu].mark, i);
}
static inline uint64_t tl_wait_ns(uint32_t wait)
{
	return (uint64_t)wait * 64;
}

bool tl_is_steal(unsigned reason);
/* The first steal after (dir 1) or the last before (-1) ts on any CPU. */
bool tl_next_steal(const struct tl_index *ix, uint64_t ts, int dir, unsigned *cpu,
		   uint64_t *at);
/* The nth worst wait, 0 the longest; false when there are fewer. */
bool tl_worst(const struct tl_index *ix, unsigned nth, struct tl_wait *wait);

#endif
