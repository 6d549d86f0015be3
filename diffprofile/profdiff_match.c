// SPDX-License-Identifier: GPL-2.0-or-later
/* One row per function, whatever each kernel's compiler made of its name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profdiff_parts.h"
#include "schedblame/alloc.h"

uint32_t match_root(const struct match *m, uint32_t row)
{
	while (m->row[row].into != row)
		row = m->row[row].into;
	return row;
}

void match_merge(struct match *m, uint32_t a, uint32_t b)
{
	struct match_row *into = &m->row[a], *from = &m->row[b];

	if (a == b)
		return;
	from->into = a;
	for (int s = 0; s < PROFDIFF_SIDES_MAX; s++)
		if (into->name_of[s] == STRMAP_NONE)
			into->name_of[s] = from->name_of[s];
	into->sides |= from->sides;
	into->several |= from->several;
	into->idle |= from->idle;
	if (!*m->strings.name[into->module])
		into->module = from->module;
	if (!*m->strings.name[into->file])
		into->file = from->file;
}

uint32_t match_row_for(struct match *m, uint32_t name, uint32_t module, uint32_t file,
		       uint8_t space)
{
	uint32_t pair = u64map_add(&m->pairs, u64map_pair(name, module));
	uint32_t id = u64map_add(&m->keys, u64map_pair(pair, file * NR_SPACES + space));
	struct match_row *r;

	if (id < m->n)
		return id;
	GROW(m->row, m->n, m->cap);
	r = &m->row[m->n++];
	*r = (struct match_row){ .name = name, .module = module, .file = file,
				 .space = space, .raw = STRMAP_NONE, .into = id };
	for (int s = 0; s < PROFDIFF_SIDES_MAX; s++)
		r->name_of[s] = STRMAP_NONE;
	return id;
}

/* "/usr/lib/libc-2.36.so" and "libc.so.6" are "libc.so"; "[ext4]" is "ext4". */
const char *match_module(const char *module, char *buf, size_t size)
{
	const char *slash = strrchr(module, '/'), *so;
	size_t len;

	if (slash && slash[1] && *module != '[')
		module = slash + 1;
	if (!strncmp(module, "[kernel", 7) || !strncmp(module, "vmlinu", 6) ||
	    !strcmp(module, "[unknown]"))
		return "";
	len = strlen(module);
	if (len > 2 && *module == '[' && module[len - 1] == ']' && len - 2 < size) {
		memcpy(buf, module + 1, len - 2);
		buf[len - 2] = '\0';
		return buf;
	}
	so = strstr(module, ".so");
	if (!so || (so[3] && so[3] != '.') || len + 4 >= size)
		return module;
	len = (size_t)(so - module);
	while (len && strchr("0123456789.", module[len - 1]))
		len--;
	if (len && module[len - 1] == '-')
		len--;
	else
		len = (size_t)(so - module);
	memcpy(buf, module, len);
	strcpy(buf + len, ".so");
	return buf;
}

/* What stands in the name column, by the kind of row. */
static uint32_t key_name(struct match *m, const struct profile *p, uint32_t symbol)
{
	const struct profile_symbol *s = &p->symbol[symbol];
	const char *raw = p->strings.name[s->name], *start;
	bool user = s->space == SPACE_USER || s->space == SPACE_GUEST_USER;
	char buf[512];
	size_t len;

	switch (m->options->by) {
	case BY_FILE:
		raw = *p->strings.name[s->file] ? p->strings.name[s->file] : "[no file known]";
		return strmap_adds(&m->strings, raw);
	case BY_MODULE:
		raw = match_module(p->strings.name[s->module], buf, sizeof(buf));
		if (!*raw)
			raw = symbol == PROFILE_USER ? "user mode" : user ? "[user]" : "[kernel]";
		return strmap_adds(&m->strings, raw);
	case BY_GROUP:
		if (user || symbol == PROFILE_UNKNOWN)
			return strmap_adds(&m->strings, user ? "user mode" : raw);
		raw = m->groups ? symbol_groups_name(m->groups,
						     symbol_groups_of(m->groups, raw)) : "other";
		return strmap_adds(&m->strings, raw);
	default:
		if (m->options->raw || user)
			return strmap_adds(&m->strings, raw);
		len = symbol_strip(raw, &start);
		return strmap_add(&m->strings, start, len);
	}
}

/* The row of a symbol, made if new, with what this side tells about it. */
static uint32_t row_for_symbol(struct match *m, const struct profile *p, uint32_t symbol,
			       size_t side)
{
	const struct profile_symbol *s = &p->symbol[symbol];
	uint32_t name = key_name(m, p, symbol), module = 0, file = 0, id, raw;
	uint8_t space = SPACE_UNKNOWN;
	struct match_row *r;
	char buf[512];

	if (m->options->by == BY_SYMBOL) {
		space = s->space;
		module = strmap_adds(&m->strings, match_module(p->strings.name[s->module], buf,
							       sizeof(buf)));
		file = strmap_adds(&m->strings, p->strings.name[s->file]);
	}
	id = match_row_for(m, name, module, file, space);
	r = &m->row[id];
	raw = strmap_adds(&m->strings, p->strings.name[s->name]);
	r->several |= r->raw != STRMAP_NONE && r->raw != raw;
	r->raw = raw;
	r->idle |= s->idle && m->options->by == BY_SYMBOL;
	r->sides |= 1U << side;
	r->name_of[side] = name;
	return id;
}

