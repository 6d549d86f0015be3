/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of a timeline for a window of time: what a lane shows. */
#ifndef TUI_TL_LANE_H
#define TUI_TL_LANE_H

#include "schedblame/topology.h"
#include "tl_index.h"

#define TL_COARSE 2 /* buckets a column must span to be answered from them */

struct tl_column {
	uint32_t task;	 /* ran most; TL_UNKNOWN: nobody, or not known */
	uint32_t weight; /* of the vote */
	float busy;	 /* 0..1 of the column; lanes of tasks: it ran */
	float wait;	 /* lanes of tasks: it waited */
	uint64_t worst_wait; /* ns, of those that ended here */
	uint16_t switches, wakeups, migrations, steals;
	uint16_t cpu;	 /* lanes of tasks: where it ran */
	bool lost;
};

struct tl_window {
	uint64_t from, to; /* to > from */
	int columns;
};

static inline uint64_t tl_column_start(const struct tl_window *w, int column)
{
	return w->from + (uint64_t)((double)(w->to - w->from) * column / w->columns);
}
/* The column that holds ts; may be outside 0..columns-1. */
int tl_column_of(const struct tl_window *w, uint64_t ts);

/* Fills w->columns columns of one CPU. With the index's lock held. */
void tl_lane_cpu(const struct tl_index *ix, unsigned cpu, const struct tl_window *w,
		 struct tl_column *column);
/* CPUs of a node together. */
void tl_lane_node(const struct tl_index *ix, const struct topology *t, int node,
		  const struct tl_window *w, struct tl_column *column);
/* n lanes of tasks in one walk over all records of the window; column[lane *
 * w->columns + i]. */
void tl_lane_tasks(const struct tl_index *ix, const uint32_t *task, int n,
		   const struct tl_window *w, struct tl_column *column);

#endif
