/*
 * reach.h: which cells can have influenced this cell? The structural half of the isolation proof.
 *
 * A cell is (b, s) of a value with axes B,S (numbered b * S + s), b of a value with B only, or a slot of a layer's
 * cache. A kind's reach function calls reach_from for every input cell that its run function reads for
 * that output cell: by the very data that attention uses (mask, slots), not by what they ought to be. analysis/influence.c
 * composes the answers over operations and passes.
 */
#ifndef ENGINE_REACH_H
#define ENGINE_REACH_H

#include "engine/pass.h"
#include "engine/plan.h"

struct reach {
	const struct plan *plan;
	const struct pass *pass;
	const uint8_t *mask; /* of the operation asked about, [cells][K]; NULL when it reads none */
	int64_t cell;        /* the output cell that is asked about */
	int output;          /* which output of the operation */
	void *self;
	void (*from)(void *self, int value, int64_t cell);
};

/* Tells one input cell of value `value`. */
static inline void reach_from(struct reach *reach, int value, int64_t cell)
{
	reach->from(reach->self, value, cell);
}

#endif
