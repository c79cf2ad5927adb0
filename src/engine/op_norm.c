/* Normalisation of each position by itself. Source: Ba, Kiros, Hinton, "Layer Normalization", 2016. */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

bool op_layer_norm_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	if (op->weights[0]->shape[0] != spec_width(&in[0], dims))
		return err_input(err, NULL, op->weights[0]->name, "has %lld numbers; expected %lld",
			(long long)op->weights[0]->shape[0], (long long)spec_width(&in[0], dims));
	return op_same_shape(op, in, out, err);
}

void op_layer_norm_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	int64_t H = op->weights[0]->shape[0];
	exec->kernels->layer_norm(exec_out(exec, op, 0)->data, x->data, op->weights[0]->data, op->weights[1]->data,
		op->eps, H, tensor_count(x) / H, exec->pool);
}

/* Mean, and 1 / sqrt(variance + eps), of x [H], in the kernels' documented order. */
static void moments(const float *x, int64_t H, float eps, float *mean, float *inverse)
{
	float sum = 0, squares = 0;
	for (int64_t h = 0; h < H; h++)
		sum += x[h];
	*mean = sum / (float)H;
	for (int64_t h = 0; h < H; h++) {
		float d = x[h] - *mean;
		squares = fmaf(d, d, squares);
	}
	*inverse = real_rsqrt(squares / (float)H + eps);
}

/* The terms hold the deviation fixed: y[i] = sum over j of x[j] * (delta(i,j) - 1/H) * gain / deviation, + bias. */
bool op_layer_norm_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t H = op->weights[0]->shape[0], offset = explain_offset(explain, op->outputs[0]), i = offset % H;
	float *x, mean, inverse;
	if (!explain_read(explain, op->inputs[0], offset - i, H, &x, err))
		return false;
	moments(x, H, op->eps, &mean, &inverse);
	float gain = op->weights[0]->data[i], bias = op->weights[1]->data[i];
	for (int64_t j = 0; j < H; j++) {
		double factor = ((j == i ? 1.0 : 0.0) - 1.0 / (double)H) * inverse * gain;
		struct explain_term *term = explain_add(explain, op->inputs[0], x[j], factor, x[j] * factor);
		explain_place(explain, term, op->inputs[0], offset - i + j);
	}
	explain_add_weight(explain, op->weights[1], i, 0);
	explain->recomputed = (x[i] - mean) * inverse * gain + bias;
	buf_printf(&explain->formula, "%.9g = (%.9g - mean %.9g) * %.9g * gain %.9g + bias %.9g",
		(double)explain->recomputed, (double)x[i], (double)mean, (double)inverse, (double)gain, (double)bias);
	return true;
}

void op_layer_norm_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_layer_norm_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "TH", 8, cost);
	cost->weight_bytes = 8.0 * (double)dims->H;
	cost->bytes_read += cost->weight_bytes;
}

/* --- rms_norm. Source: Zhang, Sennrich, "Root Mean Square Layer Normalization", 2019. --- */

/* Over the last axis, which the gain must fit: the hidden units, or one head's. */
bool op_rms_norm_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	int64_t width = dims_size(dims, in[0].axes[strlen(in[0].axes) - 1]);
	if (op->weights[0]->shape[0] != width)
		return err_input(err, NULL, op->weights[0]->name, "has %lld numbers; expected %lld",
			(long long)op->weights[0]->shape[0], (long long)width);
	return op_same_shape(op, in, out, err);
}

void op_rms_norm_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	int64_t width = op->weights[0]->shape[0];
	exec->kernels->rms_norm(exec_out(exec, op, 0)->data, x->data, op->weights[0]->data, op->eps, width,
		tensor_count(x) / width, exec->pool);
}

/* The terms hold the mean square fixed: y[i] = x[i] * gain / root. */
bool op_rms_norm_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t width = op->weights[0]->shape[0], offset = explain_offset(explain, op->outputs[0]), i = offset % width;
	float *x, squares = 0, gain = op->weights[0]->data[i];
	if (!explain_read(explain, op->inputs[0], offset - i, width, &x, err))
		return false;
	for (int64_t j = 0; j < width; j++)
		squares = fmaf(x[j], x[j], squares);
	float inverse = real_rsqrt(squares / (float)width + op->eps), y = x[i] * inverse * gain;
	double factor = (double)inverse * gain;
	explain_place(explain, explain_add(explain, op->inputs[0], x[i], factor, x[i] * factor), op->inputs[0], offset);
	explain->recomputed = y;
	buf_printf(&explain->formula, "%.9g = %.9g * %.9g (1 / root of the mean square of %lld numbers) * gain %.9g",
		(double)y, (double)x[i], (double)inverse, (long long)width, (double)gain);
	return true;
}

void op_rms_norm_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_rms_norm_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double count = (double)dims->T * (double)dims_count(dims, op->axes);
	cost->flops = 4 * count;
	cost->weight_bytes = 4.0 * (double)op->weights[0]->shape[0];
	cost->bytes_read = 4 * count + cost->weight_bytes;
	cost->bytes_written = 4 * count;
}
