// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run queue model. Every task is new, blocked, waking, queued, running or
 * dead; every CPU runs a task, idles, or is not known. Events move them, and
 * each move that can be measured becomes a step.
 *
 * Rules for what cannot be: an interval that began before the end of a loss of
 * events (walk.gap_until) is dropped and counted, whichever CPU lost them,
 * since the missing part may concern any task; a run or an idle period is
 * spoiled only by a loss on its own CPU. Time that goes backwards drops the
 * interval too. A switch to a task that was blocked means its wakeup is
 * missing: nothing is measured, "unpaired" is counted.
 */
#include "pass_model.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define PENDING_MAX 32
/* A newidle balance ends in the switch that called it; longer is not it. */
#define NEWIDLE_MAX_NS 200000

struct pending {
	struct task *task;
	uint16_t from, to;
	int64_t since_ran;
	uint64_t ts;
};

struct model {
	struct task_table tasks;
	bool saw_waking, saw_wakeup;
	uint64_t runnable; /* running and waiting tasks */
	/* steals on pending_cpu whose idle type the next event there tells */
	struct pending pending[PENDING_MAX];
	unsigned nr_pending;
	struct cpu *pending_cpu;
};

struct model *model_new(void)
{
	struct model *m = xcalloc(1, sizeof(*m));

	task_table_init(&m->tasks);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	task_table_release(&m->tasks);
	free(m);
}

/* b - a, or UNKNOWN_NS where a is not known, lies before a loss, or after b. */
static int64_t elapsed(struct walk *w, uint64_t a, uint64_t b, bool heed_gaps)
{
	if (!a)
		return UNKNOWN_NS;
	if (heed_gaps && a < w->gap_until) {
		w->dropped_gap++;
		return UNKNOWN_NS;
	}
	if (b < a) {
		w->backwards++;
		return UNKNOWN_NS;
	}
	return (int64_t)(b - a);
}

static void touch(struct task *t, const struct event *ev, uint32_t comm)
{
	if (comm != COMM_NONE)
		t->comm = comm;
	if (!t->row.first_ts)
		t->row.first_ts = ev->ts;
	t->row.last_ts = ev->ts;
}

static void begin_wait(struct walk *w, struct task *t, const struct event *ev, uint16_t cpu,
		       enum wait_kind kind)
{
	struct cpu *c = walk_cpu(w, cpu);
	struct step s = { STEP_WAIT_BEGIN, ev, t, .to_cpu = cpu, .from_cpu = CPU_NONE };

	t->wait_kind = (uint8_t)kind;
	t->wait_since = ev->ts;
	t->cpu = cpu;
	if (t->waits || !c)
		return;
	t->waits = true;
	t->queued_since = ev->ts;
	if (++c->queued > c->row.max_queue)
		c->row.max_queue = c->queued;
	walk_emit(w, &s);
}

static void move_wait(struct walk *w, struct task *t, const struct event *ev, uint16_t cpu)
{
	struct step s = { STEP_WAIT_MOVE, ev, t, .from_cpu = t->cpu, .to_cpu = cpu };
	struct cpu *from, *to;

	if (t->cpu == cpu)
		return;
	if (t->waits) {
		from = walk_cpu(w, t->cpu);
		to = walk_cpu(w, cpu);
		if (!from || !to)
			return;
		from->queued--;
		if (++to->queued > to->row.max_queue)
			to->row.max_queue = to->queued;
		walk_emit(w, &s);
	}
	t->cpu = cpu;
}

static void end_wait(struct walk *w, struct task *t, const struct event *ev)
{
	struct step s = { STEP_WAIT_END, ev, t, .from_cpu = t->cpu, .to_cpu = CPU_NONE };

	if (!t->waits)
		return;
	t->waits = false;
	walk_cpu(w, t->cpu)->queued--;
	walk_emit(w, &s);
}

static void runnable(struct walk *w, int change)
{
	struct model *m = w->model;

	m->runnable += (uint64_t)change;
	if (change > 0 && m->runnable > w->tables->max_running)
		w->tables->max_running = m->runnable;
}

static bool counts_runnable(const struct task *t)
{
	return t->run == RUN_WAKING || t->run == RUN_QUEUED || t->run == RUN_RUNNING;
}

