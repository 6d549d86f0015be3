// SPDX-License-Identifier: GPL-2.0-or-later
/* A run directory read back: opening and closing. What the parts mean is in
 * run_manifest.c (run.json, metrics.json), run_counters.c (copies of /proc) and
 * run_profile.c. */
#include "schedblame/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/trace_tables.h"
#include "schedblame/file.h"

void run_init(struct run *run, const char *path)
{
	char **const strings[] = { &run->label,		&run->kernel_release,
				   &run->kernel_version, &run->machine_name,
				   &run->boot_id,	&run->command,
				   &run->work_unit };

	memset(run, 0, sizeof(*run));
	run->path = xstrdup(path);
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		run_set_string(strings[i], "");
	run->exit_status = -1;
	run->work = 1;
	topology_init(&run->topology);
	series_init(&run->series);
}

/* Series of a JSON file. A broken file is a note, a newer one an error. */
static int read_series(struct run *run, const char *name, struct err *err)
{
	char *path = path_join(run->path, name);
	struct err why = ERR_INIT;
	struct series_set set;
	json_t *root = NULL;
	int ret = 0;

	series_init(&set);
	if (file_exists(path) && !json_file_load(&root, path, &why))
		ret = json_check_version(root, path, RUN_FORMAT_NEWEST, err);
	if (root && !ret && !series_from_json(&set, root, name, &why))
		series_merge(&run->series, &set);
	if (why.code)
		notes_add(&run->notes, "%s; its numbers are left out", err_text(&why));
	json_decref(root);
	series_release(&set);
	err_release(&why);
	free(path);
	return ret;
}

static void read_topology(struct run *run)
{
	char *path = path_join(run->path, "topology.xml");
	struct err err = ERR_INIT;

	if (!file_exists(path))
		notes_add(&run->notes, "topology.xml is missing: distances are not known");
	else if (topology_load(&run->topology, path, &err) < 0)
		notes_add(&run->notes, "%s; distances are not known", err_text(&err));
	err_release(&err);
	free(path);
}

int run_open(struct run *run, const char *path, struct err *err)
{
	int ret;

	run_init(run, path);
	ret = run_read_manifest(run, err);
	if (!ret)
		ret = run_read_metrics(run, err);
	if (!ret) {
		read_topology(run);
		ret = read_series(run, "sched.json", err);
	}
	if (!ret)
		ret = read_series(run, "latency.json", err);
	if (!ret)
		ret = read_series(run, "numa.json", err);
	if (!ret)
		run_read_counters(run);
	else
		run_close(run);
	return ret;
}

const struct metric *run_metric(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->nr_metrics; i++)
		if (!strcmp(run->metric[i].name, name))
			return &run->metric[i];
	return NULL;
}

static void release_lists(struct run *run)
{
	for (size_t i = 0; i < run->nr_metrics; i++) {
		free(run->metric[i].name);
		free(run->metric[i].unit);
		free(run->metric[i].workload);
	}
	for (size_t i = 0; i < run->nr_facts; i++) {
		free(run->fact[i].key);
		free(run->fact[i].value);
	}
	free(run->metric);
	free(run->fact);
}

void run_close(struct run *run)
{
	run_release_profile(run);
	trace_tables_free(run->trace);
	release_lists(run);
	free(run->path);
	free(run->label);
	free(run->kernel_release);
	free(run->kernel_version);
	free(run->machine_name);
	free(run->boot_id);
	free(run->command);
	free(run->work_unit);
	cpuset_release(&run->cpus);
	topology_release(&run->topology);
	series_release(&run->series);
	json_decref(run->manifest);
	notes_release(&run->notes);
	memset(run, 0, sizeof(*run));
}
