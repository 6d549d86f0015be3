// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model and its passes: against the truth of the generator, against the slow
 * reference on random lists, and case by case for what traces do in the wild.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"
#include "reference_waits.h"
#include "schedblame/alloc.h"
#include "schedblame/pass.h"

/* A stream over an array. */
struct list {
	struct event_stream base;
	const struct event *ev;
	size_t n;
	bool given;
	pthread_mutex_t lock;
};

static int list_refill(struct event_stream *s, struct err *err)
{
	struct list *l = (struct list *)s;

	if (l->given || !l->n)
		return 0;
	l->given = true;
	s->pos = l->ev;
	s->end = l->ev + l->n;
	s->limit = UINT64_MAX;
	return 1;
}

static void list_close(struct event_stream *s)
{
	strmap_release(&s->comms);
}

static const struct event_stream_ops list_ops = { list_refill, list_close };

struct result {
	struct series_set series;
	struct trace_tables *tables;
	struct topology topology;
};

static void walk_list(struct result *r, const struct event *ev, size_t n, const char *topology)
{
	struct list l = { .base = { .ops = &list_ops, .unit_known = true }, .ev = ev, .n = n };
	struct err err = ERR_INIT;

	pthread_mutex_init(&l.lock, NULL);
	l.base.comm_lock = &l.lock;
	l.base.format = l.base.clock = (char *)"list";
	strmap_init(&l.base.comms);
	strmap_adds(&l.base.comms, "task");
	strmap_adds(&l.base.comms, "migration/0");
	strmap_adds(&l.base.comms, "kworker/1:0");
	topology_init(&r->topology);
	if (topology)
		assert_int_equal(topology_load(&r->topology, topology, &err), 0);
	series_init(&r->series);
	r->tables = trace_tables_new();
	assert_int_equal(walk_stream(&l.base, &r->topology, NULL, &r->series, r->tables, &err), 0);
	event_stream_close(&l.base);
}

static void walk_file(struct result *r, const char *path, const char *topology)
{
	struct event_input in = { path, 0 };
	struct event_stream *s;
	struct err err = ERR_INIT;

	topology_init(&r->topology);
	assert_int_equal(topology_load(&r->topology, topology, &err), 0);
	series_init(&r->series);
	r->tables = trace_tables_new();
	assert_int_equal(event_stream_open(&s, &in, 1, &err), 0);
	assert_int_equal(walk_stream(s, &r->topology, NULL, &r->series, r->tables, &err), 0);
	event_stream_close(s);
}

static void result_release(struct result *r)
{
	series_release(&r->series);
	trace_tables_free(r->tables);
	topology_release(&r->topology);
}

static uint64_t count(const struct result *r, const char *name, const char *key,
		      const char *value)
{
	return key ? series_sum(&r->series, name, LABELS(key, value)) :
		     series_sum(&r->series, name, NO_LABELS);
}

static uint64_t hist_sum(const struct result *r, const char *name)
{
	static struct histogram h;

	return series_merged(&r->series, name, NO_LABELS, &h) ? h.sum : 0;
}

static struct event sw(uint64_t ts, unsigned cpu, int prev, char state, int next)
{
	struct event e = { .ts = ts, .pid = next, .pid2 = prev, .comm = 0, .comm2 = 0,
			   .cpu = (uint16_t)cpu, .cpu2 = CPU_NONE, .type = EV_SWITCH,
			   .prio = 120 };

	for (int i = 0; i < TASK_STATE_NR; i++)
		if (task_state_letter((enum task_state)i) == state)
			e.state = (uint8_t)i;
	return e;
}

static struct event wake(enum event_type type, uint64_t ts, unsigned cpu, int pid,
			 unsigned target)
{
	return (struct event){ .ts = ts, .pid = pid, .pid2 = 99, .comm = 0,
			       .cpu = (uint16_t)cpu, .cpu2 = (uint16_t)target,
			       .type = (uint8_t)type, .prio = 120 };
}

static struct event moved(uint64_t ts, unsigned cpu, int pid, unsigned from, unsigned to)
{
	return (struct event){ .ts = ts, .pid = pid, .pid2 = 99, .comm = 0, .dest_cpu = to,
			       .cpu = (uint16_t)cpu, .cpu2 = (uint16_t)from,
			       .type = EV_MIGRATE, .prio = 120 };
}

