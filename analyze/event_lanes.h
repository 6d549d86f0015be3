/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream made of lanes. A lane is one source of events that are in order of
 * time by themselves: the buffer of one CPU, or a whole text. Threads decode
 * lanes into batches ahead of the reader; the reader merges the batches.
 *
 * Each lane has a ring of batches: one is read while others are filled. A batch
 * that no thread has begun when the reader needs it is filled by the reader, so
 * that the stream also works without threads and nobody waits for nothing. A
 * thread is called once half of the ring is empty: one wakeup for four batches.
 */
#ifndef ANALYZE_EVENT_LANES_H
#define ANALYZE_EVENT_LANES_H

#include <pthread.h>

#include "event_layout.h"
#include "schedblame/event.h"

struct lane;

struct lane_ops {
	/*
	 * Decodes up to max events; returns how many, 0 at the end, -errno with
	 * a sentence. Called by one thread at a time. A call may return few but
	 * not 0 before the end.
	 */
	int (*fill)(struct lane *l, struct event_scratch *scratch, struct event *out,
		    unsigned max, struct err *err);
	void (*close)(struct lane *l); /* frees l too */
};

#define LANE_BATCHES 8

enum batch_state { BATCH_EMPTY, BATCH_READY };

struct batch {
	struct event *ev;
	int n; /* what fill returned */
	uint64_t bytes; /* lane's done_bytes after it */
	enum batch_state state;
};

/* Embedded first in a reader's own lane. */
struct lane {
	const struct lane_ops *ops;
	struct event_counts counts; /* written by fill only */
	uint64_t total_bytes, done_bytes;
	/* the rest belongs to event_lanes.c */
	struct batch batch[LANE_BATCHES];
	unsigned filling, reading; /* index of the batch next to fill, read */
	unsigned nr_ready;
	bool busy, ended, queued;
	struct err err;
	const struct event *pos, *end;
	uint64_t seen_bytes;
};

/* What lanes share and the stream closes at its end: maps, layouts. */
struct lane_owner {
	void (*close)(void *owner);
	void *owner;
};

struct lane_stream;

struct lane_stream *lane_stream_new(void);
struct event_stream *lane_stream_base(struct lane_stream *s);
/* The stream owns the lane. */
void lane_stream_add(struct lane_stream *s, struct lane *l);
void lane_stream_own(struct lane_stream *s, void (*close)(void *), void *owner);
/* All lanes added: allocates batches, starts threads if the size is worth it. */
void lane_stream_start(struct lane_stream *s);

#endif
