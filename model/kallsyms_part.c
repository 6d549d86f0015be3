// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parsing a piece of kallsyms text: one pass, names left where they are, and a
 * sort only where the text is not sorted by itself. The parts last used are
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

/* "ADDR T NAME" or "ADDR T NAME\t[MODULE]"; other lines are passed over. */
static void parse_line(struct kallsyms_part *part, char *line, char *eol)
{
	const char *p;
	struct ksym sym = { .addr = parse_hex(line, eol, &p) };
	char *name, *tab;

	if (p == line || eol - p < 4 || p[0] != ' ' || p[2] != ' ')
		return;
	sym.type = p[1];
	if (sym.type != 't' && sym.type != 'T' && sym.type != 'w' && sym.type != 'W')
		return;
	name = (char *)p + 3;
	if (eol[-1] == '\r')
		eol--;
	tab = memchr(name, '\t', (size_t)(eol - name));
	if (tab && eol - tab > 3 && tab[1] == '[' && eol[-1] == ']')
		sym.module = module_id(part, tab + 2, (size_t)(eol - tab) - 3);
	*(tab ? tab : eol) = '\0';
	sym.name = name;
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

struct kallsyms_part *kallsyms_part_parse(char *text, size_t len)
{
	struct kallsyms_part *part = xcalloc(1, sizeof(*part));
	char *p = text, *end = text + len;
	bool sorted = true;

	part->text = text;
	part->refs = 1;
	strmap_init(&part->modules);
	strmap_adds(&part->modules, "");
	*end = '\0';
	while (p < end) {
		char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		parse_line(part, p, eol);
		p = eol + 1;
	}
	for (size_t i = 1; i < part->n && sorted; i++)
		sorted = part->sym[i].addr >= part->sym[i - 1].addr;
	if (!sorted)
		qsort(part->sym, part->n, sizeof(*part->sym), compare);
	return part;
}

/* ------------------------------------------------------ shared parts */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kallsyms_part *kept[KEPT]; /* newest first */

struct kallsyms_part *kallsyms_part_get(uint64_t key)
{
	struct kallsyms_part *part = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < KEPT && !part; i++)
		if (kept[i] && kept[i]->key == key)
			part = kept[i];
	if (part)
		part->refs++;
	pthread_mutex_unlock(&lock);
	return part;
}

void kallsyms_part_share(struct kallsyms_part *part, uint64_t key)
{
	struct kallsyms_part *old;

	pthread_mutex_lock(&lock);
	part->key = key;
	part->refs++;
	old = kept[KEPT - 1];
	memmove(kept + 1, kept, (KEPT - 1) * sizeof(kept[0]));
	kept[0] = part;
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
	free(part->text);
	strmap_release(&part->modules);
	free(part);
}
