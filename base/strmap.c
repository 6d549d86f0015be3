// SPDX-License-Identifier: GPL-2.0-or-later
/* String to dense id, open addressing, strings in blocks that never move. */
#include "schedblame/strmap.h"

#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define BLOCK_SIZE 65536

struct strmap_block {
	struct strmap_block *next;
	size_t used, size;
	char data[];
};

uint32_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0x9e3779b97f4a7c15ULL ^ len, w;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	w = 0;
	if (len)
		memcpy(&w, p, len);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53ULL;
	return (uint32_t)(h ^ (h >> 29) ^ (h >> 47));
}

void strmap_init(struct strmap *map)
{
	memset(map, 0, sizeof(*map));
}

void strmap_release(struct strmap *map)
{
	struct strmap_block *b = map->blocks;

	while (b) {
		struct strmap_block *next = b->next;

		free(b);
		b = next;
	}
	free(map->name);
	free(map->hash);
	free(map->slot);
	strmap_init(map);
}

static const char *store(struct strmap *map, const char *s, size_t len)
{
	struct strmap_block *b = map->blocks;
	char *p;

	if (!b || b->size - b->used < len + 1) {
		size_t size = len + 1 > BLOCK_SIZE ? len + 1 : BLOCK_SIZE;

		b = xmalloc(sizeof(*b) + size);
		b->size = size;
		b->used = 0;
		b->next = map->blocks;
		map->blocks = b;
	}
	p = b->data + b->used;
	if (len)
		memcpy(p, s, len);
	p[len] = '\0';
	b->used += len + 1;
	return p;
}

/* The slot that holds the string or the free one where it belongs. */
static size_t find_slot(const struct strmap *map, const char *s, size_t len,
			uint32_t hash)
{
	size_t i = hash & (map->nr_slots - 1);

	for (;; i = (i + 1) & (map->nr_slots - 1)) {
		uint32_t id = map->slot[i];

		if (!id)
			return i;
		id--;
		/* s has no NUL: strncmp stops at the end of a shorter name */
		if (map->hash[id] == hash && !strncmp(map->name[id], s, len) &&
		    map->name[id][len] == '\0')
			return i;
	}
}

static void rehash(struct strmap *map)
{
	size_t nr = map->nr_slots ? map->nr_slots * 2 : 64;

	free(map->slot);
	map->slot = xcalloc(nr, sizeof(*map->slot));
	map->nr_slots = nr;
	for (size_t id = 0; id < map->n; id++) {
		size_t i = map->hash[id] & (nr - 1);

		while (map->slot[i])
			i = (i + 1) & (nr - 1);
		map->slot[i] = (uint32_t)id + 1;
	}
}

uint32_t strmap_add(struct strmap *map, const char *s, size_t len)
{
	uint32_t hash;
	size_t i;

	len = len ? strnlen(s, len) : 0;
	if (!len)
		s = ""; /* a NULL of no bytes is the empty string */
	hash = hash_bytes(s, len);
	if (map->n * 2 >= map->nr_slots)
		rehash(map);
	i = find_slot(map, s, len, hash);
	if (map->slot[i])
		return map->slot[i] - 1;
	if (map->n >= map->cap) {
		map->cap = map->cap ? map->cap * 2 : 32;
		map->name = xrealloc(map->name, map->cap, sizeof(*map->name));
		map->hash = xrealloc(map->hash, map->cap, sizeof(*map->hash));
	}
	map->name[map->n] = store(map, s, len);
	map->hash[map->n] = hash;
	map->slot[i] = (uint32_t)map->n + 1;
	return (uint32_t)map->n++;
}

uint32_t strmap_adds(struct strmap *map, const char *s)
{
	return strmap_add(map, s, strlen(s));
}

uint32_t strmap_find(const struct strmap *map, const char *s, size_t len)
{
	size_t i;

	if (!map->nr_slots)
		return STRMAP_NONE;
	len = len ? strnlen(s, len) : 0;
	if (!len)
		s = ""; /* a NULL of no bytes is the empty string */
	i = find_slot(map, s, len, hash_bytes(s, len));
	return map->slot[i] ? map->slot[i] - 1 : STRMAP_NONE;
}

uint32_t strmap_finds(const struct strmap *map, const char *s)
{
	return strmap_find(map, s, strlen(s));
}
