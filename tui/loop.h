/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drives an app: by a person at a terminal, or by a script without one. */
#ifndef TUI_LOOP_H
#define TUI_LOOP_H

#include "app.h"
#include "schedblame/err.h"

/* Until the user leaves; reading that failed ends it with its sentence. The
 * screen is open. */
int loop_run(struct app *app, struct err *err);

/*
 * Feeds keys in the notation of keys.h, and besides them <Resize:WxH>, and <Wait>
 * until nothing goes on in the background any more.
 */
int script_run(struct app *app, const char *keys, struct err *err);

#endif
