// SPDX-License-Identifier: GPL-2.0-or-later
/* The terminal by ncursesw; the only file that knows curses. */
#include "screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "keys.h"
#include "restore.h"
#include "schedblame/alloc.h"

/* curses itself is one per process; so is this. */
static struct {
	SCREEN *curses;
	FILE *in, *out;	 /* of a screen without a terminal */
	bool open, color;
	attr_t attr[STYLE_NR];
	short pair[STYLE_NR];
} screen;

static attr_t curses_attr(int bits)
{
	return (bits & ST_BOLD ? A_BOLD : 0) | (bits & ST_DIM ? A_DIM : 0) |
	       (bits & ST_REVERSE ? A_REVERSE : 0) |
	       (bits & ST_UNDERLINE ? A_UNDERLINE : 0);
}

/* One pair per foreground colour; the background stays the terminal's own. */
static void setup_styles(bool no_color)
{
#define X(id, letter, fg, attr, mono) { fg, attr, mono },
	static const struct {
		int fg, attr, mono;
	} style[] = { STYLE_LIST(X) };
#undef X
	screen.color = !no_color && has_colors() && start_color() == OK;
	if (screen.color)
		use_default_colors();
	for (int i = 0; i < STYLE_NR; i++) {
		int fg = style[i].fg;

		screen.pair[i] = 0;
		if (screen.color && fg >= 0 && fg < COLORS) {
			screen.pair[i] = (short)(fg + 1);
			init_pair((short)(fg + 1), (short)fg, -1);
		}
		screen.attr[i] = curses_attr(screen.color ? style[i].attr :
							    style[i].mono);
	}
}

/* Without a terminal: /dev/null on both sides, for tests. */
static int open_null(const struct screen_options *opts, struct err *err)
{
	screen.out = fopen("/dev/null", "w");
	screen.in = fopen("/dev/null", "r");
	if (!screen.out || !screen.in)
		return err_errno(err, errno, "/dev/null cannot be opened");
	screen.curses = newterm(opts->term ? opts->term : "xterm", screen.out,
				screen.in);
	if (!screen.curses)
		return err_set(err, ENOENT,
			       "there is no terminal description for '%s'; install "
			       "ncurses-base",
			       opts->term ? opts->term : "xterm");
	resizeterm(opts->h, opts->w);
	return 0;
}

static int open_terminal(const struct screen_options *opts, struct err *err)
{
	const char *term = opts->term ? opts->term : getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ENOTTY,
			       "the terminal UI needs a terminal on standard input and "
			       "output; 'schedblame report' writes the same as text");
	restore_prepare();
	screen.curses = newterm((char *)term, stdout, stdin);
	if (!screen.curses)
		return err_set(err, ENOENT,
			       "the terminal type '%s' is not known; set TERM, for "
			       "instance to xterm or vt100",
			       term ? term : "");
	restore_arm();
	return 0;
}

int screen_open(const struct screen_options *opts, struct err *err)
{
	int ret;

	memset(&screen, 0, sizeof(screen));
	ret = opts->w > 0 ? open_null(opts, err) : open_terminal(opts, err);
	if (ret < 0) {
		screen.open = true;
		screen_close();
		return ret;
	}
	screen.open = true;
	setup_styles(opts->no_color);
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	curs_set(0);
	if (opts->mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
		mouseinterval(0); /* clicks at once, not after a wait for a second one */
	}
	return 0;
}

void screen_close(void)
{
	if (!screen.open)
		return;
	screen.open = false;
	if (screen.curses) {
		endwin();
		delscreen(screen.curses);
	}
	restore_disarm();
	if (screen.in)
		fclose(screen.in);
	if (screen.out)
		fclose(screen.out);
	memset(&screen, 0, sizeof(screen));
}

void screen_size(int *w, int *h)
{
	getmaxyx(stdscr, *h, *w);
}

static void show_cell(int y, int x, const struct cell *cell)
{
	unsigned style = cell->style & ~STYLE_SELECTED;
	attr_t attr = screen.attr[style < STYLE_NR ? style : 0];
	wchar_t text[2] = { (wchar_t)cell->ch, 0 };
	cchar_t out;

	if (cell->style & STYLE_SELECTED)
		attr ^= A_REVERSE;
	if (setcchar(&out, text, attr, screen.pair[style < STYLE_NR ? style : 0],
		     NULL) == OK)
		mvadd_wch(y, x, &out);
}

void screen_show(const struct canvas *c, bool redraw)
{
	int w, h;

	screen_size(&w, &h);
	if (redraw)
		clear();
	else
		erase();
	for (int y = 0; y < h && y < c->h; y++)
		for (int x = 0; x < w && x < c->w; x++) {
			const struct cell *cell =
				&c->cell[(size_t)y * (size_t)c->w + (size_t)x];

			if (cell->ch)
				show_cell(y, x, cell);
		}
	refresh();
}

