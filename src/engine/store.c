#include "engine/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define ALIGN 64

struct store_block {
	void *memory; /* as allocated */
	void *data;   /* aligned within */
	size_t bytes; /* a class */
	bool is_taken;
	bool is_used; /* in this pass */
};

/* The class of a size: at most an eighth larger. */
static size_t class_of(size_t bytes)
{
	size_t step = ALIGN;
	while (step < bytes / 16)
		step *= 2;
	return (bytes / step + 1) * step;
}

static size_t find_free(const struct store *store, size_t bytes)
{
	for (size_t i = 0; i < store->count; i++) {
		if (!store->blocks[i].is_taken && store->blocks[i].bytes == bytes)
			return i;
	}
	return SIZE_MAX;
}

/* The largest block that this pass has not used yet, to be replaced: it was of a pass of other sizes. */
static size_t find_stale(const struct store *store)
{
	size_t found = SIZE_MAX;
	for (size_t i = 0; i < store->count; i++) {
		const struct store_block *block = &store->blocks[i];
		if (!block->is_taken && !block->is_used &&
			(found == SIZE_MAX || block->bytes > store->blocks[found].bytes))
			found = i;
	}
	return found;
}

static void set_size(struct store_block *block, size_t bytes)
{
	free(block->memory);
	block->memory = mem_resize(NULL, bytes + ALIGN, 1);
	block->data = (void *)(((uintptr_t)block->memory + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
	block->bytes = bytes;
}

static size_t add_block(struct store *store, size_t bytes)
{
	size_t i = find_stale(store);
	if (i == SIZE_MAX) {
		if (store->count == store->capacity) {
			store->capacity = store->capacity == 0 ? 32 : store->capacity * 2;
			store->blocks = mem_resize(store->blocks, store->capacity, sizeof *store->blocks);
		}
		i = store->count++;
		store->blocks[i] = (struct store_block){0};
	}
	set_size(&store->blocks[i], bytes);
	return i;
}

void *store_take(struct store *store, size_t bytes)
{
	size_t size = class_of(bytes), i = find_free(store, size);
	if (i == SIZE_MAX)
		i = add_block(store, size);
	store->blocks[i].is_taken = store->blocks[i].is_used = true;
	return store->blocks[i].data;
}

void store_give(struct store *store, const void *data)
{
	for (size_t i = 0; i < store->count; i++) {
		if (store->blocks[i].data == data)
			store->blocks[i].is_taken = false;
	}
}

void store_give_all(struct store *store)
{
	size_t kept = 0;
	for (size_t i = 0; i < store->count; i++) {
		if (!store->blocks[i].is_used) {
			free(store->blocks[i].memory);
			continue;
		}
		store->blocks[kept] = store->blocks[i];
		store->blocks[kept].is_taken = store->blocks[kept].is_used = false;
		kept++;
	}
	store->count = kept;
}

void store_free(struct store *store)
{
	for (size_t i = 0; i < store->count; i++)
		free(store->blocks[i].memory);
	free(store->blocks);
	*store = (struct store){0};
}
