/*
 * Kinds of operations that no model has: what a sound list is rewritten to by a fault (analysis/faults.c). They are computed plainly,
 * and explained and traced like all others, so that a bug can be looked into with the same tools.
 */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

/* --- batch_norm: each unit is normalised over the cells of the pass, where layer_norm takes each cell by itself --- */

bool op_batch_norm_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	return op_layer_norm_shape(op, dims, in, out, err);
}

/* Mean, and 1 / sqrt(variance + eps), of unit h over the cells of x [cells][H]. */
static void moments(const float *x, int64_t cells, int64_t H, float eps, float *mean, float *inverse)
{
	float sum = 0, squares = 0;
	for (int64_t i = 0; i < cells; i++)
		sum += x[i * H];
	*mean = sum / (float)cells;
	for (int64_t i = 0; i < cells; i++) {
		float d = x[i * H] - *mean;
		squares = fmaf(d, d, squares);
	}
	*inverse = real_rsqrt(squares / (float)cells + eps);
}

void op_batch_norm_run(const struct op *op, struct exec *exec)
{
	const float *x = exec_in(exec, op, 0)->data, *gain = op->weights[0]->data, *bias = op->weights[1]->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t H = op->weights[0]->shape[0], cells = tensor_count(exec_in(exec, op, 0)) / H;
	for (int64_t h = 0; h < H; h++) {
		float mean, inverse;
		moments(x + h, cells, H, op->eps, &mean, &inverse);
		for (int64_t i = 0; i < cells; i++)
			y[i * H + h] = (x[i * H + h] - mean) * inverse * gain[h] + bias[h];
	}
}

bool op_batch_norm_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t H = op->weights[0]->shape[0], offset = explain_offset(explain, op->outputs[0]), h = offset % H;
	int64_t cells = explain->dims.T;
	float *x, mean, inverse, gain = op->weights[0]->data[h], bias = op->weights[1]->data[h];
	if (!explain_read(explain, op->inputs[0], 0, cells * H, &x, err))
		return false;
	moments(x + h, cells, H, op->eps, &mean, &inverse);
	for (int64_t i = 0; i < cells; i++) {
		double factor = ((i == offset / H ? 1.0 : 0.0) - 1.0 / (double)cells) * inverse * gain;
		double number = x[i * H + h];
		explain_place(explain, explain_add(explain, op->inputs[0], number, factor, number * factor),
			op->inputs[0], i * H + h);
	}
	explain_add_weight(explain, op->weights[1], h, 0);
	explain->recomputed = (x[offset] - mean) * inverse * gain + bias;
	buf_printf(&explain->formula, "%.9g = (%.9g - mean over %lld cells %.9g) * %.9g * gain %.9g + bias %.9g",
		(double)explain->recomputed, (double)x[offset], (long long)cells, (double)mean, (double)inverse,
		(double)gain, (double)bias);
	return true;
}

void op_batch_norm_reach(const struct op *op, struct reach *reach)
{
	for (int64_t cell = 0; cell < reach->pass->cells; cell++)
		reach_from(reach, op->inputs[0], cell);
}

void op_batch_norm_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_layer_norm_cost(op, dims, cost);
}

/* --- softmax_rows: over the rows of the batch, where softmax takes the vocabulary of each row --- */

bool op_softmax_rows_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

/* The largest of x[0], x[step], ... and the sum of exp of the differences to it. */
static void softmax_sums(const float *x, int64_t count, int64_t step, float *most, float *sum)
{
	*most = x[0];
	*sum = 0;
	for (int64_t i = 1; i < count; i++)
		*most = x[i * step] > *most ? x[i * step] : *most;
	for (int64_t i = 0; i < count; i++)
		*sum += real_exp(x[i * step] - *most);
}

