/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes once more, slow and obvious: each question is answered by looking
 * through the list of events, without a model. For lists without losses.
 */
#ifndef TESTS_REFERENCE_WAITS_H
#define TESTS_REFERENCE_WAITS_H

#include <stdlib.h>
#include <string.h>

#include "schedblame/event.h"
#include "schedblame/topology.h"

struct ref_wait {
	uint64_t ns;
	bool preempted;
};

static inline bool ref_is_wake(const struct event *e, int pid)
{
	return (e->type == EV_WAKING || e->type == EV_WAKEUP) && e->pid == pid;
}

static inline bool ref_is_switch_of(const struct event *e, int pid)
{
	return e->type == EV_SWITCH && (e->pid == pid || e->pid2 == pid);
}

/* First wakeup of pid in (from, to), -1. */
static inline int ref_first_wake(const struct event *e, int from, int to, int pid)
{
	for (int i = from + 1; i < to; i++)
		if (ref_is_wake(&e[i], pid))
			return i;
	return -1;
}

/*
 * A sched_waking that came before the task left its CPU at 'out' and was not
 * answered by a sched_wakeup: it is for the block that follows. -1: none.
 */
static inline int ref_early_waking(const struct event *e, int out, int pid)
{
	bool answered = false;
	int found = -1, i;

	for (i = out - 1; i >= 0 && !ref_is_switch_of(&e[i], pid); i--) {
		if (e[i].type == EV_WAKEUP && e[i].pid == pid)
			answered = true; /* with all before it */
		if (e[i].type == EV_WAKING && e[i].pid == pid && !answered)
			found = found < 0 ? i : found; /* the last one counts */
	}
	/* out of the CPU twice: a switch is missing, and that one took it */
	return i >= 0 && e[i].pid2 == pid ? -1 : found;
}

/* How long the task that comes at the switch e[i] has waited; false: not known. */
static inline bool ref_wait_of(const struct event *e, int i, struct ref_wait *w)
{
	int pid = e[i].pid, k = i - 1, wake;

	while (k >= 0 && !ref_is_switch_of(&e[k], pid))
		k--;
	w->preempted = false;
	if (k >= 0 && e[k].pid == pid)
		return false; /* it runs already */
	if (k >= 0 && e[k].state == TASK_RUNNABLE) {
		w->preempted = true;
		w->ns = e[i].ts - e[k].ts;
		return true;
	}
	wake = k >= 0 ? ref_early_waking(e, k, pid) : -1;
	if (wake < 0)
		wake = ref_first_wake(e, k, i, pid);
	if (wake < 0)
		return false;
	w->ns = e[i].ts - e[wake].ts;
	return true;
}

/* Where pid waits at time t (an instant between events), or -1; since when. */
static inline int ref_waits_on(const struct event *e, int n, uint64_t t, int pid,
			       uint64_t *since)
{
	int cpu = -1, last = -1;

	for (int i = 0; i < n && e[i].ts <= t; i++) {
		if (e[i].type == EV_SWITCH && e[i].pid == pid) {
			cpu = -1;
			last = e[i].cpu;
		} else if (e[i].type == EV_SWITCH && e[i].pid2 == pid) {
			last = e[i].cpu;
			cpu = e[i].state == TASK_RUNNABLE ? last : -1;
			*since = e[i].ts;
		} else if (e[i].type == EV_WAKING && e[i].pid == pid) {
			cpu = last >= 0 ? last : e[i].cpu2;
			*since = e[i].ts;
		} else if (e[i].type == EV_WAKEUP && e[i].pid == pid && cpu >= 0) {
			cpu = e[i].cpu2;
		} else if (e[i].type == EV_MIGRATE && e[i].pid == pid && cpu >= 0) {
			cpu = (int)e[i].dest_cpu;
		}
	}
	return cpu;
}

static inline bool ref_idles(const struct event *e, int n, uint64_t t, unsigned cpu)
{
	bool idle = false;

	for (int i = 0; i < n && e[i].ts <= t; i++)
		if (e[i].type == EV_SWITCH && e[i].cpu == cpu)
			idle = e[i].pid == 0;
	return idle;
}

static inline int ref_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Idle while work waits by its definition, instant by instant: between two times
 * at which anything can change nothing does. ns[] by distance.
 */
static inline void ref_idle_while_waiting(const struct event *e, int n, int pids, int cpus,
					  uint64_t grace, const struct topology *topo,
					  uint64_t ns[DIST_NR])
{
	uint64_t *at = malloc(2 * (size_t)n * sizeof(*at));

	memset(ns, 0, DIST_NR * sizeof(*ns));
	for (int i = 0; i < n; i++) {
		at[2 * i] = e[i].ts;
		at[2 * i + 1] = e[i].ts + grace;
	}
	qsort(at, 2 * (size_t)n, sizeof(*at), ref_compare_u64);
	for (int i = 0; i + 1 < 2 * n && at[i + 1] <= e[n - 1].ts; i++) {
		bool late[256] = { false };

		if (at[i] == at[i + 1])
			continue;
		for (int pid = 1; pid <= pids; pid++) {
			uint64_t since = 0;
			int cpu = ref_waits_on(e, n, at[i], pid, &since);

			if (cpu >= 0 && since + grace <= at[i])
				late[cpu] = true;
		}
		for (int cpu = 0; cpu < cpus; cpu++) {
			enum distance best = DIST_NR;

			if (late[cpu] || !ref_idles(e, n, at[i], (unsigned)cpu))
				continue;
			for (int other = 0; other < cpus; other++) {
				enum distance d = topology_distance(topo, (unsigned)cpu,
								    (unsigned)other);

				if (late[other] && other != cpu && d < best)
					best = d;
			}
			if (best < DIST_NR)
				ns[best] += at[i + 1] - at[i];
		}
	}
	free(at);
}

#endif