static struct event lost(uint64_t from, uint64_t until, unsigned cpu, unsigned n)
{
	struct event e = { .ts = from, .cpu = (uint16_t)cpu, .cpu2 = CPU_NONE, .type = EV_LOST,
			   .comm = COMM_NONE };

	e.until = until;
	e.count = n;
	return e;
}

static void generator_truth(void **state)
{
	static const struct gen_config configs[] = {
		{ 8, 2, 24, 50000, 1, 0 }, { 1, 1, 5, 3000, 2, 0 }, { 64, 4, 100, 60000, 3, 0 },
		{ 512, 16, 700, 100000, 4, 0 }, { 4, 2, 40, 20000, 5, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		const struct gen_config *c = &configs[i];
		char path[] = "/tmp/test-passes-XXXXXX", topology[64];
		struct gen_truth t;
		struct result r;
		uint64_t dropped, idle = 0, run = 0;

		close(mkstemp(path));
		assert_int_equal(gen_write_trace_dat(c, path, &t, &dropped), 0);
		snprintf(topology, sizeof(topology), "node:%u pu:%u", c->nodes, c->cpus / c->nodes);
		walk_file(&r, path, topology);
		assert_int_equal(count(&r, "switches", "kind", "voluntary"), t.voluntary);
		assert_int_equal(count(&r, "switches", "kind", "preempted"), t.preempted);
		assert_int_equal(count(&r, "switches", "kind", "idle"), t.idle);
		assert_int_equal(count(&r, "wakeups", NULL, NULL), t.events[GEN_WAKEUP]);
		assert_int_equal(count(&r, "wakeup_latency", NULL, NULL), t.wakeup_waits);
		assert_int_equal(hist_sum(&r, "wakeup_latency"), t.wakeup_wait_ns);
		assert_int_equal(count(&r, "preemption_wait", NULL, NULL), t.preempt_waits);
		assert_int_equal(hist_sum(&r, "preemption_wait"), t.preempt_wait_ns);
		assert_int_equal(count(&r, "migrations", NULL, NULL), t.events[GEN_MIGRATE]);
		assert_int_equal(count(&r, "migrations", "reason", "wakeup"), t.migrations_wakeup);
		assert_int_equal(count(&r, "migrations", "reason", "steal_newidle"),
				 t.migrations_newidle);
		assert_int_equal(count(&r, "migrations", "reason", "steal_idle"),
				 t.migrations_idle);
		assert_int_equal(count(&r, "migrations", "distance", "remote"),
				 t.remote_migrations);
		assert_int_equal(count(&r, "since_last_ran", NULL, NULL), t.since_ran_n);
		assert_int_equal(hist_sum(&r, "since_last_ran"), t.since_ran_ns);
		for (uint32_t cpu = 0; cpu < r.tables->nr_cpus; cpu++) {
			idle += r.tables->cpu[cpu].idle_ns;
			run += r.tables->cpu[cpu].busy_ns;
		}
		assert_int_equal(idle, t.idle_ns);
		assert_int_equal(run, t.run_ns);
		if (t.wakeup_waits)
			assert_int_equal(r.tables->worst[0].ns, t.max_wait_ns);
		assert_int_equal(count(&r, "dropped", NULL, NULL), 0);
		result_release(&r);
		unlink(path);
	}
}

/* Perf script text of the same simulation says the same as its trace.dat. */
static void text_equals_binary(void **state)
{
	const struct gen_config c = { 8, 2, 24, 20000, 7, 0 };
	char dat[] = "/tmp/test-passes-XXXXXX", text[] = "/tmp/test-passes-XXXXXX";
	struct gen_truth t;
	struct result a, b;
	uint64_t dropped;
	FILE *out;
	json_t *x, *y;

	close(mkstemp(dat));
	out = fdopen(mkstemp(text), "w");
	assert_int_equal(gen_write_trace_dat(&c, dat, &t, &dropped), 0);
	assert_int_equal(gen_write_perf_script(&c, out, &t), 0);
	fclose(out);
	walk_file(&a, dat, "node:2 pu:4");
	walk_file(&b, text, "node:2 pu:4");
	x = series_to_json(&a.series);
	y = series_to_json(&b.series);
	assert_true(json_equal(x, y));
	json_decref(x);
	json_decref(y);
	result_release(&a);
	result_release(&b);
	unlink(dat);
	unlink(text);
}

/* What is measured beside losses is true: no bucket has more than the truth. */
static void losses_drop_never_invent(void **state)
{
	static const char *const names[] = { "wakeup_latency", "preemption_wait",
					     "idle_periods", "since_last_ran" };

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct gen_config c = { 8, 2, 24, 60000, seed, 0 };
		char whole[] = "/tmp/test-passes-XXXXXX", lossy[] = "/tmp/test-passes-XXXXXX";
		static struct histogram a, b;
		struct gen_truth t;
		struct result x, y;
		uint64_t dropped;

		close(mkstemp(whole));
		close(mkstemp(lossy));
		gen_write_trace_dat(&c, whole, &t, &dropped);
		c.loss_every = 10;
		gen_write_trace_dat(&c, lossy, &t, &dropped);
		assert_true(dropped > 0);
		walk_file(&x, whole, "node:2 pu:4");
		walk_file(&y, lossy, "node:2 pu:4");
		assert_int_equal(y.tables->counts.lost, dropped);
		assert_true(count(&y, "dropped", "what", "spans a loss") > 0);
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			series_merged(&x.series, names[i], NO_LABELS, &a);
			series_merged(&y.series, names[i], NO_LABELS, &b);
			assert_true(b.count > 0);
			for (int k = 0; k < HIST_BUCKETS; k++)
				if (b.bucket[k] > a.bucket[k])
					fail_msg("seed %d %s bucket %d: %d > %d", (int)seed,
						 names[i], k, (int)b.bucket[k], (int)a.bucket[k]);
		}
		result_release(&x);
		result_release(&y);
		unlink(whole);
		unlink(lossy);
	}
}

