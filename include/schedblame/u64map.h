/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of 64-bit keys: every distinct key gets a dense id 0, 1, 2, ... in
 * order of arrival, so that values live in plain arrays beside it. Any key is
 * allowed, 0 and UINT64_MAX too. A lookup costs about two cache misses.
 */
#ifndef SCHEDBLAME_U64MAP_H
#define SCHEDBLAME_U64MAP_H

#include <stddef.h>
#include <stdint.h>

struct u64map {
	uint64_t *key; /* by id; owned by the table */
	size_t n, cap;
	uint32_t *slot; /* open addressing, id + 1, 0 = free */
	size_t nr_slots;
};

#define U64MAP_NONE UINT32_MAX

void u64map_init(struct u64map *map);
void u64map_release(struct u64map *map);
/* The id of the key, added if new (then the id is the old map->n). */
uint32_t u64map_add(struct u64map *map, uint64_t key);
/* The id or U64MAP_NONE. */
uint32_t u64map_find(const struct u64map *map, uint64_t key);

static inline uint64_t u64map_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

#endif
