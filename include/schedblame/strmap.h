/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A string table: every distinct string gets a dense id 0, 1, 2, ... in order
 * of arrival; names stay at their address for the life of the table.
 * Strings are stored with a NUL behind; a string ends at its first NUL.
 */
#ifndef SCHEDBLAME_STRMAP_H
#define SCHEDBLAME_STRMAP_H

#include <stddef.h>
#include <stdint.h>

struct strmap_block;

struct strmap {
	const char **name; /* by id; owned by the table */
	uint32_t *hash;	   /* by id */
	size_t n, cap;
	uint32_t *slot; /* open addressing, id + 1, 0 = free */
	size_t nr_slots;
	struct strmap_block *blocks;
};

#define STRMAP_NONE UINT32_MAX

void strmap_init(struct strmap *map);
void strmap_release(struct strmap *map);
/* The id of the string, added if new. */
uint32_t strmap_add(struct strmap *map, const char *s, size_t len);
uint32_t strmap_adds(struct strmap *map, const char *s);
/* The id or STRMAP_NONE. */
uint32_t strmap_find(const struct strmap *map, const char *s, size_t len);
uint32_t strmap_finds(const struct strmap *map, const char *s);
/* A well-mixed 32-bit hash of bytes, the one the table uses. */
uint32_t hash_bytes(const void *data, size_t len);

#endif
