/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The styles and glyphs of the screen, each list once.
 *
 * A style is a role, not a colour: screen.c turns it into attributes for a
 * terminal with colours (foreground only, so that light and dark backgrounds
 * both work) or without. Whatever a colour says is also said by a sign or mark.
 */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

#include <stdint.h>

/* X(id, letter in style dumps, foreground: a curses colour number or -1,
 *   attributes with colours, attributes without). */
#define ST_BOLD 1
#define ST_DIM 2
#define ST_REVERSE 4
#define ST_UNDERLINE 8

#define STYLE_LIST(X)                                                          \
	X(NORMAL, ' ', -1, 0, 0)                                               \
	X(TITLE, 'T', -1, ST_REVERSE, ST_REVERSE)                              \
	X(TAB, 't', -1, 0, 0)                                                  \
	X(TAB_ON, 'O', -1, ST_BOLD | ST_REVERSE, ST_BOLD | ST_REVERSE)         \
	X(HEAD, 'H', -1, ST_BOLD | ST_UNDERLINE, ST_BOLD | ST_UNDERLINE)       \
	X(BOLD, 'b', -1, ST_BOLD, ST_BOLD)                                     \
	X(DIM, 'd', -1, ST_DIM, ST_DIM)                                        \
	X(GOOD, 'g', 2, 0, 0)                                                  \
	X(BAD, 'r', 1, ST_BOLD, ST_BOLD)                                       \
	X(WARN, 'w', 5, ST_BOLD, ST_BOLD)                                      \
	X(SIDE_A, 'a', 6, 0, 0)                                                \
	X(SIDE_B, 'B', 5, 0, ST_BOLD)                                          \
	X(KEY, 'k', -1, ST_BOLD, ST_BOLD)                                      \
	X(MATCH, 'm', 3, ST_REVERSE, ST_UNDERLINE | ST_BOLD)                   \
	X(HEAT_1, '1', 4, 0, 0)                                                \
	X(HEAT_2, '2', 6, 0, 0)                                                \
	X(HEAT_3, '3', 2, 0, 0)                                                \
	X(HEAT_4, '4', 3, ST_BOLD, 0)                                          \
	X(HEAT_5, '5', 1, ST_BOLD, ST_BOLD)                                    \
	X(RUN_1, 'p', 2, 0, 0)                                                 \
	X(RUN_2, 'q', 6, 0, 0)                                                 \
	X(RUN_3, 'u', 5, 0, 0)                                                 \
	X(RUN_4, 'v', 4, ST_BOLD, 0)

#define X(id, letter, fg, attr, mono) STYLE_##id,
enum style { STYLE_LIST(X) STYLE_NR };
#undef X

/* Or-ed to a style in a cell: the cell is selected and shown reversed. */
#define STYLE_SELECTED 0x80u

/* X(id, Unicode, ASCII fallback) */
#define GLYPH_LIST(X)                                                          \
	X(HLINE, 0x2500, '-')                                                  \
	X(VLINE, 0x2502, '|')                                                  \
	X(CROSS, 0x253c, '+')                                                  \
	X(BRANCH, 0x251c, '|')                                                 \
	X(CORNER, 0x2514, '`')                                                 \
	X(FULL, 0x2588, '#')                                                   \
	X(UPPER, 0x2580, '"')                                                  \
	X(LOWER, 0x2584, '_')                                                  \
	X(LIGHT, 0x2591, '.')                                                  \
	X(MEDIUM, 0x2592, ':')                                                 \
	X(DARK, 0x2593, '%')                                                   \
	X(DOT, 0x00b7, '.')                                                    \
	X(ELLIPSIS, 0x2026, '~')                                               \
	X(UP, 0x25b2, '^')                                                     \
	X(DOWN, 0x25bc, 'v')                                                   \
	X(RIGHT, 0x25b6, '>')                                                  \
	X(LEFT, 0x25c0, '<')                                                   \
	X(WAKE, 0x2191, '!')                                                   \
	X(STEAL, 0x21c4, '$')                                                  \
	X(LOST, 0x2573, 'X')

#define X(id, unicode, ascii) GLYPH_##id,
enum glyph { GLYPH_LIST(X) GLYPH_NR };
#undef X

uint32_t glyph_char(enum glyph g, int ascii);
char style_letter(enum style s);

#endif
