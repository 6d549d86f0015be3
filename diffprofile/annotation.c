// SPDX-License-Identifier: GPL-2.0-or-later
/* One function of a profile diff by instruction and source line. */
#include "schedblame/annotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_parts.h"
#include "profdiff_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/inline.h"

/* ------------------------------------------------------ bodies of a side */

static struct side_body *body_for(struct annotate *an, int side, const struct profile *p,
				  const struct profile_body *from, bool inlined)
{
	struct side_code *s = an->side + side;
	uint32_t name = strmap_adds(&an->a->strings, profile_name(p, from->symbol));
	struct side_body *b;

	for (size_t i = 0; i < s->n; i++)
		if (s->body[i].name == name && s->body[i].start == from->start)
			return s->body + i;
	GROW(s->body, s->n, s->cap);
	b = s->body + s->n++;
	*b = (struct side_body){ .name = name, .start = from->start, .size = from->size,
				 .profile = p, .symbol = from->symbol, .inlined = inlined,
				 .pair = ANNOTATION_NONE };
	b->value = xcalloc(b->size, sizeof(*b->value));
	b->samples = xcalloc(b->size, sizeof(*b->samples));
	return b;
}

/* The addresses of one profile that count for the row; scale makes values of weights. */
static void take_profile(struct annotate *an, int side, const struct profdiff *d,
			 size_t number, size_t row, double scale)
{
	const struct profile *p = d->parts->profile[number];

	for (size_t i = 0; i < p->nr_addresses; i++) {
		const struct profile_address *at = p->address + i;
		const struct profile_body *from = p->body + at->body;
		bool own = profdiff_row_of(d, number, from->symbol) == row;
		struct side_body *b;

		if (!own && profdiff_row_of(d, number, at->symbol) != row)
			continue;
		if (!own)
			strmap_adds(&an->side[side].names, profile_name(p, at->symbol));
		an->a->value[side] += at->weight * scale;
		an->a->samples[side] += (double)at->samples;
		if (at->offset >= from->size || from->size > BODY_MAX)
			continue;
		b = body_for(an, side, p, from, !own);
		if (at->offset >= b->size)
			continue;
		b->value[at->offset] += at->weight * scale;
		b->samples[at->offset] += (double)at->samples;
		b->total += at->weight * scale;
	}
}

static int hottest_first(const void *x, const void *y)
{
	const struct side_body *a = x, *b = y;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return (a->start > b->start) - (a->start < b->start);
}

static void take_side(struct annotate *an, int s, const struct profdiff *d, size_t side,
		      size_t row)
{
	size_t from = d->parts->first[side], to = d->parts->first[side + 1];

	for (size_t i = from; i < to; i++)
		take_profile(an, s, d, i, row, profdiff_scale(d, i) / (double)(to - from));
	if (an->side[s].n)
		qsort(an->side[s].body, an->side[s].n, sizeof(*an->side[s].body),
		      hottest_first);
}

/* ------------------------------------------------------------ pairing */

static const char *name_of(const struct annotate *an, const struct side_body *b)
{
	return an->a->strings.name[b->name];
}

static bool same_stripped(const char *a, const char *b)
{
	const char *pa, *pb;
	size_t na = symbol_strip(a, &pa), nb = symbol_strip(b, &pb);

	return na == nb && !memcmp(pa, pb, na);
}

static bool is_cold(const char *name)
{
	return strstr(name, ".cold") != NULL;
}

/* Ever less alike: 0 the same name, 1 but for suffixes, 2 any of the kind. */
static bool alike(const struct annotate *an, const struct side_body *a,
		  const struct side_body *b, int pass)
{
	if (a->inlined != b->inlined || is_cold(name_of(an, a)) != is_cold(name_of(an, b)))
		return false;
	return pass == 0 ? a->name == b->name :
	       pass == 1 ? same_stripped(name_of(an, a), name_of(an, b)) : !a->inlined;
}

