// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The simulation. Time moves from one CPU's next deadline to the next (a heap);
 * every event gets a time of its own, so that their order is the same however
 * they are merged. Tasks that sleep are woken by whatever runs when their time
 * has come.
 */
#include <stdlib.h>
#include <string.h>

#include "gen.h"
#include "schedblame/alloc.h"

#define NONE -1

struct gtask {
	int cpu;	  /* last ran there */
	uint64_t left_at; /* switched out at; 0: not yet */
	uint64_t wait_since;
	bool preempted;	  /* waits since it was preempted */
	int next;	  /* in a queue */
};

struct gcpu {
	int current;	 /* task, NONE: idle */
	uint64_t since;	 /* current came; 0: at the start */
	int head, tail;	 /* queue */
	unsigned queued;
};

struct timer {
	uint64_t at;
	int what; /* < cpus: that CPU; else task what - cpus wakes */
};

struct sim {
	const struct gen_config *c;
	struct gen_sink *sink;
	struct gen_truth *t;
	struct gtask *task;
	struct gcpu *cpu;
	struct timer *heap;
	size_t nr, cap;
	uint64_t now, rng, events;
};

static uint64_t rnd(struct sim *s)
{
	s->rng ^= s->rng << 13;
	s->rng ^= s->rng >> 7;
	s->rng ^= s->rng << 17;
	return s->rng;
}

/* Skewed: mostly short, sometimes long. */
static uint64_t some_time(struct sim *s, uint64_t scale)
{
	return 1 + (rnd(s) % scale >> rnd(s) % 4);
}

static int pid_of(int task)
{
	return task == NONE ? 0 : 100 + task;
}

static void timer_add(struct sim *s, uint64_t at, int what)
{
	size_t i;

	GROW(s->heap, s->nr, s->cap);
	i = s->nr++;
	for (; i && s->heap[(i - 1) / 2].at > at; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = (struct timer){ at, what };
}

static struct timer timer_take(struct sim *s)
{
	struct timer first = s->heap[0], last = s->heap[--s->nr];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= s->nr)
			break;
		if (child + 1 < s->nr && s->heap[child + 1].at < s->heap[child].at)
			child++;
		if (last.at <= s->heap[child].at)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	if (s->nr)
		s->heap[i] = last;
	return first;
}

static unsigned node_of(const struct sim *s, int cpu)
{
	return (unsigned)cpu / (s->c->cpus / s->c->nodes);
}

static void emit(struct sim *s, struct gen_event ev)
{
	ev.ts = ++s->now;
	ev.current_pid = pid_of(s->cpu[ev.cpu].current);
	s->t->events[ev.type]++;
	s->events++;
	s->sink->event(s->sink, &ev);
}

static void enqueue(struct sim *s, int cpu, int task)
{
	struct gcpu *c = &s->cpu[cpu];

	s->task[task].next = NONE;
	if (c->tail == NONE)
		c->head = task;
	else
		s->task[c->tail].next = task;
	c->tail = task;
	c->queued++;
}

static int dequeue(struct sim *s, int cpu)
{
	struct gcpu *c = &s->cpu[cpu];
	int task = c->head;

	c->head = s->task[task].next;
	if (c->head == NONE)
		c->tail = NONE;
	c->queued--;
	return task;
}

static void count_migration(struct sim *s, int task, int from, int to)
{
	struct gtask *t = &s->task[task];

	s->t->remote_migrations += node_of(s, from) != node_of(s, to);
	if (t->left_at && t->cpu == from) {
		s->t->since_ran_n++;
		s->t->since_ran_ns += s->now - t->left_at;
	}
}

/* Takes a waiting task of a busier CPU; 'puller' is where the event happens. */
static bool steal(struct sim *s, int puller)
{
	unsigned from = (unsigned)(rnd(s) % s->c->cpus);
	int task;

	if ((int)from == puller || !s->cpu[from].queued)
		return false;
	task = dequeue(s, (int)from);
	emit(s, (struct gen_event){ .type = GEN_MIGRATE, .cpu = (unsigned)puller,
				    .pid = pid_of(task), .orig = from,
				    .target = (unsigned)puller });
	count_migration(s, task, (int)from, puller);
	if (s->cpu[puller].current == NONE)
		s->t->migrations_idle++;
	else
		s->t->migrations_newidle++;
	enqueue(s, puller, task);
	return true;
}

static void count_switch(struct sim *s, struct gcpu *c, char state)
{
	if (c->current == NONE)
		s->t->idle++;
	else if (state == 'R')
		s->t->preempted++;
	else
		s->t->voluntary++;
	if (!c->since)
		return;
	if (c->current == NONE)
		s->t->idle_ns += s->now - c->since;
	else
		s->t->run_ns += s->now - c->since;
}

