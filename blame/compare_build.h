/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files that fill a comparison; not for others. */
#ifndef BLAME_COMPARE_BUILD_H
#define BLAME_COMPARE_BUILD_H

#include <math.h>

#include "schedblame/compare.h"

/* A row without values; strings are copied, help is borrowed. Valid until the next
 * row is added. */
struct compare_row *compare_add_row(struct comparison *c, enum compare_table table,
				    const char *key, const char *title, const char *unit,
				    enum column_better better, const char *help);
void compare_set_string(char **field, const char *value);
/* Adds a run's number; NaN adds nothing. */
void compare_add_value(struct compare_row *row, size_t set, double value);
/* Fills the last row from fn(run, arg) of every run; it is dropped when no run has
 * the number, and with drop_zero when it is 0 in all. */
typedef double (*compare_number)(const struct run *run, const void *arg);
void compare_fill_row(struct comparison *c, struct compare_row *row, compare_number fn,
		      const void *arg, bool drop_zero);

void compare_drop_last(struct comparison *c);

/* Per second of the run, per unit of work; NaN where the divisor is 0. */
double per_second(const struct run *run, double v);
double per_work(const struct run *run, double v);
/* "/message", "/run" of a set's first run that counts work. */
char *work_unit_text(const struct comparison *c);

/* hot may be NULL: the kernel's own threshold of each set. */
void compare_set_thresholds(struct comparison *c, const struct hot_threshold *hot);
/* Each adds the rows of its tables. */
void compare_metrics(struct comparison *c);
void compare_fixed_rows(struct comparison *c);
void compare_migrations(struct comparison *c);
void compare_hot(struct comparison *c);
void compare_functions(struct comparison *c);
void compare_balance(struct comparison *c);
void compare_hists(struct comparison *c);
void compare_matrices(struct comparison *c);

#endif
