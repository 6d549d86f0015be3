// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why a task moved. sched_migrate_task gives no reason; the state the task was
 * in, the CPU the event happened on and what ran there tell most of it:
 *
 *	being woken			wakeup placement
 *	forked, not yet woken		fork placement
 *	waits, the stopper runs		stopper (NUMA move or swap if announced)
 *	waits, RT or deadline priority	push from its own CPU, pull to another
 *	waits, event on the new CPU	steal by that CPU
 *	waits, event on a third CPU	nohz balancing if that CPU idles, else
 *					somebody changed its affinity
 *
 * With 6.12 a task that blocked may stay queued ("delayed dequeue") and be
 * balanced: so "blocked" means wakeup only where sched_waking is not recorded.
 */
#include <string.h>

#include "pass_model.h"

#define PRIO_RT_LIMIT 100

static bool comm_begins(const struct walk *w, const struct task *t, const char *with)
{
	return t && !strncmp(event_stream_comm(w->stream, t->comm), with, strlen(with));
}

static enum reason real_time_reason(const struct event *ev)
{
	bool pull = ev->cpu == ev->dest_cpu;

	if (ev->prio < 0)
		return pull ? REASON_DL_PULL : REASON_DL_PUSH;
	return pull ? REASON_RT_PULL : REASON_RT_PUSH;
}

static enum reason stopper_reason(const struct task *t, const struct event *ev)
{
	if (t->numa == EV_NUMA_MOVE && t->numa_dest == ev->dest_cpu)
		return REASON_NUMA_MOVE;
	if (t->numa == EV_NUMA_SWAP)
		return REASON_NUMA_SWAP;
	return REASON_STOPPER;
}

static enum reason queued_reason(const struct walk *w, const struct task *t,
				 const struct cpu *c, const struct event *ev)
{
	if (c->known && comm_begins(w, c->current, "migration/"))
		return stopper_reason(t, ev);
	if (ev->comm != COMM_NONE && ev->prio < PRIO_RT_LIMIT)
		return real_time_reason(ev);
	if (!c->known)
		return ev->cpu == ev->dest_cpu ? REASON_STEAL : REASON_UNKNOWN;
	if (!c->current || comm_begins(w, c->current, "ksoftirqd/"))
		return REASON_STEAL_IDLE;
	if (ev->cpu == ev->dest_cpu)
		return REASON_STEAL; /* newly idle or busy: what follows will tell */
	return REASON_AFFINITY;
}

enum reason migrate_reason(const struct walk *w, const struct task *t,
			   const struct cpu *c, const struct event *ev, bool saw_waking)
{
	switch (t->run) {
	case RUN_WAKING:
		return REASON_WAKEUP;
	case RUN_NEW:
		return REASON_FORK;
	case RUN_BLOCKED:
	case RUN_DEAD:
		return saw_waking ? queued_reason(w, t, c, ev) : REASON_WAKEUP;
	case RUN_QUEUED:
		if (t->wait_since < w->gap_until)
			return REASON_UNKNOWN;
		return queued_reason(w, t, c, ev);
	case RUN_RUNNING: /* woken early: it is about to leave its CPU */
		return t->woken_early ? REASON_WAKEUP : REASON_UNKNOWN;
	default:
		return REASON_UNKNOWN;
	}
}