static uint32_t from_mouse(void)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return 0;
	if (e.bstate & BUTTON4_PRESSED)
		return SKEY_UP;
	if (e.bstate & BUTTON5_PRESSED)
		return SKEY_DOWN;
	if (!(e.bstate & BUTTON1_PRESSED) || e.x < 0 || e.y < 0)
		return 0;
	return KEY_CLICK | ((uint32_t)e.y & 0xfff) << 12 | ((uint32_t)e.x & 0xfff);
}

static uint32_t from_curses(wint_t key)
{
	static const struct {
		wint_t curses;
		uint32_t key;
	} map[] = {
		{ KEY_DOWN, SKEY_DOWN },   { KEY_UP, SKEY_UP },
		{ KEY_LEFT, SKEY_LEFT },   { KEY_RIGHT, SKEY_RIGHT },
		{ KEY_PPAGE, SKEY_PGUP },  { KEY_NPAGE, SKEY_PGDN },
		{ KEY_HOME, SKEY_HOME },   { KEY_END, SKEY_END },
		{ KEY_ENTER, SKEY_ENTER }, { KEY_BTAB, SKEY_BTAB },
		{ KEY_BACKSPACE, SKEY_BACKSPACE }, { KEY_F(1), SKEY_F1 },
	};

	if (key == KEY_MOUSE)
		return from_mouse();
	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		if (map[i].curses == key)
			return map[i].key;
	return 0;
}

static uint32_t from_char(wint_t ch)
{
	switch (ch) {
	case '\r':
	case '\n':
		return SKEY_ENTER;
	case '\t':
		return SKEY_TAB;
	case 27:
		return SKEY_ESC;
	case 8:
	case 127:
		return SKEY_BACKSPACE;
	}
	return ch < KEY_SPECIAL ? (uint32_t)ch : 0;
}

#define CTRL_C 3

uint32_t screen_key(int timeout_ms)
{
	wint_t ch;
	int ret;

	if (restore_signalled())
		return CTRL_C;
	wtimeout(stdscr, timeout_ms < 0 || timeout_ms > 200 ? 200 : timeout_ms);
	for (;;) {
		errno = 0;
		ret = wget_wch(stdscr, &ch);
		if (restore_signalled())
			return CTRL_C;
		if (ret == KEY_CODE_YES)
			return from_curses(ch);
		if (ret != ERR)
			return from_char(ch);
		/* the terminal is gone: curses would report ERR for ever */
		if (restore_hung_up())
			return CTRL_C;
		if (timeout_ms >= 0)
			return 0;
	}
}

void screen_suspend(void)
{
	def_prog_mode();
	endwin();
	restore_disarm();
}

void screen_resume(void)
{
	restore_arm();
	reset_prog_mode();
	clear();
	refresh();
}

static char attr_letter(attr_t attr, short pair)
{
	for (int i = 0; i < STYLE_NR; i++)
		if (screen.attr[i] == attr && screen.pair[i] == pair)
			return style_letter((enum style)i);
	for (int i = 0; i < STYLE_NR; i++)
		if ((screen.attr[i] ^ A_REVERSE) == attr && screen.pair[i] == pair)
			return 'S';
	return '?';
}

static void dump_styles(struct strbuf *sb, int w, int h)
{
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++) {
			wchar_t text[CCHARW_MAX + 1];
			attr_t attr = 0;
			short pair = 0;
			cchar_t cell;

			mvin_wch(y, x, &cell);
			getcchar(&cell, text, &attr, &pair, NULL);
			strbuf_addch(sb, attr_letter(attr & (A_BOLD | A_DIM | A_REVERSE |
							     A_UNDERLINE), pair));
		}
		while (sb->len && sb->buf[sb->len - 1] == ' ')
			strbuf_setlen(sb, sb->len - 1);
		strbuf_addch(sb, '\n');
	}
}

void screen_dump(struct strbuf *sb, bool styles)
{
	int w, h;

	screen_size(&w, &h);
	for (int y = 0; y < h; y++) {
		wchar_t *row = xcalloc((size_t)w + 1, sizeof(*row));
		char *bytes = xcalloc((size_t)w + 1, MB_CUR_MAX);

		mvinnwstr(y, 0, row, w);
		if (wcstombs(bytes, row, (size_t)w * MB_CUR_MAX) == (size_t)-1)
			strcpy(bytes, "(a character that the locale lacks)");
		strbuf_addstr(sb, bytes);
		while (sb->len && sb->buf[sb->len - 1] == ' ')
			strbuf_setlen(sb, sb->len - 1);
		strbuf_addch(sb, '\n');
		free(row);
		free(bytes);
	}
	if (styles)
		dump_styles(sb, w, h);
}
