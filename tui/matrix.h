/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Migrations from node to node or from CPU to CPU as matrices of two sides. */
#ifndef TUI_MATRIX_H
#define TUI_MATRIX_H

#include "data.h"
#include "draw.h"
#include "view.h"

enum matrix_kind { MATRIX_NODES, MATRIX_CPUS };

#define MATRIX_MAX 1024 /* more CPUs than that are not drawn */

struct matrix {
	int n;	    /* 0: not measured */
	double *v;  /* n x n, from x n + to; owned */
};

/* reason -1: all. */
void matrix_load(struct matrix *m, const struct data *d, enum side s,
		 enum matrix_kind kind, int reason);
void matrix_release(struct matrix *m);
double matrix_at(const struct matrix *m, int from, int to);
/* Both sides side by side, their difference or one, as data.show says. Returns
 * rows used. */
int matrix_draw_sides(const struct matrix m[SIDE_NR], const struct data *d,
		      const struct area *a);

extern const struct view_ops view_cpumap; /* arg: int reason */

#endif
