/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a change to its causes.
 *
 * A mechanism is a way in which scheduling costs time. For one run it gives
 * that time in ns (its cost); the change of the cost per unit of work over the
 * repeats is tested like any other number. A mechanism explains ledger rows and
 * cannot explain more than what those rows changed: mechanisms claim in the
 * order of the table, what a row has left goes to the next, and what is left in
 * the end is "unexplained".
 *
 * Idle time that grows no more than what is not idle is no cause: CPUs that the
 * work never used idle for as long as it takes. It "follows" the change; the
 * mechanism of idle time claims what goes beyond, and shares are of the rest.
 *
 * A cause is named only if
 *	the change of the whole is sure (p < 0.01), or likely (p < 0.05) and the cause's
 *	own beyond doubt (q < 0.001),
 *	its own change is significant (q < 0.05 over all mechanisms tested),
 *	it has the sign of the change, and
 *	it carries at least 5 % of the change without what follows, by a price that
 *	was measured.
 * At most five causes are named, the largest first.
 */
#ifndef SCHEDBLAME_BLAME_H
#define SCHEDBLAME_BLAME_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/ledger.h"
#include "schedblame/run.h"

#define BLAME_MAX_CAUSES 5
#define BLAME_MIN_SHARE 0.05
#define BLAME_MIN_PART 0.01 /* of the whole change, with what follows */
#define BLAME_MAX_Q 0.05
/* What the change of the whole needs; stricter than 0.05: a cause named on noise
 * costs more trust than one missed. */
#define BLAME_SURE_P 0.01
#define BLAME_LEAST_POINTS 0.05 /* less is printed as 0.0 */
#define BLAME_SURE_POINTS 1.0
/* Noise of a whole machine may hide what one part of it shows beyond doubt. */
#define BLAME_LIKELY_P 0.05
#define BLAME_BEYOND_DOUBT_Q 0.001

struct migcost;

struct blame_input {
	const struct run_set *a, *b;
	const struct ledger *ledger;
	const struct migcost *migcost; /* NULL: prices of refills are assumed */
};

/* What one mechanism found; a row in JSON even when it is not named. */
struct cause {
	const struct mechanism *mechanism;
	double points;		/* of side A's total, what it claims */
	double estimate;	/* points before the rows capped it */
	double ci_low, ci_high; /* of estimate; NaN with one run a side */
	double share;		/* points / (change of the total - follows) */
	double p, q;
	bool named;
	bool priced;	    /* by what was measured; false: "up to" */
	bool assumed;	    /* its price is a guess: claims nothing, is never named */
	char *headline;	    /* "select_idle_cpu() takes 41 us instead of 9 ..." */
	struct notes evidence; /* the numbers it rests on */
	char *look;	    /* functions and tunables; NULL */
	char *next;	    /* what to try, a command line where possible; NULL */
};

struct mechanism {
	const char *name;  /* "idle_search": stable, used by tests and JSON */
	const char *title; /* "search for an idle CPU" */
	/* Names of ledger rows ("user") or symbol groups (":copy"), NULL at the end. */
	const char *const *rows;
	/* Is what it needs there, on both sides? why is a sentence of what would be
	 * needed, or would make it better; NULL: nothing. */
	bool (*measured)(const struct blame_input *in, const char **why);
	/* ns per run. NULL: the whole of its rows, as they are. */
	double (*cost)(const struct blame_input *in, const struct run *run);
	/* Is the price a guess? NULL: never. */
	bool (*assumed)(const struct blame_input *in);
	/* The cost is no price but the only witness: claims what rows have left. */
	bool witness;
	/* Fills headline, evidence, look and next. */
	void (*explain)(const struct blame_input *in, struct cause *cause);
};

enum blame_kind {
	BLAME_SLOWER,
	BLAME_FASTER,
	BLAME_SAME,	   /* no difference, and the data could have shown one */
	BLAME_CANNOT_TELL, /* the data cannot carry a verdict */
	BLAME_NOT_COMPARABLE,
};

struct blame {
	enum blame_kind kind;
	char *headline;	      /* "NEW is 12.3 % slower (95 % CI 11.1 to 13.4, ...)." */
	double change;	      /* per cent, of the benchmark's own number; + is slower */
	double ci_low, ci_high, p;
	bool sure;	      /* the change of CPU time is significant, causes may be named */
	bool likely;	      /* nearly so: only causes beyond doubt may */
	struct cause *cause;  /* all that were tried, named ones first */
	size_t n, nr_named;
	double follows;	      /* points of idle time that merely follow the change */
	double idle_a, idle_b; /* part of a side's total, 0..1 */
	double unexplained;   /* points */
	struct notes rest;    /* sentences on what no cause explains */
	struct notes needs;   /* what would carry a (better) verdict */
	struct notes notes;
};

/* not_comparable: sentences why the two sides differ in more than the kernel; any
 * makes the kind BLAME_NOT_COMPARABLE, causes are still listed. May be NULL. */
int blame_make(struct blame *b, const struct blame_input *in,
	       const struct notes *not_comparable, struct err *err);
void blame_release(struct blame *b);
/* Stable word: "slower", "faster", "same", "cannot_tell", "not_comparable". */
const char *blame_kind_name(enum blame_kind kind);

/* All mechanisms in the order in which they claim; NULL at the end. */
extern const struct mechanism *const mechanisms[];

#endif
