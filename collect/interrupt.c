// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals as flags, and the one place where collect sleeps. */
#include "interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "schedblame/alloc.h"
#include "schedblame/units.h"

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static volatile sig_atomic_t first, count;

static void on_signal(int sig)
{
	if (sig == SIGCHLD)
		return;
	if (!first)
		first = sig;
	count++;
}

void interrupt_init(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&block, ending[i]);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sa.sa_mask = block;
	sigaction(SIGCHLD, &sa, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int interrupt_signal(void)
{
	sigset_t pending;

	if (first)
		return first;
	/* blocked here: look without delivering */
	sigpending(&pending);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigismember(&pending, ending[i]))
			return ending[i];
	return 0;
}

unsigned interrupt_count(void)
{
	return (unsigned)count;
}

void interrupt_wait(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };
	sigset_t none;

	sigemptyset(&none);
	ppoll(NULL, 0, &ts, &none);
}

void interrupt_reset(void)
{
	sigset_t none;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		signal(ending[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}
