// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Format texts to layouts. Which field of which tracepoint fills which part of
 * struct event is a table; kernels renamed fields, so each has alternatives.
 */
#include "event_layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define OFFSET_MAX 4096 /* of a field; records are smaller than a page */

struct field_spec {
	enum layout_slot slot;
	const char *names[2]; /* the first that exists */
	bool required;
};

struct type_spec {
	enum event_type type;
	struct field_spec f[6];
};

#define WAKE_FIELDS                                                            \
	{ { SLOT_PID, { "pid" }, true },				       \
	  { SLOT_PID2, { "common_pid" }, false },			       \
	  { SLOT_CPU2, { "target_cpu", "cpu" }, false },		       \
	  { SLOT_PRIO, { "prio" }, false },				       \
	  { SLOT_COMM, { "comm" }, false } }
#define NUMA_FIELDS                                                            \
	{ { SLOT_PID, { "pid", "src_pid" }, true },			       \
	  { SLOT_PID2, { "dst_pid" }, false },				       \
	  { SLOT_CPU2, { "src_cpu" }, true },				       \
	  { SLOT_DEST, { "dst_cpu" }, true } }

static const struct type_spec specs[] = {
	{ EV_SWITCH,
	  { { SLOT_PID, { "next_pid" }, true },
	    { SLOT_PID2, { "prev_pid" }, true },
	    { SLOT_PRIO, { "next_prio" }, false },
	    { SLOT_STATE, { "prev_state" }, true },
	    { SLOT_COMM, { "next_comm" }, false },
	    { SLOT_COMM2, { "prev_comm" }, false } } },
	{ EV_WAKING, WAKE_FIELDS },
	{ EV_WAKEUP, WAKE_FIELDS },
	{ EV_WAKEUP_NEW, WAKE_FIELDS },
	{ EV_MIGRATE,
	  { { SLOT_PID, { "pid" }, true },
	    { SLOT_PID2, { "common_pid" }, false },
	    { SLOT_CPU2, { "orig_cpu" }, true },
	    { SLOT_DEST, { "dest_cpu" }, true },
	    { SLOT_PRIO, { "prio" }, false },
	    { SLOT_COMM, { "comm" }, false } } },
	{ EV_FORK,
	  { { SLOT_PID, { "child_pid" }, true },
	    { SLOT_PID2, { "parent_pid", "pid" }, false },
	    { SLOT_COMM, { "child_comm" }, false } } },
	{ EV_EXEC,
	  { { SLOT_PID, { "pid", "common_pid" }, true },
	    { SLOT_DEST, { "old_pid" }, false } } },
	{ EV_EXIT,
	  { { SLOT_PID, { "pid" }, true },
	    { SLOT_PRIO, { "prio" }, false },
	    { SLOT_COMM, { "comm" }, false } } },
	{ EV_RENAME,
	  { { SLOT_PID, { "pid", "common_pid" }, true },
	    { SLOT_COMM, { "newcomm" }, true } } },
	{ EV_NUMA_MOVE, NUMA_FIELDS },
	{ EV_NUMA_SWAP, NUMA_FIELDS },
	{ EV_NUMA_STICK, NUMA_FIELDS },
};

/* "KEY:number;" somewhere in [s, end). */
static bool number_of(const char *s, const char *end, const char *key, unsigned *v)
{
	size_t len = strlen(key);

	for (; s + len < end; s++) {
		if (strncmp(s, key, len))
			continue;
		unsigned long n = strtoul(s + len, NULL, 10);

		*v = n > UINT16_MAX ? UINT16_MAX : (unsigned)n;
		return true;
	}
	return false;
}

