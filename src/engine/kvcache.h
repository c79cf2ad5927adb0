/*
 * kvcache.h: keys and values of past positions, per layer, in slots.
 *
 * A row owns a lane of consecutive slots from its admission until it ends; position p lies in the lane's slot p. The
 * slots above the lanes are scratch for the padding cells of one pass. A table says for every slot what
 * it holds: whose token, which position, written by which pass.
 * Layout per layer: keys and values as [slot][G][D].
 */
#ifndef ENGINE_KVCACHE_H
#define ENGINE_KVCACHE_H

#include "engine/pass.h"

/* What a slot holds. */
struct kvcache_entry {
	int32_t request;  /* -1: nothing */
	int32_t position; /* -1: padding */
	int32_t token;
	int32_t pass; /* that wrote it */
	int32_t cell; /* of that pass */
};

struct kvcache {
	int64_t layers, width; /* width: G * D floats */
	int64_t lanes, lane_slots, scratch_slots, slots;
	float **keys;   /* [layers] of [slots][width] */
	float **values; /* [layers] of [slots][width] */
	struct kvcache_entry *entries; /* [slots] */
	int32_t *lane_of;  /* [requests]: -1 when it has none */
	uint8_t *lane_used; /* [lanes] */
};

/* Memory for `lanes` rows of at most `lane_slots` positions. Owned by the cache. */
void kvcache_init(struct kvcache *cache, int64_t layers, int64_t width, int64_t lanes, int64_t lane_slots,
	int64_t requests);
void kvcache_free(struct kvcache *cache);

/* Gives a request the lowest free lane; false when all are taken. */
bool kvcache_admit(struct kvcache *cache, int32_t request);
/* Gives the lane back; its slots keep what they hold until the next owner writes. */
void kvcache_release(struct kvcache *cache, int32_t request);

/* Fills slot and key_slot of a pass that has been laid; makes scratch room for its padding. */
void kvcache_assign(struct kvcache *cache, struct pass *pass, struct arena *arena);
/* Enters the pass's tokens in the slot table, after any rewrite of the pass. */
void kvcache_enter(struct kvcache *cache, const struct pass *pass);

#endif
