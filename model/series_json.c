// SPDX-License-Identifier: GPL-2.0-or-later
/* series_set to and from JSON (docs/run-format.md, sched.json). */
#include <errno.h>
#include <string.h>

#include "schedblame/series.h"

json_t *series_to_json(const struct series_set *set)
{
	json_t *declared = json_array(), *counters = json_array(),
	       *histograms = json_array();

	for (size_t i = 0; i < set->strings.n; i++)
		if (!strncmp(set->strings.name[i], "declared:", 9))
			json_array_append_new(declared,
					      json_string(set->strings.name[i] + 9));
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->v[i];
		json_t *labels = json_object(), *entry;

		for (uint32_t j = 0; j < s->nr_labels; j++) {
			const char *v = set->strings.name[s->value[j]];

			json_object_set_new(labels, set->strings.name[s->key[j]],
					    json_text(v, strlen(v)));
		}
		entry = json_pack("{s:s,s:o}", "name", series_name(set, s), "labels",
				  labels);
		if (s->hist)
			json_object_set_new(entry, "hist", histogram_to_json(s->hist));
		else
			json_object_set_new(entry, "value",
					    json_integer((json_int_t)s->counter));
		json_array_append_new(s->hist ? histograms : counters, entry);
	}
	return json_pack("{s:o,s:o,s:o}", "declared", declared, "counters", counters,
			 "histograms", histograms);
}

static int entry_error(const char *path, const char *list, size_t i, const char *what,
		       struct err *err)
{
	return err_set(err, EINVAL, "%s: entry %zu of \"%s\" %s", path, i, list, what);
}

/* Name and labels of an entry; the count of labels or -errno. */
static int parse_entry(const json_t *entry, const char **name,
		       struct label labels[SERIES_MAX_LABELS], const char *path,
		       const char *list, size_t i, struct err *err)
{
	json_t *obj = json_object_get(entry, "labels"), *value;
	const char *key;
	int n = 0;

	*name = json_str(entry, "name", NULL);
	if (!*name)
		return entry_error(path, list, i, "has no name", err);
	json_object_foreach(obj, key, value) {
		if (n == SERIES_MAX_LABELS || !json_is_string(value))
			return entry_error(path, list, i,
					   "has labels that are not at most 6 strings", err);
		labels[n].key = key;
		labels[n++].value = json_string_value(value);
	}
	return n;
}

static int parse_counter(struct series_set *set, const json_t *entry, const char *path,
			 size_t i, struct err *err)
{
	const json_t *value = json_object_get(entry, "value");
	struct label labels[SERIES_MAX_LABELS];
	const char *name;
	int n = parse_entry(entry, &name, labels, path, "counters", i, err);

	if (n < 0)
		return n;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return entry_error(path, "counters", i, "has no value that is a count", err);
	series_add(set, name, labels, (size_t)n, (uint64_t)json_integer_value(value));
	return 0;
}

static int parse_histogram(struct series_set *set, const json_t *entry,
			   const char *path, size_t i, struct err *err)
{
	struct label labels[SERIES_MAX_LABELS];
	struct histogram h;
	const char *name;
	int n = parse_entry(entry, &name, labels, path, "histograms", i, err);

	if (n < 0)
		return n;
	if (histogram_from_json(&h, json_object_get(entry, "hist"), err) < 0) {
		err_prefix(err, "%s: entry %zu of \"histograms\"", path, i);
		return -EINVAL;
	}
	series_add_hist(set, name, labels, (size_t)n, &h);
	return 0;
}

int series_from_json(struct series_set *set, const json_t *obj, const char *path,
		     struct err *err)
{
	const json_t *entry;
	size_t i;
	int ret;

	json_array_foreach(json_object_get(obj, "declared"), i, entry)
		if (json_is_string(entry))
			series_declare(set, json_string_value(entry));
	json_array_foreach(json_object_get(obj, "counters"), i, entry) {
		ret = parse_counter(set, entry, path, i, err);
		if (ret)
			return ret;
	}
	json_array_foreach(json_object_get(obj, "histograms"), i, entry) {
		ret = parse_histogram(set, entry, path, i, err);
		if (ret)
			return ret;
	}
	return 0;
}
