/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function of a profile diff in full: its instructions and source lines with
 * what was counted on either side. The instructions of the two sides are aligned
 * (the code of two kernels is not the same), as a side-by-side diff aligns lines.
 *
 * Values are those of the diff: means over the repeats, normalised as asked; more
 * is worse. They sum to the row's values: what fell where no instruction is known
 * (another build, a body of that name that was not found) is in `elsewhere`.
 *
 *	struct annotation a;
 *	struct annotation_options o = { .norm = NORM_TIME };
 *	if (annotation_make_sets(&a, set, "load_balance", NULL, &o, &err) == 0) {
 *		for (size_t i = 0; i < a.nr_rows; i++)
 *			... a.row[i], a.line[a.row[i].line] ...
 *		annotation_release(&a);
 *	}
 */
#ifndef SCHEDBLAME_ANNOTATION_H
#define SCHEDBLAME_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/profdiff.h"

#define ANNOTATION_NONE UINT32_MAX

/* A line of source; number and text by side, as the two sides' files differ. */
struct annotation_line {
	uint32_t file;	       /* string id: "kernel/sched/fair.c" */
	uint32_t inlined;      /* string id: function whose body it is, "" where it is
				  the function's own */
	unsigned number[2];    /* 0: not on that side */
	uint32_t text;	       /* string id: of the new side's source, else of the
				  base's; "" not known */
	double value[2];
};

/* An instruction, or two that stand for one another. */
struct annotation_row {
	uint32_t text[2]; /* string ids: "mov %rax, (%rdi)"; ANNOTATION_NONE: the
			     other side only */
	uint64_t addr[2]; /* link-time address */
	uint32_t offset[2]; /* in its body */
	uint32_t line;	  /* ANNOTATION_NONE: no debug information */
	bool same;	  /* both sides, and the same but for addresses */
	double value[2];
	double samples[2]; /* sum over the repeats */
};

/* A body of code: a function, its .cold part, one of several of the same name. */
struct annotation_body {
	uint32_t name[2];   /* string ids, raw; ANNOTATION_NONE: not on that side */
	uint64_t start[2], size[2]; /* link-time */
	size_t first, n;    /* its rows */
	double value[2];    /* of its rows */
};

struct annotation {
	char *name;  /* of the diff's row: "load_balance -> sched_balance_rq" */
	char *module;
	struct strmap strings;
	struct annotation_body *body; /* hottest first */
	size_t nr_bodies;
	struct annotation_row *row; /* in the order of the code */
	size_t nr_rows;
	struct annotation_line *line;
	size_t nr_lines;
	char *image[2];	    /* file the code came from, "" none */
	bool inlined;	    /* the function was inlined: rows are its bodies in others */
	double value[2];    /* of the diff's row: of all instructions and elsewhere */
	double samples[2];
	double elsewhere[2];
	enum profdiff_norm norm;
	struct notes notes;
};

/* By side; what is NULL is looked for: images by build id, sources where the
 * debug information says they were. */
struct annotation_options {
	enum profdiff_norm norm;
	const char *vmlinux[2];
	const char *source[2]; /* folder that holds the source tree */
	const char *event;
};

/*
 * Of a row of d, which was made from profiles loaded with options.addresses and
 * without chains; side is compared with side 0 (0: side 0 alone, twice). -ENODATA
 * with a sentence that says what to give when nothing has the function's bytes.
 * On failure a needs no release.
 */
int annotation_make(struct annotation *a, const struct profdiff *d, size_t side,
		    size_t row, const struct annotation_options *options,
		    struct err *err);
/*
 * The row that is meant by name: a row's own name, one of its parts around "->",
 * or a function that is in it; the largest of several. PROFILE_NONE: none. module
 * may be NULL.
 */
uint32_t annotation_find(const struct profdiff *d, const char *name, const char *module);
/*
 * From run sets (set[1] may be set[0]): loads their profiles once more, with
 * addresses, which takes as long as opening them did. For a background job.
 */
int annotation_make_sets(struct annotation *a, struct run_set *const set[2],
			 const char *name, const char *module,
			 const struct annotation_options *options, struct err *err);
void annotation_release(struct annotation *a);
/* Where a line's file is: below folder (may be NULL), else where the debug
 * information says it was. NULL: not there; else the caller frees it. */
char *annotation_source_path(const char *folder, const char *file);

static inline const char *annotation_text(const struct annotation *a, uint32_t id)
{
	return id == ANNOTATION_NONE ? "" : a->strings.name[id];
}

#endif
