#include "engine/kvcache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct kvcache_entry nothing = {-1, -1, -1, -1, -1, false};

static void size_stores(struct kvcache *cache, int64_t slots)
{
	int64_t width = cache->options.width;
	for (int64_t i = 0; i < cache->options.layers; i++) {
		size_t floats = (size_t)(slots * width), old = (size_t)(cache->slots * width);
		cache->keys[i] = mem_resize(cache->keys[i], floats, sizeof(float));
		cache->values[i] = mem_resize(cache->values[i], floats, sizeof(float));
		memset(cache->keys[i] + old, 0, (floats - old) * sizeof(float));
		memset(cache->values[i] + old, 0, (floats - old) * sizeof(float));
	}
	cache->entries = mem_resize(cache->entries, (size_t)slots, sizeof *cache->entries);
	for (int64_t i = cache->slots; i < slots; i++)
		cache->entries[i] = nothing;
	cache->slots = slots;
}

void kvcache_init(struct kvcache *cache, const struct kvcache_options *options)
{
	int64_t page = options->page_size;
	*cache = (struct kvcache){.options = *options};
	cache->block_slots = page > 0 && page < options->positions ? page : options->positions;
	cache->table = (options->positions + cache->block_slots - 1) / cache->block_slots;
	cache->blocks = options->lanes * cache->table;
	cache->keys = MEM_ARRAY(float *, options->layers);
	cache->values = MEM_ARRAY(float *, options->layers);
	cache->holders = MEM_ARRAY(int32_t, cache->blocks);
	cache->lane_used = MEM_ARRAY(uint8_t, options->lanes);
	cache->rows = MEM_ARRAY(struct kvcache_row, options->requests);
	for (int64_t i = 0; i < options->requests; i++)
		cache->rows[i].lane = -1;
	size_stores(cache, cache->blocks * cache->block_slots);
}

void kvcache_free(struct kvcache *cache)
{
	for (int64_t i = 0; i < cache->options.layers; i++) {
		free(cache->keys[i]);
		free(cache->values[i]);
	}
	for (int64_t i = 0; i < cache->options.requests; i++) {
		free(cache->rows[i].blocks);
		free(cache->rows[i].adopted);
		free(cache->rows[i].written);
	}
	free(cache->keys);
	free(cache->values);
	free(cache->entries);
	free(cache->holders);
	free(cache->rows);
	free(cache->lane_used);
	*cache = (struct kvcache){0};
}

/* --- lanes and blocks --- */

bool kvcache_admit(struct kvcache *cache, int32_t request)
{
	struct kvcache_row *row = &cache->rows[request];
	for (int32_t lane = 0; lane < cache->options.lanes; lane++) {
		if (cache->lane_used[lane] != 0)
			continue;
		cache->lane_used[lane] = 1;
		row->lane = lane;
		row->length = 0;
		row->blocks = mem_resize(row->blocks, (size_t)cache->table, sizeof *row->blocks);
		row->adopted = mem_resize(row->adopted, (size_t)cache->table, 1);
		memset(row->adopted, 0, (size_t)cache->table);
		row->written = mem_resize(row->written, (size_t)cache->options.positions, sizeof *row->written);
		for (int64_t i = 0; i < cache->table; i++)
			row->blocks[i] = -1;
		return true;
	}
	return false;
}

void kvcache_release(struct kvcache *cache, int32_t request)
{
	struct kvcache_row *row = &cache->rows[request];
	for (int64_t i = 0; i < cache->table; i++) {
		if (row->blocks[i] >= 0)
			cache->holders[row->blocks[i]]--;
		row->blocks[i] = -1;
	}
	cache->lane_used[row->lane] = 0;
	row->lane = -1;
}

int64_t kvcache_lanes_taken(const struct kvcache *cache)
{
	int64_t taken = 0;
	for (int64_t i = 0; i < cache->options.lanes; i++)
		taken += cache->lane_used[i];
	return taken;
}

/* The lowest free block. There is one: the blocks are enough for all lanes at their longest. */
static int32_t take_block(struct kvcache *cache)
{
	int32_t block = 0;
	while (cache->holders[block] != 0)
		block++;
	cache->holders[block] = 1;
	return block;
}

