/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Undoes what a schedblame that died left behind. Called by every command that
 * collects or tries things, before it does anything.
 *
 * A part that leaves something behind either writes it into the state
 * (state_set) and adds a handler for its key, or can find its leftovers by name
 * (tracefs instances "schedblame-PID") and adds a sweeper: both tables are in
 * stale.c. state_alive(pid) tells whether an owner still lives.
 */
#ifndef COLLECT_STALE_H
#define COLLECT_STALE_H

#include "schedblame/err.h"
#include "schedblame/json.h"

/* One sentence per thing undone, or that could not be, goes to notes. */
void stale_cleanup(struct notes *notes);

#endif