/* Random lists, mostly impossible ones. */
static void random_lists_agree_with_the_reference(void **state)
{
	enum { N = 60, PIDS = 4, CPUS = 3 };

	srandom(1);
	for (int round = 0; round < 3000; round++) {
		struct event e[N];
		uint64_t n[2] = { 0, 0 }, ns[2] = { 0, 0 };
		struct ref_wait w;
		struct result r;

		e[0] = wake(EV_WAKEUP, 1000, 0, PIDS + 1, 0); /* sched_wakeup is recorded */
		/* each task was seen once: what ran before the trace is another matter */
		for (int i = 1; i <= PIDS; i++)
			e[i] = sw(1000 + (uint64_t)i, 0, i - 1, 'S', i);
		for (int i = PIDS + 1; i < N; i++) {
			uint64_t ts = e[i - 1].ts + 1 + (uint64_t)random() % 50;
			int pid = 1 + (int)(random() % PIDS);
			unsigned cpu = (unsigned)random() % CPUS, to = (unsigned)random() % CPUS;

			switch (random() % 5) {
			case 0: e[i] = wake(EV_WAKING, ts, cpu, pid, to); break;
			case 1: e[i] = wake(EV_WAKEUP, ts, cpu, pid, to); break;
			default:
				e[i] = sw(ts, cpu, (int)(random() % (PIDS + 1)), "RSDX"[random() % 4],
					  pid);
				if (e[i].pid2 == pid)
					e[i].pid2 = 0;
				break;
			}
		}
		walk_list(&r, e, N, NULL);
		for (int i = 1; i < N; i++)
			if (e[i].type == EV_SWITCH && ref_wait_of(e, i, &w)) {
				n[w.preempted]++;
				ns[w.preempted] += w.ns;
			}
		assert_int_equal(count(&r, "wakeup_latency", NULL, NULL), n[0]);
		assert_int_equal(hist_sum(&r, "wakeup_latency"), ns[0]);
		assert_int_equal(count(&r, "preemption_wait", NULL, NULL), n[1]);
		assert_int_equal(hist_sum(&r, "preemption_wait"), ns[1]);
		result_release(&r);
	}
}

struct list_sink {
	struct gen_sink sink;
	struct event *ev;
	int n, cap;
};

