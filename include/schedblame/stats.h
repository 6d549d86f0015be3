/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a comparison (docs/diffprofile.md has the definitions and the
 * sources). A is the base, B the new side; a ratio is B over A.
 *
 * The rule that stands above all: never a verdict that the data cannot carry.
 * Three repeats a side can reach p = 0.10 at best, so they decide nothing at
 * alpha = 0.05, however far apart the numbers lie, and the reason says so.
 */
#ifndef SCHEDBLAME_STATS_H
#define SCHEDBLAME_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/strbuf.h"

struct stats_summary {
	size_t n;
	double mean, min, max, median;
	double std0, std1;    /* ddof 0 (as in the mails' tables) and ddof 1; n 1: 0 and NaN */
	double ci_low, ci_high; /* of the mean, Student; NaN for n < 2 */
};
/* level: 0.95. n 0 gives NaN everywhere. */
void stats_summarise(struct stats_summary *s, const double *v, size_t n, double level);
/* Geometric mean; NaN unless n > 0 and all values are positive. */
double stats_geomean(const double *v, size_t n);
/* Harmonic mean, same condition. */
double stats_harmean(const double *v, size_t n);
double stats_median(const double *v, size_t n);

/* Two-sided p of the best case: complete separation of na and nb values. */
double stats_smallest_p(size_t na, size_t nb);
/* Exact two-sided permutation p for the difference of means while there are at
 * most 1e6 ways to split the values; NaN beyond, or without values. */
double stats_permutation_p(const double *a, size_t na, const double *b, size_t nb);
/* Two-sided Mann-Whitney p: exact without ties up to 60 values, else by the
 * normal approximation with corrections for ties and continuity. */
double stats_mann_whitney_p(const double *a, size_t na, const double *b, size_t nb);
/* Two-sided Welch p for means a and b; NaN when n < 2 or both variances are 0. */
double stats_welch_p(const double *a, size_t na, const double *b, size_t nb);

/*
 * Benjamini-Hochberg: q[i] for p[i]; NaN p (not tested) stays NaN and counts
 * for nothing. q and p may be the same array.
 */
void stats_bh(const double *p, double *q, size_t n);

/* Counts ka and kb seen under exposures ea and eb (both > 0). */
struct stats_rate {
	double ratio;	  /* (kb/eb) / (ka/ea); NaN when both are 0, inf when ka is 0 */
	double low, high; /* Clopper-Pearson of the ratio; 0 and inf allowed */
	double p;	  /* exact conditional binomial, two-sided by doubling */
};
void stats_rate_ratio(struct stats_rate *r, uint64_t ka, double ea, uint64_t kb,
		      double eb, double level);

/* A metric over repeats, base against new. */
struct stats_comparison {
	struct stats_summary a, b;
	double ratio;		/* geometric means on logs, else of means; NaN: mean a is 0 */
	double low, high;	/* CI of the ratio by Welch; NaN for n < 2 a side */
	bool on_logs;		/* all values were positive */
	double p;		/* permutation (else Mann-Whitney) p; NaN for an empty side */
	double welch_p;		/* for n < 4, as information */
	double smallest_p;	/* that na and nb can reach */
};

/* Difference of means b - a with Welch's interval, for values that add up
 * (a ledger's rows). NaN but diff for n < 2 on either side. */
struct stats_difference {
	double diff, low, high;
	double p; /* two-sided */
};
void stats_difference(struct stats_difference *d, const double *a, size_t na,
		      const double *b, size_t nb, double level);

struct stats_limits {
	double alpha;	   /* 0.05: largest q (or p) that counts */
	double min_effect; /* 0.01: smallest |ratio - 1| worth a word */
	double level;	   /* 0.95: of the confidence intervals */
};
extern const struct stats_limits stats_default_limits;

enum verdict {
	VERDICT_CANNOT_TELL, /* too few or too noisy; stats_reason() says which */
	VERDICT_NO_DIFFERENCE, /* shown to be smaller than the minimum effect */
	VERDICT_BETTER,
	VERDICT_WORSE,
	NR_VERDICTS,
};
extern const char *const verdict_name[NR_VERDICTS]; /* "cannot tell", ... */

void stats_compare(struct stats_comparison *c, const double *a, size_t na,
		   const double *b, size_t nb, const struct stats_limits *limits);
/*
 * The one rule of significance; benchmark numbers, the profile's symbols and the
 * TUI all judge by it. q: p corrected over its table (p itself where it stands
 * alone). Better or worse: q <= alpha, the interval excludes no change, and the
 * effect is at least the minimum. No difference: the whole interval lies within
 * the minimum effect. Else: cannot tell. NaN q or ratio: cannot tell. low, high: interval of the ratio; NaN
 * where there is none, and then q alone decides.
 */
enum verdict stats_verdict(double q, double ratio, double low, double high,
			   bool higher_is_better, const struct stats_limits *limits);
/* The same for a comparison of repeats, whose number must allow a verdict. */
enum verdict stats_judge(const struct stats_comparison *c, double q,
			 bool higher_is_better, const struct stats_limits *limits);
/* Appends why: "n=3 a side can reach p=0.10 at best", "the change lies between
 * 3.1 % worse and 4.0 % better". Nothing for better and worse. */
void stats_reason(struct strbuf *sb, const struct stats_comparison *c, double q,
		  bool higher_is_better, const struct stats_limits *limits);
/* Appends "3.1 % worse", "0.4 % better" or "0.0 %" for a ratio of new over base. */
void stats_change_words(struct strbuf *sb, double ratio, bool higher_is_better);

#endif
