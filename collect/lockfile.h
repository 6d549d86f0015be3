/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks that die with their owner: flock(2) on a file that is removed when the
 * lock is dropped. Unlike a pid in a file, a reused pid cannot fool it.
 */
#ifndef COLLECT_LOCKFILE_H
#define COLLECT_LOCKFILE_H

#include <stdbool.h>

/* A descriptor that holds the lock; -EWOULDBLOCK when another has it and wait
 * is false; else -errno. */
int lockfile_take(const char *path, bool wait);
void lockfile_drop(const char *path, int fd);
/* Does somebody hold it? Leaves no file behind. */
bool lockfile_held(const char *path);

#endif