static void set_run(struct walk *w, struct task *t, enum run_state run)
{
	bool before = counts_runnable(t), after;

	t->run = (uint8_t)run;
	after = counts_runnable(t);
	if (before != after)
		runnable(w, after ? 1 : -1);
}

static void emit_migration(struct walk *w, const struct event *ev, const struct pending *p,
			   enum reason reason)
{
	struct step s = { STEP_MIGRATE, ev, p->task, .from_cpu = p->from, .to_cpu = p->to,
			  .spent_ns = p->since_ran, .reason = reason };

	s.distance = topology_distance(w->topology, p->from, p->to);
	walk_emit(w, &s);
}

/*
 * Steals whose CPU was not idle: the newly idle balance runs inside the switch
 * away from a task that blocks, with nothing else waiting there; so the next
 * event of that CPU is that switch, at once. Anything else leaves it open.
 */
static void settle_pending(struct walk *w, const struct event *ev)
{
	struct model *m = w->model;
	bool newidle = ev && ev->type == EV_SWITCH && ev->state != TASK_RUNNABLE &&
		       ev->pid2 != 0;

	for (unsigned i = 0; i < m->nr_pending; i++) {
		const struct pending *p = &m->pending[i];
		bool at_once = ev && ev->ts - p->ts < NEWIDLE_MAX_NS;

		emit_migration(w, ev, p, newidle && at_once ? REASON_STEAL_NEWIDLE :
							      REASON_STEAL);
	}
	m->nr_pending = 0;
	m->pending_cpu = NULL;
}

/* The task that leaves the CPU. Returns how long it ran. */
static int64_t switch_out(struct walk *w, struct cpu *c, struct task *t,
			  const struct event *ev)
{
	int64_t ran = UNKNOWN_NS;

	touch(t, ev, ev->comm2);
	if (c->known && c->current == t)
		ran = elapsed(w, c->since, ev->ts, false);
	else if (c->known)
		w->inconsistent++;
	if (t->run == RUN_WAKING && !t->last_ran) /* it came before the trace */
		t->woken_early = t->wait_since;
	end_wait(w, t, ev);
	t->last_ran = ev->ts;
	t->last_cpu = t->cpu = ev->cpu;
	t->off_state = ev->state;
	if (ev->state == TASK_RUNNABLE) {
		set_run(w, t, RUN_QUEUED);
		begin_wait(w, t, ev, ev->cpu, WAIT_PREEMPT);
	} else if (t->woken_early && w->model->saw_wakeup) {
		set_run(w, t, RUN_WAKING);
		begin_wait(w, t, ev, ev->cpu, WAIT_WAKEUP);
		t->wait_since = t->woken_early;
	} else {
		set_run(w, t, ev->state == TASK_DEAD || ev->state == TASK_ZOMBIE ?
				      RUN_DEAD : RUN_BLOCKED);
	}
	/* without sched_wakeup only what follows tells what it was for */
	if (w->model->saw_wakeup || ev->state == TASK_RUNNABLE)
		t->woken_early = 0;
	t->numa = 0;
	return ran;
}

/* A wakeup of which no sched_wakeup was recorded. */
static void emit_waking(struct walk *w, struct task *t, const struct event *ev,
			enum wait_kind kind, uint16_t to)
{
	struct step s = { STEP_WAKEUP, ev, t, t->waker, t->waker_cpu, to, .wait_kind = kind };

	if (w->model->saw_wakeup)
		return;
	s.distance = topology_distance(w->topology, s.from_cpu, s.to_cpu);
	walk_emit(w, &s);
}

