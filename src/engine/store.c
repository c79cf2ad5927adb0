#include "engine/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

struct store_block {
	void *memory; /* as allocated */
	void *data;   /* aligned within */
	size_t bytes;
	bool taken;
};

/* The smallest free block that fits without wasting more than it uses; SIZE_MAX when there is none. */
static size_t best_fit(const struct store *store, size_t bytes)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < store->count; i++) {
		const struct store_block *block = &store->blocks[i];
		if (block->taken || block->bytes < bytes || block->bytes / 2 > bytes)
			continue;
		if (best == SIZE_MAX || block->bytes < store->blocks[best].bytes)
			best = i;
	}
	return best;
}

static void set_size(struct store_block *block, size_t bytes)
{
	free(block->memory);
	block->memory = mem_array(bytes + 64, 1);
	block->data = (void *)(((uintptr_t)block->memory + 63) & ~(uintptr_t)63);
	block->bytes = bytes;
}

/* A free block of a wrong size to be replaced, or a new one. */
static size_t any_free(struct store *store)
{
	for (size_t i = 0; i < store->count; i++) {
		if (!store->blocks[i].taken)
			return i;
	}
	if (store->count == store->capacity) {
		store->capacity = store->capacity == 0 ? 32 : store->capacity * 2;
		store->blocks = mem_resize(store->blocks, store->capacity, sizeof *store->blocks);
	}
	store->blocks[store->count] = (struct store_block){0};
	return store->count++;
}

void *store_take(struct store *store, size_t bytes)
{
	bytes = bytes < 64 ? 64 : bytes;
	size_t i = best_fit(store, bytes);
	if (i == SIZE_MAX) {
		i = any_free(store);
		set_size(&store->blocks[i], bytes);
	}
	store->blocks[i].taken = true;
	return store->blocks[i].data;
}

void store_give(struct store *store, const void *data)
{
	for (size_t i = 0; i < store->count; i++) {
		if (store->blocks[i].data == data)
			store->blocks[i].taken = false;
	}
}

void store_give_all(struct store *store)
{
	for (size_t i = 0; i < store->count; i++)
		store->blocks[i].taken = false;
}

void store_free(struct store *store)
{
	for (size_t i = 0; i < store->count; i++)
		free(store->blocks[i].memory);
	free(store->blocks);
	*store = (struct store){0};
}
