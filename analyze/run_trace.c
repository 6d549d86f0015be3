// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as a run: a foreign trace, and the trace.dat of a run directory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event_open.h"
#include "perf_topology.h"
#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/pass.h"

bool run_is_event_text(const unsigned char *head, size_t len, bool whole)
{
	return event_format_of(head, len) == &format_ftrace_text;
}

/* A run of ours has its topology beside its trace. */
static bool from_folder(struct run *run)
{
	const char *slash = strrchr(run->path, '/');
	char *folder = slash ? xstrndup(run->path, (size_t)(slash - run->path)) : xstrdup(".");
	char *manifest = path_join(folder, "run.json"), *xml = path_join(folder, "topology.xml");
	bool found = file_exists(manifest) && file_exists(xml) &&
		     topology_load(&run->topology, xml, NULL) == 0;

	if (!found) {
		topology_release(&run->topology);
		topology_init(&run->topology);
	}
	free(manifest);
	free(xml);
	free(folder);
	return found;
}

static bool from_header(struct run *run, const struct input *in)
{
	struct perf_file pf;
	bool found;

	if (perf_file_open_memory(&pf, in->data, in->len, in->name, NULL) < 0)
		return false;
	found = perf_file_topology(&pf, &run->topology);
	perf_file_close(&pf);
	return found;
}

static int load_topology(struct run *run, const struct input *in,
			 const struct run_options *opts, struct err *err)
{
	if (opts->topology)
		return topology_load(&run->topology, opts->topology, err);
	if (from_header(run, in) || from_folder(run))
		return 0;
	notes_add(&run->notes, "%s does not tell the machine's topology, so no distance is "
		  "claimed; give it with --topology (hwloc XML, 'node:2 core:4 pu:2', or the "
		  "text of lscpu -p)", run->path);
	return 0;
}

/* "Linux HOST RELEASE MACHINE" */
static void take_uname(struct run *run, const char *uname)
{
	static const char *const fact[] = { NULL, "nodename", "release", "machine" };

	for (size_t i = 0; i < ARRAY_SIZE(fact) && *uname; i++) {
		size_t len = strcspn(uname, " ");
		char *word = xstrndup(uname, len);

		if (fact[i])
			run_add_fact(run, fact[i], word);
		free(word);
		uname += len + strspn(uname + len, " ");
	}
}

static void take_facts(struct run *run, const struct event_stream *s)
{
	take_uname(run, s->uname);
	run_add_fact(run, "release", s->kernel_release);
	run_set_string(&run->kernel_release, s->kernel_release);
	if (run_fact(run, "nodename"))
		run_set_string(&run->machine_name, run_fact(run, "nodename"));
	notes_merge(&run->notes, &s->notes);
}

static void note_losses(struct run *run, const struct trace_tables *t)
{
	uint64_t spoiled = series_sum(&run->series, "dropped", LABELS("what", "spans a loss"));

	if (t->counts.gaps)
		notes_add(&run->notes, "%s: the recorder lost events in %llu places (%llu "
			  "events counted); %llu intervals that span a loss were dropped, not "
			  "measured", run->path, (unsigned long long)t->counts.gaps,
			  (unsigned long long)t->counts.lost, (unsigned long long)spoiled);
	if (t->counts.malformed)
		notes_add(&run->notes, "%s: %llu records could not be understood and were "
			  "skipped", run->path, (unsigned long long)t->counts.malformed);
}

static void note_affinity(struct run *run)
{
	if (series_sum(&run->series, "idle_while_waiting", NO_LABELS))
		notes_add(&run->notes, "%s does not tell on which CPUs a task may run: 'idle "
			  "while work waits' may count idle CPUs that were closed to the task "
			  "that waited; threads that belong to one CPU by their name (kworker/3, "
			  "ksoftirqd/3 and the like) are left out", run->path);
}

static int walk_run(struct run *run, struct event_stream *s, const struct run_options *opts,
		    struct series_set *series, struct err *err)
{
	const struct walk_options walk = { .grace_ns = opts->grace_ns };
	int ret;

	run->trace = trace_tables_new();
	ret = walk_stream(s, &run->topology, &walk, series, run->trace, err);
	if (ret) {
		trace_tables_free(run->trace);
		run->trace = NULL;
	}
	return ret;
}

/* The file alone, or with those that join it; its own entry is among them. */
static int open_events(struct event_stream **s, const struct run *run, const struct input *in,
		       const struct run_options *opts, struct err *err)
{
	if (!opts->nr_merge || strcmp(opts->merge_into, run->path))
		return event_stream_open_input(s, in, err);
	return event_stream_open(s, opts->merge, opts->nr_merge, err);
}

int run_from_trace(struct run *run, const struct input *in, const struct run_options *opts,
		   struct err *err)
{
	struct event_stream *s;
	int ret = open_events(&s, run, in, opts, err);

	if (ret)
		return ret;
	ret = load_topology(run, in, opts, err);
	if (!ret)
		ret = walk_run(run, s, opts, &run->series, err);
	if (!ret) {
		take_facts(run, s);
		note_losses(run, run->trace);
		note_affinity(run);
		run->trace_tried = true;
		run->complete = true;
		run->duration_ns = run->trace->last_ts - run->trace->first_ts;
		if (!s->counts.by_type[EV_SWITCH])
			notes_add(&run->notes, "%s holds no sched_switch events: nothing can "
				  "be said about running and waiting", run->path);
	}
	event_stream_close(s);
	return ret;
}

const struct trace_tables *run_trace(struct run *run, struct err *err)
{
	static const struct run_options defaults;
	struct event_input in = { NULL, 0 };
	struct event_stream *s;
	struct series_set series;
	char *path;

	if (run->trace || run->trace_tried || run->foreign)
		return run->trace;
	run->trace_tried = true;
	path = path_join(run->path, "trace.dat");
	in.path = path;
	if (file_exists(path) && event_stream_open(&s, &in, 1, err) == 0) {
		/* the run's own series come from its sources, not from here */
		series_init(&series);
		if (walk_run(run, s, &defaults, &series, err) == 0)
			note_losses(run, run->trace);
		series_release(&series);
		event_stream_close(s);
	}
	free(path);
	return run->trace;
}
