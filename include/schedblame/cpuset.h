/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs (or nodes) of any size; the kernel's list format "0-3,8". */
#ifndef SCHEDBLAME_CPUSET_H
#define SCHEDBLAME_CPUSET_H

#include <stdbool.h>
#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

#define CPUSET_MAX 65536 /* a larger number in a list is refused */

struct cpuset {
	unsigned long *bits; /* owned */
	unsigned nr;	     /* bits allocated; every bit above is clear */
};

#define CPUSET_INIT                                                            \
	{                                                                      \
		NULL, 0                                                        \
	}

void cpuset_release(struct cpuset *set);
void cpuset_set(struct cpuset *set, unsigned cpu);
void cpuset_clear(struct cpuset *set, unsigned cpu);
bool cpuset_test(const struct cpuset *set, unsigned cpu);
unsigned cpuset_count(const struct cpuset *set);
/* The first member >= from, or -1. */
int cpuset_next(const struct cpuset *set, unsigned from);
void cpuset_copy(struct cpuset *dst, const struct cpuset *src);
void cpuset_and(struct cpuset *dst, const struct cpuset *with);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
/* "0-3,8", also with a stride "0-7/2" or "0-15:2/4"; "" is the empty set. */
int cpuset_parse(struct cpuset *set, const char *list, struct err *err);
/* Adds the CPUs of the calling thread's own affinity mask. */
void cpuset_of_thread(struct cpuset *set);
void cpuset_format(const struct cpuset *set, struct strbuf *sb);

#define cpuset_for_each(cpu, set)                                              \
	for (int cpu = cpuset_next((set), 0); cpu >= 0;                        \
	     cpu = cpuset_next((set), (unsigned)cpu + 1))

#endif
