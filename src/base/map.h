/*
 * map.h: byte strings to numbers, for vocabularies and tensor names.
 *
 * Open addressing; keys are copied into the map's own arena and may hold any byte, NUL included. Filling and
 * looking up are constant time on average, whatever strings a file holds (the hash is keyed).
 *
 *     struct map map = MAP_INIT;
 *     if (!map_put(&map, "很", 3, 100)) ...  // false: the key was there already, nothing changed
 *     int64_t id = map_get(&map, "很", 3);   // -1 when absent
 *     map_free(&map);
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct map_slot;

struct map {
	struct map_slot *slots;
	size_t count;
	size_t capacity; /* a power of two, or 0 */
	uint64_t key[2]; /* of the hash, drawn when the first slot is made */
	struct arena keys;
};

#define MAP_INIT ((struct map){0})

/* Adds key -> value (value >= 0). False when the key is there already. */
bool map_put(struct map *map, const char *key, size_t length, int64_t value);

/* The value of the key, or -1. */
int64_t map_get(const struct map *map, const char *key, size_t length);

void map_free(struct map *map);

#endif
