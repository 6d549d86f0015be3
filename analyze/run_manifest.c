// SPDX-License-Identifier: GPL-2.0-or-later
/* run.json: the manifest of a run, and the host's facts flattened. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/text.h"

#define FACTS_MAX 20000
#define DEPTH_MAX 16

void run_set_string(char **field, const char *value)
{
	char *copy = xstrdup(value ? value : "");

	free(*field);
	*field = copy;
}

/* A scalar, or a list of scalars, as text. */
static void scalar_text(struct strbuf *sb, const json_t *v)
{
	const json_t *item;
	size_t i;

	if (json_is_string(v))
		strbuf_add(sb, json_string_value(v), json_string_length(v));
	else if (json_is_integer(v))
		strbuf_addf(sb, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		strbuf_addf(sb, "%.9g", json_real_value(v));
	else if (json_is_boolean(v))
		strbuf_addstr(sb, json_is_true(v) ? "yes" : "no");
	else if (json_is_array(v))
		json_array_foreach(v, i, item) {
			if (i)
				strbuf_addch(sb, ' ');
			if (!json_is_array(item))
				scalar_text(sb, item);
		}
}

static void flatten(struct run *run, const json_t *v, const char *prefix, int depth,
		    size_t *cap)
{
	struct strbuf sb = STRBUF_INIT;
	const char *key;
	json_t *child;

	if (json_is_object(v) && depth < DEPTH_MAX) {
		json_object_foreach((json_t *)v, key, child) {
			char *path = *prefix ? xasprintf("%s.%s", prefix, key) : xstrdup(key);

			flatten(run, child, path, depth + 1, cap);
			free(path);
		}
		return;
	}
	if (json_is_object(v) || json_is_null(v) || run->nr_facts >= FACTS_MAX)
		return;
	scalar_text(&sb, v);
	GROW(run->fact, run->nr_facts, *cap);
	run->fact[run->nr_facts].key = xstrdup(prefix);
	run->fact[run->nr_facts++].value = strbuf_detach(&sb);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct host_fact *)a)->key, ((const struct host_fact *)b)->key);
}

const char *run_fact(const struct run *run, const char *key)
{
	struct host_fact want = { (char *)key, NULL }, *f;

	if (!run->nr_facts)
		return NULL;
	f = bsearch(&want, run->fact, run->nr_facts, sizeof(want), by_key);
	return f ? f->value : NULL;
}

void run_add_fact(struct run *run, const char *key, const char *value)
{
	if (!value || !*value || run_fact(run, key))
		return;
	run->fact = xrealloc(run->fact, run->nr_facts + 1, sizeof(*run->fact));
	run->fact[run->nr_facts++] = (struct host_fact){ xstrdup(key), xstrdup(value) };
	qsort(run->fact, run->nr_facts, sizeof(*run->fact), by_key);
}

static void read_command(struct run *run, const json_t *list)
{
	struct strbuf sb = STRBUF_INIT;
	const json_t *arg;
	size_t i;

	json_array_foreach(list, i, arg) {
		if (i)
			strbuf_addch(&sb, ' ');
		text_add_shell(&sb, json_is_string(arg) ? json_string_value(arg) : "?");
	}
	run_set_string(&run->command, sb.buf);
	strbuf_release(&sb);
}

static void read_notes(struct run *run, const json_t *notes)
{
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i, note)
		if (json_is_string(note) &&
		    strncmp(json_string_value(note), RUN_NOTE_REFUSED,
			    strlen(RUN_NOTE_REFUSED)))
			notes_add(&run->notes, "%s", json_string_value(note));
}

/* What a source could not do, or lost, in its own words. */
static void note_sources(struct run *run, const json_t *sources)
{
	const char *name;
	json_t *s;

	json_object_foreach((json_t *)sources, name, s) {
		const char *state = json_str(s, "state", "");
		int64_t lost = json_i64(s, "lost", 0);

		if (!strcmp(state, "failed"))
			notes_add(&run->notes, "%s was not recorded: %s", name,
				  json_str(s, "why", "no reason given"));
		if (lost > 0)
			notes_add(&run->notes, "%s: %lld events or samples were lost", name,
				  (long long)lost);
		read_notes(run, json_object_get(s, "notes"));
	}
}

static void read_workload(struct run *run, const json_t *w)
{
	run->exit_status = -1;
	if (!json_is_object(w))
		return;
	run->exit_status = (int)json_i64(w, "exit_status", -1);
	run->term_signal = (int)json_i64(w, "signal", 0);
	if (run->term_signal > 0)
		notes_add(&run->notes, "the workload was ended by signal %d (%s)",
			  run->term_signal, strsignal(run->term_signal));
	else if (run->exit_status > 0)
		notes_add(&run->notes, "the workload failed with exit status %d",
			  run->exit_status);
}

