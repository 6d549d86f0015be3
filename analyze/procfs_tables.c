// SPDX-License-Identifier: GPL-2.0-or-later
/* The /proc files that are a name and numbers per line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "procfs.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"

/* Name -> sum of the numbers of its line. */
struct table {
	struct strmap names;
	uint64_t *value;
	size_t cap;
};

#define NAME_MAX_LEN 64
#define LINES_MAX 65536

static void table_add(struct table *t, const char *name, size_t len, uint64_t value)
{
	uint32_t id;

	if (!len || len > NAME_MAX_LEN || t->names.n >= LINES_MAX)
		return;
	id = strmap_add(&t->names, name, len);
	if (id >= t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 256;

		t->value = xrealloc(t->value, cap, sizeof(*t->value));
		memset(t->value + t->cap, 0, (cap - t->cap) * sizeof(*t->value));
		t->cap = cap;
	}
	t->value[id] += value;
}

static void table_release(struct table *t)
{
	strmap_release(&t->names);
	free(t->value);
}

static uint64_t table_get(const struct table *t, const char *name)
{
	uint32_t id = strmap_finds(&t->names, name);

	return id == STRMAP_NONE ? 0 : t->value[id];
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return s + (*s == '\n');
}

/* Sum of the decimal numbers at s, up to the first word that is none. */
static uint64_t sum_of_numbers(const char *s)
{
	uint64_t sum = 0;
	char *end;

	for (;;) {
		while (*s == ' ' || *s == '\t')
			s++;
		if (!isdigit((unsigned char)*s))
			return sum;
		sum += strtoull(s, &end, 10);
		s = end;
	}
}

/* "name value" lines. */
static void parse_pairs(struct table *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	strmap_init(&t->names);
	for (; *text; text = next_line(text)) {
		size_t len = strcspn(text, " \n");

		table_add(t, text, len, sum_of_numbers(text + len));
	}
}

/* " NAME:  n n n  text" lines below a header; a number as name becomes "device". */
static void parse_irq_table(struct table *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	strmap_init(&t->names);
	for (; *text; text = next_line(text)) {
		const char *name = text + strspn(text, " ");
		size_t len = strcspn(name, ":\n");

		if (name[len] != ':')
			continue;
		if (isdigit((unsigned char)*name))
			table_add(t, "device", 6, sum_of_numbers(name + len + 1));
		else
			table_add(t, name, len, sum_of_numbers(name + len + 1));
	}
}

/* Adds what grew; names with that prefix are levels, not counts. */
static void add_growth(struct series_set *set, const char *series, const char *label,
		       const struct table *a, const struct table *b, const char *not)
{
	series_declare(set, series);
	for (uint32_t id = 0; id < b->names.n; id++) {
		const char *name = b->names.name[id];
		uint64_t old = table_get(a, name);

		if (b->value[id] > old && !(not && !strncmp(name, not, strlen(not))))
			series_add(set, series, LABELS(label, name), b->value[id] - old);
	}
}

static uint64_t growth(const struct table *a, const struct table *b, const char *name)
{
	uint64_t old = table_get(a, name), new = table_get(b, name);

	return new > old ? new - old : 0;
}

/* The kernel's own NUMA balancing counters, where it has them. */
static void add_numa(struct series_set *set, const struct table *a,
		     const struct table *b)
{
	uint64_t all, local;

	if (strmap_finds(&b->names, "numa_hint_faults") == STRMAP_NONE)
		return;
	all = growth(a, b, "numa_hint_faults");
	local = growth(a, b, "numa_hint_faults_local");
	series_declare(set, "numa");
	series_add(set, "numa", LABELS("event", "hint_fault_local"), local);
	series_add(set, "numa", LABELS("event", "hint_fault_remote"),
		   all > local ? all - local : 0);
	series_add(set, "numa", LABELS("event", "pages_migrated"),
		   growth(a, b, "numa_pages_migrated"));
}

void procfs_add_vmstat(struct series_set *set, const char *before, const char *after,
		       const struct topology *topology, struct notes *notes)
{
	struct table a, b;

	(void)topology;
	(void)notes;
	parse_pairs(&a, before);
	parse_pairs(&b, after);
	add_growth(set, "vmstat", "field", &a, &b, "nr_");
	add_numa(set, &a, &b);
	table_release(&a);
	table_release(&b);
}

static void add_irq_tables(struct series_set *set, const char *series,
			   const char *label, const char *before, const char *after)
{
	struct table a, b;

	parse_irq_table(&a, before);
	parse_irq_table(&b, after);
	add_growth(set, series, label, &a, &b, NULL);
	table_release(&a);
	table_release(&b);
}

void procfs_add_interrupts(struct series_set *set, const char *before, const char *after,
			   const struct topology *topology, struct notes *notes)
{
	(void)topology;
	(void)notes;
	add_irq_tables(set, "interrupts", "line", before, after);
}

void procfs_add_softirqs(struct series_set *set, const char *before, const char *after,
			 const struct topology *topology, struct notes *notes)
{
	(void)topology;
	(void)notes;
	add_irq_tables(set, "softirqs", "type", before, after);
}

/* total= of the line "some ..." or "full ...", in us; false when there is none. */
static bool pressure_total(const char *text, const char *kind, uint64_t *us)
{
	for (; *text; text = next_line(text)) {
		const char *total;

		if (strncmp(text, kind, strlen(kind)))
			continue;
		total = strstr(text, "total=");
		if (!total || total > text + strcspn(text, "\n"))
			return false;
		*us = strtoull(total + 6, NULL, 10);
		return true;
	}
	return false;
}

void procfs_add_pressure(struct series_set *set, const char *resource,
			 const char *before, const char *after)
{
	static const char *const kinds[] = { "some", "full" };
	uint64_t a, b;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (pressure_total(before, kinds[i], &a) &&
		    pressure_total(after, kinds[i], &b) && b >= a &&
		    b - a < UINT64_MAX / 1000)
			series_add(set, "pressure",
				   LABELS("resource", resource, "kind", kinds[i]),
				   (b - a) * 1000);
}
