/* Weights meet activations: look-up, matrix product, and the sum of two tensors. */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"

/* --- lookup --- */

bool op_lookup_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	if (!spec_want(op, in, 0, DTYPE_I32, err))
		return false;
	out[0] = spec_of(DTYPE_F32, in[0].axes);
	strcat(out[0].axes, "H");
	return true;
}

void op_lookup_run(const struct op *op, struct exec *exec)
{
	const struct tensor *ids = exec_in(exec, op, 0);
	const struct weight *table = op->weights[0];
	int64_t count = tensor_count(ids), width = table->shape[1];
	float *y = exec_out(exec, op, 0)->data;
	for (int64_t t = 0; t < count; t++, y += width) {
		int32_t id = ((const int32_t *)ids->data)[t];
		if (id >= 0)
			weight_row(table, id, y);
		else
			memset(y, 0, (size_t)width * sizeof *y);
	}
}

bool op_lookup_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct weight *table = op->weights[0];
	int64_t offset = explain_offset(explain, op->outputs[0]), h = offset % table->shape[1];
	float *id;
	if (!explain_read(explain, op->inputs[0], offset / table->shape[1], 1, &id, err))
		return false;
	int64_t row = (int64_t)*id;
	if (row < 0) {
		buf_add_text(&explain->formula, "0, padding has no row in the table");
		return true;
	}
	float value = weight_cell(table, row, h);
	explain_add_weight(explain, table, row, h);
	explain->recomputed = value;
	buf_printf(&explain->formula, "%.9g = %s[%lld, %lld]", (double)value, table->name, (long long)row,
		(long long)h);
	return true;
}

void op_lookup_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_lookup_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double count = (double)dims_count(dims, "TH");
	(void)op;
	*cost = (struct cost){.bytes_read = 4.0 * count + 4.0 * (double)dims->T,
		.bytes_written = 4.0 * count,
		.weight_bytes = 4.0 * count};
}

/* --- linear --- */

bool op_linear_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	const struct weight *weight = op->weights[0];
	if (!spec_want(op, in, 0, DTYPE_F32, err))
		return false;
	int lead = spec_lead(&in[0]);
	if (spec_width(&in[0], dims) != weight->shape[1])
		return err_input(err, NULL, weight->name, "takes %lld inputs, but %s has %lld numbers per position",
			(long long)weight->shape[1], op->name, (long long)spec_width(&in[0], dims));
	if (dims_count(dims, op->axes) != weight->shape[0])
		return err_input(err, NULL, weight->name, "has %lld outputs; expected %lld",
			(long long)weight->shape[0], (long long)dims_count(dims, op->axes));
	out[0] = spec_of(DTYPE_F32, in[0].axes);
	memset(out[0].axes + lead, 0, sizeof out[0].axes - (size_t)lead);
	strncat(out[0].axes, op->axes, sizeof out[0].axes - 1 - (size_t)lead);
	return true;
}

void op_linear_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	const struct panel *panel = &op->weights[0]->panel;
	const float *bias = op->weight_count > 1 ? op->weights[1]->data : NULL;
	exec->kernels->matmul(exec_out(exec, op, 0)->data, x->data, panel, bias, tensor_count(x) / panel->in,
		exec->pool);
}

bool op_linear_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct weight *weight = op->weights[0];
	int64_t in = weight->shape[1], out = weight->shape[0];
	int64_t offset = explain_offset(explain, op->outputs[0]), first = offset / out * in, j = offset % out;
	float *x, acc = 0;
	if (!explain_read(explain, op->inputs[0], first, in, &x, err))
		return false;
	for (int64_t k = 0; k < in; k++) {
		float w = weight_cell(weight, j, k);
		acc = fmaf(x[k], w, acc);
		struct explain_term *term = explain_add(explain, op->inputs[0], x[k], w, (double)x[k] * w);
		explain_place(explain, term, op->inputs[0], first + k);
	}
	buf_printf(&explain->formula, "%.9g = sum of %lld products with %s[%lld, :]", (double)acc, (long long)in,
		weight->name, (long long)j);
	if (op->weight_count > 1) {
		float bias = op->weights[1]->data[j];
		acc += bias;
		explain_add_weight(explain, op->weights[1], j, 0);
		buf_clear(&explain->formula);
		buf_printf(&explain->formula, "%.9g = sum of %lld products with %s[%lld, :] + bias %.9g", (double)acc,
			(long long)in, weight->name, (long long)j, (double)bias);
	}
	explain->recomputed = acc;
	return true;
}

void op_linear_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_linear_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	const struct weight *weight = op->weights[0];
	double in = (double)weight->shape[1], out = (double)weight->shape[0];
	double rows = (double)(op->per_row ? dims->B : dims->T);
	double weights = 4.0 * in * out + (op->weight_count > 1 ? 4.0 * out : 0);
	*cost = (struct cost){
		.flops = rows * (2 * in * out + (op->weight_count > 1 ? out : 0)),
		.bytes_read = weights + 4 * rows * in,
		.bytes_written = 4 * rows * out,
		.weight_bytes = weights,
	};
}

/* --- add --- */

bool op_add_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_add_run(const struct op *op, struct exec *exec)
{
	exec->kernels->add(exec_out(exec, op, 0)->data, exec_in(exec, op, 0)->data, exec_in(exec, op, 1)->data,
		tensor_count(exec_out(exec, op, 0)), exec->pool);
}

bool op_add_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float sum = 0;
	for (int i = 0; i < 2; i++) {
		float *x;
		if (!explain_read(explain, op->inputs[i], offset, 1, &x, err))
			return false;
		explain_place(explain, explain_add(explain, op->inputs[i], *x, 1, *x), op->inputs[i], offset);
		sum = i == 0 ? *x : sum + *x;
		buf_printf(&explain->formula, i == 0 ? "%.9g" : " + %.9g", (double)*x);
	}
	buf_printf(&explain->formula, " = %.9g", (double)sum);
	explain->recomputed = sum;
	return true;
}

void op_add_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_add_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "TH", 1, cost);
}
