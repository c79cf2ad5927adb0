/*
 * scramble.h: a batch with some rows replaced by something else, for the isolation proof.
 */
#ifndef ANALYSIS_SCRAMBLE_H
#define ANALYSIS_SCRAMBLE_H

#include "engine/batch.h"
#include "engine/plan.h"
#include "model/config.h"

/* A copy of `batch` in which the rows with scrambled[i] != 0 have other tokens, another prompt length and another number of
 * new tokens, drawn from `seed`; IDs and arrivals stay. The others are shared with the original. */
struct batch scramble_batch(const struct batch *batch, const uint8_t *scrambled, const struct config *config,
	uint64_t seed, struct arena *arena);

/* Puts NaN, an infinity, 1e38 or a subnormal number in place of the embeddings of scrambled rows (every sixth keeps
 * its own): inserts an operation after `embed`. Usage error when the list
 * has no such value. */
bool scramble_plan(struct plan *plan, const uint8_t *scrambled, int64_t count, uint64_t seed, struct err *err);

/* The next number of a sequence (splitmix64); *state is advanced. */
uint64_t scramble_next(uint64_t *state);

#endif