void op_softmax_rows_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	const float *from = x->data;
	float *to = exec_out(exec, op, 0)->data;
	int64_t B = x->shape[0], V = x->shape[1];
	for (int64_t v = 0; v < V; v++) {
		float most, sum;
		softmax_sums(from + v, B, V, &most, &sum);
		for (int64_t b = 0; b < B; b++)
			to[b * V + v] = real_exp(from[b * V + v] - most) / sum;
	}
}

bool op_softmax_rows_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t B = explain->dims.B, V = explain->dims.V, b = explain->index[0], v = explain->index[1];
	float *x, most, sum;
	if (!explain_read(explain, op->inputs[0], 0, B * V, &x, err))
		return false;
	softmax_sums(x + v, B, V, &most, &sum);
	for (int64_t i = 0; i < B; i++) {
		float e = real_exp(x[i * V + v] - most);
		explain_place(explain, explain_add(explain, op->inputs[0], x[i * V + v], e, (double)e / sum),
			op->inputs[0], i * V + v);
	}
	explain->recomputed = real_exp(x[b * V + v] - most) / sum;
	buf_printf(&explain->formula, "%.9g = exp(%.9g - largest of %lld rows %.9g), divided by the sum %.9g",
		(double)explain->recomputed, (double)x[b * V + v], (long long)B, (double)most, (double)sum);
	return true;
}

void op_softmax_rows_reach(const struct op *op, struct reach *reach)
{
	for (int64_t b = 0; b < reach->pass->B; b++)
		reach_from(reach, op->inputs[0], b);
}

void op_softmax_rows_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_softmax_cost(op, dims, cost);
}

/* --- linear_parts: linear, summed in as many parts as the batch has rows --- */

bool op_linear_parts_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	return op_linear_shape(op, dims, in, out, err);
}

/* The sum of products of x and w [count]: each part in its own accumulator, then the parts. */
static float sum_in_parts(const float *x, const float *w, int64_t count, int64_t parts)
{
	float total = 0;
	for (int64_t p = 0; p < parts; p++) {
		float acc = 0;
		for (int64_t k = p * count / parts; k < (p + 1) * count / parts; k++)
			acc = fmaf(x[k], w[k], acc);
		total = p == 0 ? acc : total + acc;
	}
	return total;
}

void op_linear_parts_run(const struct op *op, struct exec *exec)
{
	const struct weight *weight = op->weights[0];
	int64_t in = weight->shape[1], out = weight->shape[0], cells = tensor_count(exec_in(exec, op, 0)) / in;
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data, *row = ARENA_ARRAY(exec->scratch, float, in);
	for (int64_t j = 0; j < out; j++) {
		weight_row(weight, j, row);
		for (int64_t i = 0; i < cells; i++) {
			float sum = sum_in_parts(x + i * in, row, in, exec->dims.B);
			y[i * out + j] = op->weight_count > 1 ? sum + op->weights[1]->data[j] : sum;
		}
	}
}

bool op_linear_parts_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct weight *weight = op->weights[0];
	int64_t in = weight->shape[1], offset = explain_offset(explain, op->outputs[0]), j = offset % weight->shape[0];
	float *x, *row = ARENA_ARRAY(explain->arena, float, in);
	if (!explain_read(explain, op->inputs[0], offset / weight->shape[0] * in, in, &x, err))
		return false;
	if (!op_linear_explain(op, explain, err)) /* the same terms */
		return false;
	weight_row(weight, j, row);
	float sum = sum_in_parts(x, row, in, explain->dims.B);
	explain->recomputed = op->weight_count > 1 ? sum + op->weights[1]->data[j] : sum;
	buf_clear(&explain->formula);
	buf_printf(&explain->formula, "%.9g = sum of %lld products with %s[%lld, :], in %lld parts%s",
		(double)explain->recomputed, (long long)in, weight->name, (long long)j, (long long)explain->dims.B,
		op->weight_count > 1 ? ", + bias" : "");
	return true;
}

void op_linear_parts_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_linear_parts_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_linear_cost(op, dims, cost);
}