static void take_event(struct gen_sink *sink, const struct gen_event *g)
{
	struct list_sink *l = (struct list_sink *)sink;
	struct event *e = &l->ev[l->n];
	int pid = g->pid ? g->pid - 99 : 0, prev = g->prev_pid ? g->prev_pid - 99 : 0;

	if (l->n == l->cap)
		return;
	switch (g->type) {
	case GEN_SWITCH: *e = sw(g->ts, g->cpu, prev, g->state, pid); break;
	case GEN_WAKING: *e = wake(EV_WAKING, g->ts, g->cpu, pid, g->target); break;
	case GEN_WAKEUP: *e = wake(EV_WAKEUP, g->ts, g->cpu, pid, g->target); break;
	default: *e = moved(g->ts, g->cpu, pid, g->orig, g->target); break;
	}
	l->n++;
}

static void idle_while_waiting_by_definition(void **state)
{
	static const struct {
		struct gen_config c;
		const char *topology;
	} cases[] = {
		{ { 8, 2, 12, 600, 1, 0 }, "node:2 core:2 pu:2" },
		{ { 8, 2, 20, 600, 2, 0 }, "node:2 core:2 pu:2" },
		{ { 8, 4, 16, 600, 3, 0 }, "node:4 core:2 pu:1" },
		{ { 6, 1, 9, 600, 4, 0 }, "node:1 core:3 pu:2" },
		{ { 16, 2, 24, 900, 5, 0 }, "node:2 core:4 pu:2" },
	};

	uint64_t total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct list_sink l = { { take_event }, xcalloc(1200, sizeof(struct event)), 0, 1200 };
		uint64_t ns[DIST_NR];
		struct gen_truth t;
		struct result r;

		gen_run(&cases[i].c, &l.sink, &t);
		walk_list(&r, l.ev, (size_t)l.n, cases[i].topology);
		ref_idle_while_waiting(l.ev, l.n, (int)cases[i].c.tasks, (int)cases[i].c.cpus,
				       1000000, &r.topology, ns);
		for (int d = 0; d < DIST_NR; d++) {
			assert_int_equal(count(&r, "idle_while_waiting", "distance",
					       distance_name((enum distance)d)), ns[d]);
			total += ns[d];
		}
		result_release(&r);
		free(l.ev);
	}
	assert_true(total > 0);
}

static void wild_traces(void **state)
{
	struct result r;

	{ /* a switch to a blocked task without a wakeup: nothing measured */
		const struct event e[] = { sw(100, 0, 1, 'S', 0), sw(500, 0, 0, 'R', 1) };

		walk_list(&r, e, ARRAY_SIZE(e), NULL);
		assert_int_equal(count(&r, "wakeup_latency", NULL, NULL), 0);
		assert_int_equal(count(&r, "dropped", "what", "unpaired"), 1);
		assert_int_equal(r.tables->nr_tasks, 1); /* pid 0 is no task */
		result_release(&r);
	}
	{ /* time goes backwards: dropped, not wrapped to centuries */
		const struct event e[] = { wake(EV_WAKEUP, 500, 0, 1, 1), sw(400, 1, 0, 'R', 1) };

		walk_list(&r, e, ARRAY_SIZE(e), NULL);
		assert_int_equal(count(&r, "wakeup_latency", NULL, NULL), 0);
		assert_true(count(&r, "dropped", "what", "backwards time") > 0);
		result_release(&r);
	}
	{ /* a pid is used again: another task */
		struct event fork = wake(EV_FORK, 300, 0, 1, 0);
		const struct event e[] = { sw(100, 0, 0, 'R', 1), sw(200, 0, 1, 'X', 0), fork,
					   wake(EV_WAKEUP_NEW, 350, 0, 1, 0), sw(400, 0, 0, 'R', 1) };

		walk_list(&r, e, ARRAY_SIZE(e), NULL);
		assert_int_equal(r.tables->nr_tasks, 3); /* with the waker */
		assert_int_equal(count(&r, "fork_wait", NULL, NULL), 1);
		assert_int_equal(hist_sum(&r, "fork_wait"), 50);
		result_release(&r);
	}
	{ /* a wait that spans a loss on any CPU is dropped */
		const struct event e[] = { wake(EV_WAKING, 100, 0, 1, 1),
					   wake(EV_WAKEUP, 101, 0, 1, 1), lost(110, 150, 2, 7),
					   sw(200, 1, 0, 'R', 1), sw(300, 1, 1, 'R', 2),
					   sw(310, 1, 2, 'S', 1) };

		walk_list(&r, e, ARRAY_SIZE(e), NULL);
		assert_int_equal(count(&r, "wakeup_latency", NULL, NULL), 0);
		assert_int_equal(count(&r, "dropped", "what", "spans a loss"), 1);
		assert_int_equal(hist_sum(&r, "preemption_wait"), 10);
		assert_int_equal(r.tables->nr_gaps, 1);
		assert_int_equal(r.tables->gap[0].count, 7);
		result_release(&r);
	}
	{ /* woken while it still runs: no wait; woken between block and switch: one */
		const struct event e[] = {
			sw(10, 0, 0, 'R', 1), wake(EV_WAKING, 20, 1, 1, 0),
			wake(EV_WAKEUP, 21, 1, 1, 0), wake(EV_WAKING, 30, 1, 1, 0),
			sw(40, 0, 1, 'S', 0), wake(EV_WAKEUP, 41, 1, 1, 0), sw(50, 0, 0, 'R', 1) };

		walk_list(&r, e, ARRAY_SIZE(e), NULL);
		assert_int_equal(count(&r, "wakeups", "kind", "running"), 1);
		assert_int_equal(count(&r, "wakeups", "kind", "wakeup"), 1);
		assert_int_equal(hist_sum(&r, "wakeup_latency"), 20);
		result_release(&r);
	}
	{ /* who wakes whom is exact, also where one wakes more than are kept, in turn */
		struct event e[120];

		for (int i = 0; i < 120; i++) {
			e[i] = wake(EV_WAKEUP, 100 + (uint64_t)i, 0, 1 + i % 6, 0);
			e[i].pid2 = 99;
		}
		walk_list(&r, e, ARRAY_SIZE(e), NULL);
		for (uint32_t t = 0; t < r.tables->nr_tasks; t++) {
			const struct trace_task *row = &r.tables->task[t];

			assert_int_equal(row->pid == 99 ? row->wakee[0].count :
							  row->waker[0].count, 20);
		}
		result_release(&r);
	}
}

