// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives the terminal back on signals and crashes. */
#include "restore.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "schedblame/alloc.h"

/* Signal handlers have no other place to look. */
static struct termios saved;
static bool have_saved;
static volatile sig_atomic_t armed, signalled;

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
static struct sigaction old_ends[ARRAY_SIZE(ends)];
static struct sigaction old_crashes[ARRAY_SIZE(crashes)];

void restore_prepare(void)
{
	have_saved = tcgetattr(STDIN_FILENO, &saved) == 0;
	signalled = 0;
}

/* Leaves the alternate screen, shows the cursor, plain colours, plain keypad:
 * what every terminal with these abilities since the VT100 understands. */
static void give_back(void)
{
	static const char reset[] = "\033[0m\033[?1000l\033[?1006l\033[?1l\033>\033[?25h\033[?1049l\r\n";
	ssize_t ignored;

	if (!armed)
		return;
	armed = 0;
	ignored = write(STDOUT_FILENO, reset, sizeof(reset) - 1);
	(void)ignored;
	if (have_saved)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

static void on_end(int sig)
{
	(void)sig;
	signalled = 1;
}

/* The handler is one-shot: the signal comes again and does what it always did. */
static void on_crash(int sig)
{
	give_back();
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (crashes[i] == sig)
			sigaction(sig, &old_crashes[i], NULL);
	raise(sig);
}

void restore_arm(void)
{
	static bool at_exit;
	struct sigaction end = { .sa_handler = on_end };
	struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_NODEFER };

	if (!at_exit)
		at_exit = atexit(give_back) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &end, &old_ends[i]);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &crash, &old_crashes[i]);
	armed = 1;
}

void restore_disarm(void)
{
	if (!armed)
		return;
	armed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &old_ends[i], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &old_crashes[i], NULL);
}

bool restore_signalled(void)
{
	return signalled;
}

bool restore_hung_up(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	return armed && poll(&fd, 1, 0) > 0 &&
	       (fd.revents & (POLLHUP | POLLERR | POLLNVAL));
}
