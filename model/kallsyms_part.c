// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parsing a piece of kallsyms text: one pass as it is unpacked, names of functions
 * kept, and a sort only where the text is not sorted by itself. The parts last used are
 * kept for the next run of the same boot.
 */
#include "kallsyms_part.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define KEPT 2 /* a comparison has two sides */

/* Digits of an address; *end is the first character that is none. */
static uint64_t parse_hex(const char *p, const char *stop, const char **end)
{
	static const signed char digit[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6,
		['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};
	uint64_t v = 0;

	for (; p < stop && digit[(unsigned char)*p]; p++)
		v = v << 4 | (uint64_t)(digit[(unsigned char)*p] - 1);
	*end = p;
	return v;
}

static uint16_t module_id(struct kallsyms_part *part, const char *name, size_t len)
{
	uint32_t id = strmap_add(&part->modules, name, len);

	return id > UINT16_MAX ? 0 : (uint16_t)id;
}

/* "ADDR T NAME" or "ADDR T NAME\t[MODULE]"; other lines are passed over. Until
 * finish, name holds an offset: the names still move. */
static void parse_line(struct kallsyms_part *part, const char *line, const char *eol)
{
	const char *p, *name, *tab;
	struct ksym sym = { .addr = parse_hex(line, eol, &p) };

	if (p == line || eol - p < 4 || p[0] != ' ' || p[2] != ' ')
		return;
	sym.type = p[1];
	if (sym.type != 't' && sym.type != 'T' && sym.type != 'w' && sym.type != 'W')
		return;
	name = p + 3;
	if (eol[-1] == '\r')
		eol--;
	tab = memchr(name, '\t', (size_t)(eol - name));
	if (tab && eol - tab > 3 && tab[1] == '[' && eol[-1] == ']')
		sym.module = module_id(part, tab + 2, (size_t)(eol - tab) - 3);
	sym.name = (const char *)part->names.len;
	strbuf_add(&part->names, name, (size_t)((tab ? tab : eol) - name));
	strbuf_add(&part->names, "", 1);
	GROW(part->sym, part->n, part->cap);
	part->sym[part->n++] = sym;
}

static int compare(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

struct kallsyms_part *kallsyms_part_new(void)
{
	struct kallsyms_part *part = xcalloc(1, sizeof(*part));

	part->refs = 1;
	strbuf_init(&part->names);
	strmap_init(&part->modules);
	strmap_adds(&part->modules, "");
	return part;
}

size_t kallsyms_part_feed(struct kallsyms_part *part, const char *text, size_t len,
			  bool last)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol && !last)
			break;
		if (!eol)
			eol = end;
		parse_line(part, p, eol);
		p = eol < end ? eol + 1 : end;
	}
	return (size_t)(p - text);
}

void kallsyms_part_finish(struct kallsyms_part *part)
{
	bool sorted = true;

	for (size_t i = 0; i < part->n; i++) {
		part->sym[i].name = part->names.buf + (uintptr_t)part->sym[i].name;
		if (i && part->sym[i].addr < part->sym[i - 1].addr)
			sorted = false;
	}
	if (!sorted)
		qsort(part->sym, part->n, sizeof(*part->sym), compare);
}

/* ------------------------------------------------------ shared parts */

#define IN_WORK 8 /* more are parsed without being waited for */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t parsed = PTHREAD_COND_INITIALIZER;
static struct kallsyms_part *kept[KEPT]; /* newest first */
static uint64_t in_work[IN_WORK];	 /* keys; 0: free */

static struct kallsyms_part *find_kept(uint64_t key)
{
	for (size_t i = 0; i < KEPT; i++)
		if (kept[i] && kept[i]->key == key)
			return kept[i];
	return NULL;
}

static uint64_t *find_work(uint64_t key)
{
	for (size_t i = 0; i < IN_WORK; i++)
		if (in_work[i] == key)
			return &in_work[i];
	return NULL;
}

struct kallsyms_part *kallsyms_part_get(uint64_t key)
{
	struct kallsyms_part *part;
	uint64_t *slot;

	pthread_mutex_lock(&lock);
	while (!(part = find_kept(key)) && find_work(key))
		pthread_cond_wait(&parsed, &lock);
	if (part)
		part->refs++;
	slot = part ? NULL : find_work(0);
	if (slot)
		*slot = key;
	pthread_mutex_unlock(&lock);
	return part;
}

void kallsyms_part_share(struct kallsyms_part *part, uint64_t key)
{
	struct kallsyms_part *old = NULL;
	uint64_t *slot;

	pthread_mutex_lock(&lock);
	slot = find_work(key);
	if (slot)
		*slot = 0;
	if (part) {
		part->key = key;
		part->refs++;
		old = kept[KEPT - 1];
		memmove(kept + 1, kept, (KEPT - 1) * sizeof(kept[0]));
		kept[0] = part;
	}
	pthread_cond_broadcast(&parsed);
	pthread_mutex_unlock(&lock);
	kallsyms_part_put(old);
}

void kallsyms_part_put(struct kallsyms_part *part)
{
	unsigned refs;

	if (!part)
		return;
	pthread_mutex_lock(&lock);
	refs = --part->refs;
	pthread_mutex_unlock(&lock);
	if (refs)
		return;
	free(part->sym);
	strbuf_release(&part->names);
	strmap_release(&part->modules);
	free(part);
}
