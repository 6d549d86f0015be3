// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Idle while work waits: time in which a CPU idles although a task that may run
 * there has waited on another CPU for longer than the grace time; each idle CPU
 * counts by its distance to the nearest such CPU.
 *
 * Exact and O(1) per change. Call a CPU "late" while a task has waited there
 * beyond the grace. For a domain D (a core, an LLC, a node, the machine) keep
 * idle(D), its idle CPUs, and late(D), its late CPUs. Then
 *	S(level) = sum of idle(D) over all D of that level with late(D) > 0
 * is the number of idle CPUs that have a late CPU within that level, and
 * S(core), S(llc) - S(core), S(node) - S(llc), S(machine) - S(node) are the
 * numbers by distance. Each change of one CPU touches one D per level. An idle
 * CPU that is late itself (a wakeup on its way) counts as not idle: another CPU
 * is meant. Without a topology only the machine is known.
 *
 * Tasks within the grace stand in a list in the order in which they began to
 * wait, since the grace is the same for all: the first is the next to be late.
 * A trace does not tell affinity: kernel threads that are bound to a CPU are
 * known by their names and left out, all others may run everywhere.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/pass.h"

enum level { LEVEL_CORE, LEVEL_LLC, LEVEL_NODE, LEVEL_MACHINE, LEVEL_NR };

static const enum distance level_distance[LEVEL_NR] = { DIST_SMT, DIST_LLC, DIST_NODE,
							DIST_REMOTE };

struct domain {
	uint32_t idle, late;
};

struct idle_cpu {
	int domain[LEVEL_NR]; /* -1: not known */
	bool idle;
	uint32_t late; /* tasks beyond the grace */
};

struct idle_pass {
	struct domain *domain[LEVEL_NR];
	struct idle_cpu *cpu;
	unsigned nr_cpus;
	uint64_t sum[LEVEL_NR]; /* S */
	uint64_t ns[DIST_NR];
	uint64_t now, grace_ns;
	struct task *first, *last; /* within the grace */
	uint64_t next_late; /* when first's grace ends; UINT64_MAX: none */
	uint8_t *bound; /* by comm id: 0 not looked at, 1 free, 2 bound */
	size_t nr_bound;
	bool known; /* topology */
};

static void *idle_init(struct walk *w)
{
	const struct topology *t = w->topology;
	struct idle_pass *p = xcalloc(1, sizeof(*p));
	const unsigned nr[LEVEL_NR] = { t->nr_cores, t->nr_llcs, t->nr_nodes, 1 };

	p->known = t->nr_cpus > 0;
	p->next_late = UINT64_MAX;
	p->grace_ns = w->grace_ns;
	for (int l = 0; l < LEVEL_NR; l++)
		p->domain[l] = xcalloc(nr[l] ? nr[l] : 1, sizeof(*p->domain[l]));
	return p;
}

static void add_cpus(struct idle_pass *p, const struct walk *w, unsigned cpu)
{
	const struct topology *t = w->topology;

	p->cpu = xrealloc(p->cpu, cpu + 1, sizeof(*p->cpu));
	for (; p->nr_cpus <= cpu; p->nr_cpus++) {
		struct idle_cpu *c = &p->cpu[p->nr_cpus];

		*c = (struct idle_cpu){ { -1, -1, -1, 0 }, false, 0 };
		if (p->nr_cpus < t->nr_cpus) {
			c->domain[LEVEL_CORE] = t->cpu[p->nr_cpus].core;
			c->domain[LEVEL_LLC] = t->cpu[p->nr_cpus].llc;
			c->domain[LEVEL_NODE] = t->cpu[p->nr_cpus].node;
		}
	}
}

static inline struct idle_cpu *cpu_of(struct idle_pass *p, const struct walk *w, unsigned cpu)
{
	if (__builtin_expect(p->nr_cpus <= cpu, 0))
		add_cpus(p, w, cpu);
	return &p->cpu[cpu];
}

