/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals of collect: handlers set a flag and nothing else, so that sources
 * stop and knobs are restored in ordinary code. Signals are blocked outside
 * interrupt_wait(), hence none is lost between a check and the wait.
 */
#ifndef COLLECT_INTERRUPT_H
#define COLLECT_INTERRUPT_H

#include <stdint.h>

/* INT, TERM, HUP, QUIT end the run; CHLD ends a wait; PIPE is ignored. */
void interrupt_init(void);
/* The first terminating signal that came, or 0. */
int interrupt_signal(void);
/* How many terminating signals came: the second one is impatience. */
unsigned interrupt_count(void);
/* Sleeps for at most ns; any signal ends the sleep. */
void interrupt_wait(uint64_t ns);
/* In a forked child: default actions, nothing blocked. */
void interrupt_reset(void);

uint64_t monotonic_ns(void);

#endif
