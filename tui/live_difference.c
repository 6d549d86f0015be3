// SPDX-License-Identifier: GPL-2.0-or-later
/* The difference of two snapshots of the same counters. */
#include <stdlib.h>

#include "live_data.h"
#include "schedblame/alloc.h"

/* Ids differ between sets: entries are found by their text. */
static void add_key(struct strbuf *sb, const struct series_set *set,
		    const struct series *s)
{
	strbuf_reset(sb);
	strbuf_addstr(sb, series_name(set, s));
	for (uint32_t i = 0; i < s->nr_labels; i++)
		strbuf_addf(sb, "\x1f%s=%s", set->strings.name[s->key[i]],
			    set->strings.name[s->value[i]]);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void subtract(struct histogram *h, const struct histogram *before)
{
	h->count = 0;
	for (int i = 0; i < HIST_BUCKETS; i++) {
		h->bucket[i] = less(h->bucket[i], before->bucket[i]);
		h->count += h->bucket[i];
	}
	h->sum = less(h->sum, before->sum);
	/* of the interval only the bucket of its greatest value is known */
	for (unsigned i = HIST_BUCKETS; i-- > 0;)
		if (h->bucket[i]) {
			if (histogram_upper(i) < h->max)
				h->max = histogram_upper(i) - 1;
			break;
		}
	if (!h->count)
		h->max = 0;
}

static void add_entry(struct series_set *out, const struct series_set *now,
		      const struct series *s, const struct series *before)
{
	struct label label[SERIES_MAX_LABELS];
	struct histogram *h;

	for (uint32_t i = 0; i < s->nr_labels; i++)
		label[i] = (struct label){ now->strings.name[s->key[i]],
					   now->strings.name[s->value[i]] };
	if (!s->hist) {
		series_add(out, series_name(now, s), label, s->nr_labels,
			   less(s->counter, before ? before->counter : 0));
		return;
	}
	h = xmalloc(sizeof(*h));
	*h = *s->hist;
	if (before && before->hist)
		subtract(h, before->hist);
	series_add_hist(out, series_name(now, s), label, s->nr_labels, h);
	free(h);
}

/* What was measured and found nothing stays measured. */
static const char *const declared[] = {
	"switches", "wakeups", "migrations", "cpu_migrations", "wakeup_latency",
	"preemption_wait", "idle_while_waiting", "hot_verdict", "since_last_ran",
};

void series_add_difference(struct series_set *out, const struct series_set *now,
			   const struct series_set *before)
{
	struct strbuf key = STRBUF_INIT;
	struct strmap keys;

	strmap_init(&keys);
	for (size_t i = 0; i < before->n; i++) {
		add_key(&key, before, &before->v[i]);
		strmap_adds(&keys, key.buf); /* entries are unique: id i */
	}
	for (size_t i = 0; i < now->n; i++) {
		uint32_t id;

		add_key(&key, now, &now->v[i]);
		id = strmap_finds(&keys, key.buf);
		add_entry(out, now, &now->v[i],
			  id == STRMAP_NONE ? NULL : &before->v[id]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(declared); i++)
		if (series_has(now, declared[i]))
			series_declare(out, declared[i]);
	strmap_release(&keys);
	strbuf_release(&key);
}
