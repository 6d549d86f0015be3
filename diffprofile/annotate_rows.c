// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Aligned instructions as rows, and source lines with their sums. A line of one
 * side and a line of the other are one line when most instructions of each are
 * aligned with instructions of the other: line numbers move between versions.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate_parts.h"
#include "schedblame/alloc.h"

/* How often a place of side 0 was aligned with one of side 1. */
struct vote {
	uint32_t place[2];
	unsigned n;
};

struct rows {
	struct annotate *an;
	const struct side_body *body[2];
	struct u64map pairs; /* of places */
	struct vote *vote;
	size_t cap_votes;
	uint32_t *line_of[2]; /* by place */
	uint32_t (*place)[2]; /* by row */
	struct source_cache *cache[2];
	size_t cap_rows, cap_places, cap_lines, cap_bodies;
};

static void vote(struct rows *r, uint32_t a, uint32_t b)
{
	uint32_t id = u64map_find(&r->pairs, u64map_pair(a, b));

	if (id == U64MAP_NONE) {
		size_t n = r->pairs.n;

		GROW(r->vote, n, r->cap_votes);
		id = u64map_add(&r->pairs, u64map_pair(a, b));
		r->vote[id] = (struct vote){ { a, b }, 0 };
	}
	r->vote[id].n++;
}

static void add_side(struct rows *r, struct annotation_row *row, int side, size_t i,
		     uint32_t place[2])
{
	const struct side_body *b = r->body[side];
	const struct insn *in = b->insn + i;

	row->text[side] = in->text;
	row->offset[side] = in->offset;
	row->addr[side] = b->start + in->offset;
	row->value[side] = annotate_sum(b, b->value, in);
	row->samples[side] = annotate_sum(b, b->samples, in);
	place[side] = in->place;
}

static void add_pair(void *data, size_t i, size_t j)
{
	struct rows *r = data;
	struct annotation *a = r->an->a;
	struct annotation_row *row;
	size_t n = a->nr_rows;

	GROW(a->row, n, r->cap_rows);
	GROW(r->place, n, r->cap_places);
	row = a->row + n;
	*row = (struct annotation_row){ .text = { ANNOTATION_NONE, ANNOTATION_NONE },
					.line = ANNOTATION_NONE };
	r->place[n][0] = r->place[n][1] = ANNOTATION_NONE;
	if (i != SIZE_MAX)
		add_side(r, row, 0, i, r->place[n]);
	if (j != SIZE_MAX)
		add_side(r, row, 1, j, r->place[n]);
	if (i != SIZE_MAX && j != SIZE_MAX) {
		row->same = r->body[0]->insn[i].key == r->body[1]->insn[j].key;
		if (r->place[n][0] != ANNOTATION_NONE && r->place[n][1] != ANNOTATION_NONE)
			vote(r, r->place[n][0], r->place[n][1]);
	}
	a->nr_rows++;
}

static void add_body(struct rows *r, const struct side_body *b0, const struct side_body *b1)
{
	struct annotation *a = r->an->a;
	struct annotation_body body = { .name = { ANNOTATION_NONE, ANNOTATION_NONE },
					.first = a->nr_rows };

	r->body[0] = b0;
	r->body[1] = b1;
	annotate_align(b0 ? b0->insn : NULL, b0 ? b0->n : 0, b1 ? b1->insn : NULL,
		       b1 ? b1->n : 0, add_pair, r);
	for (int s = 0; s < 2; s++)
		if (r->body[s]) {
			body.name[s] = r->body[s]->name;
			body.start[s] = r->body[s]->start;
			body.size[s] = r->body[s]->size;
		}
	body.n = a->nr_rows - body.first;
	for (size_t i = body.first; i < a->nr_rows; i++)
		for (int s = 0; s < 2; s++)
			body.value[s] += a->row[i].value[s];
	GROW(a->body, a->nr_bodies, r->cap_bodies);
	a->body[a->nr_bodies++] = body;
}

/* ------------------------------------------------------------ lines */