static void read_fields(struct run *run, const json_t *m)
{
	const json_t *host = json_object_get(m, "host");
	struct err err = ERR_INIT;
	size_t cap = 0;

	run->complete = json_bool(m, "complete", false);
	run_set_string(&run->label, json_str(m, "label", ""));
	read_command(run, json_object_get(m, "command"));
	run->start_unix_ns = json_i64(m, "start_unix_ns", 0);
	run->duration_ns = json_u64(m, "duration_ns", 0);
	if (cpuset_parse(&run->cpus, json_str(m, "cpus", ""), &err) < 0)
		notes_add(&run->notes, "run.json: %s; all CPUs are assumed", err_text(&err));
	err_release(&err);
	flatten(run, host, "", 0, &cap);
	if (run->nr_facts)
		qsort(run->fact, run->nr_facts, sizeof(*run->fact), by_key);
	run_set_string(&run->kernel_release, run_fact(run, "release"));
	run_set_string(&run->kernel_version, run_fact(run, "version"));
	run_set_string(&run->machine_name, run_fact(run, "nodename"));
	run_set_string(&run->boot_id, run_fact(run, "boot_id"));
	read_workload(run, json_object_get(m, "workload"));
	note_sources(run, json_object_get(m, "sources"));
	read_notes(run, json_object_get(m, "notes"));
	if (!run->complete)
		notes_add(&run->notes, "the run was cut short; what it holds is used");
}

int run_read_manifest(struct run *run, struct err *err)
{
	char *path = path_join(run->path, "run.json");
	json_t *m = NULL;
	int ret;

	if (!file_exists(path))
		ret = err_set(err, ENOENT,
			      "%s is no run directory: it has no run.json", run->path);
	else
		ret = json_file_load(&m, path, err);
	if (!ret)
		ret = json_check_version(m, path, RUN_FORMAT_NEWEST, err);
	if (!ret) {
		run->manifest = json_incref(m);
		read_fields(run, m);
	}
	json_decref(m);
	free(path);
	return ret;
}

static void add_metric(struct run *run, const char *name, const char *unit, bool higher,
		       bool work, double value, const char *workload)
{
	struct metric *m;

	run->metric = xrealloc(run->metric, run->nr_metrics + 1, sizeof(*run->metric));
	m = &run->metric[run->nr_metrics++];
	*m = (struct metric){ xstrdup(name), xstrdup(unit), higher, work, value,
			      xstrdup(workload) };
	if (work && value > 0 && run->work_unit[0] == '\0') {
		run->work = value;
		run_set_string(&run->work_unit, *unit ? unit : name);
	}
}

#define METRICS_MAX 1000

static void read_metric_list(struct run *run, const json_t *root, const char *path)
{
	const json_t *list = json_object_get(root, "metrics"), *m;
	const char *workload = json_str(root, "workload", "");
	size_t i;

	json_array_foreach(list, i, m) {
		const char *name = json_str(m, "name", NULL);
		const char *better = json_str(m, "better", "");
		bool known = !strcmp(better, "higher") || !strcmp(better, "lower");

		if (!name || !known || !json_is_number(json_object_get(m, "value")) ||
		    run->nr_metrics >= METRICS_MAX) {
			notes_add(&run->notes,
				  "%s: metric %zu lacks a name, a value or a direction and "
				  "is left out", path, i);
			continue;
		}
		add_metric(run, name, json_str(m, "unit", ""), !strcmp(better, "higher"),
			   json_bool(m, "work", false), json_dbl(m, "value", 0),
			   json_str(m, "workload", workload));
	}
}

/* A workload that printed nothing we know is measured by its time. */
static void use_wall_time(struct run *run)
{
	const json_t *w = json_object_get(run->manifest, "workload");
	int64_t wall = json_i64(w, "wall_ns", 0);

	if (!run->nr_metrics && wall > 0)
		add_metric(run, "wall_time", "s", false, false, (double)wall / 1e9, "run");
}

int run_read_metrics(struct run *run, struct err *err)
{
	char *path = path_join(run->path, "metrics.json");
	struct err why = ERR_INIT;
	json_t *root = NULL;
	int ret = 0;

	if (file_exists(path) && json_file_load(&root, path, &why) < 0)
		notes_add(&run->notes, "%s; its numbers are left out", err_text(&why));
	if (root)
		ret = json_check_version(root, path, RUN_FORMAT_NEWEST, err);
	if (!ret && (!run->complete || run->term_signal)) {
		notes_add(&run->notes, "%s: the workload was ended before it was done, so its "
			  "numbers and its units of work are left out", run->path);
	} else if (!ret) {
		read_metric_list(run, root, "metrics.json");
		use_wall_time(run);
	}
	if (!*run->work_unit) {
		run->work = 1;
		run_set_string(&run->work_unit, "run");
	}
	json_decref(root);
	err_release(&why);
	free(path);
	return ret;
}
