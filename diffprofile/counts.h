/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test of a table of counts over repeats. Private to diffprofile/. */
#ifndef DIFFPROFILE_COUNTS_H
#define DIFFPROFILE_COUNTS_H

#include <stddef.h>

struct count_row {
	const double *k; /* na + nb counts, side A first */
	/* results */
	double ratio, low, high, p;
};

struct count_table {
	struct count_row *row;
	size_t n;
	size_t na, nb;
	const double *exposure; /* na + nb, all > 0 */
	double level;
	/* results */
	double dispersion; /* shared, median over the rows */
	double prior_df;   /* weight of the shared variance, INFINITY allowed */
};

/* Rows should have at least some ten counts in all; na, nb >= 2. */
void counts_test(struct count_table *t);

#endif