static void reasons(void **state)
{
	struct event stop = sw(300, 0, 1, 'R', 50), fork = wake(EV_FORK, 500, 0, 7, 0), rt;
	struct result r;

	stop.comm = 1; /* migration/0 */
	rt = moved(700, 1, 9, 0, 1);
	rt.prio = 50;
	const struct event e[] = {
		wake(EV_WAKING, 1, 0, 99, 0),
		wake(EV_WAKING, 100, 0, 1, 0), moved(101, 0, 1, 1, 0),	/* wakeup */
		wake(EV_WAKEUP, 102, 0, 1, 0), sw(103, 0, 0, 'R', 1),
		stop, moved(310, 0, 1, 0, 1),				/* stopper */
		sw(320, 0, 50, 'S', 0),
		fork, moved(510, 0, 7, 0, 1),				/* fork */
		wake(EV_WAKEUP_NEW, 511, 0, 7, 1),
		moved(600, 0, 7, 1, 0),					/* CPU 0 idles: steal_idle */
		wake(EV_WAKEUP, 650, 0, 9, 0), rt,			/* rt_pull */
		moved(800, 0, 77, 1, 0),				/* never seen: unknown */
	};

	walk_list(&r, e, ARRAY_SIZE(e), "node:2 pu:1");
	assert_int_equal(count(&r, "migrations", "reason", "wakeup"), 1);
	assert_int_equal(count(&r, "migrations", "reason", "stopper"), 1);
	assert_int_equal(count(&r, "migrations", "reason", "fork"), 1);
	assert_int_equal(count(&r, "migrations", "reason", "steal_idle"), 1);
	assert_int_equal(count(&r, "migrations", "reason", "rt_pull"), 1);
	assert_int_equal(count(&r, "migrations", "reason", "unknown"), 1);
	assert_int_equal(count(&r, "migrations", "from_node", "0") +
			 count(&r, "migrations", "from_node", "1"), 6);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generator_truth),
		cmocka_unit_test(text_equals_binary),
		cmocka_unit_test(losses_drop_never_invent),
		cmocka_unit_test(random_lists_agree_with_the_reference),
		cmocka_unit_test(idle_while_waiting_by_definition),
		cmocka_unit_test(wild_traces),
		cmocka_unit_test(reasons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