/* Copies what a block holds to another, entries included. */
static void copy_block(struct kvcache *cache, int32_t to, int32_t from)
{
	size_t bytes = (size_t)(cache->block_slots * cache->options.width) * sizeof(float);
	int64_t target = to * cache->block_slots, source = from * cache->block_slots;
	for (int64_t i = 0; i < cache->options.layers; i++) {
		memcpy(cache->keys[i] + target * cache->options.width, cache->keys[i] + source * cache->options.width,
			bytes);
		memcpy(cache->values[i] + target * cache->options.width,
			cache->values[i] + source * cache->options.width, bytes);
	}
	memcpy(cache->entries + target, cache->entries + source, (size_t)cache->block_slots * sizeof *cache->entries);
}

/* A row's own copy of a block that it shared: the entries are its own computations. */
static void own_block(struct kvcache *cache, int32_t request, int64_t index)
{
	struct kvcache_row *row = &cache->rows[request];
	int32_t shared = row->blocks[index], own = take_block(cache);
	copy_block(cache, own, shared);
	cache->holders[shared]--;
	row->blocks[index] = own;
	row->adopted[index] = 1;
	for (int64_t i = 0; i < cache->block_slots; i++) {
		int64_t position = index * cache->block_slots + i;
		struct kvcache_entry *entry = &cache->entries[own * cache->block_slots + i];
		if (position >= row->length)
			*entry = nothing;
		else
			entry->request = request, entry->pass = row->written[position];
	}
}

/* Every block that the row writes to in this pass is there and is its own. */
static void provide_blocks(struct kvcache *cache, const struct pass *pass, int64_t b)
{
	struct kvcache_row *row = &cache->rows[pass->rows[b]];
	int64_t end = pass->past[b] + pass->fresh[b];
	for (int64_t i = pass->past[b] / cache->block_slots; i * cache->block_slots < end; i++) {
		if (row->blocks[i] < 0)
			row->blocks[i] = take_block(cache);
		else if (cache->holders[row->blocks[i]] > 1)
			own_block(cache, pass->rows[b], i);
	}
}

int64_t kvcache_slot(const struct kvcache *cache, int32_t request, int64_t position)
{
	const struct kvcache_row *row = &cache->rows[request];
	int32_t block = row->lane < 0 ? -1 : row->blocks[position / cache->block_slots];
	return block < 0 ? -1 : block * cache->block_slots + position % cache->block_slots;
}

/* --- a pass --- */

/* Padding of this pass is there to be seen by whoever forgets the mask. In a mixed pass a padding cell may stand in the
 * column of an older key of its row; that column stays the key's. */
static void show_padding(struct pass *pass, int64_t b)
{
	int64_t begin = pass_row_begin(pass, b), end = begin + pass_row_width(pass, b);
	for (int64_t cell = begin; cell < end; cell++) {
		int64_t column = b * pass->K + pass->column[cell];
		if (pass->pad[cell] != 0 && pass->key_position[column] < 0)
			pass->key_slot[column] = pass->key_origin[column] = pass->slot[cell];
	}
}

static void assign_keys(const struct kvcache *cache, struct pass *pass, int64_t b)
{
	int32_t request = pass->rows[b];
	for (int64_t k = b * pass->K; k < (b + 1) * pass->K; k++) {
		int32_t position = pass->key_position[k];
		int64_t slot = position < 0 ? -1 : kvcache_slot(cache, request, position);
		bool own = slot >= 0 && cache->rows[request].adopted[position / cache->block_slots] != 0 &&
			!cache->entries[slot].misplaced;
		pass->key_slot[k] = (int32_t)slot;
		pass->key_origin[k] = own ? KVCACHE_OWN + position : (int32_t)slot;
	}
}

void kvcache_assign(struct kvcache *cache, struct pass *pass, struct arena *arena)
{
	int64_t scratch = cache->blocks * cache->block_slots;
	if (cache->slots < scratch + pass->cells)
		size_stores(cache, scratch + pass->cells);
	pass->slot = ARENA_ARRAY(arena, int32_t, pass->cells);
	pass->key_slot = ARENA_ARRAY(arena, int32_t, pass->B * pass->K);
	pass->key_origin = ARENA_ARRAY(arena, int32_t, pass->B * pass->K);
	for (int64_t b = 0; b < pass->B; b++)
		provide_blocks(cache, pass, b);
	for (int64_t cell = 0; cell < pass->cells; cell++)
		pass->slot[cell] = (int32_t)(pass->pad[cell] != 0
				? scratch + cell
				: kvcache_slot(cache, pass->rows[pass->row_of[cell]], pass->positions[cell]));
	for (int64_t b = 0; b < pass->B; b++) {
		assign_keys(cache, pass, b);
		show_padding(pass, b);
	}
}