static void pair_bodies(struct annotate *an)
{
	struct side_code *s = an->side;

	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < s[0].n; i++)
			for (size_t j = 0; j < s[1].n; j++) {
				struct side_body *a = s[0].body + i, *b = s[1].body + j;

				if (a->pair != ANNOTATION_NONE || b->pair != ANNOTATION_NONE ||
				    !alike(an, a, b, pass))
					continue;
				a->pair = (uint32_t)j;
				b->pair = (uint32_t)i;
			}
}

/* ------------------------------------------------------------ making */

/* Bodies beyond that are cold copies of an inlined function: elsewhere. */
#define BODIES_MAX 32

static bool disassemble(struct annotate *an)
{
	bool any = false;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < an->side[s].n && i < BODIES_MAX; i++) {
			struct side_body *b = an->side[s].body + i;
			struct code_image *img = annotate_image(an, s, b);

			if (!img)
				continue;
			if (!annotate_disassemble(an, s, b, img)) {
				free(an->side[s].why);
				an->side[s].why = xasprintf(
					"%s holds no code of %s (a debug file without the "
					"program?)", code_image_path(img), name_of(an, b));
				continue;
			}
			any = true;
			if (!*an->a->image[s])
				profile_set(&an->a->image[s], code_image_path(img));
			an->a->inlined |= b->inlined;
		}
	return any;
}

static void set_elsewhere(struct annotation *a)
{
	for (int s = 0; s < 2; s++) {
		a->elsewhere[s] = a->value[s];
		for (size_t i = 0; i < a->nr_rows; i++)
			a->elsewhere[s] -= a->row[i].value[s];
		if (a->elsewhere[s] < 1e-9 * a->value[s])
			a->elsewhere[s] = 0;
	}
}

static int no_code(const struct annotate *an, const struct profdiff *d, struct err *err)
{
	const char *why = an->side[1].why ? an->side[1].why : an->side[0].why;

	if (why)
		return err_set(err, ENODATA, "%s", why);
	if (!strcmp(an->a->name, "user mode"))
		return err_set(err, EINVAL, "\"user mode\" is many functions: name one of them");
	return err_set(err, ENODATA, "nothing tells at which instructions %s was sampled: "
		       "that needs recordings (perf.data, runs), not %s", an->a->name,
		       d->parts->profile[0]->format);
}

static void add_notes(struct annotate *an)
{
	for (int s = 0; s < 2; s++)
		if (an->side[s].why)
			notes_add(&an->a->notes, "%s", an->side[s].why);
}

static void release_side(struct side_code *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->body[i].value);
		free(s->body[i].samples);
		free(s->body[i].insn);
	}
	for (size_t i = 0; i < s->nr_images; i++) {
		code_image_close(s->image[i]);
		free(s->image_of[i]);
	}
	free(s->body);
	free(s->place);
	free(s->image);
	free(s->image_of);
	free(s->why);
	u64map_release(&s->places);
	u64map_release(&s->place_keys);
	strmap_release(&s->names);
}

static void init(struct annotation *a, const struct profdiff *d, size_t row)
{
	memset(a, 0, sizeof(*a));
	a->name = xstrdup(d->row[row].name);
	a->module = xstrdup(d->row[row].module);
	a->image[0] = xstrdup("");
	a->image[1] = xstrdup("");
	a->norm = d->norm;
	strmap_init(&a->strings);
	strmap_adds(&a->strings, "");
}

int annotation_make(struct annotation *a, const struct profdiff *d, size_t side, size_t row,
		    const struct annotation_options *options, struct err *err)
{
	struct annotate an = { .a = a, .options = options };
	int ret = 0;

	init(a, d, row);
	for (int s = 0; s < 2; s++) {
		u64map_init(&an.side[s].places);
		u64map_init(&an.side[s].place_keys);
		strmap_init(&an.side[s].names);
		take_side(&an, s, d, s ? side : 0, row);
	}
	pair_bodies(&an);
	if (disassemble(&an)) {
		annotate_rows(&an);
		set_elsewhere(a);
		add_notes(&an);
	} else {
		ret = no_code(&an, d, err);
	}
	release_side(&an.side[0]);
	release_side(&an.side[1]);
	if (ret < 0)
		annotation_release(a);
	return ret;
}