/* One more or less idle CPU in c's domains; a late CPU is not among them. */
static void add_idle(struct idle_pass *p, const struct idle_cpu *c, uint32_t change)
{
	for (int l = 0; l < LEVEL_NR; l++) {
		struct domain *d;

		if (c->domain[l] < 0)
			continue;
		d = &p->domain[l][c->domain[l]];
		d->idle += change;
		if (d->late)
			p->sum[l] += (uint64_t)(int32_t)change;
	}
}

/* One more or less late CPU in c's domains. */
static void add_late(struct idle_pass *p, const struct idle_cpu *c, uint32_t change)
{
	for (int l = 0; l < LEVEL_NR; l++) {
		struct domain *d;

		if (c->domain[l] < 0)
			continue;
		d = &p->domain[l][c->domain[l]];
		if (!d->late)
			p->sum[l] += d->idle;
		d->late += change;
		if (!d->late)
			p->sum[l] -= d->idle;
	}
}

static void share_out(struct idle_pass *p, uint64_t span)
{
	uint64_t below = 0;

	for (int l = 0; l < LEVEL_NR; l++) {
		uint64_t n = p->sum[l] > below ? p->sum[l] - below : 0;
		enum distance d = l == LEVEL_MACHINE && !p->known ? DIST_UNKNOWN :
								     level_distance[l];

		p->ns[d] += n * span;
		below += n;
	}
}

/* The time up to now goes to where the sums have stood. */
static inline void integrate(struct idle_pass *p, uint64_t now)
{
	if (now <= p->now)
		return;
	if (p->sum[LEVEL_MACHINE])
		share_out(p, now - p->now);
	p->now = now;
}

static void set_idle(struct idle_pass *p, struct idle_cpu *c, bool idle)
{
	if (c->idle == idle)
		return;
	c->idle = idle;
	if (!c->late)
		add_idle(p, c, idle ? 1u : -1u);
}

static __attribute__((noinline)) void turn_late(struct idle_pass *p, struct idle_cpu *c,
						  bool before)
{
	if (!before) {
		if (c->idle)
			add_idle(p, c, -1u);
		add_late(p, c, 1u);
	} else {
		add_late(p, c, -1u);
		if (c->idle)
			add_idle(p, c, 1u);
	}
}

static inline void change_late(struct idle_pass *p, struct idle_cpu *c, int change)
{
	bool before = c->late > 0;

	c->late += (uint32_t)change;
	if (before != (c->late > 0))
		turn_late(p, c, before);
}

static void set_first(struct idle_pass *p, struct task *t)
{
	p->first = t;
	p->next_late = t ? t->queued_since + p->grace_ns : UINT64_MAX;
}

static void unlink_task(struct idle_pass *p, struct task *t)
{
	if (t->prev_wait)
		t->prev_wait->next_wait = t->next_wait;
	else if (p->first == t)
		set_first(p, t->next_wait);
	else
		return; /* not in the list */
	if (t->next_wait)
		t->next_wait->prev_wait = t->prev_wait;
	else
		p->last = t->prev_wait;
	t->next_wait = t->prev_wait = NULL;
}

static void append_task(struct idle_pass *p, struct task *t)
{
	t->prev_wait = p->last;
	t->next_wait = NULL;
	if (p->last)
		p->last->next_wait = t;
	else
		set_first(p, t);
	p->last = t;
}

static void make_late(struct idle_pass *p, struct walk *w)
{
	struct task *t = p->first;

	integrate(p, p->next_late);
	unlink_task(p, t);
	t->long_wait = true;
	change_late(p, cpu_of(p, w, t->cpu), 1);
}

static __attribute__((noinline)) void advance_far(struct idle_pass *p, struct walk *w,
						    uint64_t now)
{
	while (p->first && p->next_late <= now)
		make_late(p, w);
	integrate(p, now);
}

