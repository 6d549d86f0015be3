/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running system as two sets of one run each: side A is everything since the
 * start, side B the last second. The views need not know that they are live.
 */
#ifndef TUI_LIVE_DATA_H
#define TUI_LIVE_DATA_H

#include <stdbool.h>
#include <sys/types.h>

#include "data.h"
#include "schedblame/live.h"

struct live_data;

/* command: NULL-terminated, run while one looks, or NULL. */
int live_data_open(struct live_data **l, char **command, struct err *err);
/* Ends a recording and the command, unloads all. */
void live_data_close(struct live_data *l);
void live_data_take(struct live_data *l, struct data *d);
/* Once a second; true: there are new numbers. */
bool live_data_tick(struct live_data *l);
/* "live 12 s", "paused", "recording into X". */
const char *live_data_state(struct live_data *l);
void live_data_pause(struct live_data *l);
/* Starts or stops 'schedblame collect' on the whole system; a new sentence that
 * the caller frees. */
char *live_data_record(struct live_data *l);

/* Adds now - before to out, entry by entry; what is only in before is left out. */
void series_add_difference(struct series_set *out, const struct series_set *now,
			   const struct series_set *before);

#endif
