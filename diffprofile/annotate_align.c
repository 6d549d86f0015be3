// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which instruction of one kernel's code stands for which of the other's: the
 * alignment with the highest score (Needleman and Wunsch), where a gap costs
 * nothing, the same instruction but for addresses gives 6, one of the same kind 2,
 * the same mnemonic 1. Compilers give registers anew from build to build, so that
 * equality alone would align little.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate_parts.h"
#include "schedblame/alloc.h"

#define CELLS_MAX (48u << 20) /* bytes of traces; larger bodies are cut in pieces */
#define PIECE 6000

struct alignment {
	const struct insn *a, *b;
	void (*pair)(void *data, size_t i, size_t j);
	void *data;
};

static int score(const struct insn *a, const struct insn *b)
{
	if (a->key == b->key)
		return 6;
	if (a->kind == b->kind)
		return 2;
	return a->mnemonic == b->mnemonic;
}

enum step { STEP_A = 1, STEP_B, STEP_BOTH };

/* Fills step[na * nb]: the best last step of the first i + 1 and j + 1. */
static void fill(const struct insn *a, size_t na, const struct insn *b, size_t nb,
		 unsigned char *step)
{
	int *row = xcalloc(nb + 1, sizeof(*row));

	for (size_t i = 0; i < na; i++) {
		int diagonal = row[0]; /* of the row above, one to the left */

		for (size_t j = 0; j < nb; j++) {
			int s = score(a + i, b + j), above = row[j + 1], left = row[j];
			int both = s ? diagonal + s : -1;

			diagonal = above;
			if (both >= above && both >= left) {
				step[i * nb + j] = STEP_BOTH;
				row[j + 1] = both;
			} else {
				step[i * nb + j] = left >= above ? STEP_B : STEP_A;
				row[j + 1] = above >= left ? above : left;
			}
		}
	}
	free(row);
}

static void trace(const struct alignment *al, size_t a, size_t na, size_t b, size_t nb)
{
	unsigned char *step = xmalloc(na * nb + 1), *path = xmalloc(na + nb + 1);
	size_t n = 0, i = na, j = nb;

	fill(al->a + a, na, al->b + b, nb, step);
	while (i || j) {
		enum step s = !i ? STEP_B : !j ? STEP_A : step[(i - 1) * nb + j - 1];

		path[n++] = s;
		i -= s != STEP_B;
		j -= s != STEP_A;
	}
	while (n--) {
		al->pair(al->data, path[n] == STEP_B ? SIZE_MAX : a + i,
			 path[n] == STEP_A ? SIZE_MAX : b + j);
		i += path[n] != STEP_B;
		j += path[n] != STEP_A;
	}
	free(step);
	free(path);
}

/* In pieces of like length, where one table would be too large. */
static void trace_pieces(const struct alignment *al, size_t a, size_t na, size_t b, size_t nb)
{
	size_t pieces = na * nb <= CELLS_MAX ? 1 : (na > nb ? na : nb) / PIECE + 1;

	for (size_t k = 0; k < pieces; k++) {
		size_t fa = na * k / pieces, ta = na * (k + 1) / pieces;
		size_t fb = nb * k / pieces, tb = nb * (k + 1) / pieces;

		trace(al, a + fa, ta - fa, b + fb, tb - fb);
	}
}

void annotate_align(const struct insn *a, size_t na, const struct insn *b, size_t nb,
		    void (*pair)(void *data, size_t i, size_t j), void *data)
{
	struct alignment al = { a, b, pair, data };
	size_t head = 0, tail = 0, least = na < nb ? na : nb;

	while (head < least && a[head].key == b[head].key)
		head++;
	while (tail < least - head && a[na - 1 - tail].key == b[nb - 1 - tail].key)
		tail++;
	for (size_t i = 0; i < head; i++)
		pair(data, i, i);
	trace_pieces(&al, head, na - head - tail, head, nb - head - tail);
	for (size_t i = tail; i-- > 0;)
		pair(data, na - 1 - i, nb - 1 - i);
}
