// SPDX-License-Identifier: GPL-2.0-or-later
/* The trace section as JSON: every task, CPU, worst wait and gap. */
#include <string.h>

#include "schedblame/alloc.h"
#include "trace_report.h"

static json_t *u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

struct field {
	const char *name;
	uint64_t value;
};

static void add_fields(json_t *o, const struct field *field, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_object_set_new(o, field[i].name, u64(field[i].value));
}

#define ADD_FIELDS(o, ...)                                                      \
	add_fields(o, (const struct field[]){ __VA_ARGS__ },                    \
		   ARRAY_SIZE(((const struct field[]){ __VA_ARGS__ })))

static json_t *wait_json(const struct wait_sum *w)
{
	json_t *o = json_object();

	ADD_FIELDS(o, { "count", w->count },
		   { "sum_ns", w->sum_ns },
		   { "max_ns", w->max_ns },
		   { "max_at_ns", w->max_ts });
	return o;
}

static json_t *peers_json(const struct trace_tables *t, const struct trace_peer *p)
{
	json_t *a = json_array();

	for (int i = 0; i < TRACE_PEERS; i++) {
		json_t *o;

		if (!p[i].count)
			continue;
		o = json_object();
		json_object_set_new(o, "pid", json_integer(t->task[p[i].task].pid));
		json_object_set_new(o, t->peers_exact ? "count" : "count_at_most", u64(p[i].count));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *task_json(const struct trace_tables *t, const struct trace_task *k)
{
	json_t *o = json_object(), *states = json_object(), *moves = json_object();

	json_object_set_new(o, "pid", json_integer(k->pid));
	json_object_set_new(o, "comm", json_text(k->comm, strlen(k->comm)));
	json_object_set_new(o, "prio", json_integer(k->prio));
	ADD_FIELDS(o, { "run_ns", k->run_ns },
		   { "runs", k->runs },
		   { "voluntary", k->voluntary },
		   { "preempted", k->preempted },
		   { "wakeups", k->wakeups },
		   { "woke", k->woke });
	json_object_set_new(o, "wakeup_wait", wait_json(&k->wakeup));
	json_object_set_new(o, "preemption_wait", wait_json(&k->preempt));
	for (int d = 0; d < DIST_NR; d++)
		if (k->migrations[d])
			json_object_set_new(moves, distance_name((enum distance)d),
					    u64(k->migrations[d]));
	json_object_set_new(o, "migrations", moves);
	for (int s = 0; s < TASK_STATE_NR; s++)
		if (k->state_ns[s])
			json_object_set_new(states, task_state_title((enum task_state)s),
					    u64(k->state_ns[s]));
	json_object_set_new(o, "state_ns", states);
	json_object_set_new(o, "wakers", peers_json(t, k->waker));
	json_object_set_new(o, "wakees", peers_json(t, k->wakee));
	return o;
}

static json_t *types_json(const uint64_t by_type[EV_NR])
{
	json_t *o = json_object();

	for (int t = 0; t < EV_NR; t++)
		if (by_type[t])
			json_object_set_new(o, event_type_name((enum event_type)t), u64(by_type[t]));
	return o;
}

static json_t *cpu_json(const struct trace_tables *t, uint32_t i)
{
	const struct trace_cpu *c = &t->cpu[i];
	json_t *o = json_object();

	json_object_set_new(o, "cpu", json_integer(i));
	ADD_FIELDS(o, { "busy_ns", c->busy_ns },
		   { "idle_ns", c->idle_ns },
		   { "switches", c->switches },
		   { "woken_here", c->wakeups_here },
		   { "moved_in", c->in },
		   { "moved_out", c->out },
		   { "max_queue", c->max_queue },
		   { "lost", c->lost },
		   { "gaps", c->gaps });
	json_object_set_new(o, "events", types_json(c->by_type));
	return o;
}

static json_t *worst_json(const struct trace_tables *t, const struct trace_wait *w)
{
	json_t *o = json_object();

	json_object_set_new(o, "pid", json_integer(t->task[w->task].pid));
	json_object_set_new(o, "ns", u64(w->ns));
	json_object_set_new(o, "end_ns", u64(w->end_ts));
	json_object_set_new(o, "cpu", json_integer(w->cpu));
	if (w->from_cpu != CPU_NONE)
		json_object_set_new(o, "from_cpu", json_integer(w->from_cpu));
	json_object_set_new(o, "after", json_string(w->kind == WAIT_PREEMPT ? "preemption" :
						    w->kind == WAIT_NEW ? "fork" : "wakeup"));
	return o;
}

static json_t *gap_json(const struct trace_gap *g)
{
	json_t *o = json_object();

	if (g->cpu != CPU_NONE)
		json_object_set_new(o, "cpu", json_integer(g->cpu));
	json_object_set_new(o, "from_ns", u64(g->from));
	json_object_set_new(o, "until_ns", u64(g->until));
	json_object_set_new(o, "events", g->count ? u64(g->count) : json_null());
	return o;
}

static json_t *tables_json(const struct trace_tables *t)
{
	json_t *o = json_object(), *events = json_object(), *tasks = json_array(),
	       *cpus = json_array(), *worst = json_array(), *gaps = json_array();

	json_object_set_new(o, "format", json_string(t->format));
	json_object_set_new(o, "clock", json_string(t->clock));
	json_object_set_new(o, "clock_counts_ns", json_boolean(t->unit_known));
	json_object_set_new(o, "first_ns", u64(t->first_ts));
	json_object_set_new(o, "last_ns", u64(t->last_ts));
	json_object_set_new(events, "all", u64(t->counts.events));
	for (int i = 0; i < EV_NR; i++)
		if (t->counts.by_type[i])
			json_object_set_new(events, event_type_name((enum event_type)i),
					    u64(t->counts.by_type[i]));
	json_object_set_new(events, "malformed", u64(t->counts.malformed));
	json_object_set_new(events, "lost_events", u64(t->counts.lost));
	json_object_set_new(o, "events", events);
	for (uint32_t i = 0; i < t->nr_tasks; i++)
		json_array_append_new(tasks, task_json(t, &t->task[i]));
	json_object_set_new(o, "tasks", tasks);
	for (uint32_t i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].seen)
			json_array_append_new(cpus, cpu_json(t, i));
	json_object_set_new(o, "cpus", cpus);
	for (uint32_t i = 0; i < t->nr_worst; i++)
		json_array_append_new(worst, worst_json(t, &t->worst[i]));
	json_object_set_new(o, "worst_waits", worst);
	for (uint32_t i = 0; i < t->nr_gaps; i++)
		json_array_append_new(gaps, gap_json(&t->gap[i]));
	json_object_set_new(o, "gaps", gaps);
	return o;
}

json_t *section_trace_json(const struct report *r)
{
	json_t *o = json_object();

	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct trace_tables *t = report_trace(r, i);

		if (t && t->counts.events)
			json_object_set_new(o, r->name[i], tables_json(t));
	}
	if (!json_object_size(o)) {
		json_decref(o);
		return NULL;
	}
	return o;
}