void annotation_release(struct annotation *a)
{
	strmap_release(&a->strings);
	notes_release(&a->notes);
	free(a->name);
	free(a->module);
	free(a->body);
	free(a->row);
	free(a->line);
	free(a->image[0]);
	free(a->image[1]);
	memset(a, 0, sizeof(*a));
}

/* ------------------------------------------------------------ finding */

/* name is one of the parts of "a -> b -> c", suffixes aside. */
static bool is_part(const char *row, const char *name)
{
	for (const char *p = row; p; p = strstr(p, " -> ")) {
		const char *end, *plain;
		size_t n;

		p += strncmp(p, " -> ", 4) ? 0 : 4;
		end = strstr(p, " -> ");
		n = end ? (size_t)(end - p) : strlen(p);
		if (strlen(name) == n && !strncmp(p, name, n))
			return true;
		if (symbol_strip(name, &plain) == n && !strncmp(p, plain, n))
			return true;
	}
	return false;
}

uint32_t annotation_find(const struct profdiff *d, const char *name, const char *module)
{
	uint32_t best = PROFILE_NONE;
	double most = -1;

	for (size_t i = 0; i < d->n; i++) {
		const struct profdiff_row *r = d->row + i;
		double v = 0;

		if (strcmp(r->name, name) && !is_part(r->name, name))
			continue;
		if (module && strcmp(r->module, module))
			continue;
		for (size_t s = 0; s < d->nr_sides; s++)
			v += r->cell[s].value;
		if (v > most) {
			most = v;
			best = (uint32_t)i;
		}
	}
	return best;
}

/* ------------------------------------------------------------ from sets */

static int add_runs(struct profdiff_input *in, const struct run_set *set,
		    const struct annotation_options *options, int side, struct err *err)
{
	struct profile_options load = { .addresses = true, .unskid = UNSKID_RUNS,
					.user_symbols = true, .event = options->event,
					.vmlinux = options->vmlinux[side] };
	struct inliner *inliner = NULL;
	struct profile_inliner hook;
	struct err why = ERR_INIT;
	int ret = 0;

	if (load.vmlinux) {
		ret = inliner_open(&inliner, load.vmlinux, err);
		hook = inliner_hook(inliner);
		load.inliner = &hook;
	}
	for (size_t i = 0; !ret && i < set->n; i++) {
		err_release(&why);
		why = (struct err)ERR_INIT;
		profdiff_input_add(in, set->run[i].path, &load, &why);
	}
	if (!ret && !in->n)
		ret = err_set(err, ENODATA, "%s", why.code ? err_text(&why) :
							     "the set has no run");
	err_release(&why);
	inliner_close(inliner);
	return ret;
}

static int make_inputs(struct annotation *a, const struct profdiff_input in[2],
		       const char *name, const char *module,
		       const struct annotation_options *options, struct err *err)
{
	struct profdiff_options diff = profdiff_default_options;
	struct profdiff d;
	uint32_t row;
	int ret;

	diff.norm = options->norm;
	diff.idle = true;
	ret = profdiff_make_inputs(&d, in, 2, &diff, err);
	if (ret < 0)
		return ret;
	row = annotation_find(&d, name, module);
	if (row == PROFILE_NONE)
		ret = err_set(err, ENOENT, "no sample of either side is in %s", name);
	else
		ret = annotation_make(a, &d, 1, row, options, err);
	profdiff_release(&d);
	return ret;
}

int annotation_make_sets(struct annotation *a, struct run_set *const set[2],
			 const char *name, const char *module,
			 const struct annotation_options *options, struct err *err)
{
	struct profdiff_input in[2];
	int ret = 0;

	for (int s = 0; s < 2; s++) {
		profdiff_input_init(&in[s]);
		if (!ret)
			ret = add_runs(&in[s], set[s], options, s, err);
	}
	if (!ret)
		ret = make_inputs(a, in, name, module, options, err);
	profdiff_input_release(&in[0]);
	profdiff_input_release(&in[1]);
	return ret;
}
