#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#include "base/hash.h"
#include "base/mem.h"

struct map_slot {
	const char *key; /* NULL when the slot is free */
	size_t length;
	uint64_t hash;
	int64_t value;
};

static void draw_key(struct map *map)
{
	if (getentropy(map->key, sizeof map->key) == 0)
		return;
	/* a system without entropy only loses the protection against strings made to collide */
	map->key[0] = (uint64_t)time(NULL) ^ (uint64_t)(uintptr_t)map;
	map->key[1] = (uint64_t)clock() ^ (uint64_t)getpid() << 32;
}

/* The slot that holds the key, or the free slot where it belongs. There is always a free one. */
static struct map_slot *slot_of(const struct map *map, const char *key, size_t length, uint64_t hash)
{
	size_t mask = map->capacity - 1;
	for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
		struct map_slot *slot = &map->slots[i];
		if (slot->key == NULL)
			return slot;
		if (slot->hash == hash && slot->length == length && memcmp(slot->key, key, length) == 0)
			return slot;
	}
}

static void grow(struct map *map)
{
	struct map old = *map;
	if (old.capacity == 0)
		draw_key(map);
	map->capacity = old.capacity == 0 ? 16 : old.capacity * 2;
	map->slots = MEM_ARRAY(struct map_slot, map->capacity);
	for (size_t i = 0; i < old.capacity; i++) {
		const struct map_slot *slot = &old.slots[i];
		if (slot->key != NULL)
			*slot_of(map, slot->key, slot->length, slot->hash) = *slot;
	}
	free(old.slots);
}

bool map_put(struct map *map, const char *key, size_t length, int64_t value)
{
	if (map->count >= map->capacity / 2)
		grow(map);
	uint64_t hash = hash_keyed(map->key, key, length);
	struct map_slot *slot = slot_of(map, key, length, hash);
	if (slot->key != NULL)
		return false;
	*slot = (struct map_slot){arena_strndup(&map->keys, key, length), length, hash, value};
	map->count++;
	return true;
}

int64_t map_get(const struct map *map, const char *key, size_t length)
{
	if (map->count == 0)
		return -1;
	const struct map_slot *slot = slot_of(map, key, length, hash_keyed(map->key, key, length));
	return slot->key == NULL ? -1 : slot->value;
}

void map_free(struct map *map)
{
	free(map->slots);
	arena_free(&map->keys);
	*map = MAP_INIT;
}
