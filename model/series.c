// SPDX-License-Identifier: GPL-2.0-or-later
/* Named, labelled counters and histograms; the contract is in series.h. */
#include "schedblame/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

/* A declared name is kept as a string with this prefix: cheap, and unique. */
#define DECLARED "declared:"

void series_init(struct series_set *set)
{
	memset(set, 0, sizeof(*set));
	strmap_init(&set->strings);
}

void series_release(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->v[i].hist);
	free(set->v);
	free(set->slot);
	free(set->chain);
	strmap_release(&set->strings);
	memset(set, 0, sizeof(*set));
}

void series_declare(struct series_set *set, const char *name)
{
	char *s = xasprintf(DECLARED "%s", name);

	strmap_adds(&set->strings, s);
	free(s);
}

static uint32_t series_hash(const struct series *s)
{
	uint32_t h = s->name * 0x9e3779b1u;

	for (uint32_t i = 0; i < s->nr_labels; i++) {
		h = (h ^ s->key[i]) * 0x85ebca6bu;
		h = (h ^ (h >> 15) ^ s->value[i]) * 0xc2b2ae35u;
	}
	return h ^ (h >> 16);
}

static bool series_same(const struct series *a, const struct series *b)
{
	size_t bytes = a->nr_labels * sizeof(a->key[0]);

	return a->name == b->name && a->nr_labels == b->nr_labels &&
	       !memcmp(a->key, b->key, bytes) && !memcmp(a->value, b->value, bytes);
}

static void rehash(struct series_set *set)
{
	size_t nr = set->nr_slots ? set->nr_slots * 2 : 64;

	free(set->slot);
	set->slot = xcalloc(nr, sizeof(*set->slot));
	set->nr_slots = nr;
	for (size_t i = 0; i < set->n; i++) {
		size_t at = series_hash(&set->v[i]) & (nr - 1);

		while (set->slot[at])
			at = (at + 1) & (nr - 1);
		set->slot[at] = (uint32_t)i + 1;
	}
}

/* Fills name and labels of s, sorted by key; labels above the limit are lost
 * by contract, so callers use at most SERIES_MAX_LABELS. */
static void make_key(struct series_set *set, struct series *s, const char *name,
		     const struct label *labels, size_t nr)
{
	memset(s, 0, sizeof(*s));
	s->name = strmap_adds(&set->strings, name);
	for (size_t i = 0; i < nr && i < SERIES_MAX_LABELS; i++) {
		uint32_t at = s->nr_labels++;

		while (at && strcmp(set->strings.name[s->key[at - 1]], labels[i].key) > 0) {
			s->key[at] = s->key[at - 1];
			s->value[at] = s->value[at - 1];
			at--;
		}
		s->key[at] = strmap_adds(&set->strings, labels[i].key);
		s->value[at] = strmap_adds(&set->strings, labels[i].value);
	}
}

/* Puts the newest entry behind the others of its name. */
static void chain_newest(struct series_set *set)
{
	uint32_t name = set->v[set->n - 1].name, at = (uint32_t)set->n;
	struct series_chain *c;

	if (name >= set->nr_chains) {
		size_t nr = set->nr_chains ? set->nr_chains * 2 : 64;

		while (nr <= name)
			nr *= 2;
		set->chain = xrealloc(set->chain, nr, sizeof(*set->chain));
		memset(set->chain + set->nr_chains, 0,
		       (nr - set->nr_chains) * sizeof(*set->chain));
		set->nr_chains = nr;
	}
	c = &set->chain[name];
	if (c->last)
		set->v[c->last - 1].next = at;
	else
		c->first = at;
	c->last = at;
}

/* Index + 1 of the first entry of a name, 0. */
static uint32_t first_of(const struct series_set *set, uint32_t name)
{
	return name < set->nr_chains ? set->chain[name].first : 0;
}

static struct series *find_or_add(struct series_set *set, const char *name,
				  const struct label *labels, size_t nr)
{
	struct series key;
	size_t at;

	if (set->n * 2 >= set->nr_slots)
		rehash(set);
	make_key(set, &key, name, labels, nr);
	at = series_hash(&key) & (set->nr_slots - 1);
	for (; set->slot[at]; at = (at + 1) & (set->nr_slots - 1))
		if (series_same(&set->v[set->slot[at] - 1], &key))
			return &set->v[set->slot[at] - 1];
	GROW(set->v, set->n, set->cap);
	set->v[set->n] = key;
	set->slot[at] = (uint32_t)++set->n;
	chain_newest(set);
	return &set->v[set->n - 1];
}

void series_add(struct series_set *set, const char *name, const struct label *labels,
		size_t nr_labels, uint64_t value)
{
	find_or_add(set, name, labels, nr_labels)->counter += value;
}

struct histogram *series_hist(struct series_set *set, const char *name,
			      const struct label *labels, size_t nr_labels)
{
	struct series *s = find_or_add(set, name, labels, nr_labels);

	if (!s->hist)
		s->hist = xcalloc(1, sizeof(*s->hist));
	return s->hist;
}

