/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfs and tracefs, whether somebody mounted them or not: where there is no
 * mount, a detached one that only our descriptor knows (fsopen, fsmount), so
 * that the system is left as it was.
 */
#ifndef COLLECT_KERNELFS_H
#define COLLECT_KERNELFS_H

#include <stdbool.h>

#include "schedblame/err.h"

/* A folder descriptor (O_PATH-like, for openat) of the file system of that
 * type, or -errno. The caller closes it. */
int kernelfs_open(const char *type, struct err *err);
/* Where it is mounted, or NULL; static storage. */
const char *kernelfs_mounted(const char *type);

#endif
