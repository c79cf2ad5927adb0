/*
 * op.h: kinds of operations, and the five functions that each of them has.
 *
 * An operation (`struct op`) is a line in a plan: a kind, named input and output values, weights and a few
 * parameters. Engine, recorder, isolation, explain, cost, planner and docs all read the one table
 * behind op_kind(). There is no branch on a model family anywhere below: a family is another list.
 *
 *     const struct op_kind *kind = op_kind(op->kind);
 *     printf("%s: %s\n", kind->name, kind->formula);
 */
#ifndef ENGINE_OP_H
#define ENGINE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tensor/tensor.h"

enum op_code {
#define OP(kind, formula, summary) OP_##kind,
#include "engine/op.def"
#undef OP
	OP_COUNT
};

#define OP_MAX_INPUTS 4
#define OP_MAX_OUTPUTS 6
#define OP_MAX_WEIGHTS 2

struct weight;
struct exec;
struct explain;
struct reach;

/* One operation of a plan. Inputs and outputs are indices of the plan's values. */
struct op {
	enum op_code code;
	const char *name; /* the name of its first output, or of what it does: "layers.0.attn.cache" */
	int layer;        /* -1 outside the layers */
	int input_count, output_count, weight_count;
	int inputs[OP_MAX_INPUTS];
	int outputs[OP_MAX_OUTPUTS];
	struct weight *weights[OP_MAX_WEIGHTS];
	char axes
		[TENSOR_MAX_RANK]; /* linear: letters of its output behind B,S or B, e.g. "ND"; rms_norm, rope: the same */
	bool per_row;             /* its first output has numbers per row (axes B,...), not per cell; set by plan_add */
	float scale;              /* attn_scores: factor of the scores */
	float eps;                /* layer_norm, rms_norm: added to the variance */
	float constant;           /* scale: the factor; softcap: the cap */
	int64_t window;           /* mask_window: positions that are seen, one's own included */
	const float *frequencies; /* rope: [D / 2] */
	const float *fill;        /* inject: per request of the batch, the value that replaces its numbers */
	const uint8_t *rows;      /* inject: per request, 1 where they are replaced */
};

/* Type and axes of a value: what a shape function maps. Sizes follow from the letters (struct dims). */
struct spec {
	enum dtype dtype;
	char axes[TENSOR_MAX_RANK + 1];
};

/* Sizes by axis letter: those of the model, and B, S, K of one pass. T counts cells: B * S, or the new tokens of all rows in
 * layout packed, where T is an axis of its own. */
struct dims {
	int64_t B, S, T, K, H, N, G, D, F, V;
	bool packed;
};

struct pass;

/* Enters the sizes of a pass. */
void dims_set_pass(struct dims *dims, const struct pass *pass);

/* The size of the axis with that letter. */
int64_t dims_size(const struct dims *dims, char letter);
/* The number of elements of a value with these axes. */
int64_t dims_count(const struct dims *dims, const char *axes);

/* What one operation costs in one pass. */
struct cost {
	double flops;      /* a fused multiply-add counts as 2 */
	double bytes_read; /* activations, weights and cache; each byte once */
	double bytes_written;
	double weight_bytes; /* the part of bytes_read that all rows share */
};

struct op_kind {
	const char *name;
	const char *formula;
	const char *summary; /* translatable */
	/* Output specs from input specs and the model's sizes. Input error when they do not fit the kind. */
	bool (*shape)(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
		struct err *err);
	/* Computes the outputs; cannot fail. */
	void (*run)(const struct op *op, struct exec *exec);
	/* Terms, formula with numbers and the recomputed value of one output cell (see explain.h). */
	bool (*explain)(const struct op *op, struct explain *explain, struct err *err);
	/* Names the input cells that one output cell depends on (see reach.h). */
	void (*reach)(const struct op *op, struct reach *reach);
	/* Floating-point operations and bytes for these sizes. */
	void (*cost)(const struct op *op, const struct dims *dims, struct cost *cost);
};

const struct op_kind *op_kind(enum op_code code);

#endif