/* "unsigned char comm[16];" : the name is the last word before '[' or ';'. */
static bool parse_declaration(const char *s, const char *end, struct format_field *f)
{
	const char *semi = memchr(s, ';', (size_t)(end - s)), *stop, *bracket, *start;

	if (!semi)
		return false;
	f->data_loc = !strncmp(s, "__data_loc", 10);
	f->rel_loc = !strncmp(s, "__rel_loc", 9);
	stop = semi;
	/* the array suffix stands at the end; that of "__data_loc char[] x" does not */
	bracket = memrchr(s, '[', (size_t)(semi - s));
	if (bracket && semi[-1] == ']')
		stop = bracket;
	while (stop > s && isspace((unsigned char)stop[-1]))
		stop--;
	for (start = stop; start > s && (isalnum((unsigned char)start[-1]) ||
					 start[-1] == '_'); start--)
		;
	f->name = start;
	f->name_len = (size_t)(stop - start);
	return f->name_len > 0;
}

bool format_next_field(const char **at, struct format_field *f)
{
	for (const char *s = *at; s && *s;) {
		const char *end = strchrnul(s, '\n'), *p = s;

		*at = *end ? end + 1 : end;
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (!strncmp(p, "print fmt", 9))
			return false;
		if (!strncmp(p, "field:", 6)) {
			unsigned is_signed = 0;

			p += 6;
			while (p < end && isspace((unsigned char)*p))
				p++;
			number_of(p, end, "signed:", &is_signed);
			f->is_signed = is_signed;
			if (parse_declaration(p, end, f) &&
			    number_of(p, end, "offset:", &f->offset) &&
			    number_of(p, end, "size:", &f->size))
				return true;
		}
		s = *at;
	}
	return false;
}

static const char *line_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *s = text; s && *s; s = strchr(s, '\n'), s = s ? s + 1 : NULL)
		if (!strncmp(s, key, len))
			return s + len + strspn(s + len, " \t");
	return NULL;
}

long format_id(const char *text)
{
	const char *v = line_value(text, "ID:");

	return v && isdigit((unsigned char)*v) ? strtol(v, NULL, 10) : -1;
}

size_t format_name(const char *text, const char **name)
{
	*name = line_value(text, "name:");
	return *name ? strcspn(*name, " \t\r\n") : 0;
}

static bool number_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Takes the field if it is one that spec asks for. */
static void take_field(struct event_layout *l, const struct field_spec *spec,
		       const struct format_field *f, unsigned name)
{
	struct layout_field *out = &l->f[spec->slot];
	bool text = spec->slot == SLOT_COMM || spec->slot == SLOT_COMM2;

	if (!spec->names[name] || strlen(spec->names[name]) != f->name_len ||
	    memcmp(spec->names[name], f->name, f->name_len))
		return;
	if (out->size && name) /* the first alternative was there */
		return;
	if (f->offset > OFFSET_MAX || !f->size ||
	    (!text && !number_size(f->size)) || f->size > 255)
		return;
	out->offset = (uint16_t)f->offset;
	out->size = (uint8_t)f->size;
	out->loc = text ? (f->data_loc ? 1 : f->rel_loc ? 2 : 0) : 0;
	if (out->loc)
		out->size = f->size == 4 ? 4 : 0;
}

static void take_fields(struct event_layout *l, const struct type_spec *spec,
			const char *text)
{
	struct format_field f;

	for (const char *at = text; format_next_field(&at, &f);)
		for (size_t i = 0; i < ARRAY_SIZE(spec->f); i++) {
			take_field(l, &spec->f[i], &f, 0);
			take_field(l, &spec->f[i], &f, 1);
		}
}

static enum task_state state_by_letter(char c)
{
	for (int s = 0; s < TASK_STATE_NR; s++)
		if (task_state_letter((enum task_state)s) == c)
			return (enum task_state)s;
	return c == 'x' ? TASK_DEAD : TASK_OTHER;
}

/*
 * Letters of prev_state from the flag list of the print fmt: { 0x01, "S" } or
 * { 1, "S" }. The bit above the highest flag listed means "preempted": 0x800
 * before 4.8, 0x1000 to 4.13, 0x100 later.
 */