/* The task that comes: what it waited, and between which CPUs. */
static void switch_in(struct walk *w, struct task *t, const struct event *ev, struct step *s)
{
	touch(t, ev, ev->comm);
	t->row.prio = ev->prio;
	if (t->run == RUN_BLOCKED && t->woken_early) {
		/* woken between its decision to block and the switch */
		set_run(w, t, RUN_WAKING);
		t->wait_kind = WAIT_WAKEUP;
		t->wait_since = t->woken_early;
	}
	if (t->run == RUN_WAKING)
		emit_waking(w, t, ev, WAIT_WAKEUP, ev->cpu);
	if ((t->run == RUN_QUEUED || t->run == RUN_WAKING) && t->wait_kind) {
		s->wait_kind = (enum wait_kind)t->wait_kind;
		s->waited_ns = elapsed(w, t->wait_since, ev->ts, true);
		s->distance = s->wait_kind == WAIT_PREEMPT || t->woken_cpu == CPU_NONE ?
			topology_distance(w->topology, t->last_cpu, ev->cpu) :
			topology_distance(w->topology, t->last_cpu, t->woken_cpu);
		if (t->last_cpu == CPU_NONE) /* not seen running yet */
			s->distance = DIST_UNKNOWN;
	} else if (t->run == RUN_BLOCKED || t->run == RUN_DEAD) {
		w->unpaired++;
	} else if (t->run == RUN_RUNNING) {
		w->inconsistent++;
	}
	s->from_cpu = t->last_cpu;
	end_wait(w, t, ev);
	set_run(w, t, RUN_RUNNING);
	t->wait_kind = WAIT_NONE;
	t->wait_since = 0;
	t->woken_early = 0;
	t->woken_cpu = CPU_NONE;
	t->cpu = ev->cpu;
	t->run_since = ev->ts;
}

static void set_idle(struct walk *w, struct cpu *c, const struct event *ev, bool idle,
		     int64_t spent)
{
	struct step s = { idle ? STEP_IDLE_BEGIN : STEP_IDLE_END, ev,
			  .from_cpu = c->number, .to_cpu = c->number, .spent_ns = spent };

	if (c->idle == idle)
		return;
	c->idle = idle;
	walk_emit(w, &s);
}

static void on_switch(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct step s = { STEP_SWITCH, ev, .from_cpu = CPU_NONE, .to_cpu = ev->cpu,
			  .spent_ns = UNKNOWN_NS, .waited_ns = UNKNOWN_NS };
	struct task *prev = task_get(&w->model->tasks, ev->pid2);
	struct task *next = task_get(&w->model->tasks, ev->pid);

	if (prev)
		s.spent_ns = switch_out(w, c, prev, ev);
	else if (c->known && !c->current)
		s.spent_ns = elapsed(w, c->since, ev->ts, false);
	if (!next)
		set_idle(w, c, ev, true, 0);
	else
		set_idle(w, c, ev, false, prev ? UNKNOWN_NS : s.spent_ns);
	if (next)
		switch_in(w, next, ev, &s);
	c->known = true;
	c->current = next;
	c->since = ev->ts;
	c->row.switches++;
	s.task = next;
	s.prev = prev;
	walk_emit(w, &s);
}

/* Time off the CPU is over: it goes to the state the task had left in. */
static void end_block(struct walk *w, struct task *t, const struct event *ev)
{
	int64_t off;

	if (t->run != RUN_BLOCKED)
		return;
	off = elapsed(w, t->last_ran, ev->ts, true);
	if (off != UNKNOWN_NS)
		t->row.state_ns[t->off_state] += (uint64_t)off;
}

static void remember_waker(struct walk *w, struct task *t, const struct event *ev)
{
	t->waker = task_get(&w->model->tasks, ev->pid2);
	t->waker_cpu = ev->cpu;
}

static void on_waking(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);
	uint16_t cpu;

	w->model->saw_waking = true;
	if (!t)
		return;
	touch(t, ev, ev->comm);
	if (t->run == RUN_QUEUED || t->run == RUN_WAKING)
		return;
	if (t->woken_early) { /* that one was for nothing */
		emit_waking(w, t, ev, WAIT_NONE, t->cpu);
		t->woken_early = 0;
	}
	remember_waker(w, t, ev);
	if (t->run == RUN_RUNNING) {
		t->woken_early = ev->ts;
		return;
	}
	end_block(w, t, ev);
	cpu = t->last_cpu != CPU_NONE ? t->last_cpu : ev->cpu2 != CPU_NONE ? ev->cpu2 : ev->cpu;
	set_run(w, t, RUN_WAKING);
	begin_wait(w, t, ev, cpu, WAIT_WAKEUP);
}

