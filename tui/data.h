/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the views look at: up to TUI_MAX_SETS run sets, two of which are sides A
 * and B, and how numbers are shown. Knows neither canvas nor curses.
 *
 * A counter is shown as the mean over the runs of a set, each run first divided
 * by its own duration or units of work; a histogram as the merge of all runs,
 * divided by their sum. "Not measured" is NaN and shown as "-", never as 0.
 */
#ifndef TUI_DATA_H
#define TUI_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/run.h"
#include "style.h"

#define TUI_MAX_SETS 16

enum side { SIDE_A, SIDE_B, SIDE_NR };

#define UNIT_LIST(X)                                                           \
	X(SECOND, "/s", "per second")                                          \
	X(WORK, "/work", "per unit of work")                                   \
	X(TOTAL, "", "per run")
#define X(id, suffix, title) UNIT_##id,
enum unit { UNIT_LIST(X) UNIT_NR };
#undef X

#define SHOW_LIST(X)                                                           \
	X(BOTH, "A and B")                                                     \
	X(DIFFERENCE, "B - A")                                                 \
	X(ONLY_A, "only A")                                                    \
	X(ONLY_B, "only B")
#define X(id, title) SHOW_##id,
enum show { SHOW_LIST(X) SHOW_NR };
#undef X

struct data {
	struct run_set *set[TUI_MAX_SETS]; /* borrowed */
	int nr_sets;
	int side[SIDE_NR]; /* index of the set; side B is -1 without a second one */
	enum unit unit;
	enum show show;
};

/* Mean and standard deviation over runs; n == 0: measured nowhere. */
struct figure {
	double mean, std;
	size_t n;
};

const char *unit_suffix(enum unit u);
const char *unit_title(enum unit u);
const char *show_title(enum show s);

/* The set on a side, NULL when there is none. */
struct run_set *data_set(const struct data *d, enum side s);
bool data_both(const struct data *d);
void data_swap(struct data *d);
/* The next set as side B; false when there is no other. */
bool data_next_other(struct data *d);

struct figure data_figure(const struct data *d, enum side s, const char *name,
			  const struct label *labels, size_t nr_labels);
/* The mean alone; NaN when not measured. */
double data_mean(const struct data *d, enum side s, const char *name,
		 const struct label *labels, size_t nr_labels);
/* All runs merged; false when there is none. */
bool data_histogram(const struct data *d, enum side s, const char *name,
		    const struct label *labels, size_t nr_labels,
		    struct histogram *out);
/* What a counter of this run is multiplied with; 0 when it cannot be told. */
double data_run_scale(const struct run *run, enum unit unit);
/* What a count of a merged histogram is multiplied with to be shown. */
double data_histogram_scale(const struct data *d, enum side s);
/* Whether any run of any side measured it. */
bool data_has(const struct data *d, const char *name);
/* Topology of side A, or of B when A's is not known. */
const struct topology *data_topology(const struct data *d);

/* Calls fn with each distinct value of a label of a series, on either side, among
 * the entries that have the given labels. */
void data_each_label(const struct data *d, const char *name,
		     const struct label *labels, size_t nr_labels, const char *key,
		     void (*fn)(const char *value, void *arg), void *arg);

/* Numbers for cells: "-" for NaN, three digits that count. */
char *value_text(char *buf, size_t size, double v);
/* How many of something: whole numbers below 1000 are shown as such. */
char *count_text(char *buf, size_t size, double v);
/* Nanoseconds with a unit; "-" for NaN. */
char *time_text(char *buf, size_t size, double ns);
/* "+12.3%" from a to b; "new", "gone", "-". */
char *change_text(char *buf, size_t size, double a, double b);
/* 100 * (b - a) / a, NaN where it has no meaning. */
double change_percent(double a, double b);
/* Better and worse as a style and as a word ("better", "worse", "" below 0.05 %
 * or without a direction). direction: -1 less is better, 1 more, 0 neither. */
unsigned change_style(double a, double b, int direction);
const char *change_word(double a, double b, int direction);

#endif
