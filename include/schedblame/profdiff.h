/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The difference of profiles: symbols matched between kernels, counts averaged
 * over repeats and normalised, and a test per row. docs/diffprofile.md has the
 * definitions.
 *
 * Side 0 is the base; every other side is compared with it. A value is the mean
 * over the side's repeats of a row's weight, in ticks (samples of the mean
 * period of all inputs) and normalised as asked. More is worse.
 */
#ifndef SCHEDBLAME_PROFDIFF_H
#define SCHEDBLAME_PROFDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/profile.h"
#include "schedblame/run.h"
#include "schedblame/stats.h"

#define PROFDIFF_SIDES_MAX 32

/* What a count is divided by; X(id, option, caption) */
#define PROFDIFF_NORMS(X)                                                      \
	X(TICKS, "ticks", "ticks")                                             \
	X(SHARE, "share", "per cent of all samples outside idle")              \
	X(WORK, "work", "ticks for the work that the base did")                \
	X(TIME, "time", "ticks per second and CPU")                            \
	X(FACTOR, "factor", "ticks scaled by the median ratio of all symbols")

enum profdiff_norm {
#define X(id, name, caption) NORM_##id,
	PROFDIFF_NORMS(X)
#undef X
	NR_NORMS,
};
extern const char *const profdiff_norm_name[NR_NORMS];
extern const char *const profdiff_norm_caption[NR_NORMS];

/* What a row is. */
enum profdiff_by { BY_SYMBOL, BY_FILE, BY_MODULE, BY_GROUP, BY_CALLER, NR_BY };
extern const char *const profdiff_by_name[NR_BY]; /* "symbol", ... */

struct profdiff_options {
	enum profdiff_norm norm;
	enum profdiff_by by;
	bool no_renames; /* match by name only */
	bool guess;	 /* pair what is gone with what is new by likeness */
	bool raw;	 /* keep compiler suffixes apart */
	bool idle;	 /* keep idle functions as rows */
	const char *match; /* only rows whose name holds this; NULL */
	struct stats_limits limits;
};
extern const struct profdiff_options profdiff_default_options;

/* One side: borrowed; profiles must outlive the profdiff. */
struct profdiff_side {
	const char *label;
	const struct profile *const *profile;
	size_t n;	    /* repeats, >= 1 */
	const double *work; /* units of work by repeat; NULL: 1 each */
};

struct profdiff_cell {
	double value;	/* normalised mean over the repeats */
	double std;	/* ddof 1 over the repeats; NaN for one */
	double samples; /* sum over the repeats, at the mean period of each */
	double share;	/* per cent of the side outside idle; idle rows: of all */
	/* against side 0; for side 0 itself 0, 1, NaN ... */
	double change;	   /* value - value of side 0 */
	double ratio;	   /* NaN: not tested; inf: new */
	double low, high;  /* CI of the ratio */
	double p, q;	   /* NaN: too few samples to test, or idle */
	bool found;	   /* what q, interval and size of the change say: stats_verdict() */
	/* found, and the repeats are enough for a verdict on anything (stats.h): the
	 * rule that reports and tables share */
	enum verdict verdict;
};

struct profdiff_row {
	char *name;	    /* "schedule", "load_balance -> sched_balance_rq" */
	char *module;	    /* "" */
	char *file;	    /* "" */
	const char *group;  /* of kernel functions, else "" */
	enum profile_space space;
	bool idle;
	bool renamed;	    /* matched through data/renames.tsv */
	bool guess;	    /* matched by likeness only */
	bool several;	    /* raw names were merged by their suffix */
	struct profdiff_cell *cell; /* by side */
	uint32_t number;    /* private */
};

struct profdiff {
	struct profdiff_row *row; /* largest growth on the last side first */
	size_t n;
	size_t nr_sides;
	char **label;	       /* by side */
	size_t *repeats;       /* by side */
	double *total, *busy, *idle; /* normalised means by side, all symbols */
	double *factor;	       /* by side: robust size factor against side 0 */
	uint64_t *lost;	       /* samples lost, by side */
	enum profdiff_norm norm;
	enum profdiff_by by;
	struct stats_limits limits;
	bool sampling_only;    /* k = 1: p and CI know sampling noise only */
	char *event, *unit;
	double dispersion;     /* shared, of rows of middle size; NaN for k = 1 */
	struct notes notes;

