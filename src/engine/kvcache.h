/*
 * kvcache.h: keys and values of past positions, per layer, in slots.
 *
 * Slots come in blocks. A row has a table of blocks: position p lies in block p / block_slots of its table. Contiguous is the
 * case of one block per row, as long as the longest row; with pages, blocks are small and are handed out as the row
 * grows. Rows that hold equal bits for an equal beginning share blocks: each row computes its own keys and values first, then the copies
 * that are equal bit for bit are kept once (kvcache_share); whoever writes to a shared block gets a copy of its own
 * before (kvcache_assign). So sharing saves memory and never lets one row read what another made.
 *
 * The slots above the blocks are scratch for the padding cells of one pass. An entry says for every slot what it holds. Layout per
 * layer: keys and values as [slot][G][D].
 */
#ifndef ENGINE_KVCACHE_H
#define ENGINE_KVCACHE_H

#include "engine/pass.h"

/* What a slot holds. */
struct kvcache_entry {
	int32_t request;  /* -1: nothing */
	int32_t position; /* -1: padding */
	int32_t token;
	int32_t pass;   /* that wrote it */
	int32_t cell;   /* of that pass */
	bool misplaced; /* it is not where the row's table puts it: only a fault does that */
};

/* What the cache knows of a row. */
struct kvcache_row {
	int32_t lane;     /* -1: it holds no place */
	int32_t *blocks;  /* [table]: block of each stretch of positions; -1: not handed out */
	uint8_t *adopted; /* [table]: 1 where the bits in the block may have been put there by another row */
	int32_t *written; /* [positions]: pass in which the row computed a position */
	int64_t length;   /* positions written */
};

struct kvcache_options {
	int64_t layers, width; /* width: G * D floats */
	int64_t lanes;         /* rows that hold a place at once */
	int64_t positions;     /* of the longest row */
	int64_t page_size;     /* slots per block; 0: contiguous */
	int64_t requests;
};

struct kvcache {
	struct kvcache_options options;
	int64_t block_slots, blocks, table; /* table: blocks of the longest row */
	int64_t slots;                      /* with those for padding */
	float **keys;                       /* [layers] of [slots][width] */
	float **values;                     /* [layers] of [slots][width] */
	struct kvcache_entry *entries;      /* [slots] */
	int32_t *holders;                   /* [blocks]: rows that have it in their table; 0: free */
	struct kvcache_row *rows;           /* [requests] */
	uint8_t *lane_used;                 /* [lanes] */
};

/* KVCACHE_OWN + position stands in pass.key_origin for the row's own computation of a position, whose bits it shares with
 * another row. */
#define KVCACHE_OWN (1 << 30)

/* Slots: in the blocks of rows, with real tokens of the rows (each row's counted), and saved by sharing. What is wasted is
 * held + saved - used. */
struct kvcache_use {
	int64_t held, used, saved;
};

/* Makes the blocks. Memory is owned by the cache. */
void kvcache_init(struct kvcache *cache, const struct kvcache_options *options);
void kvcache_free(struct kvcache *cache);

/* Gives a request the lowest free lane; false when all are taken. */
bool kvcache_admit(struct kvcache *cache, int32_t request);
/* Gives lane and blocks back; slots keep what they hold until the next owner writes. */
void kvcache_release(struct kvcache *cache, int32_t request);
int64_t kvcache_lanes_taken(const struct kvcache *cache);

/* The slot of a row's position, or -1 when its block was not handed out. */
int64_t kvcache_slot(const struct kvcache *cache, int32_t request, int64_t position);

/* Hands out blocks for the new tokens of a pass that has been laid, and fills its slot, key_slot and key_origin; makes scratch room
 * for its padding. */
void kvcache_assign(struct kvcache *cache, struct pass *pass, struct arena *arena);
/* Enters the pass's tokens in the slots, after any rewrite of the pass. */
void kvcache_enter(struct kvcache *cache, struct pass *pass);
/* After the pass: blocks of its rows that hold the bits of another row's block become one. Only with pages. */
void kvcache_share(struct kvcache *cache, const struct pass *pass);

/* As it is with the new tokens of the pass. */
struct kvcache_use kvcache_use(const struct kvcache *cache, const struct pass *pass);

#endif
