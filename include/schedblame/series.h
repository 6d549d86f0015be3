/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted, from whatever source: named counters and histograms with
 * labels. The collector's BPF programs, the passes over a trace and the readers
 * of /proc files all fill a series_set with the same names (docs/series.md), so
 * that comparison, blame, report and TUI never ask where a number came from.
 *
 *	migrations{reason=steal_newidle,from_node=0,to_node=1,distance=remote} 42
 *	wakeup_latency{distance=llc} <histogram, ns>
 *
 * A counter and a histogram may not share a name. (name, labels) is unique;
 * adding it again adds the value. Labels are sorted by key.
 *
 * "Not measured" and "zero" differ: a name that was measured and found nothing
 * is declared (series_declare), so that series_has() is true and its sum is 0.
 */
#ifndef SCHEDBLAME_SERIES_H
#define SCHEDBLAME_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/histogram.h"
#include "schedblame/json.h"
#include "schedblame/strmap.h"

#define SERIES_MAX_LABELS 6

struct label {
	const char *key;
	const char *value;
};

struct series {
	uint32_t name; /* id in set->strings */
	uint32_t nr_labels;
	uint32_t key[SERIES_MAX_LABELS], value[SERIES_MAX_LABELS];
	uint32_t next; /* of that name, in order of arrival: index + 1, 0: the last */
	uint64_t counter;	/* when hist is NULL */
	struct histogram *hist; /* owned */
};

struct series_set {
	struct strmap strings;
	struct series *v;
	size_t n, cap;
	uint32_t *slot; /* open addressing over (name, labels), index + 1 */
	size_t nr_slots;
	/* by id of a name: first and last entry of it, index + 1; so that a query
	 * for one name does not walk the thousands of another */
	struct series_chain {
		uint32_t first, last;
	} *chain;
	size_t nr_chains;
};

void series_init(struct series_set *set);
void series_release(struct series_set *set);

/* The name was measured, even if nothing follows. */
void series_declare(struct series_set *set, const char *name);
void series_add(struct series_set *set, const char *name,
		const struct label *labels, size_t nr_labels, uint64_t value);
/* Merges h into the histogram of that name and labels. */
void series_add_hist(struct series_set *set, const char *name,
		     const struct label *labels, size_t nr_labels,
		     const struct histogram *h);
/* The histogram itself, created empty if new; stays at its address. */
struct histogram *series_hist(struct series_set *set, const char *name,
			      const struct label *labels, size_t nr_labels);
/* Adds everything of src. */
void series_merge(struct series_set *set, const struct series_set *src);

bool series_has(const struct series_set *set, const char *name);
/* Sum of all counters of that name whose labels include the given ones. A
 * histogram counts with its number of values. */
uint64_t series_sum(const struct series_set *set, const char *name,
		    const struct label *labels, size_t nr_labels);
/* Merge of all histograms of that name whose labels include the given ones;
 * false when there is none. */
bool series_merged(const struct series_set *set, const char *name,
		   const struct label *labels, size_t nr_labels,
		   struct histogram *out);
/* Calls fn for each matching entry in order of arrival; stops at non-zero. */
int series_for_each(const struct series_set *set, const char *name,
		    const struct label *labels, size_t nr_labels,
		    int (*fn)(const struct series_set *set,
			      const struct series *s, void *arg),
		    void *arg);
/* Value of a label, NULL when the entry has none of that key. */
const char *series_label(const struct series_set *set, const struct series *s,
			 const char *key);
const char *series_name(const struct series_set *set, const struct series *s);

/* {"declared":[..],"counters":[{"name":..,"labels":{..},"value":..}],
 *  "histograms":[{"name":..,"labels":{..},"hist":{..}}]} */
json_t *series_to_json(const struct series_set *set);
/* Adds what obj holds; path stands in sentences. */
int series_from_json(struct series_set *set, const json_t *obj, const char *path,
		     struct err *err);

/* Shorthand: LABELS("reason", "wakeup", "distance", "llc") gives two arguments. */
#define LABELS(...)                                                            \
	(const struct label *)(const char *const[]){ __VA_ARGS__ },            \
		sizeof((const char *const[]){ __VA_ARGS__ }) / (sizeof(struct label))
#define NO_LABELS NULL, 0

#endif
