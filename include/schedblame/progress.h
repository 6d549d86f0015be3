/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line on stderr that is redrawn while something long goes on. Silent when
 * stderr is no terminal, when TERM is dumb or when --quiet was given; at most
 * ten redraws a second; erased by progress_end(). This is the one place below
 * the commands that may print, and it prints to a terminal only.
 */
#ifndef SCHEDBLAME_PROGRESS_H
#define SCHEDBLAME_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

void progress_quiet(bool quiet);
bool progress_wanted(void);
/* Shows "what: DETAIL" (printf style); cheap to call often. */
void progress_update(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "what  42 % [#####.....] 12 s left" from done of total units. */
void progress_bar(const char *what, uint64_t done, uint64_t total);
void progress_end(void);
/* How far the last progress_bar() is, 0 to 1; -1 when nothing goes on. Also while
 * quiet, and from any thread: for who draws progress himself. */
double progress_part(void);

#endif
