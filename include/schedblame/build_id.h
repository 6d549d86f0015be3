/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GNU build ids: which kernel and which file it really was. */
#ifndef SCHEDBLAME_BUILD_ID_H
#define SCHEDBLAME_BUILD_ID_H

#include <stddef.h>

#define BUILD_ID_MAX 20

/* The build id in a block of ELF notes of this machine's byte order; bytes
 * copied, or 0 when there is none. */
size_t build_id_from_notes(const void *notes, size_t len, unsigned char id[BUILD_ID_MAX]);
/* That of an ELF file of this machine's word size; 0 when it cannot be told. */
size_t build_id_of_file(const char *path, unsigned char id[BUILD_ID_MAX]);
/* That of the running kernel. */
size_t build_id_of_kernel(unsigned char id[BUILD_ID_MAX]);

#endif
