/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduler events, whoever recorded them: plain data of 32 bytes, names as ids,
 * and the iterator that yields them in the order of time.
 *
 * Times are nanoseconds of the trace's own clock plus the offset the user gave;
 * event_stream.first is the earliest. Streams recorded by counters (clock
 * "counter", "x86-tsc" without conversion) carry ticks: see .unit_known.
 *
 * Bounded memory: the stream holds batches of decoded events, never the file.
 */
#ifndef SCHEDBLAME_EVENT_H
#define SCHEDBLAME_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/input.h"
#include "schedblame/strmap.h"

/* id, name of the tracepoint. OTHER is counted and never delivered. */
#define EVENT_LIST(X)                                                          \
	X(OTHER, "other")                                                      \
	X(SWITCH, "sched_switch")                                              \
	X(WAKING, "sched_waking")                                              \
	X(WAKEUP, "sched_wakeup")                                              \
	X(WAKEUP_NEW, "sched_wakeup_new")                                      \
	X(MIGRATE, "sched_migrate_task")                                       \
	X(FORK, "sched_process_fork")                                          \
	X(EXEC, "sched_process_exec")                                          \
	X(EXIT, "sched_process_exit")                                          \
	X(RENAME, "task_rename")                                               \
	X(NUMA_MOVE, "sched_move_numa")                                        \
	X(NUMA_SWAP, "sched_swap_numa")                                        \
	X(NUMA_STICK, "sched_stick_numa")                                      \
	X(LOST, "lost")

#define X(id, name) EV_##id,
enum event_type { EVENT_LIST(X) EV_NR };
#undef X

/* State of the task that is switched out, by its letter. */
#define TASK_STATE_LIST(X)                                                     \
	X(RUNNABLE, 'R', "runnable")                                           \
	X(SLEEPING, 'S', "sleeping")                                           \
	X(DISK, 'D', "uninterruptible")                                        \
	X(STOPPED, 'T', "stopped")                                             \
	X(TRACED, 't', "traced")                                               \
	X(DEAD, 'X', "dead")                                                   \
	X(ZOMBIE, 'Z', "zombie")                                               \
	X(PARKED, 'P', "parked")                                               \
	X(IDLE, 'I', "kernel thread without work")                             \
	X(OTHER, '?', "other")

#define X(id, letter, title) TASK_##id,
enum task_state { TASK_STATE_LIST(X) TASK_STATE_NR };
#undef X

#define COMM_NONE STRMAP_NONE
#define CPU_NONE UINT16_MAX /* CPUs of a trace are below */

struct event {
	uint64_t ts;
	union {
		struct {
			int32_t pid;  /* next; woken; moved; child; exec'd; exiting */
			int32_t pid2; /* prev; elsewhere the task that ran (waker, parent) */
		};
		uint64_t until; /* LOST: the first time that is known again */
	};
	uint32_t comm; /* id of pid's name, COMM_NONE: not in the event */
	union {
		uint32_t comm2;	   /* SWITCH: prev's name; EXEC: old pid */
		uint32_t dest_cpu; /* MIGRATE, NUMA_* */
		uint32_t count;	   /* LOST: how many events, 0: not known */
	};
	uint16_t cpu;  /* where it happened; LOST: CPU_NONE for all CPUs */
	uint16_t cpu2; /* target of a wakeup, origin of a migration; else CPU_NONE */
	uint8_t type;  /* enum event_type */
	uint8_t state; /* SWITCH: enum task_state of prev */
	int16_t prio;  /* kernel's priority of pid: < 0 deadline, < 100 real time */
};

const char *event_type_name(enum event_type type);
/* The type with that tracepoint name, or EV_OTHER. */
enum event_type event_type_by_name(const char *name, size_t len);
char task_state_letter(enum task_state state);
const char *task_state_title(enum task_state state);

/* What a reader met, whole once the end was reached. */
struct event_counts {
	uint64_t events;	/* records of events, of any kind */
	uint64_t by_type[EV_NR];
	uint64_t malformed;	/* too short, bad lengths; skipped */
	uint64_t lost;		/* events the recorder says it lost */
	uint64_t gaps;		/* places where it lost some, even if not how many */
};

struct event_stream;

/* What a file says about names of tasks, beside the events. */
struct pid_name {
	int32_t pid;
	uint32_t comm;
};

struct event_stream_ops {
	/* Sets pos, end and limit to a non-empty run; 1, 0 at the end, -errno. */
	int (*refill)(struct event_stream *s, struct err *err);
	void (*close)(struct event_stream *s);
};

struct event_stream {
	const struct event_stream_ops *ops;
	/* [pos, end) are decoded; those with ts <= limit may be taken. */
	const struct event *pos, *end;
	uint64_t limit;

	struct strmap comms;	/* task names by id; grows while reading, so use
				 * event_stream_comm() until the end was reached */
	pthread_mutex_t *comm_lock;
	unsigned nr_cpus;	/* highest CPU number + 1, as far as known */
	char *clock;		/* "mono", "local", "" */
	bool unit_known;	/* times are ns */
	char *uname;		/* of the recording machine, "" */
	char *kernel_release;	/* "" when not known */
	char *format;		/* "trace.dat 6", "perf script text" ... */
	struct event_counts counts; /* whole once the end was reached */
	struct pid_name *names;	/* pid to name tables of the file, sorted by pid */
	size_t nr_names;
	struct notes notes;
	uint64_t total_bytes;	/* of data to read, for progress */
	uint64_t done_bytes;	/* read so far */
	bool expect[EV_NR];	/* types the file has a format for */
};

/* Takes the next event; *ev is valid until the next call.
 * 1, 0 at the end, -errno with a sentence. */
static inline int event_stream_next(struct event_stream *s, const struct event **ev,
				    struct err *err)
{
	if (__builtin_expect(s->pos == s->end || s->pos->ts > s->limit, 0)) {
		int ret = s->ops->refill(s, err);

		if (ret <= 0)
			return ret;
	}
	*ev = s->pos++;
	return 1;
}

void event_stream_close(struct event_stream *s);
/* Name of a task by id; "?" for COMM_NONE. Foreign text. */
const char *event_stream_comm(const struct event_stream *s, uint32_t id);

/* One input of a stream. */
struct event_input {
	const char *path;
	int64_t offset_ns; /* added to its times */
};

/*
 * Opens files of any known format (by content; gz, xz, zst wrappers are
 * unpacked into an unnamed temporary file; "-" is stdin), merged by time.
 */
int event_stream_open(struct event_stream **s, const struct event_input *inputs,
		      unsigned nr, struct err *err);
/* The same from one input that outlives the stream. */
int event_stream_open_input(struct event_stream **s, const struct input *in,
			    struct err *err);

#endif
