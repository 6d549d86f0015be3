// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics.json: numbers with name, unit and direction. */
#include "metrics.h"

#include <string.h>

#define METRICS_VERSION 1

json_t *metrics_new(const char *workload)
{
	json_t *root = json_object();

	json_object_set_new(root, "version", json_integer(METRICS_VERSION));
	json_object_set_new(root, "workload", json_text(workload, strlen(workload)));
	json_object_set_new(root, "metrics", json_array());
	return root;
}

void metrics_add(json_t *root, const char *workload, const char *name,
		 const char *unit, bool higher, bool work, double value)
{
	json_t *m = json_object();

	json_object_set_new(m, "name", json_text(name, strlen(name)));
	json_object_set_new(m, "unit", json_text(unit, strlen(unit)));
	json_object_set_new(m, "better", json_string(higher ? "higher" : "lower"));
	json_object_set_new(m, "value", json_num(value));
	json_object_set_new(m, "work", json_boolean(work));
	if (workload)
		json_object_set_new(m, "workload", json_text(workload, strlen(workload)));
	json_array_append_new(json_object_get(root, "metrics"), m);
}
