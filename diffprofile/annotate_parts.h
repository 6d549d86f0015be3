/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What annotation.c and the annotate_*.c files share. Private to diffprofile/. */
#ifndef DIFFPROFILE_ANNOTATE_PARTS_H
#define DIFFPROFILE_ANNOTATE_PARTS_H

#include "schedblame/annotation.h"
#include "schedblame/code.h"

#define BODY_MAX (1u << 20) /* bytes of one function; the largest real ones have 100 KiB */

/* A place in the source, of one side. */
struct source_place {
	uint32_t file, path, inlined; /* string ids */
	unsigned number;
};

/* An instruction of one side. */
struct insn {
	uint32_t offset, size; /* bytes from the start of its body, and its own */
	uint32_t text; /* string id, as shown */
	uint32_t key;  /* string id: equal keys are the same instruction */
	uint32_t kind; /* string id: mnemonic and kinds of operands */
	uint32_t mnemonic; /* string id */
	uint32_t place; /* index in side_code.place, ANNOTATION_NONE: not known */
};

/* A body of code that one side's samples fell into. */
struct side_body {
	uint32_t name; /* string id, raw */
	uint64_t start, size;
	const struct profile *profile; /* one that has it: for its module */
	uint32_t symbol;	       /* its symbol there */
	bool inlined; /* only what was inlined into it is meant */
	double *value, *samples; /* by offset; size of each */
	double total;
	struct insn *insn;
	size_t n, cap;
	uint32_t pair; /* index on the other side, ANNOTATION_NONE */
};

struct side_code {
	struct side_body *body; /* hottest first */
	size_t n, cap;
	struct source_place *place;
	size_t nr_places, cap_places;
	struct u64map places; /* (file, inlined) -> pair -> number; see place_id() */
	struct u64map place_keys;
	struct strmap names; /* inlined functions that are meant */
	struct code_image **image; /* opened so far */
	char **image_of;	   /* by image: module name */
	size_t nr_images, cap_images, cap_image_of;
	char *why; /* why there was no image: a sentence, NULL */
};

struct annotate {
	struct annotation *a;
	const struct annotation_options *options;
	struct side_code side[2];
};

/* The image of body; NULL with a sentence in side->why. */
struct code_image *annotate_image(struct annotate *an, int side,
				  const struct side_body *body);
/* Fills body->insn; false when the image has no bytes there. */
bool annotate_disassemble(struct annotate *an, int side, struct side_body *body,
			  struct code_image *img);
/*
 * Aligns b against a: calls pair(data, i, j) in order, with SIZE_MAX where the other
 * side has none.
 */
void annotate_align(const struct insn *a, size_t na, const struct insn *b, size_t nb,
		    void (*pair)(void *data, size_t i, size_t j), void *data);
/*
 * What was counted anywhere within an instruction: samples that were charged to a
 * caller stand on the byte before the return address, in the call.
 */
double annotate_sum(const struct side_body *body, const double *counts,
		    const struct insn *in);
/* Rows and lines of all bodies. */
void annotate_rows(struct annotate *an);

/* Texts of source lines by file and number. */
struct source_cache;
struct source_cache *source_cache_new(const char *folder);
void source_cache_free(struct source_cache *c);
/* The line without its newline, NULL when the file is not there; *len its length. */
const char *source_cache_line(struct source_cache *c, const char *file, unsigned number,
			      size_t *len);

#endif