static int most_first(const void *x, const void *y)
{
	const struct vote *a = x, *b = y;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return a->place[0] != b->place[0] ? (a->place[0] < b->place[0] ? -1 : 1) :
					    (a->place[1] > b->place[1]) - (a->place[1] < b->place[1]);
}

/* The newer side's text, where it is to be had. */
static void set_text(struct rows *r, int side, const struct source_place *place,
		     struct annotation_line *line)
{
	struct strmap *strings = &r->an->a->strings;
	size_t len;
	const char *text = source_cache_line(r->cache[side], strings->name[place->path],
					     place->number, &len);

	if (text)
		line->text = strmap_add(strings, text, len);
}

static uint32_t new_line(struct rows *r, uint32_t p0, uint32_t p1)
{
	struct annotation *a = r->an->a;
	struct annotation_line line = { .file = 0 };
	const uint32_t p[2] = { p0, p1 };

	for (int s = 0; s < 2; s++)
		if (p[s] != ANNOTATION_NONE) {
			const struct source_place *place = r->an->side[s].place + p[s];

			line.file = place->file;
			line.inlined = place->inlined;
			line.number[s] = place->number;
			set_text(r, s, place, &line);
			r->line_of[s][p[s]] = (uint32_t)a->nr_lines;
		}
	GROW(a->line, a->nr_lines, r->cap_lines);
	a->line[a->nr_lines++] = line;
	return (uint32_t)a->nr_lines - 1;
}

/* Pairs by falling votes, each place once; the rest are lines of one side. */
static void pair_places(struct rows *r)
{
	for (int s = 0; s < 2; s++) {
		size_t n = r->an->side[s].nr_places;

		r->line_of[s] = xmalloc((n + 1) * sizeof(*r->line_of[s]));
		memset(r->line_of[s], 0xff, (n + 1) * sizeof(*r->line_of[s]));
	}
	if (r->pairs.n)
		qsort(r->vote, r->pairs.n, sizeof(*r->vote), most_first);
	for (size_t i = 0; i < r->pairs.n; i++) {
		const uint32_t *p = r->vote[i].place;

		if (r->line_of[0][p[0]] == ANNOTATION_NONE &&
		    r->line_of[1][p[1]] == ANNOTATION_NONE)
			new_line(r, p[0], p[1]);
	}
}

static uint32_t line_of(struct rows *r, int side, uint32_t place)
{
	if (place == ANNOTATION_NONE)
		return ANNOTATION_NONE;
	if (r->line_of[side][place] != ANNOTATION_NONE)
		return r->line_of[side][place];
	return side ? new_line(r, ANNOTATION_NONE, place) : new_line(r, place, ANNOTATION_NONE);
}

static void sum_lines(struct rows *r)
{
	struct annotation *a = r->an->a;

	for (size_t i = 0; i < a->nr_rows; i++)
		for (int s = 0; s < 2; s++) {
			uint32_t line = line_of(r, s, r->place[i][s]);

			if (line == ANNOTATION_NONE)
				continue;
			a->line[line].value[s] += a->row[i].value[s];
			a->row[i].line = line; /* the newer side's, where it has one */
		}
}

void annotate_rows(struct annotate *an)
{
	struct rows r = { .an = an };

	u64map_init(&r.pairs);
	for (int s = 0; s < 2; s++)
		r.cache[s] = source_cache_new(an->options->source[s]);
	for (size_t i = 0; i < an->side[0].n; i++) {
		const struct side_body *b = an->side[0].body + i;

		if (b->n)
			add_body(&r, b, b->pair == ANNOTATION_NONE ? NULL :
					an->side[1].body + b->pair);
	}
	for (size_t i = 0; i < an->side[1].n; i++) {
		const struct side_body *b = an->side[1].body + i;

		if (b->n && (b->pair == ANNOTATION_NONE || !an->side[0].body[b->pair].n))
			add_body(&r, NULL, b);
	}
	pair_places(&r);
	sum_lines(&r);
	u64map_release(&r.pairs);
	free(r.vote);
	free(r.place);
	for (int s = 0; s < 2; s++) {
		source_cache_free(r.cache[s]);
		free(r.line_of[s]);
	}
}
