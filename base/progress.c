// SPDX-License-Identifier: GPL-2.0-or-later
/* The progress line on a terminal's stderr. */
#include "schedblame/progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/units.h"

#define REDRAW_NS (100 * NSEC_PER_MSEC)
#define BAR_COLUMNS 20

static bool silenced;
static bool shown;
static uint64_t last_draw, bar_start;
static atomic_int permille = -1;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

void progress_quiet(bool quiet)
{
	silenced = quiet;
}

bool progress_wanted(void)
{
	static int tty = -1;

	if (tty < 0) {
		const char *term = getenv("TERM");

		tty = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	}
	return tty && !silenced;
}

static int columns(void)
{
	struct winsize ws;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 10 ?
		       ws.ws_col : 80;
}

static bool due(void)
{
	uint64_t now = now_ns();

	if (!progress_wanted() || (shown && now - last_draw < REDRAW_NS))
		return false;
	last_draw = now;
	return true;
}

static void draw(const char *line)
{
	fprintf(stderr, "\r%.*s\033[K", columns() - 1, line);
	fflush(stderr);
	shown = true;
}

void progress_update(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	if (!due())
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	draw(line);
}

void progress_bar(const char *what, uint64_t done, uint64_t total)
{
	char line[512], left[32] = "", bar[BAR_COLUMNS + 1];
	double part = total ? (double)done / (double)total : 0;
	uint64_t now;
	int fill;

	atomic_store_explicit(&permille, part > 1 ? 1000 : (int)(part * 1000),
			      memory_order_relaxed);
	if (!progress_wanted())
		return;
	now = now_ns();
	if (!bar_start)
		bar_start = now;
	if (!due())
		return;
	if (part > 1)
		part = 1;
	fill = (int)(part * BAR_COLUMNS);
	memset(bar, '.', BAR_COLUMNS);
	memset(bar, '#', (size_t)fill);
	bar[BAR_COLUMNS] = '\0';
	if (part > 0.02 && now - bar_start > NSEC_PER_SEC)
		snprintf(left, sizeof(left), ", %.0f s left",
			 (double)(now - bar_start) / 1e9 * (1 - part) / part);
	snprintf(line, sizeof(line), "%s %3.0f%% [%s]%s", what, part * 100, bar, left);
	draw(line);
}

void progress_end(void)
{
	bar_start = 0;
	atomic_store(&permille, -1);
	if (!shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	shown = false;
}

double progress_part(void)
{
	int n = atomic_load(&permille);

	return n < 0 ? -1 : n / 1000.0;
}
