/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All mechanisms, each in its own mech_*.c (the small ones of a kind share). */
#ifndef BLAME_MECHANISMS_H
#define BLAME_MECHANISMS_H

#include "schedblame/blame.h"

#define MECHANISM_LIST(X)                                                      \
	X(idle_search)                                                         \
	X(load_balance)                                                        \
	X(idle_while_waiting)                                                  \
	X(confined)                                                            \
	X(remote_pulls)                                                        \
	X(far_wakeups)                                                         \
	X(hot_moves)                                                           \
	X(affinity_moves)                                                      \
	X(numa_balancing)                                                      \
	X(over_switching)                                                      \
	X(locks_grew)                                                          \
	X(wakeup_grew)                                                         \
	X(copy_grew)                                                           \
	X(memory_grew)                                                         \
	X(network_grew)                                                        \
	X(filesystem_grew)                                                     \
	X(kernel_grew)                                                         \
	X(system_grew)                                                         \
	X(user_grew)                                                           \
	X(other_load)                                                          \
	X(interrupts)                                                          \
	X(hypervisor_steal)                                                    \
	X(idle_grew)

#define X(name) extern const struct mechanism mechanism_##name;
MECHANISM_LIST(X)
#undef X

#endif
