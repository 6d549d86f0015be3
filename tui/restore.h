/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal given back whatever happens: signals that end the program, crashes
 * and exit() from below. Handlers use async-signal-safe calls only.
 */
#ifndef TUI_RESTORE_H
#define TUI_RESTORE_H

#include <stdbool.h>

/* Remembers how the terminal is now; before curses changes it. */
void restore_prepare(void);
/* From now on the terminal is ours: installs the handlers. */
void restore_arm(void);
/* It has been given back: takes the handlers away. */
void restore_disarm(void);
/* SIGINT, SIGTERM or SIGHUP came. */
bool restore_signalled(void);
/* Nobody is at the other end of standard input. */
bool restore_hung_up(void);

#endif
