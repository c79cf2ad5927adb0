/*
 * op_kinds.h: declares the five functions of every kind from op.def, and the few helpers that the op_*.c files share.
 * Internal to engine/.
 */
#ifndef ENGINE_OP_KINDS_H
#define ENGINE_OP_KINDS_H

#include "engine/exec.h"
#include "engine/explain.h"
#include "engine/op.h"
#include "engine/reach.h"

#define OP(kind, formula, summary) \
	bool op_##kind##_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out, \
		struct err *err); \
	void op_##kind##_run(const struct op *op, struct exec *exec); \
	bool op_##kind##_explain(const struct op *op, struct explain *explain, struct err *err); \
	void op_##kind##_reach(const struct op *op, struct reach *reach); \
	void op_##kind##_cost(const struct op *op, const struct dims *dims, struct cost *cost);
#include "engine/op.def"
#undef OP

/* A spec with these axes. */
struct spec spec_of(enum dtype dtype, const char *axes);
/* Numbers for every cell: axes B,S, or T in layout packed, and then `axes`. */
struct spec spec_of_cells(const struct dims *dims, enum dtype dtype, const char *axes);
/* Input error naming the operation unless input `i` has the type. */
bool spec_want(const struct op *op, const struct spec *in, int i, enum dtype dtype, struct err *err);
/* How many leading axes say which cell it is: those of "BS", "T" or "B". The rest are the cell's own numbers. */
int spec_lead(const struct spec *spec);
/* Numbers per cell: the product of the axes behind the leading ones. */
int64_t spec_width(const struct spec *spec, const struct dims *dims);

/* Output = one input, element by element: the shape, reach and cost that such kinds share. */
bool op_same_shape(const struct op *op, const struct spec *in, struct spec *out, struct err *err);
void op_same_cell_reach(const struct op *op, struct reach *reach);
void op_elements_cost(const struct op *op, const struct dims *dims, const char *axes, double flops_each,
	struct cost *cost);

/* How row b of a pass is sampled. The settings belong to the request. */
const struct sampling *op_sampling(const struct batch *batch, const struct pass *pass, int64_t b);

/* The five functions of a kind whose cells depend on nothing but the same cell of their inputs. Each argument behind the kind is a
 * call that may use the parameters of its function: op, dims, in, out, err; op, exec; op, explain, err; op, dims, cost. */
#define OP_FUNCTIONS(kind, shape, run, explanation, price) \
	bool op_##kind##_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out, \
		struct err *err) \
	{ \
		(void)dims; \
		return shape; \
	} \
	void op_##kind##_run(const struct op *op, struct exec *exec) \
	{ \
		run; \
	} \
	bool op_##kind##_explain(const struct op *op, struct explain *explain, struct err *err) \
	{ \
		return explanation; \
	} \
	void op_##kind##_reach(const struct op *op, struct reach *reach) \
	{ \
		op_same_cell_reach(op, reach); \
	} \
	void op_##kind##_cost(const struct op *op, const struct dims *dims, struct cost *cost) \
	{ \
		price; \
	}

#endif