void kvcache_enter(struct kvcache *cache, struct pass *pass)
{
	for (int64_t i = cache->blocks * cache->block_slots; i < cache->slots; i++)
		cache->entries[i] = nothing;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		int32_t request = pass->rows[pass->row_of[cell]];
		int64_t position = pass_position(pass, cell);
		cache->entries[pass->slot[cell]] = (struct kvcache_entry){request, (int32_t)position,
			pass->tokens[cell], (int32_t)pass->index, (int32_t)cell,
			position >= 0 && pass->slot[cell] != kvcache_slot(cache, request, position)};
		if (position >= 0)
			cache->rows[request].written[position] = (int32_t)pass->index;
	}
	/* a slot that a fault has written to is no longer the row's own computation */
	for (int64_t k = 0; k < pass->B * pass->K; k++) {
		if (pass->key_origin[k] >= KVCACHE_OWN && cache->entries[pass->key_slot[k]].misplaced)
			pass->key_origin[k] = pass->key_slot[k];
	}
	for (int64_t b = 0; b < pass->B; b++)
		cache->rows[pass->rows[b]].length = pass->past[b] + pass->fresh[b];
}

/* --- sharing --- */

static bool same_bits(const struct kvcache *cache, int32_t a, int32_t b, int64_t used)
{
	size_t bytes = (size_t)(used * cache->options.width) * sizeof(float);
	int64_t from = a * cache->block_slots, to = b * cache->block_slots, width = cache->options.width;
	for (int64_t i = 0; i < used; i++) {
		const struct kvcache_entry *x = &cache->entries[from + i], *y = &cache->entries[to + i];
		if (x->token != y->token || x->position != y->position)
			return false;
	}
	for (int64_t i = 0; i < cache->options.layers; i++) {
		if (memcmp(cache->keys[i] + from * width, cache->keys[i] + to * width, bytes) != 0 ||
			memcmp(cache->values[i] + from * width, cache->values[i] + to * width, bytes) != 0)
			return false;
	}
	return true;
}

/* Positions of a row in its block number `index`. */
static int64_t used_in(const struct kvcache *cache, const struct kvcache_row *row, int64_t index)
{
	int64_t used = row->length - index * cache->block_slots;
	return used < 0 ? 0 : used > cache->block_slots ? cache->block_slots : used;
}

/* Puts another row's block in place of a row's own, if both hold the same beginning in the same bits. */
static bool share_block(struct kvcache *cache, int32_t request, int64_t index)
{
	struct kvcache_row *row = &cache->rows[request];
	int64_t used = used_in(cache, row, index);
	for (int32_t i = 0; i < cache->options.requests; i++) {
		const struct kvcache_row *other = &cache->rows[i];
		bool same_start = index == 0 || other->lane < 0 || other->blocks[index - 1] == row->blocks[index - 1];
		if (i == request || other->lane < 0 || !same_start || other->blocks[index] < 0 ||
			used_in(cache, other, index) != used)
			continue;
		if (other->blocks[index] == row->blocks[index])
			return true;
		if (!same_bits(cache, row->blocks[index], other->blocks[index], used))
			continue;
		cache->holders[row->blocks[index]]--;
		cache->holders[other->blocks[index]]++;
		row->blocks[index] = other->blocks[index];
		row->adopted[index] = 1;
		return true;
	}
	return false;
}

void kvcache_share(struct kvcache *cache, const struct pass *pass)
{
	if (cache->options.page_size == 0)
		return;
	for (int64_t b = 0; b < pass->B; b++) {
		int32_t request = pass->rows[b];
		if (pass->fresh[b] == 0 || cache->rows[request].lane < 0)
			continue;
		/* a block is shared only when all before it are */
		for (int64_t i = 0; i * cache->block_slots < cache->rows[request].length; i++) {
			if (!share_block(cache, request, i))
				break;
		}
	}
}

struct kvcache_use kvcache_use(const struct kvcache *cache, const struct pass *pass)
{
	struct kvcache_use use = {0};
	for (int64_t block = 0; block < cache->blocks; block++)
		use.held += cache->holders[block] > 0 ? cache->block_slots : 0;
	for (int64_t i = 0; i < cache->options.requests; i++) {
		const struct kvcache_row *row = &cache->rows[i];
		for (int64_t j = 0; row->lane >= 0 && j < cache->table; j++)
			use.saved += row->blocks[j] >= 0 ? cache->block_slots : 0;
	}
	use.saved -= use.held;
	for (int64_t b = 0; b < pass->B; b++)
		use.used += pass->past[b] + pass->fresh[b];
	return use;
}