void series_add_hist(struct series_set *set, const char *name,
		     const struct label *labels, size_t nr_labels,
		     const struct histogram *h)
{
	histogram_merge(series_hist(set, name, labels, nr_labels), h);
}

static size_t labels_of(const struct series_set *set, const struct series *s,
			struct label labels[SERIES_MAX_LABELS])
{
	for (uint32_t i = 0; i < s->nr_labels; i++) {
		labels[i].key = set->strings.name[s->key[i]];
		labels[i].value = set->strings.name[s->value[i]];
	}
	return s->nr_labels;
}

void series_merge(struct series_set *set, const struct series_set *src)
{
	struct label labels[SERIES_MAX_LABELS];

	for (size_t i = 0; i < src->strings.n; i++)
		if (!strncmp(src->strings.name[i], DECLARED, strlen(DECLARED)))
			strmap_adds(&set->strings, src->strings.name[i]);
	for (size_t i = 0; i < src->n; i++) {
		const struct series *s = &src->v[i];
		size_t nr = labels_of(src, s, labels);

		if (s->hist)
			series_add_hist(set, series_name(src, s), labels, nr, s->hist);
		else
			series_add(set, series_name(src, s), labels, nr, s->counter);
	}
}

bool series_has(const struct series_set *set, const char *name)
{
	char *declared = xasprintf(DECLARED "%s", name);
	bool has = strmap_finds(&set->strings, declared) != STRMAP_NONE;
	uint32_t id = strmap_finds(&set->strings, name);

	free(declared);
	return has || (id != STRMAP_NONE && first_of(set, id));
}

/* Label ids to look for; false when a string is not in the set at all. */
struct query {
	uint32_t name, nr, key[SERIES_MAX_LABELS], value[SERIES_MAX_LABELS];
};

static bool make_query(const struct series_set *set, struct query *q, const char *name,
		       const struct label *labels, size_t nr)
{
	q->name = strmap_finds(&set->strings, name);
	q->nr = (uint32_t)nr;
	if (q->name == STRMAP_NONE || nr > SERIES_MAX_LABELS)
		return false;
	for (size_t i = 0; i < nr; i++) {
		q->key[i] = strmap_finds(&set->strings, labels[i].key);
		q->value[i] = strmap_finds(&set->strings, labels[i].value);
		if (q->key[i] == STRMAP_NONE || q->value[i] == STRMAP_NONE)
			return false;
	}
	return true;
}

static bool matches(const struct series *s, const struct query *q)
{
	if (s->name != q->name)
		return false;
	for (uint32_t i = 0; i < q->nr; i++) {
		uint32_t j;

		for (j = 0; j < s->nr_labels; j++)
			if (s->key[j] == q->key[i] && s->value[j] == q->value[i])
				break;
		if (j == s->nr_labels)
			return false;
	}
	return true;
}

int series_for_each(const struct series_set *set, const char *name,
		    const struct label *labels, size_t nr_labels,
		    int (*fn)(const struct series_set *set, const struct series *s,
			      void *arg),
		    void *arg)
{
	struct query q;
	int ret = 0;

	if (!make_query(set, &q, name, labels, nr_labels))
		return 0;
	for (uint32_t i = first_of(set, q.name); !ret && i; i = set->v[i - 1].next)
		if (matches(&set->v[i - 1], &q))
			ret = fn(set, &set->v[i - 1], arg);
	return ret;
}

static int sum_one(const struct series_set *set, const struct series *s, void *arg)
{
	(void)set;
	*(uint64_t *)arg += s->hist ? s->hist->count : s->counter;
	return 0;
}

uint64_t series_sum(const struct series_set *set, const char *name,
		    const struct label *labels, size_t nr_labels)
{
	uint64_t sum = 0;

	series_for_each(set, name, labels, nr_labels, sum_one, &sum);
	return sum;
}

struct merge_arg {
	struct histogram *out;
	bool any;
};

static int merge_one(const struct series_set *set, const struct series *s, void *arg)
{
	struct merge_arg *m = arg;

	(void)set;
	if (s->hist) {
		histogram_merge(m->out, s->hist);
		m->any = true;
	}
	return 0;
}

bool series_merged(const struct series_set *set, const char *name,
		   const struct label *labels, size_t nr_labels, struct histogram *out)
{
	struct merge_arg m = { out, false };

	histogram_clear(out);
	series_for_each(set, name, labels, nr_labels, merge_one, &m);
	return m.any;
}

const char *series_label(const struct series_set *set, const struct series *s,
			 const char *key)
{
	for (uint32_t i = 0; i < s->nr_labels; i++)
		if (!strcmp(set->strings.name[s->key[i]], key))
			return set->strings.name[s->value[i]];
	return NULL;
}

const char *series_name(const struct series_set *set, const struct series *s)
{
	return set->strings.name[s->name];
}