/* Tasks whose grace ends up to now become late, each at its time. */
static inline void advance(struct idle_pass *p, struct walk *w, uint64_t now)
{
	if (p->next_late <= now || p->sum[LEVEL_MACHINE])
		advance_far(p, w, now);
	else if (now > p->now)
		p->now = now;
}

/* "kworker/3:1", "migration/3", "ksoftirqd/3", "cpuhp/3": one CPU's own. */
static bool bound_name(const char *name)
{
	static const char *const prefix[] = { "kworker/", "migration/", "ksoftirqd/", "cpuhp/",
					      "rcuc/", "idle_inject/", "backlog_napi/",
					      "stopper/", "watchdog/", "irq_work/", "ktimers/" };

	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++) {
		size_t n = strlen(prefix[i]);

		if (!strncmp(name, prefix[i], n))
			return isdigit((unsigned char)name[n]);
	}
	return false;
}

static __attribute__((noinline)) void look_at_name(struct idle_pass *p, struct walk *w,
						     uint32_t comm)
{
	if (comm >= p->nr_bound) {
		size_t n = comm + 256;

		p->bound = xrealloc(p->bound, n, sizeof(*p->bound));
		memset(p->bound + p->nr_bound, 0, n - p->nr_bound);
		p->nr_bound = n;
	}
	p->bound[comm] = bound_name(event_stream_comm(w->stream, comm)) ? 2 : 1;
}

static inline bool is_bound(struct idle_pass *p, struct walk *w, const struct task *t)
{
	if (t->comm == COMM_NONE)
		return false;
	if (t->comm >= p->nr_bound || !p->bound[t->comm])
		look_at_name(p, w, t->comm);
	return p->bound[t->comm] == 2;
}

static void leave_wait(struct idle_pass *p, struct walk *w, struct task *t, unsigned cpu)
{
	if (t->long_wait)
		change_late(p, cpu_of(p, w, cpu), -1);
	t->long_wait = false;
	unlink_task(p, t);
}

static void idle_step(void *self, struct walk *w, const struct step *s)
{
	struct idle_pass *p = self;
	struct task *t = s->task;

	advance(p, w, s->ev->ts);
	switch (s->kind) {
	case STEP_WAIT_BEGIN:
		if (is_bound(p, w, t))
			t->row.bound = true;
		else
			append_task(p, t);
		break;
	case STEP_WAIT_MOVE:
		if (t->long_wait) {
			change_late(p, cpu_of(p, w, s->from_cpu), -1);
			change_late(p, cpu_of(p, w, s->to_cpu), 1);
		}
		break;
	case STEP_WAIT_END:
		leave_wait(p, w, t, s->from_cpu);
		break;
	case STEP_IDLE_BEGIN:
	case STEP_IDLE_END:
		set_idle(p, cpu_of(p, w, s->to_cpu), s->kind == STEP_IDLE_BEGIN);
		break;
	default:
		break;
	}
}

static void idle_finish(void *self, struct walk *w)
{
	struct idle_pass *p = self;

	advance(p, w, w->last_ts);
	if (!walk_saw(w, EV_SWITCH))
		return;
	series_declare(w->series, "idle_while_waiting");
	for (int d = 0; d < DIST_NR; d++)
		if (p->ns[d])
			series_add(w->series, "idle_while_waiting",
				   LABELS("distance", distance_name((enum distance)d),
					  "method", "exact", "allowed", "yes"), p->ns[d]);
}

static void idle_release(void *self)
{
	struct idle_pass *p = self;

	for (int l = 0; l < LEVEL_NR; l++)
		free(p->domain[l]);
	free(p->cpu);
	free(p->bound);
	free(p);
}

const struct pass_ops pass_idle = {
	"idle", 1u << STEP_WAIT_BEGIN | 1u << STEP_WAIT_MOVE | 1u << STEP_WAIT_END |
	1u << STEP_IDLE_BEGIN | 1u << STEP_IDLE_END, idle_init, idle_step, idle_finish,
	idle_release };
