// SPDX-License-Identifier: GPL-2.0-or-later
/* One walk over a stream: the model, then every pass that asked for the step. */
#include "schedblame/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pass_model.h"
#include "schedblame/alloc.h"
#include "schedblame/progress.h"

#define AHEAD 16 /* events; twice that many tasks come from memory at once */
#define PROGRESS_EVERY 4096 /* rounds of AHEAD events */

static const struct pass_ops *const standard[] = {
	&pass_switch, &pass_wait, &pass_wake, &pass_migrate, &pass_idle, &pass_numa,
	&pass_map,
};

struct cpu *walk_new_cpu(struct walk *w, unsigned number)
{
	if (number >= CPU_NONE)
		return NULL;
	if (number >= w->nr_cpus) {
		w->cpu = xrealloc(w->cpu, number + 1, sizeof(*w->cpu));
		memset(w->cpu + w->nr_cpus, 0,
		       (number + 1 - w->nr_cpus) * sizeof(*w->cpu));
		w->nr_cpus = number + 1;
	}
	w->cpu[number] = xcalloc(1, sizeof(struct cpu));
	w->cpu[number]->number = (uint16_t)number;
	return w->cpu[number];
}

static void subscribe(struct walk *w, int kind, const struct pass *p)
{
	struct subscriber *s = w->subscriber[kind];

	while (s->step)
		s++;
	*s = (struct subscriber){ p->ops->step, p->self };
}

static void add_pass(struct walk *w, const struct pass_ops *ops)
{
	struct pass *p;

	if (w->nr_passes == PASSES_MAX)
		return;
	p = &w->pass[w->nr_passes++];

	p->ops = ops;
	p->self = ops->init(w);
	for (int k = 0; k < STEP_NR; k++)
		if (ops->steps & 1u << k)
			subscribe(w, k, p);
}

static void add_dropped(struct walk *w)
{
	const struct event_counts *c = &w->stream->counts;
	const struct {
		const char *what;
		uint64_t n;
	} rows[] = {
		{ "lost events", c->lost },
		{ "gaps", c->gaps },
		{ "malformed", c->malformed },
		{ "spans a loss", w->dropped_gap },
		{ "unpaired", w->unpaired },
		{ "backwards time", w->backwards },
		{ "inconsistent", w->inconsistent },
	};

	series_declare(w->series, "dropped");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].n)
			series_add(w->series, "dropped", LABELS("what", rows[i].what),
				   rows[i].n);
}

static inline void walk_event(struct walk *w, const struct event *ev)
{
	if (ev->type != EV_LOST) {
		if (!w->first_ts)
			w->first_ts = ev->ts;
		if (ev->ts < w->before)
			w->backwards++;
		w->before = ev->ts;
		if (ev->ts > w->last_ts)
			w->last_ts = ev->ts;
	}
	model_event(w, ev);
}

/* The next events, AHEAD at most. Returns what event_stream_next() said last. */
static int walk_some(struct walk *w, struct err *err)
{
	const struct event *next;
	int ret = 1;

	for (unsigned n = 0; n < AHEAD; n++) {
		ret = event_stream_next(w->stream, &next, err);
		if (ret <= 0)
			break;
		walk_event(w, next);
	}
	return ret;
}

/* The same where tasks are many: the memory of those of these events comes while
 * the ones before are looked at. */
static int walk_ahead(struct walk *w, struct err *err)
{
	struct event ev[AHEAD];
	const struct event *next;
	unsigned n = 0;
	int ret = 1;

	for (; n < AHEAD && (ret = event_stream_next(w->stream, &next, err)) > 0; n++) {
		ev[n] = *next;
		model_prefetch(w->model, next);
	}
	for (unsigned i = 0; i < n; i++)
		walk_event(w, &ev[i]);
	return ret;
}

static int walk_events(struct walk *w, const struct walk_options *opts, struct err *err)
{
	struct event_stream *s = w->stream;
	unsigned rounds = 0;
	int ret;

	do {
		ret = model_is_large(w->model) ? walk_ahead(w, err) : walk_some(w, err);
		if (++rounds % PROGRESS_EVERY)
			continue;
		if (opts->stop && atomic_load(opts->stop))
			return err_set(err, ECANCELED, "reading the events was stopped");
		if (!opts->quiet)
			progress_bar("reading events", s->done_bytes, s->total_bytes);
	} while (ret > 0);
	if (!opts->quiet)
		progress_end();
	return ret;
}

static void fill_tables(struct walk *w)
{
	struct trace_tables *t = w->tables;

	t->format = xstrdup(w->stream->format);
	t->clock = xstrdup(w->stream->clock);
	t->unit_known = w->stream->unit_known;
	t->first_ts = w->first_ts;
	t->last_ts = w->last_ts;
	t->counts = w->stream->counts;
}

int walk_stream(struct event_stream *stream, const struct topology *topology,
		const struct walk_options *opts, struct series_set *series,
		struct trace_tables *tables, struct err *err)
{
	static const struct walk_options defaults;
	struct walk *w = xcalloc(1, sizeof(*w));
	int ret;

	w->stream = stream;
	w->topology = topology;
	if (!opts)
		opts = &defaults;
	w->grace_ns = opts->grace_ns ? opts->grace_ns : 1000000;
	w->arg = opts->arg;
	w->series = series;
	w->tables = tables;
	w->model = model_new();
	for (size_t i = 0; i < ARRAY_SIZE(standard) && !opts->alone; i++)
		add_pass(w, standard[i]);
	for (size_t i = 0; opts->extra && opts->extra[i]; i++)
		add_pass(w, opts->extra[i]);
	ret = walk_events(w, opts, err);
	if (!ret) {
		model_finish(w);
		fill_tables(w);
		for (unsigned i = 0; i < w->nr_passes; i++)
			w->pass[i].ops->finish(w->pass[i].self, w);
		model_collect(w);
		add_dropped(w);
	}
	for (unsigned i = 0; i < w->nr_passes; i++)
		w->pass[i].ops->release(w->pass[i].self);
	model_free(w->model);
	for (unsigned i = 0; i < w->nr_cpus; i++)
		free(w->cpu[i]);
	free(w->cpu);
	free(w);
	return ret;
}

struct trace_tables *trace_tables_new(void)
{
	struct trace_tables *t = xcalloc(1, sizeof(*t));

	strmap_init(&t->names);
	return t;
}

void trace_tables_free(struct trace_tables *t)
{
	if (!t)
		return;
	free(t->format);
	free(t->clock);
	free(t->task);
	free(t->map);
	free(t->cpu);
	strmap_release(&t->names);
	free(t);
}
