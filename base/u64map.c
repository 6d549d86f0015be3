// SPDX-License-Identifier: GPL-2.0-or-later
/* 64-bit key to dense id, open addressing, at most half full. */
#include "schedblame/u64map.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

void u64map_init(struct u64map *map)
{
	memset(map, 0, sizeof(*map));
}

void u64map_release(struct u64map *map)
{
	free(map->key);
	free(map->slot);
	u64map_init(map);
}

static size_t mix(uint64_t key)
{
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93ULL;
	key ^= key >> 32;
	return (size_t)key;
}

/* The slot that holds the key or the free one where it belongs. */
static size_t find_slot(const struct u64map *map, uint64_t key)
{
	size_t i = mix(key) & (map->nr_slots - 1);

	while (map->slot[i] && map->key[map->slot[i] - 1] != key)
		i = (i + 1) & (map->nr_slots - 1);
	return i;
}

static void rehash(struct u64map *map)
{
	size_t nr = map->nr_slots ? map->nr_slots * 2 : 64;

	free(map->slot);
	map->slot = xcalloc(nr, sizeof(*map->slot));
	map->nr_slots = nr;
	for (size_t id = 0; id < map->n; id++)
		map->slot[find_slot(map, map->key[id])] = (uint32_t)id + 1;
}

uint32_t u64map_add(struct u64map *map, uint64_t key)
{
	size_t i;

	if (map->n * 2 >= map->nr_slots)
		rehash(map);
	i = find_slot(map, key);
	if (map->slot[i])
		return map->slot[i] - 1;
	GROW(map->key, map->n, map->cap);
	map->key[map->n] = key;
	map->slot[i] = (uint32_t)map->n + 1;
	return (uint32_t)map->n++;
}

uint32_t u64map_find(const struct u64map *map, uint64_t key)
{
	size_t i;

	if (!map->nr_slots)
		return U64MAP_NONE;
	i = find_slot(map, key);
	return map->slot[i] ? map->slot[i] - 1 : U64MAP_NONE;
}