static void count_wait(struct sim *s, struct gtask *t)
{
	uint64_t ns = s->now - t->wait_since;

	if (!t->wait_since)
		return;
	if (t->preempted) {
		s->t->preempt_waits++;
		s->t->preempt_wait_ns += ns;
	} else {
		s->t->wakeup_waits++;
		s->t->wakeup_wait_ns += ns;
	}
	if (ns > s->t->max_wait_ns)
		s->t->max_wait_ns = ns;
}

/* The CPU goes on to the next task of its queue, or idles. */
static void reschedule(struct sim *s, int cpu, char state)
{
	struct gcpu *c = &s->cpu[cpu];
	int prev = c->current, next;

	if (prev != NONE && state != 'R' && !c->queued && rnd(s) % 2)
		steal(s, cpu); /* newly idle */
	next = c->queued ? dequeue(s, cpu) : NONE;
	if (prev == NONE && next == NONE)
		return;
	emit(s, (struct gen_event){ .type = GEN_SWITCH, .cpu = (unsigned)cpu,
				    .pid = pid_of(next), .prev_pid = pid_of(prev),
				    .state = prev == NONE ? 'R' : state });
	count_switch(s, c, state);
	if (prev != NONE) {
		s->task[prev].left_at = s->now;
		s->task[prev].cpu = cpu;
		s->task[prev].wait_since = state == 'R' ? s->now : 0;
		s->task[prev].preempted = state == 'R';
		if (state == 'R')
			enqueue(s, cpu, prev);
		else
			timer_add(s, s->now + some_time(s, 6000000), (int)s->c->cpus + prev);
	}
	if (next != NONE) {
		count_wait(s, &s->task[next]);
		s->task[next].cpu = cpu;
		timer_add(s, s->now + some_time(s, 2000000), cpu);
	}
	c->current = next;
	c->since = s->now;
}

static int choose_cpu(struct sim *s, int prev)
{
	for (int i = 0; i < 4; i++) {
		int cpu = (int)(rnd(s) % s->c->cpus);

		if (s->cpu[cpu].current == NONE && !s->cpu[cpu].queued)
			return cpu;
	}
	return prev;
}

static void wake(struct sim *s, int task)
{
	int waker = (int)(rnd(s) % s->c->cpus), to;
	struct gtask *t = &s->task[task];

	emit(s, (struct gen_event){ .type = GEN_WAKING, .cpu = (unsigned)waker,
				    .pid = pid_of(task), .target = (unsigned)t->cpu });
	t->wait_since = s->now;
	t->preempted = false;
	to = choose_cpu(s, t->cpu);
	if (to != t->cpu) {
		emit(s, (struct gen_event){ .type = GEN_MIGRATE, .cpu = (unsigned)waker,
					    .pid = pid_of(task), .orig = (unsigned)t->cpu,
					    .target = (unsigned)to });
		s->t->migrations_wakeup++;
		count_migration(s, task, t->cpu, to);
	}
	emit(s, (struct gen_event){ .type = GEN_WAKEUP, .cpu = (unsigned)waker,
				    .pid = pid_of(task), .target = (unsigned)to });
	enqueue(s, to, task);
	if (s->cpu[to].current == NONE)
		timer_add(s, s->now + 1 + rnd(s) % 3000, to);
}

static void cpu_due(struct sim *s, int cpu)
{
	struct gcpu *c = &s->cpu[cpu];

	if (c->current == NONE) {
		if (!c->queued && rnd(s) % 4 == 0)
			steal(s, cpu); /* an idle balance */
		if (c->queued)
			reschedule(s, cpu, 'R');
		return;
	}
	if (c->queued && rnd(s) % 3)
		reschedule(s, cpu, 'R');
	else
		reschedule(s, cpu, rnd(s) % 5 ? 'S' : 'D');
}

void gen_run(const struct gen_config *c, struct gen_sink *sink, struct gen_truth *truth)
{
	struct sim s = { .c = c, .sink = sink, .t = truth, .now = 1000000000,
			 .rng = c->seed * 0x9e3779b97f4a7c15ULL + 1 };

	memset(truth, 0, sizeof(*truth));
	s.task = xcalloc(c->tasks, sizeof(*s.task));
	s.cpu = xcalloc(c->cpus, sizeof(*s.cpu));
	for (unsigned i = 0; i < c->cpus; i++) {
		s.cpu[i].current = s.cpu[i].head = s.cpu[i].tail = NONE;
		timer_add(&s, s.now + rnd(&s) % 1000, (int)i);
	}
	for (unsigned i = 0; i < c->tasks; i++) {
		s.task[i].cpu = (int)(i % c->cpus);
		timer_add(&s, s.now + some_time(&s, 1000000), (int)(c->cpus + i));
	}
	while (s.nr && s.events < c->events) {
		struct timer t = timer_take(&s);

		if (t.at > s.now)
			s.now = t.at;
		if (t.what < (int)c->cpus)
			cpu_due(&s, t.what);
		else
			wake(&s, t.what - (int)c->cpus);
	}
	free(s.task);
	free(s.cpu);
	free(s.heap);
}
