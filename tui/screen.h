/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal. screen.c is the only file that includes <curses.h>.
 *
 * At most one screen is open at a time. From open to close, and also when the
 * program is killed by a signal or crashes, the terminal is given back as it was.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "schedblame/err.h"

struct screen_options {
	bool mouse;	  /* clicks and the wheel are keys */
	bool no_color;	  /* NO_COLOR, or asked for */
	const char *term; /* NULL: $TERM */
	int w, h;	  /* 0: the terminal's; else no terminal: /dev/null */
};

int screen_open(const struct screen_options *opts, struct err *err);
void screen_close(void);
void screen_size(int *w, int *h);
/* Shows the canvas; only what changed is sent. */
void screen_show(const struct canvas *c, bool redraw);
/*
 * Next key (keys.h) or 0 after timeout_ms without one (-1: waits). Also 0 after
 * a change of size: look at screen_size(). A signal to end gives <C-c>.
 */
uint32_t screen_key(int timeout_ms);
/* Gives the terminal back for a child (an editor), and takes it again. */
void screen_suspend(void);
void screen_resume(void);
/* What curses holds, read back cell by cell: text, and after it as many rows
 * of style letters when styles. For tests. */
void screen_dump(struct strbuf *sb, bool styles);

#endif
