/*
 * exec.h: what an operation's run function sees: the tensors of the pass, the cache, the kernels. Internal to engine/.
 */
#ifndef ENGINE_EXEC_H
#define ENGINE_EXEC_H

#include "base/pool.h"
#include "engine/batch.h"
#include "engine/kvcache.h"
#include "engine/plan.h"
#include "tensor/kernels.h"

/* Cosines and sines [T][D / 2] of the angles of a pass: layers with the same frequencies share them. */
struct turns {
	const struct turns *older;
	const float *frequencies; /* of the operation, and the value with the positions: what it was computed from */
	int positions;
	float *cosines, *sines;
};

struct exec {
	const struct plan *plan;
	const struct pass *pass;
	struct dims dims;       /* with B, S, K of this pass */
	struct tensor *tensors; /* [values]; data NULL where not alive */
	struct kvcache *cache;
	const struct kernels *kernels;
	struct pool *pool;
	struct arena *scratch;     /* emptied before every operation */
	struct arena *memory;      /* lives as long as the pass */
	const struct turns *turns; /* of this pass so far */
	int summed;        /* the value of this pass whose exponentials a softmax has summed up; PLAN_NONE: none yet */
	const float *sums; /* of its rows */
	const struct batch *batch;
	struct finish_rule finish;
};

static inline struct tensor *exec_in(struct exec *exec, const struct op *op, int i)
{
	return &exec->tensors[op->inputs[i]];
}

static inline struct tensor *exec_out(struct exec *exec, const struct op *op, int i)
{
	return &exec->tensors[op->outputs[i]];
}

#endif
