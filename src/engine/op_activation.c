/* Activations: one number in, one number out. Source: Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016. */
#include "engine/op_kinds.h"
#include "tensor/real.h"

/* Explains y = f(x) from the input and the recomputed output. */
static bool explain_activation(const struct op *op, struct explain *explain, float (*f)(float x), struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	float y = f(*x);
	explain_place(explain, explain_add(explain, op->inputs[0], *x, *x != 0 ? y / *x : 0, y), op->inputs[0], offset);
	buf_printf(&explain->formula, "%.9g = %s(%.9g)", (double)y, op_kind(op->code)->name, (double)*x);
	explain->recomputed = y;
	return true;
}

static float relu(float x)
{
	return x > 0 || x != x ? x : 0;
}

static void run_relu(float *y, const float *x, int64_t n, struct pool *pool)
{
	(void)pool;
	for (int64_t i = 0; i < n; i++)
		y[i] = relu(x[i]);
}

/* The five functions of an activation: they differ in the kernel, the scalar function and the count of operations. */
#define ACTIVATION(kind, kernel, scalar, flops)                                                                  \
	bool op_##kind##_shape(const struct op *op, const struct dims *dims, const struct spec *in,              \
		struct spec *out, struct err *err)                                                               \
	{                                                                                                        \
		(void)dims;                                                                                      \
		return op_same_shape(op, in, out, err);                                                          \
	}                                                                                                        \
	void op_##kind##_run(const struct op *op, struct exec *exec)                                             \
	{                                                                                                        \
		const struct tensor *x = exec_in(exec, op, 0);                                                   \
		kernel(exec_out(exec, op, 0)->data, x->data, tensor_count(x), exec->pool);                       \
	}                                                                                                        \
	bool op_##kind##_explain(const struct op *op, struct explain *explain, struct err *err)                  \
	{                                                                                                        \
		return explain_activation(op, explain, scalar, err);                                             \
	}                                                                                                        \
	void op_##kind##_reach(const struct op *op, struct reach *reach)                                         \
	{                                                                                                        \
		op_same_cell_reach(op, reach);                                                                   \
	}                                                                                                        \
	void op_##kind##_cost(const struct op *op, const struct dims *dims, struct cost *cost)                   \
	{                                                                                                        \
		op_elements_cost(op, dims, "TF", flops, cost);                                                  \
	}

ACTIVATION(gelu_tanh, exec->kernels->gelu_tanh, real_gelu_tanh, 9)
ACTIVATION(gelu_erf, exec->kernels->gelu_erf, real_gelu_erf, 5)
ACTIVATION(relu, run_relu, relu, 1)
ACTIVATION(silu, exec->kernels->silu, real_silu, 4)
