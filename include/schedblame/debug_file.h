/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the debug information of a build lies on this machine. */
#ifndef SCHEDBLAME_DEBUG_FILE_H
#define SCHEDBLAME_DEBUG_FILE_H

#include <stddef.h>

/*
 * The file with debug information for a build id: for a kernel (release not NULL)
 * the vmlinux in the usual places, then /usr/lib/debug/.build-id, then debuginfod
 * where $DEBUGINFOD_URLS is set and the library there. Only a file of that very
 * build id is given. To be freed; NULL: none.
 */
char *debug_file_find(const unsigned char *id, size_t n, const char *release);
/* Only /usr/lib/debug/.build-id. */
char *debug_file_detached(const unsigned char *id, size_t n);

#endif
