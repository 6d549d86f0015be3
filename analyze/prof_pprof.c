// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's protobuf (mostly gzipped, which the input layer has taken off). Frames
 * that were inlined are frames of their own; values are chosen by --event, else
 * the default of the file, else the last type, as pprof itself does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.pb-c.h"
#include "prof.h"
#include "schedblame/alloc.h"
#include "schedblame/u64map.h"

#define PROBE_FIELDS 200

struct reader {
	struct profile *p;
	Pprof__Profile *file;
	struct u64map functions, locations, mappings;
	uint32_t *start;  /* by location: its symbols in list[start .. start + count) */
	uint32_t *count;
	uint32_t *list;
	size_t n, cap;
};

static bool read_varint(const struct prof_input *in, size_t *at, uint64_t *v)
{
	*v = 0;
	for (int shift = 0; *at < in->len && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)in->data[(*at)++];

		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

/*
 * There is no magic. The first fields (at most PROBE_FIELDS) must carry numbers
 * of the format with the wire type they have there, in any order, and a type of
 * values must be among them: no text begins like that.
 */
static bool probe(const struct prof_input *in)
{
	static const char wire_of[] = "?222222000020?0";
	bool typed = false;
	size_t at = 0;

	if (in->len < 8)
		return false;
	for (int i = 0; i < PROBE_FIELDS && at < in->len; i++) {
		uint64_t tag, v;

		if (!read_varint(in, &at, &tag) || tag >> 3 == 0 || tag >> 3 > 14)
			return false;
		if (wire_of[tag >> 3] != '?' && wire_of[tag >> 3] != (char)('0' + (tag & 7)))
			return false;
		if (!read_varint(in, &at, &v))
			return false;
		typed |= tag >> 3 == 1 && v >= 2 && v <= 24;
		if ((tag & 7) == 2) {
			if (v > in->len - at)
				return i > 3 && typed; /* cut short */
			at += v;
		} else if (tag & 7) {
			return false;
		}
	}
	return typed;
}

static struct prof_word string(const Pprof__Profile *f, int64_t i)
{
	if (i <= 0 || (size_t)i >= f->n_strings)
		return (struct prof_word){ "", 0 };
	return (struct prof_word){ (const char *)f->strings[i].data, f->strings[i].len };
}

static void index_tables(struct reader *r)
{
	const Pprof__Profile *f = r->file;

	for (size_t i = 0; i < f->n_function; i++)
		u64map_add(&r->functions, f->function[i]->id);
	for (size_t i = 0; i < f->n_mapping; i++)
		u64map_add(&r->mappings, f->mapping[i]->id);
	for (size_t i = 0; i < f->n_location; i++)
		u64map_add(&r->locations, f->location[i]->id);
}

/* Duplicate ids make the maps shorter than the tables: then ids lie. */
static bool tables_agree(const struct reader *r)
{
	return r->functions.n == r->file->n_function &&
	       r->mappings.n == r->file->n_mapping &&
	       r->locations.n == r->file->n_location;
}

static void add_frame(struct reader *r, const struct prof_word *name,
		      const struct prof_word *module, struct prof_word file,
		      enum profile_space space, bool inlined)
{
	uint32_t id = PROFILE_UNKNOWN;

	if (name->len)
		id = profile_symbol_ids(r->p, strmap_add(&r->p->strings, name->s, name->len),
					strmap_add(&r->p->strings, module->s, module->len),
					strmap_add(&r->p->strings, file.s, file.len), space);
	r->p->symbol[id].inlined |= inlined;
	GROW(r->list, r->n, r->cap);
	r->list[r->n++] = id;
}

static void add_address(struct reader *r, uint64_t address, const struct prof_word *module)
{
	char text[32];
	struct prof_word name = { text, 0 }, none = { "", 0 };

	name.len = (size_t)snprintf(text, sizeof(text), "0x%llx",
				    (unsigned long long)address);
	add_frame(r, &name, module, none, SPACE_UNKNOWN, false);
}

/* Symbols of a location, leaf first. Files stay out of the key: one function is
 * one row, and names are unique in pprof's world. */
static void read_location(struct reader *r, const Pprof__Location *l)
{
	const Pprof__Profile *f = r->file;
	uint32_t m = u64map_find(&r->mappings, l->mapping_id);
	struct prof_word module = { "", 0 }, none = { "", 0 };
	enum profile_space space = SPACE_UNKNOWN;

	if (m != U64MAP_NONE)
		module = string(f, f->mapping[m]->filename);
	if (module.len && prof_module(&module, l->address, true) == SPACE_KERNEL)
		space = SPACE_KERNEL;
	for (size_t i = 0; i < l->n_line; i++) {
		uint32_t fn = u64map_find(&r->functions, l->line[i]->function_id);
		struct prof_word name = none;

		if (fn != U64MAP_NONE)
			name = string(f, f->function[fn]->name);
		add_frame(r, &name, &module, none, space, i + 1 < l->n_line);
	}
	if (!l->n_line)
		add_address(r, l->address, &module);
}

static void read_locations(struct reader *r)
{
	size_t n = r->file->n_location;

	r->start = xcalloc(n + 1, sizeof(*r->start));
	r->count = xcalloc(n + 1, sizeof(*r->count));
	for (size_t i = 0; i < n; i++) {
		r->start[i] = (uint32_t)r->n;
		read_location(r, r->file->location[i]);
		r->count[i] = (uint32_t)(r->n - r->start[i]);
	}
}

/* Index of the value wanted; -1 and a sentence when there is none. */
static int choose_value(const Pprof__Profile *f, const char *event, const char *path,
			struct err *err)
{
	struct prof_word wanted = string(f, f->default_sample_type);

	if (event)
		wanted = (struct prof_word){ event, strlen(event) };
	for (size_t i = 0; i < f->n_sample_type; i++) {
		struct prof_word type = string(f, f->sample_type[i]->type);

		if (wanted.len && type.len == wanted.len &&
		    !memcmp(type.s, wanted.s, type.len))
			return (int)i;
	}
	if (event) {
		err_set(err, ENOENT, "%s has no values of type %s", path, event);
		return -1;
	}
	return (int)f->n_sample_type - 1;
}

static void set_word(char **field, const struct prof_word *w)
{
	char *s = xstrndup(w->s, w->len);

	profile_set(field, s);
	free(s);
}

/* Index of a value that counts, for the statistics; -1: none. */
static int count_value(const Pprof__Profile *f)
{
	for (size_t i = 0; i < f->n_sample_type; i++) {
		struct prof_word unit = string(f, f->sample_type[i]->unit);

		if (prof_word_is(&unit, "count"))
			return (int)i;
	}
	return -1;
}

static void read_sample(struct reader *r, const Pprof__Sample *s, int value, int counts,
			const struct profile_options *options)
{
	struct prof_chain chain = { .n = 0 };
	double weight = (double)s->value[value];
	uint64_t samples = 1;

	if (counts >= 0)
		samples = s->value[counts] > 0 ? (uint64_t)s->value[counts] : 0;
	else if (r->file->period > 0 && weight > 0)
		samples = (uint64_t)(weight / (double)r->file->period + 0.5);
	for (size_t i = 0; i < s->n_location_id; i++) {
		uint32_t l = u64map_find(&r->locations, s->location_id[i]);

		if (l == U64MAP_NONE)
			continue;
		for (uint32_t k = 0; k < r->count[l]; k++)
			prof_chain_add(&chain, r->list[r->start[l] + k]);
	}
	if (!chain.n)
		prof_chain_add(&chain, PROFILE_UNKNOWN);
	prof_chain_flush(r->p, &chain, options, samples, weight);
}

static int read_all(struct reader *r, const struct prof_input *in,
		    const struct profile_options *options, struct err *err)
{
	const Pprof__Profile *f = r->file;
	int value = choose_value(f, options->event, in->path, err);
	unsigned long bad = 0;
	struct prof_word w;

	if (value < 0)
		return err && err->code ? -err->code :
			       err_set(err, EINVAL, "%s has no types of values", in->path);
	index_tables(r);
	if (!tables_agree(r))
		return err_set(err, EINVAL, "%s gives the same id to two functions, locations or "
			       "mappings", in->path);
	read_locations(r);
	w = string(f, f->sample_type[value]->type);
	set_word(&r->p->event, &w);
	w = string(f, f->sample_type[value]->unit);
	set_word(&r->p->unit, &w);
	if (f->duration_nanos > 0)
		r->p->duration_ns = (uint64_t)f->duration_nanos;
	for (size_t i = 0; i < f->n_sample; i++) {
		if (f->sample[i]->n_value == f->n_sample_type)
			read_sample(r, f->sample[i], value, count_value(f), options);
		else
			bad++;
	}
	if (bad)
		notes_add(&r->p->notes, "%s: %lu samples have not as many values as there are "
			  "types; they were left out", in->path, bad);
	return 0;
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	struct reader r = { .p = p };
	int ret;

	r.file = pprof__profile__unpack(NULL, in->len, (const uint8_t *)in->data);
	if (!r.file)
		return err_set(err, EINVAL, "%s looks like a pprof profile but is damaged or cut "
			       "short", in->path);
	ret = read_all(&r, in, options, err);
	pprof__profile__free_unpacked(r.file, NULL);
	u64map_release(&r.functions);
	u64map_release(&r.locations);
	u64map_release(&r.mappings);
	free(r.start);
	free(r.count);
	free(r.list);
	return ret;
}

const struct prof_format prof_format_pprof = { "pprof", probe, load };
