#include "engine/kvcache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct kvcache_entry nothing = {-1, -1, -1, -1, -1};

static void size_stores(struct kvcache *cache, int64_t slots)
{
	for (int64_t i = 0; i < cache->layers; i++) {
		size_t floats = (size_t)(slots * cache->width);
		cache->keys[i] = mem_resize(cache->keys[i], floats, sizeof(float));
		cache->values[i] = mem_resize(cache->values[i], floats, sizeof(float));
		size_t old = (size_t)(cache->slots * cache->width);
		memset(cache->keys[i] + old, 0, (floats - old) * sizeof(float));
		memset(cache->values[i] + old, 0, (floats - old) * sizeof(float));
	}
	cache->entries = mem_resize(cache->entries, (size_t)slots, sizeof *cache->entries);
	for (int64_t i = cache->slots; i < slots; i++)
		cache->entries[i] = nothing;
	cache->slots = slots;
}

void kvcache_init(struct kvcache *cache, int64_t layers, int64_t width, int64_t lanes, int64_t lane_slots,
	int64_t requests)
{
	*cache = (struct kvcache){.layers = layers, .width = width, .lanes = lanes, .lane_slots = lane_slots};
	cache->keys = MEM_ARRAY(float *, layers);
	cache->values = MEM_ARRAY(float *, layers);
	cache->lane_of = MEM_ARRAY(int32_t, requests);
	cache->lane_used = MEM_ARRAY(uint8_t, lanes);
	for (int64_t i = 0; i < requests; i++)
		cache->lane_of[i] = -1;
	size_stores(cache, lanes * lane_slots);
}

void kvcache_free(struct kvcache *cache)
{
	for (int64_t i = 0; i < cache->layers; i++) {
		free(cache->keys[i]);
		free(cache->values[i]);
	}
	free(cache->keys);
	free(cache->values);
	free(cache->entries);
	free(cache->lane_of);
	free(cache->lane_used);
	*cache = (struct kvcache){0};
}

bool kvcache_admit(struct kvcache *cache, int32_t request)
{
	for (int32_t lane = 0; lane < cache->lanes; lane++) {
		if (cache->lane_used[lane] == 0) {
			cache->lane_used[lane] = 1;
			cache->lane_of[request] = lane;
			return true;
		}
	}
	return false;
}

void kvcache_release(struct kvcache *cache, int32_t request)
{
	int64_t lane = cache->lane_of[request];
	cache->lane_used[lane] = 0;
	cache->lane_of[request] = -1; /* the slots keep what they hold until the next owner writes */
}

/* Padding of this pass is there to be seen by whoever forgets the mask. In a mixed pass a padding cell may stand in the
 * column of an older key of its row; that column stays the key's. */
static void show_padding(struct pass *pass, int64_t b)
{
	for (int64_t cell = b * pass->S; cell < (b + 1) * pass->S; cell++) {
		int64_t column = b * pass->K + pass->column[cell];
		if (pass->pad[cell] != 0 && pass->key_position[column] < 0)
			pass->key_slot[column] = pass->slot[cell];
	}
}

void kvcache_assign(struct kvcache *cache, struct pass *pass, struct arena *arena)
{
	int64_t cells = pass->B * pass->S, scratch = cache->lanes * cache->lane_slots;
	if (cache->slots < scratch + cells)
		size_stores(cache, scratch + cells);
	pass->slot = ARENA_ARRAY(arena, int32_t, cells);
	pass->key_slot = ARENA_ARRAY(arena, int32_t, pass->B * pass->K);
	for (int64_t b = 0; b < pass->B; b++) {
		int64_t base = cache->lane_of[pass->rows[b]] * cache->lane_slots;
		for (int64_t s = 0; s < pass->S; s++) {
			int64_t cell = b * pass->S + s;
			int64_t slot = pass->pad[cell] != 0 ? scratch + cell : base + pass->positions[cell];
			pass->slot[cell] = (int32_t)slot;
		}
		for (int64_t k = 0; k < pass->K; k++) {
			int32_t position = pass->key_position[b * pass->K + k];
			pass->key_slot[b * pass->K + k] = position < 0 ? -1 : (int32_t)(base + position);
		}
		show_padding(pass, b);
	}
}

void kvcache_enter(struct kvcache *cache, const struct pass *pass)
{
	for (int64_t i = cache->lanes * cache->lane_slots; i < cache->slots; i++)
		cache->entries[i] = nothing;
	for (int64_t cell = 0; cell < pass->B * pass->S; cell++)
		cache->entries[pass->slot[cell]] = (struct kvcache_entry){
			.request = pass->rows[cell / pass->S],
			.position = pass->positions[cell],
			.token = pass->tokens[cell],
			.pass = (int32_t)pass->index,
			.cell = (int32_t)cell,
		};
}
