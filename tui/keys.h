/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys and what they do: one list yields the dispatch, the help screen and the
 * table of the manual page.
 *
 * A key is a Unicode character or one of enum special_key. The notation of keys
 * in this list, in --keys scripts and on screen is the same: a character stands
 * for itself, <Name> for a special key, <C-d> for Control-D, <lt> for '<'.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

#define KEY_SPECIAL 0x200000 /* above Unicode */

/* A click of the mouse at column x and row y, as a key: KEY_CLICK | y << 12 | x. */
#define KEY_CLICK 0x1000000u

#define SPECIAL_KEY_LIST(X)                                                    \
	X(DOWN, "Down")                                                        \
	X(UP, "Up")                                                            \
	X(LEFT, "Left")                                                        \
	X(RIGHT, "Right")                                                      \
	X(PGUP, "PgUp")                                                        \
	X(PGDN, "PgDn")                                                        \
	X(HOME, "Home")                                                        \
	X(END, "End")                                                          \
	X(ENTER, "Enter")                                                      \
	X(ESC, "Esc")                                                          \
	X(TAB, "Tab")                                                          \
	X(BTAB, "S-Tab")                                                       \
	X(BACKSPACE, "BS")                                                     \
	X(F1, "F1")

#define X(id, name) SKEY_##id,
enum special_key { SKEY_FIRST = KEY_SPECIAL, SPECIAL_KEY_LIST(X) SKEY_NR };
#undef X

/* X(action, group, keys, help). Groups are headings of the help screen. */
#define ACTION_LIST(X)                                                         \
	X(DOWN, "Move", "j <Down>", "one row down")                            \
	X(UP, "Move", "k <Up>", "one row up")                                  \
	X(LEFT, "Move", "h <Left>", "one column or step to the left")          \
	X(RIGHT, "Move", "l <Right>", "one column or step to the right")       \
	X(PAGE_DOWN, "Move", "<PgDn> <Space> <C-f>", "one page down")          \
	X(PAGE_UP, "Move", "<PgUp> <C-b>", "one page up")                      \
	X(HALF_DOWN, "Move", "<C-d>", "half a page down")                      \
	X(HALF_UP, "Move", "<C-u>", "half a page up")                          \
	X(HOME, "Move", "<Home>", "to the first row")                          \
	X(END, "Move", "<End>", "to the last row")                             \
	X(ENTER, "Go", "<Enter>", "into what is selected")                     \
	X(BACK, "Go", "q <Esc>", "back; from the first screen: leave (q)")     \
	X(QUIT, "Go", "Q <C-c>", "leave")                                      \
	X(VIEW, "Go", "1 2 3 4 5 6 7 8 9 0", "the view of that number")        \
	X(NEXT_VIEW, "Go", "<Tab>", "next view")                               \
	X(PREV_VIEW, "Go", "<S-Tab>", "view before")                           \
	X(SEARCH, "Find", "/", "search forward for a text, ignoring case")     \
	X(NEXT, "Find", "n", "next match")                                     \
	X(PREV, "Find", "N", "match before")                                   \
	X(FILTER, "Find", "&", "show only rows with a text; empty: all")       \
	X(SORT, "Arrange", "s", "sort by the next column")                     \
	X(SORT_LEFT, "Arrange", "<lt>", "sort by the column to the left")      \
	X(SORT_RIGHT, "Arrange", ">", "sort by the column to the right")       \
	X(INVERT, "Arrange", "I", "turn the order round")                      \
	X(COLUMNS, "Arrange", "f", "choose columns")                           \
	X(MORE, "Arrange", "+", "unfold; timeline: zoom in")                   \
	X(LESS, "Arrange", "-", "fold; timeline: zoom out")                    \
	X(UNFOLD_ALL, "Arrange", "e", "unfold everything")                     \
	X(FOLD_ALL, "Arrange", "E", "fold everything")                         \
	X(GROUP, "Arrange", "g", "next grouping: functions, groups, callers; lanes") \
	X(FIT, "Arrange", "a", "show all: small changes too; the whole timeline") \
	X(SWAP, "Compare", "x", "swap sides A and B")                          \
	X(OTHER, "Compare", "b", "take the next set as side B")                \
	X(DIFF, "Compare", "d", "next of: A and B, difference, only A, only B") \
	X(UNITS, "Compare", "u", "next unit: per second, per unit of work, total") \
	X(REASON, "Compare", "r", "next reason, function or kind")             \
	X(WORST, "Timeline", "w", "to the worst wait; again: the next worst")  \
	X(STEAL, "Timeline", "m", "to the next steal")                         \
	X(STEAL_BACK, "Timeline", "M", "to the steal before")                  \
	X(GOTO, "Timeline", "t", "to a time, as 1.5s or 250ms")                \
	X(RECORD, "Live", "R", "start or stop recording")                      \
	X(PAUSE, "Live", "p", "pause; again: go on")                           \
	X(WRITE, "Out", "P", "write this view as text to a file")              \
	X(SOURCE, "Out", "O", "open the source line in $EDITOR")               \
	X(HELP, "Out", "? <F1>", "help")                                       \
	X(REDRAW, "Out", "<C-l>", "draw the screen again")

#define X(id, group, keys, help) ACT_##id,
enum action { ACT_NONE, ACTION_LIST(X) ACT_NR };
#undef X

struct action_info {
	const char *name, *group, *keys, *help;
};
/* By enum action; [ACT_NONE] is empty. */
extern const struct action_info action_info[ACT_NR];

/* What happened: a key and the action it stands for. */
struct key_event {
	uint32_t key;
	enum action action;
};

/* One key in the notation; moves *s behind it. -EINVAL with a sentence for an
 * unknown <name>, 0 at the end of the string. */
int key_parse(const char **s, uint32_t *key, struct err *err);
void key_format(uint32_t key, struct strbuf *sb);
enum action key_action(uint32_t key);

/* The list as rows of an scdoc table, for the manual page. */
void keys_table(struct strbuf *sb);

#endif
