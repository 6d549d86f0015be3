/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same work for many things, on all CPUs. */
#ifndef SCHEDBLAME_PARALLEL_H
#define SCHEDBLAME_PARALLEL_H

#include <stddef.h>

/*
 * Calls work(arg, i) for each i below n, in threads: one per CPU we may use, at
 * most PARALLEL_MAX, the caller's among them. They start in the order of i;
 * returns when all have ended. Where no thread can be had the caller does it all.
 */
#define PARALLEL_MAX 8
void parallel_for(size_t n, void (*work)(void *arg, size_t i), void *arg);

#endif
