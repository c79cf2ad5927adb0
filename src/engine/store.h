/*
 * store.h: buffers for the tensors of a pass, used again as soon as nobody reads them any more, so that a pass
 * needs the memory of what is alive at once and not of all its values. Internal to engine/.
 *
 * Sizes are rounded up to a few classes, and a block serves its class only: a pass of the same sizes as the one before
 * allocates nothing, and a cache that grows by a position seldom does. What a pass has not used is given back at its end.
 */
#ifndef ENGINE_STORE_H
#define ENGINE_STORE_H

#include <stddef.h>

struct store_block;

struct store {
	struct store_block *blocks;
	size_t count, capacity;
};

/* A buffer of at least `bytes`, aligned to 64; its content is undefined. */
void *store_take(struct store *store, size_t bytes);
/* Makes a taken buffer free for others. */
void store_give(struct store *store, const void *data);
/* The same for all, at the end of a pass; frees what the pass has not used. */
void store_give_all(struct store *store);
void store_free(struct store *store);

#endif
