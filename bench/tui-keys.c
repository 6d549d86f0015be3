// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tui-keys SCRIPT PATH...: how long the terminal UI takes, without a terminal.
 *
 * Opens the paths as `schedblame tui` does and draws on a curses screen of 200x60
 * on /dev/null. SCRIPT is keys in the notation of tui/keys.h and words:
 *	<Wait>		until nothing goes on in the background
 *	<Mark:NAME>	prints a row about the keys since the last mark: how many, and
 *			the milliseconds from the key to the screen
 * While something is indexed, keys are pressed as by a hand: one each 20 ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/progress.h"
#include "tui/app.h"
#include "tui/load.h"
#include "tui/screen.h"

static struct timespec start;

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)(ts.tv_sec - start.tv_sec) * 1e3 +
	       (double)(ts.tv_nsec - start.tv_nsec) / 1e6;
}

static double *sample;
static size_t nr_samples, cap_samples;

static void show(struct app *app)
{
	app_draw(app);
	screen_show(&app->canvas, false);
}

static void press(struct app *app, uint32_t key)
{
	double before = now_ms();

	app_tick(app);
	app_key(app, key);
	show(app);
	GROW(sample, nr_samples, cap_samples);
	sample[nr_samples++] = now_ms() - before;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double rss_mb(bool own)
{
	char line[256];
	double kb = 0, v;
	FILE *f = fopen("/proc/self/status", "r");

	/* pages of the index's file are cache that the kernel may take back */
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, own ? "RssAnon: %lf" : "VmRSS: %lf", &v) == 1)
			kb = v;
	if (f)
		fclose(f);
	return kb / 1024;
}

static void mark(const char *name, size_t len)
{
	double sum = 0;

	qsort(sample, nr_samples, sizeof(*sample), by_size);
	for (size_t i = 0; i < nr_samples; i++)
		sum += sample[i];
	if (nr_samples)
		printf("%-34.*s %5zu %8.2f %8.2f %8.2f", (int)len, name, nr_samples,
		       sum / (double)nr_samples, sample[(nr_samples - 1) * 99 / 100],
		       sample[nr_samples - 1]);
	else
		printf("%-34.*s %5s %8s %8s %8s", (int)len, name, "", "", "", "");
	printf(" %9.0f %7.0f %7.0f\n", now_ms(), rss_mb(true), rss_mb(false));
	fflush(stdout);
	nr_samples = 0;
}

static void take_loaded(struct app *app)
{
	struct err err = ERR_INIT;

	if (!app->loader || !loader_done(app->loader, 0))
		return;
	if (loader_take(app->loader, &app->data, &err) < 0) {
		fprintf(stderr, "tui-keys: %s\n", err_text(&err));
		exit(3);
	}
	app->loader = NULL;
	app->busy = NULL;
	app_refresh(app);
}

static void wait_idle(struct app *app)
{
	for (;;) {
		take_loaded(app);
		if (!app_tick(app) && !app->loader && work_idle(&app->work))
			break;
		show(app);
		usleep(20000);
	}
	show(app);
}

/* One word or key; false at the end. */
static bool next(struct app *app, const char **s)
{
	const char *end = strchr(*s, '>');
	uint32_t key;

	if (!strncmp(*s, "<Wait>", 6)) {
		wait_idle(app);
		*s += 6;
	} else if (!strncmp(*s, "<Mark:", 6) && end) {
		mark(*s + 6, (size_t)(end - *s - 6));
		*s = end + 1;
	} else if (key_parse(s, &key, NULL) > 0) {
		take_loaded(app);
		press(app, key);
		if (app->loader || !work_idle(&app->work))
			usleep(20000);
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct screen_options screen = { .w = 200, .h = 60, .term = "xterm" };
	static const struct run_options options;
	static struct loader loader;
	static struct app app;
	struct err err = ERR_INIT;
	const char *script = argc > 2 ? argv[1] : NULL;

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (!script)
		return 2;
	progress_quiet(true);
	app_init(&app, 200, 60, false);
	app.scripted = true;
	if (loader_start(&loader, argv + 2, argc - 2, &options, &err) < 0 ||
	    screen_open(&screen, &err) < 0) {
		fprintf(stderr, "tui-keys: %s\n", err_text(&err));
		return 3;
	}
	app.loader = &loader;
	app.busy = "reading...";
	loader_done(&loader, 150); /* as loop_run() is entered */
	take_loaded(&app);
	show(&app);
	printf("%-34s %5s %8s %8s %8s %9s %7s %7s\n", "", "keys", "mean ms", "p99 ms",
	       "max ms", "at ms", "own MB", "RSS MB");
	mark("first screen", strlen("first screen"));
	while (*script && next(&app, &script))
		;
	screen_close();
	fflush(stdout);
	_exit(0);
}
