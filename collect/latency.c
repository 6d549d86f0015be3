// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source "latency": histograms of the time inside kernel functions, per kind of
 * caller, written as latency.json.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_probe.h"
#include "latency_ftrace.h"
#include "latency_private.h"
#include "schedblame/alloc.h"
#include "schedblame/source.h"

#define FILE_VERSION 1

/* By BPF, or, where no function can be timed so, by ftrace. */
struct source {
	struct latency_targets targets;
	struct latency_probe **probe; /* [targets.n], NULL: refused */
	struct latency_ftrace *ftrace;
};

/* A function that cannot be timed is a note; none at all is an error. */
static int attach_all(struct source *src, struct err *err)
{
	size_t attached = 0;

	src->probe = xcalloc(src->targets.n + 1, sizeof(*src->probe));
	for (size_t i = 0; i < src->targets.n; i++) {
		struct err why = ERR_INIT;

		if (latency_attach(&src->probe[i], &src->targets.v[i], &why) == 0)
			attached++;
		else
			notes_add(&src->targets.notes, "%s", err_text(&why));
		err_release(&why);
	}
	if (attached)
		return 0;
	return err_set(err, ENOENT, "source latency: no function could be timed: %s",
		       src->targets.notes.n ? src->targets.notes.v[0] : "none was named");
}

/* Only whole functions can be timed so. Why BPF could not stays a note. */
static int open_ftrace(struct source *src, const char *list, struct err *why,
		       struct err *err)
{
	int ret;

	latency_targets_release(&src->targets);
	ret = latency_targets_find(&src->targets, list, false, err);
	notes_add(&src->targets.notes, "%s", err_text(why));
	if (ret < 0)
		return ret;
	if (!src->targets.n)
		return err_set(err, ENOENT, "source latency: no function could be timed: %s",
			       src->targets.notes.n ? src->targets.notes.v[0] :
						      "none was named");
	return latency_ftrace_open(&src->ftrace, &src->targets, err);
}

static int latency_open(struct source **out, const struct session *s, struct err *err)
{
	const char *list = s->config ? s->config->latency : NULL;
	struct source *src = xcalloc(1, sizeof(*src));
	struct err other = ERR_INIT;
	int ret;

	*out = src;
	ret = latency_targets_find(&src->targets, list, true, err);
	if (ret < 0)
		return ret;
	ret = attach_all(src, err);
	/* by itself collect does not make a machine as slow as this tracer does */
	if (ret < 0 && list) {
		if (open_ftrace(src, list, err, &other) == 0) {
			err_release(err);
			ret = 0;
		} else {
			err_set(err, -ret, "%s; nor by the function graph tracer: %s",
				err_text(err), err_text(&other));
		}
	}
	err_release(&other);
	return ret;
}

static void activate(struct source *src, const struct cpuset *cpus)
{
	for (size_t i = 0; src->probe && i < src->targets.n; i++)
		if (src->probe[i])
			latency_activate(src->probe[i], cpus);
}

static int latency_start(struct source *src, const struct session *s, struct err *err)
{
	activate(src, &s->online);
	return src->ftrace ? latency_ftrace_start(src->ftrace, err) : 0;
}

static int latency_poll(struct source *src, const struct session *s, struct err *err)
{
	return src->ftrace ? latency_ftrace_poll(src->ftrace, err) : 0;
}

static int latency_stop(struct source *src, const struct session *s, struct err *err)
{
	activate(src, NULL);
	return src->ftrace ? latency_ftrace_stop(src->ftrace, err) : 0;
}

/* How each function was timed, for the manifest. */
static json_t *describe(const struct latency_target *t, const char *method)
{
	static const char *const via[] = { "function", "inlined", "container" };
	json_t *o = json_object();

	json_object_set_new(o, "asked", json_string(t->asked));
	json_object_set_new(o, "function", json_string(t->function));
	json_object_set_new(o, "symbol", json_string(t->symbol));
	json_object_set_new(o, "via", json_string(via[t->via]));
	json_object_set_new(o, "method", json_string(method));
	if (t->via == VIA_INLINED) {
		json_object_set_new(o, "copies", json_integer((json_int_t)t->body.copies));
		json_object_set_new(o, "ranges", json_integer((json_int_t)t->body.nr_ranges));
		json_object_set_new(o, "entries",
				    json_integer((json_int_t)t->body.entries.n));
		json_object_set_new(o, "exits",
				    json_integer((json_int_t)t->body.landings.n));
	}
	return o;
}

static void add_function(const struct source *src, size_t i, json_t *functions,
			 struct series_set *set)
{
	const struct latency_target *t = &src->targets.v[i];

	if (src->ftrace) {
		latency_ftrace_to_series(src->ftrace, i, set);
		json_array_append_new(functions, describe(t, "function_graph"));
	} else if (src->probe[i]) {
		latency_to_series(src->probe[i], t, set);
		json_array_append_new(functions, describe(t, latency_method(src->probe[i])));
	}
}

static int latency_write(struct source *src, const struct session *s, json_t *info,
			 struct err *err)
{
	json_t *functions = json_array(), *notes = json_array(), *root;
	struct series_set set;
	int ret;

	series_init(&set);
	series_declare(&set, "function_latency");
	for (size_t i = 0; i < src->targets.n; i++)
		add_function(src, i, functions, &set);
	if (src->ftrace)
		series_add(&set, "dropped", LABELS("what", "latency_events"),
			   latency_ftrace_lost(src->ftrace));
	for (size_t i = 0; i < src->targets.notes.n; i++)
		json_array_append_new(notes, json_string(src->targets.notes.v[i]));
	json_object_set_new(info, "functions", functions);
	json_object_set_new(info, "notes", notes);
	json_object_set_new(info, "lost",
			    json_integer((json_int_t)series_sum(&set, "dropped", NO_LABELS)));
	root = series_to_json(&set);
	series_release(&set);
	json_object_set_new(root, "version", json_integer(FILE_VERSION));
	ret = json_file_save(root, s->dirfd, "latency.json", err);
	json_decref(root);
	return ret;
}

static void latency_close(struct source *src)
{
	if (!src)
		return;
	for (size_t i = 0; src->probe && i < src->targets.n; i++)
		latency_detach(src->probe[i]);
	free(src->probe);
	latency_ftrace_close(src->ftrace);
	latency_targets_release(&src->targets);
	free(src);
}

/* fentry where it works, else kprobes, else ftrace. */
static void latency_probe_ability(const struct session *s, struct probe *probe)
{
	struct probe ftrace = { 0 };

	probe_bpf_fentry(s, probe);
	if (probe->state == PROBE_WORKS)
		return;
	probe_release(probe);
	probe_kprobe(s, probe);
	if (probe->state == PROBE_WORKS)
		return;
	latency_ftrace_probe(&ftrace);
	if (ftrace.state == PROBE_FAILS) {
		probe_release(&ftrace);
		return;
	}
	probe_release(probe);
	*probe = ftrace;
}

const struct source_ops source_latency = {
	.name = "latency",
	.help = "time inside kernel functions, such as the search for an idle CPU",
	.by_default = true,
	.probe = latency_probe_ability,
	.open = latency_open,
	.start = latency_start,
	.poll = latency_poll,
	.stop = latency_stop,
	.write = latency_write,
	.close = latency_close,
};
