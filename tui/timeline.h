/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline view's model, shared by its files: what is visible, the cursor and
 * how to draw it. Time is ns since the first event. */
#ifndef TUI_TIMELINE_H
#define TUI_TIMELINE_H

#include "app.h"
#include "tl_job.h"
#include "tl_lane.h"

enum lanes { LANES_CPU, LANES_NODE, LANES_TASK, LANES_NR };

#define TL_HISTORY 64

struct timeline {
	struct view *view;
	struct tl_job *job;	/* NULL: there is no trace */
	const char *why_not;	/* then; borrowed */
	char *why_error;	/* owned */
	enum lanes lanes;
	uint64_t from, to;	/* what is visible; to 0: all of it */
	int column;		/* of the cursor */
	size_t lane, top;	/* of the cursor; first shown */
	uint32_t *tasks;	/* lanes of tasks: by run time, longest first; owned */
	size_t nr_tasks;
	bool tasks_whole;	/* made after the index was finished */
	unsigned next_worst;
	struct {
		uint64_t from, to;
		int column;
	} history[TL_HISTORY];	/* where Esc goes */
	unsigned depth;
	int columns, rows;	/* of the last drawing: lanes' width, lanes shown */
	double shown_progress;
	uint64_t asked;		/* a moment to show once it is read, 0: none */
	unsigned asked_cpu;
	int32_t asked_pid;	/* a task's lane to show, -1: none */
	uint64_t asked_from;	/* from when; to asked */
};

#define TL_LABEL_W 17
#define TL_LONG_WAIT_NS 1000000 /* waits from here on are marked */

size_t timeline_nr_lanes(const struct timeline *t);
/* Visible part as a window of columns; the whole when nothing was zoomed. */
struct tl_window timeline_window(const struct timeline *t);
/* Shows [from, to), the cursor at ts; remembers where it was. */
void timeline_show(struct timeline *t, uint64_t from, uint64_t to, uint64_t ts,
		   bool remember);
uint64_t timeline_cursor(const struct timeline *t);
void timeline_arrive(struct timeline *t);
bool timeline_act(struct view *v, const struct key_event *ev);
/* With the index's lock held. */
void timeline_paint(struct timeline *t, const struct area *a);
/* Two rows about what is under the cursor. With the lock held. */
void timeline_detail(struct timeline *t, const struct area *a,
		     const struct tl_column *column);
/* What happened around the cursor, a row each, where there is room. */
void timeline_events(const struct timeline *t, const struct area *a);
/* "hackbench 12, for 1.00 ms, had waited 5.00 ms, then sleeping": slice i of cpu. */
void timeline_add_slice(const struct tl_index *ix, unsigned cpu, size_t i,
			struct strbuf *sb);
void timeline_add_mark(const struct tl_index *ix, const struct tl_mark *m,
		       struct strbuf *sb);
/* Task of a lane. */
uint32_t timeline_task(const struct timeline *t, size_t lane);
/* "1.234567 s" with as many digits as a column is worth. */
void timeline_time(char *buf, size_t size, uint64_t ns, uint64_t step);

#endif
