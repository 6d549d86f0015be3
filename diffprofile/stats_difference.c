// SPDX-License-Identifier: GPL-2.0-or-later
/* Difference of two means with Welch's interval: for values that add up. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "schedblame/stats.h"

void stats_difference(struct stats_difference *d, const double *a, size_t na,
		      const double *b, size_t nb, double level)
{
	struct stats_summary sa, sb;
	double va, vb, se, df, half;

	stats_summarise(&sa, a, na, level);
	stats_summarise(&sb, b, nb, level);
	d->diff = sb.mean - sa.mean;
	d->low = d->high = d->p = NAN;
	if (na < 2 || nb < 2)
		return;
	va = sa.std1 * sa.std1 / (double)na;
	vb = sb.std1 * sb.std1 / (double)nb;
	se = sqrt(va + vb);
	if (se == 0) {
		/* no spread at all (ticks are coarse): as sure as so few values can be */
		d->low = d->high = d->diff;
		d->p = d->diff == 0 ? 1 : stats_smallest_p(na, nb);
		return;
	}
	df = (va + vb) * (va + vb) /
	     (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
	half = gsl_cdf_tdist_Pinv(0.5 + level / 2, df) * se;
	d->low = d->diff - half;
	d->high = d->diff + half;
	d->p = 2 * gsl_cdf_tdist_Q(fabs(d->diff) / se, df);
}
