/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfs and tracefs, whether somebody mounted them or not: where there is no
 * mount, a detached one that only our descriptor knows (fsopen, fsmount), so
 * that the system is left as it was.
 */
#ifndef COLLECT_KERNELFS_H
#define COLLECT_KERNELFS_H

#include <stdbool.h>

#include <stddef.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

/* A folder descriptor (O_PATH-like, for openat) of the file system of that
 * type, or -errno. The caller closes it. */
int kernelfs_open(const char *type, struct err *err);
/* Appends one of its files, at most max bytes. */
int kernelfs_read(struct strbuf *sb, const char *type, const char *file, size_t max,
		  struct err *err);
/* Where it is mounted, or NULL; static storage. */
const char *kernelfs_mounted(const char *type);

#endif
