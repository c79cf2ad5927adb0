/* Activations and other work number by number: one or two numbers in, one out. Source: Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016. */
#include <math.h>

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

static void run_activation(const struct op *op, struct exec *exec,
	void (*kernel)(float *y, const float *x, int64_t n, struct pool *pool))
{
	const struct tensor *x = exec_in(exec, op, 0);
	kernel(exec_out(exec, op, 0)->data, x->data, tensor_count(x), exec->pool);
}

/* Activations differ in the kernel, the scalar function and the count of operations. */
#define ACTIVATION(kind, kernel, scalar, flops) \
	OP_FUNCTIONS(kind, op_same_shape(op, in, out, err), run_activation(op, exec, kernel), \
		explain_activation(op, explain, scalar, err), op_elements_cost(op, dims, "TF", flops, cost))

ACTIVATION(gelu_tanh, exec->kernels->gelu_tanh, real_gelu_tanh, 9)
ACTIVATION(gelu_erf, exec->kernels->gelu_erf, real_gelu_erf, 5)
ACTIVATION(relu, run_relu, relu, 1)
ACTIVATION(silu, exec->kernels->silu, real_silu, 4)

/* --- scale --- */

bool op_scale_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_scale_run(const struct op *op, struct exec *exec)
{
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t count = tensor_count(exec_out(exec, op, 0));
	for (int64_t i = 0; i < count; i++)
		y[i] = x[i] * op->constant;
	exec->kernels->canon_nan(y, count);
}

bool op_scale_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	float y = *x * op->constant;
	explain_place(explain, explain_add(explain, op->inputs[0], *x, op->constant, y), op->inputs[0], offset);
	explain->recomputed = y;
	buf_printf(&explain->formula, "%.9g = %.9g * %.9g", (double)y, (double)*x, (double)op->constant);
	return true;
}

void op_scale_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_scale_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "TH", 1, cost);
}

/* --- mul --- */

bool op_mul_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_mul_run(const struct op *op, struct exec *exec)
{
	exec->kernels->mul(exec_out(exec, op, 0)->data, exec_in(exec, op, 0)->data, exec_in(exec, op, 1)->data,
		tensor_count(exec_out(exec, op, 0)), exec->pool);
}

/* The first input is the gate, the second what passes it: the product is its term. */
bool op_mul_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float *a, *b;
	if (!explain_read(explain, op->inputs[0], offset, 1, &a, err) ||
		!explain_read(explain, op->inputs[1], offset, 1, &b, err))
		return false;
	float y = *a * *b;
	explain_place(explain, explain_add(explain, op->inputs[1], *b, *a, y), op->inputs[1], offset);
	explain->recomputed = y;
	buf_printf(&explain->formula, "%.9g = %.9g * %.9g", (double)y, (double)*a, (double)*b);
	return true;
}

void op_mul_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_mul_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "TF", 1, cost);
}

/* --- softcap. Source: Gemma Team, "Gemma 2", 2024, part 2. --- */

/* -inf marks what a mask forbids and stays. */
static float capped(float x, float cap)
{
	return x == -INFINITY ? x : real_tanh(x / cap) * cap;
}

bool op_softcap_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_softcap_run(const struct op *op, struct exec *exec)
{
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t count = tensor_count(exec_out(exec, op, 0));
	for (int64_t i = 0; i < count; i++)
		y[i] = capped(x[i], op->constant);
}

bool op_softcap_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	float y = capped(*x, op->constant);
	explain_place(explain, explain_add(explain, op->inputs[0], *x, *x != 0 ? y / *x : 1, y), op->inputs[0], offset);
	explain->recomputed = y;
	buf_printf(&explain->formula, "%.9g = %.9g * tanh(%.9g / %.9g)", (double)y, (double)op->constant, (double)*x,
		(double)op->constant);
	return true;
}

void op_softcap_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_softcap_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, op->per_row ? "BV" : "TNK", 3, cost);
}