void match_symbols(struct match *m, struct profdiff *d, bool all)
{
	struct profdiff_parts *parts = d->parts;

	for (size_t side = 0; side < d->nr_sides; side++)
		for (size_t i = parts->first[side]; i < parts->first[side + 1]; i++) {
			const struct profile *p = parts->profile[i];
			bool aggregate = m->options->by != BY_SYMBOL;

			parts->row_of[i] = xmalloc(p->nr_symbols * sizeof(uint32_t));
			for (uint32_t s = 0; s < p->nr_symbols; s++) {
				bool used = all || (p->symbol[s].weight > 0 &&
						    !(aggregate && p->symbol[s].idle));

				parts->row_of[i][s] = used ? row_for_symbol(m, p, s, side) :
							     PROFILE_NONE;
			}
		}
}

/* "load_balance -> sched_balance_rq" where sides have different names. */
static char *display_name(const struct match *m, const struct match_row *r, size_t nr_sides)
{
	uint32_t first = STRMAP_NONE, last = STRMAP_NONE;

	for (size_t s = 0; s < nr_sides; s++) {
		if (r->name_of[s] == STRMAP_NONE)
			continue;
		if (first == STRMAP_NONE)
			first = r->name_of[s];
		if (last == STRMAP_NONE || r->name_of[s] != first)
			last = r->name_of[s];
	}
	if (first == last)
		return xstrdup(m->strings.name[r->name]);
	return xasprintf("%s -> %s", m->strings.name[first], m->strings.name[last]);
}

static const char *group_name(const struct match *m, const struct match_row *r)
{
	if (!m->groups || m->options->by != BY_SYMBOL ||
	    r->space == SPACE_USER || r->space == SPACE_GUEST_USER)
		return "";
	return symbol_groups_name(m->groups, symbol_groups_of(m->groups,
							      m->strings.name[r->name]));
}

static bool is_wanted(const struct match *m, const struct match_row *r, size_t id,
		      const char *name)
{
	if (r->into != id || (r->idle && !m->options->idle))
		return false;
	return !m->options->match || strstr(name, m->options->match);
}

/* Rows that live become rows of d; number[] tells which. */
static void make_rows(struct profdiff *d, struct match *m, uint32_t *number)
{
	d->row = xcalloc(m->n ? m->n : 1, sizeof(*d->row));
	for (size_t i = 0; i < m->n; i++) {
		const struct match_row *r = &m->row[i];
		char *name = display_name(m, r, d->nr_sides);

		number[i] = PROFILE_NONE;
		if (!is_wanted(m, r, i, name)) {
			free(name);
			continue;
		}
		number[i] = (uint32_t)d->n;
		d->row[d->n++] = (struct profdiff_row){
			.name = name,
			.module = xstrdup(m->strings.name[r->module]),
			.file = xstrdup(m->strings.name[r->file]),
			.group = group_name(m, r),
			.space = r->space,
			.idle = r->idle,
			.renamed = r->renamed,
			.guess = r->guess,
			.several = r->several,
			.cell = xcalloc(d->nr_sides, sizeof(struct profdiff_cell)),
		};
	}
}

static uint32_t final_row(const struct match *m, const uint32_t *number, uint32_t row)
{
	return row == PROFILE_NONE ? row : number[match_root(m, row)];
}

/* Points row_of at the final rows and sums the weights. */
static void settle(struct profdiff *d, const struct match *m, const uint32_t *number,
		   uint32_t **row_of_node)
{
	struct profdiff_parts *parts = d->parts;

	parts->weight = xcalloc(d->n * parts->nr_profiles + 1, sizeof(*parts->weight));
	for (size_t i = 0; i < parts->nr_profiles; i++) {
		const struct profile *p = parts->profile[i];
		uint32_t *of = row_of_node ? row_of_node[i] : parts->row_of[i];
		size_t n = row_of_node ? p->nr_nodes : p->nr_symbols;

		for (size_t j = 0; j < n; j++) {
			uint32_t row = of[j] = final_row(m, number, of[j]);

			if (row != PROFILE_NONE)
				parts->weight[row * parts->nr_profiles + i] +=
					row_of_node ? p->node[j].weight : p->symbol[j].weight;
		}
	}
}

void match_release(struct match *m)
{
	strmap_release(&m->strings);
	u64map_release(&m->pairs);
	u64map_release(&m->keys);
	free(m->row);
}

/* The table of groups lives as long as the program: rows point into it. */
static struct symbol_groups *groups_table(void)
{
	static struct symbol_groups *table;

	if (!table)
		symbol_groups_load(&table, NULL, NULL);
	return table;
}

int profdiff_match(struct profdiff *d, const struct profdiff_options *options,
		   struct err *err)
{
	struct match m = { .options = options, .groups = groups_table() };
	struct profdiff_parts *parts = d->parts;
	uint32_t **row_of_node = NULL, *number;
	int ret = 0;

	strmap_adds(&m.strings, "");
	parts->row_of = xcalloc(parts->nr_profiles, sizeof(*parts->row_of));
	if (options->by == BY_CALLER) {
		row_of_node = xcalloc(parts->nr_profiles, sizeof(*row_of_node));
		ret = match_callers(&m, d, row_of_node, err);
	} else {
		match_symbols(&m, d, false);
	}
	if (!ret && options->by == BY_SYMBOL)
		ret = match_loose(&m, options, &d->notes, err);
	if (!ret && options->by == BY_SYMBOL && options->guess)
		match_guess(&m, d);
	number = xcalloc(m.n ? m.n : 1, sizeof(*number));
	if (!ret) {
		make_rows(d, &m, number);
		settle(d, &m, number, row_of_node);
	}
	for (size_t i = 0; row_of_node && i < parts->nr_profiles; i++)
		free(row_of_node[i]);
	free(row_of_node);
	free(number);
	match_release(&m);
	return ret;
}