static void on_wakeup(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);
	struct step s = { STEP_WAKEUP, ev, t };
	uint16_t target;
	bool on_queue;

	if (!t)
		return;
	if (ev->type == EV_WAKEUP)
		w->model->saw_wakeup = true;
	touch(t, ev, ev->comm);
	on_queue = t->run == RUN_RUNNING || t->run == RUN_QUEUED;
	target = ev->cpu2 != CPU_NONE ? ev->cpu2 : t->cpu != CPU_NONE ? t->cpu : ev->cpu;
	if (t->run != RUN_WAKING && !(t->run == RUN_RUNNING && t->woken_early))
		remember_waker(w, t, ev);
	if (t->run == RUN_WAKING) {
		move_wait(w, t, ev, target);
		set_run(w, t, RUN_QUEUED);
		t->woken_cpu = target;
	} else if (t->run != RUN_RUNNING && t->run != RUN_QUEUED) {
		end_block(w, t, ev);
		set_run(w, t, RUN_QUEUED);
		begin_wait(w, t, ev, target,
			   ev->type == EV_WAKEUP_NEW ? WAIT_NEW : WAIT_WAKEUP);
		t->woken_cpu = target;
	}
	s.wait_kind = ev->type == EV_WAKEUP_NEW ? WAIT_NEW : on_queue ? WAIT_NONE : WAIT_WAKEUP;
	t->woken_early = 0;
	s.prev = t->waker;
	s.from_cpu = t->waker_cpu;
	s.to_cpu = target;
	s.distance = topology_distance(w->topology, s.from_cpu, s.to_cpu);
	walk_emit(w, &s);
}

static void on_migrate(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct model *m = w->model;
	struct task *t = task_get(&m->tasks, ev->pid);
	struct pending p = { t, ev->cpu2, (uint16_t)ev->dest_cpu, UNKNOWN_NS, ev->ts };
	enum reason reason;

	if (!t || ev->dest_cpu >= CPU_NONE || ev->cpu2 == CPU_NONE || ev->cpu2 == ev->dest_cpu)
		return;
	touch(t, ev, ev->comm);
	reason = migrate_reason(w, t, c, ev, m->saw_waking);
	/* hot or cold is a question of the CPU it leaves */
	if (t->last_cpu == ev->cpu2 && t->run != RUN_RUNNING)
		p.since_ran = elapsed(w, t->last_ran, ev->ts, true);
	move_wait(w, t, ev, p.to);
	t->numa = 0;
	if (reason != REASON_STEAL) {
		emit_migration(w, ev, &p, reason);
		return;
	}
	if (m->pending_cpu != c || m->nr_pending == PENDING_MAX)
		settle_pending(w, NULL);
	m->pending_cpu = c;
	m->pending[m->nr_pending++] = p;
}

static void on_fork(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);

	/* the pid had an owner: it is used again */
	if (t && t->row.first_ts) {
		end_wait(w, t, ev);
		set_run(w, t, RUN_DEAD);
		t = task_replace(&w->model->tasks, ev->pid);
	}
	if (!t)
		return;
	touch(t, ev, ev->comm);
	set_run(w, t, RUN_NEW);
	t->cpu = t->last_cpu = ev->cpu; /* its wakeup starts from its parent's CPU */
}

/* A thread that execs takes the pid of its group's leader. */
static void on_exec(struct walk *w, struct cpu *c, const struct event *ev)
{
	int32_t old = (int32_t)ev->comm2;
	struct task *t;

	if (old <= 0 || old == ev->pid || ev->pid <= 0)
		return;
	t = task_get(&w->model->tasks, old);
	if (t)
		task_set_pid(&w->model->tasks, t, ev->pid);
}

static void on_exit_(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);

	if (t) {
		touch(t, ev, ev->comm);
		t->row.exited = true;
	}
}

static void on_rename(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);

	if (t)
		touch(t, ev, ev->comm);
}

static void on_numa(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct task *t = task_get(&w->model->tasks, ev->pid);
	struct step s = { STEP_NUMA, ev, t, .from_cpu = ev->cpu2,
			  .to_cpu = (uint16_t)ev->dest_cpu };

	if (t) {
		t->numa = ev->type;
		t->numa_dest = (uint16_t)ev->dest_cpu;
	}
	if (ev->type == EV_NUMA_SWAP) {
		struct task *other = task_get(&w->model->tasks, ev->pid2);

		if (other)
			other->numa = ev->type;
	}
	walk_emit(w, &s);
}

