// SPDX-License-Identifier: GPL-2.0-or-later
/* run.json from what a recording knows. */
#include "manifest.h"

#include <sched.h>
#include <string.h>

#include "schedblame/alloc.h"

#define RUN_VERSION 1

static json_t *command_json(char *const *argv)
{
	json_t *list = json_array();

	for (; *argv; argv++)
		json_array_append_new(list, json_text(*argv, strlen(*argv)));
	return list;
}

static json_t *notes_json(const struct notes *notes)
{
	json_t *list = json_array();

	for (size_t i = 0; notes && i < notes->n; i++)
		json_array_append_new(list, json_text(notes->v[i], strlen(notes->v[i])));
	return list;
}

json_t *manifest_to_json(const struct manifest *m)
{
	json_t *root = json_object(), *host = json_object();
	struct strbuf cpus = STRBUF_INIT;

	json_object_set_new(root, "version", json_integer(RUN_VERSION));
	json_object_set_new(root, "complete", json_boolean(m->complete));
	json_object_set_new(root, "creator", json_string("schedblame " SCHEDBLAME_VERSION));
	json_object_set_new(root, "label", json_text(m->label, strlen(m->label)));
	if (m->kase && *m->kase)
		json_object_set_new(root, "case", json_text(m->kase, strlen(m->kase)));
	if (m->load && *m->load)
		json_object_set_new(root, "load", json_text(m->load, strlen(m->load)));
	json_object_set_new(root, "repeat", json_integer(m->repeat));
	json_object_set_new(root, "repeats", json_integer(m->repeats));
	json_object_set_new(root, "command", command_json(m->command));
	json_object_set_new(root, "start_unix_ns", json_integer(m->start_unix_ns));
	json_object_set_new(root, "duration_ns", json_integer((json_int_t)m->duration_ns));
	if (m->workload) {
		json_t *workload = workload_to_json(m->workload);

		if (m->stopped)
			json_object_set_new(workload, "stopped", json_true());
		json_object_set_new(root, "workload", workload);
	}
	cpuset_format(m->cpus, &cpus);
	json_object_set_new(root, "cpus", json_string(cpus.buf));
	strbuf_release(&cpus);
	json_object_set_new(root, "knobs", m->knobs ? json_deep_copy(m->knobs) : json_array());
	json_object_set_new(root, "host", host);
	json_object_set_new(root, "sources",
			    m->recorder ? recorder_to_json(m->recorder, host) : json_object());
	json_object_set_new(root, "notes", notes_json(m->notes));
	return root;
}
