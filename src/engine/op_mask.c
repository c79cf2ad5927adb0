/* Masks: who may attend to what. They come from lengths and columns, never from token IDs. */
#include "engine/op_kinds.h"

static bool mask_shape(const struct dims *dims, struct spec *out)
{
	out[0] = spec_of_cells(dims, DTYPE_BOOL, "K");
	return true;
}

/* Comparisons of whole numbers are no floating-point operations. */
static void mask_cost(const struct dims *dims, double bytes_read, struct cost *cost)
{
	*cost = (struct cost){.bytes_read = bytes_read, .bytes_written = (double)dims_count(dims, "TK")};
}

/* The column that an explained mask entry is about. */
static int64_t mask_column(const struct explain *explain, const struct op *op)
{
	return explain_axis(explain, op->outputs[0], 'K');
}

bool op_mask_causal_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)op, (void)in, (void)err;
	return mask_shape(dims, out);
}

void op_mask_causal_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	uint8_t *mask = exec_out(exec, op, 0)->data;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		for (int64_t k = 0; k < pass->K; k++)
			*mask++ = k <= pass->column[cell];
	}
}

bool op_mask_causal_explain(const struct op *op, struct explain *explain, struct err *err)
{
	(void)err;
	int64_t k = mask_column(explain, op),
		column = explain->pass->column[explain_cell_index(explain, op->outputs[0])];
	explain->recomputed = k <= column;
	buf_printf(&explain->formula, "%s: column %lld %s the query's own column %lld", k <= column ? "true" : "false",
		(long long)k, k <= column ? "<=" : ">", (long long)column);
	return true;
}

void op_mask_causal_reach(const struct op *op, struct reach *reach)
{
	(void)op, (void)reach;
}

void op_mask_causal_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	mask_cost(dims, 4 * (double)dims->T, cost); /* each cell's column */
}

bool op_mask_padding_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)op, (void)in, (void)err;
	return mask_shape(dims, out);
}

void op_mask_padding_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	uint8_t *mask = exec_out(exec, op, 0)->data;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		const int32_t *keys = pass->key_position + pass->row_of[cell] * pass->K;
		for (int64_t k = 0; k < pass->K; k++)
			*mask++ = keys[k] >= 0 && pass->pad[cell] == 0;
	}
}

bool op_mask_padding_explain(const struct op *op, struct explain *explain, struct err *err)
{
	(void)err;
	const struct pass *pass = explain->pass;
	int64_t cell = explain_cell_index(explain, op->outputs[0]);
	bool query_pads = pass->pad[cell] != 0;
	bool key_pads = pass->key_position[pass->row_of[cell] * pass->K + mask_column(explain, op)] < 0;
	explain->recomputed = !query_pads && !key_pads;
	buf_printf(&explain->formula, "%s: the query is %s, the key is %s", explain->recomputed != 0 ? "true" : "false",
		query_pads ? "padding" : "a real token", key_pads ? "padding" : "a real token");
	return true;
}

void op_mask_padding_reach(const struct op *op, struct reach *reach)
{
	(void)op, (void)reach;
}

void op_mask_padding_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	mask_cost(dims, (double)dims->T + 4 * (double)dims_count(dims, "BK"), cost); /* pads; positions of columns */
}

bool op_mask_window_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)op, (void)in, (void)err;
	return mask_shape(dims, out);
}

void op_mask_window_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	uint8_t *mask = exec_out(exec, op, 0)->data;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		const int32_t *keys = pass->key_position + pass->row_of[cell] * pass->K;
		for (int64_t k = 0; k < pass->K; k++)
			*mask++ = pass->positions[cell] - keys[k] < op->window;
	}
}

bool op_mask_window_explain(const struct op *op, struct explain *explain, struct err *err)
{
	(void)err;
	const struct pass *pass = explain->pass;
	int64_t cell = explain_cell_index(explain, op->outputs[0]);
	int32_t query = pass->positions[cell],
		key = pass->key_position[pass->row_of[cell] * pass->K + mask_column(explain, op)];
	explain->recomputed = query - key < op->window;
	buf_printf(&explain->formula, "%s: position %d - position %d %s the window of %lld",
		explain->recomputed != 0 ? "true" : "false", query, key,
		explain->recomputed != 0 ? "<" : ">=", (long long)op->window);
	return true;
}

void op_mask_window_reach(const struct op *op, struct reach *reach)
{
	(void)op, (void)reach;
}

void op_mask_window_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	mask_cost(dims, 4 * ((double)dims->T + (double)dims_count(dims, "BK")), cost); /* positions of both */
}

bool op_mask_and_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	return spec_want(op, in, 0, DTYPE_BOOL, err) && spec_want(op, in, 1, DTYPE_BOOL, err) && mask_shape(dims, out);
}

void op_mask_and_run(const struct op *op, struct exec *exec)
{
	const uint8_t *a = exec_in(exec, op, 0)->data, *b = exec_in(exec, op, 1)->data;
	uint8_t *mask = exec_out(exec, op, 0)->data;
	int64_t count = tensor_count(exec_out(exec, op, 0));
	for (int64_t i = 0; i < count; i++)
		mask[i] = a[i] & b[i];
}

bool op_mask_and_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	bool result = true;
	for (int i = 0; i < 2; i++) {
		float *x;
		if (!explain_read(explain, op->inputs[i], offset, 1, &x, err))
			return false;
		explain_place(explain, explain_add(explain, op->inputs[i], *x, 1, *x), op->inputs[i], offset);
		result = result && *x != 0;
		buf_printf(&explain->formula, "%s%s", i > 0 ? " AND " : "", *x != 0 ? "true" : "false");
	}
	explain->recomputed = result;
	return true;
}

void op_mask_and_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_mask_and_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	mask_cost(dims, 2 * (double)dims_count(dims, "TK"), cost);
}