/* Nothing is known of that CPU and of what waits there any more. */
static void forget_cpu(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct model *m = w->model;

	set_idle(w, c, ev, false, UNKNOWN_NS);
	if (c->known && c->current && c->current->run == RUN_RUNNING)
		set_run(w, c->current, RUN_UNKNOWN);
	c->known = false;
	c->since = 0;
	if (!c->queued)
		return;
	for (uint32_t i = 0; i < m->tasks.nr; i++) {
		struct task *t = task_at(&m->tasks, i);

		if (t->waits && t->cpu == c->number) {
			end_wait(w, t, ev);
			set_run(w, t, RUN_UNKNOWN);
			w->dropped_gap++;
		}
	}
}

static void lose_cpu(struct walk *w, struct cpu *c, const struct event *ev)
{
	struct step s = { STEP_LOST, ev };

	if (!c)
		return;
	s.to_cpu = c->number;
	c->row.gaps++;
	c->row.lost += ev->count;
	forget_cpu(w, c, ev);
	walk_emit(w, &s);
}

static void on_lost(struct walk *w, const struct event *ev)
{
	struct trace_tables *tb = w->tables;

	settle_pending(w, NULL);
	if (ev->until > w->gap_until)
		w->gap_until = ev->until;
	if (tb->nr_gaps < TRACE_GAPS)
		tb->gap[tb->nr_gaps++] = (struct trace_gap){ ev->ts, ev->until, ev->count,
							     ev->cpu };
	if (ev->cpu != CPU_NONE) {
		lose_cpu(w, walk_cpu(w, ev->cpu), ev);
		return;
	}
	for (unsigned i = 0; i < w->nr_cpus; i++)
		lose_cpu(w, w->cpu[i], ev);
}

typedef void handler(struct walk *w, struct cpu *c, const struct event *ev);

static handler *const handlers[EV_NR] = {
	[EV_SWITCH] = on_switch,   [EV_WAKING] = on_waking,
	[EV_WAKEUP] = on_wakeup,   [EV_WAKEUP_NEW] = on_wakeup,
	[EV_MIGRATE] = on_migrate, [EV_FORK] = on_fork,
	[EV_EXEC] = on_exec,	   [EV_EXIT] = on_exit_,
	[EV_RENAME] = on_rename,   [EV_NUMA_MOVE] = on_numa,
	[EV_NUMA_SWAP] = on_numa,  [EV_NUMA_STICK] = on_numa,
};

void model_event(struct walk *w, const struct event *ev)
{
	struct cpu *c;

	w->saw[ev->type] = true;
	if (ev->type == EV_LOST) {
		on_lost(w, ev);
		return;
	}
	c = walk_cpu(w, ev->cpu);
	if (!c)
		return;
	if (!c->row.seen) {
		c->row.seen = true;
		c->row.first_ts = ev->ts;
	}
	c->row.last_ts = ev->ts;
	if (c == w->model->pending_cpu && ev->type != EV_MIGRATE)
		settle_pending(w, ev);
	handlers[ev->type](w, c, ev);
}

void model_finish(struct walk *w)
{
	settle_pending(w, NULL);
}

/* Names that the events did not tell, from the tables of the file. */
static uint32_t name_in_file(const struct event_stream *s, int32_t pid)
{
	size_t lo = 0, hi = s->nr_names;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->names[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nr_names && s->names[lo].pid == pid ? s->names[lo].comm : COMM_NONE;
}

void model_collect(struct walk *w)
{
	struct trace_tables *tb = w->tables;
	struct task_table *tasks = &w->model->tasks;

	tb->nr_tasks = tasks->nr;
	tb->task = xcalloc(tasks->nr ? tasks->nr : 1, sizeof(*tb->task));
	for (uint32_t i = 0; i < tasks->nr; i++) {
		struct task *t = task_at(tasks, i);
		uint32_t comm = t->comm != COMM_NONE ? t->comm :
						       name_in_file(w->stream, t->row.pid);
		uint32_t id = strmap_adds(&tb->names, event_stream_comm(w->stream, comm));

		tb->task[i] = t->row;
		tb->task[i].comm = tb->names.name[id];
	}
	tb->nr_cpus = w->nr_cpus;
	tb->cpu = xcalloc(w->nr_cpus ? w->nr_cpus : 1, sizeof(*tb->cpu));
	for (unsigned i = 0; i < w->nr_cpus; i++)
		if (w->cpu[i])
			tb->cpu[i] = w->cpu[i]->row;
}