	/* private: counts by row and profile, the row of every symbol */
	struct profdiff_parts *parts;
};

/*
 * -EINVAL with a sentence when there are fewer than two sides or too many, or
 * when the inputs do not hold what the normalisation needs; -ENODATA when both
 * sides are empty. On failure d needs no release.
 */
int profdiff_make(struct profdiff *d, const struct profdiff_side *side, size_t nr_sides,
		  const struct profdiff_options *options, struct err *err);
/* The same from run sets through run_profile(); work comes from the runs.
 * -ENODATA with a sentence when a set has no profile at all; runs without one
 * become notes. */
int profdiff_make_sets(struct profdiff *d, struct run_set *const *set, size_t nr_sets,
		       const struct profdiff_options *options, struct err *err);
void profdiff_release(struct profdiff *d);
/* All rows, the largest of the first side first; the caller frees the array. */
const struct profdiff_row **profdiff_heaviest(const struct profdiff *d);

/* The row that symbol of profile (number in side order) fell into, else
 * PROFILE_NONE. For trees and annotation. */
uint32_t profdiff_row_of(const struct profdiff *d, size_t profile, uint32_t symbol);
/* Whether so many repeats can decide anything: else every verdict is "cannot tell". */
bool profdiff_decides(const struct profdiff *d, size_t side);
/* What weight of that profile must be multiplied with to be a value; the mean
 * over the repeats of a side is then its value. */
double profdiff_scale(const struct profdiff *d, size_t profile);

/*
 * A threshold that leaves about max rows of side: 1, 2 or 5 times a power of
 * ten, 0 when all fit. Rows with |change| >= threshold and change != 0 remain.
 */
double profdiff_threshold(const struct profdiff *d, size_t side, size_t max);

/* ---- call chains ---- */

struct profdiff_tree_node {
	uint32_t parent; /* node 0 is the root, "all" */
	uint32_t name;	 /* in names */
	double self[2], total[2]; /* of the base and the side, normalised means */
};

/* Two sides' call trees as one; parents stand before their children. */
struct profdiff_tree {
	struct strmap names;
	struct profdiff_tree_node *node;
	size_t n, cap;
	struct u64map edges; /* private */
};

/* Of profiles loaded with chains; idle subtrees are left out. -EINVAL with a
 * sentence when there are none. */
int profdiff_tree_make(struct profdiff_tree *t, const struct profdiff *d, size_t side,
		       struct err *err);
void profdiff_tree_release(struct profdiff_tree *t);

/* ---- inputs ---- */

/* One side as the user gave it; owns its profiles. */
struct profdiff_input {
	char *label;	/* of the set, else the last part of the first path */
	struct profile **profile;
	double *work;	/* by repeat */
	size_t n, cap_profile, cap_work;
	char *work_unit; /* "" when work was not counted */
	char *workload;	/* "hackbench", "" when not known */
	char *kernel;	/* release, "" when not known */
	struct notes notes;
};

void profdiff_input_init(struct profdiff_input *in);
void profdiff_input_release(struct profdiff_input *in);
/*
 * Adds a profile file, a run, a run set (its runs are repeats) or a folder of
 * profile files (repeats, in order of name). Recognised by content.
 */
int profdiff_input_add(struct profdiff_input *in, const char *path,
		       const struct profile_options *options, struct err *err);
/* Whether that is a run or a run set of ours, not a recording or a folder of them. */
bool profdiff_input_is_runs(const char *path);
/* profdiff_make() of inputs, which must outlive d. */
int profdiff_make_inputs(struct profdiff *d, const struct profdiff_input *in,
			 size_t nr_inputs, const struct profdiff_options *options,
			 struct err *err);

#endif