static void take_states(struct event_layout *l, const char *text)
{
	const char *s = line_value(text, "print fmt:");
	uint32_t highest = 0;

	for (int i = 0; i < STATE_BITS; i++)
		l->letter[i] = TASK_OTHER;
	while (s && (s = strchr(s, '{'))) {
		char *end;
		unsigned long bit = strtoul(s + 1, &end, 0);

		s++;
		if (!bit || bit > 1UL << 20 || (bit & (bit - 1)) || *end != ',')
			continue;
		end += 1 + strspn(end + 1, " ");
		if (end[0] != '"' || !end[1])
			continue;
		if (bit > highest)
			highest = (uint32_t)bit;
		if (__builtin_ctzl(bit) < STATE_BITS)
			l->letter[__builtin_ctzl(bit)] = (uint8_t)state_by_letter(end[1]);
	}
	if (!highest) { /* no flags listed: the list of today's kernels */
		static const char letters[] = "SDTtXZPI";

		for (unsigned i = 0; letters[i]; i++)
			l->letter[i] = (uint8_t)state_by_letter(letters[i]);
		highest = 0x80;
	}
	l->preempted = highest << 1;
}

static const struct type_spec *spec_of(enum event_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (specs[i].type == type)
			return &specs[i];
	return NULL;
}

static bool plain_name(const struct layout_field *f)
{
	return f->size == 16 && !f->loc;
}

/* What event_decode() may read without looking at sizes. */
static bool is_plain(const struct event_layout *l)
{
	if (l->f[SLOT_PID].size != 4 || l->f[SLOT_PID2].size != 4 ||
	    l->f[SLOT_PRIO].size != 4 || !plain_name(&l->f[SLOT_COMM]))
		return false;
	if (l->type == EV_SWITCH)
		return plain_name(&l->f[SLOT_COMM2]) && l->f[SLOT_STATE].size >= 4;
	return l->f[SLOT_CPU2].size == 4 && l->type != EV_MIGRATE;
}

static bool finish_layout(struct event_layout *l, const struct type_spec *spec)
{
	unsigned min = 0;

	for (size_t i = 0; i < ARRAY_SIZE(spec->f); i++) {
		const struct layout_field *f = &l->f[spec->f[i].slot];

		if (!spec->f[i].names[0])
			break;
		if (spec->f[i].required && !f->size)
			return false;
		if (f->size && f->offset + f->size > min)
			min = f->offset + f->size;
	}
	l->min_len = (uint16_t)min;
	l->plain = is_plain(l);
	return true;
}

struct event_layouts *event_layouts_new(bool swap)
{
	struct event_layouts *l = xcalloc(1, sizeof(*l));

	l->swap = swap;
	l->nr = 1;
	strmap_init(&l->names);
	l->name_of = xcalloc(65536, sizeof(*l->name_of));
	return l;
}

void event_layouts_free(struct event_layouts *l)
{
	if (!l)
		return;
	strmap_release(&l->names);
	free(l->name_of);
	free(l);
}

/* common_type is at 0 in every kernel so far; read it anyway. */
static void take_common(struct event_layouts *l, const char *text)
{
	struct format_field f;
	const char *at = text;

	while (format_next_field(&at, &f))
		if (f.name_len == 11 && !memcmp(f.name, "common_type", 11) && f.size == 2 &&
		    f.offset < 64)
			l->type_offset = f.offset;
}

void event_layouts_add(struct event_layouts *l, const char *text, size_t len)
{
	char *copy = xstrndup(text, len);
	const char *name;
	size_t name_len = format_name(copy, &name);
	long id = format_id(copy);
	const struct type_spec *spec;

	if (name_len && id >= 0 && id < 65536) {
		spec = spec_of(event_type_by_name(name, name_len));
		l->name_of[id] = strmap_add(&l->names, name, name_len) + 1;
		if (spec && l->nr < LAYOUTS_MAX) {
			struct event_layout *out = &l->v[l->nr];

			memset(out, 0, sizeof(*out));
			out->type = (uint8_t)spec->type;
			take_fields(out, spec, copy);
			take_states(out, copy);
			take_common(l, copy);
			if (finish_layout(out, spec))
				l->by_id[id] = (uint8_t)l->nr++;
		}
	}
	free(copy);
}
