/* What the batch hands to a pass (tokens, positions, padding, the cache's table) and copies of values. */
#include <string.h>

#include "engine/op_kinds.h"

static void no_cost(struct cost *cost)
{
	*cost = (struct cost){0};
}

/* --- input: tokens, positions, pad --- */

bool op_input_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)op, (void)in, (void)err;
	out[0] = spec_of_cells(dims, DTYPE_I32, "");
	out[1] = spec_of_cells(dims, DTYPE_I32, "");
	out[2] = spec_of_cells(dims, DTYPE_BOOL, "");
	if (op->output_count > 3)
		out[3] = spec_of_cells(dims, DTYPE_I32, ""); /* row_of */
	return true;
}

void op_input_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	memcpy(exec_out(exec, op, 0)->data, pass->tokens, tensor_bytes(exec_out(exec, op, 0)));
	memcpy(exec_out(exec, op, 1)->data, pass->positions, tensor_bytes(exec_out(exec, op, 1)));
	memcpy(exec_out(exec, op, 2)->data, pass->pad, tensor_bytes(exec_out(exec, op, 2)));
	if (op->output_count > 3)
		memcpy(exec_out(exec, op, 3)->data, pass->row_of, tensor_bytes(exec_out(exec, op, 3)));
}

bool op_input_explain(const struct op *op, struct explain *explain, struct err *err)
{
	(void)err;
	const struct pass *pass = explain->pass;
	int64_t cell = explain_offset(explain, op->outputs[explain->output]);
	int32_t value = explain->output == 0 ? pass->tokens[cell]
		: explain->output == 1       ? pass->positions[cell]
		: explain->output == 2       ? pass->pad[cell]
					     : pass->row_of[cell];
	explain->recomputed = (float)value;
	buf_printf(&explain->formula, "%d, given with the batch", value);
	return true;
}

void op_input_reach(const struct op *op, struct reach *reach)
{
	(void)op, (void)reach; /* the sources: analysis/influence.c starts from them */
}

void op_input_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op, (void)dims;
	no_cost(cost);
}

/* --- cache_table: cache.token, .position, .written, .row, .slot --- */

bool op_cache_table_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims, (void)in, (void)err;
	for (int i = 0; i < op->output_count; i++)
		out[i] = spec_of(DTYPE_I32, "BK");
	return true;
}

void op_cache_table_run(const struct op *op, struct exec *exec)
{
	static const struct kvcache_entry empty = {-1, -1, -1, -1, -1, false};
	const struct pass *pass = exec->pass;
	int32_t *token = exec_out(exec, op, 0)->data, *position = exec_out(exec, op, 1)->data;
	int32_t *written = exec_out(exec, op, 2)->data, *row = exec_out(exec, op, 3)->data;
	int32_t *slot = exec_out(exec, op, 4)->data;
	for (int64_t i = 0; i < pass->B * pass->K; i++) {
		int32_t at = pass->key_slot[i];
		const struct kvcache_entry *entry = at < 0 ? &empty : &exec->cache->entries[at];
		bool shared =
			pass->key_origin[i] >= KVCACHE_OWN; /* told as the row's own computation, whose bits they are */
		int32_t request = shared ? pass->rows[i / pass->K] : entry->request;
		token[i] = entry->token;
		position[i] = entry->position;
		written[i] = shared ? exec->cache->rows[request].written[entry->position] : entry->pass;
		row[i] = request;
		slot[i] = at;
	}
}

bool op_cache_table_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t b = explain->index[0], k = explain->index[1], pass, cell;
	float *recorded;
	if (!explain->reader.key(explain->reader.self, b, k, &pass, &cell, err) ||
		!explain_read(explain, op->outputs[explain->output], b * explain->dims.K + k, 1, &recorded, err))
		return false;
	explain->recomputed = *recorded; /* a table of what happened: nothing is computed */
	if (pass < 0)
		buf_add_text(&explain->formula, "an empty slot");
	else
		buf_printf(&explain->formula, "%g, in the slot that pass %lld wrote", (double)*recorded,
			(long long)pass);
	return true;
}

void op_cache_table_reach(const struct op *op, struct reach *reach)
{
	(void)op, (void)reach; /* physical: exempt from the promise */
}

void op_cache_table_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op, (void)dims;
	no_cost(cost);
}

/* --- copy --- */

bool op_copy_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)op, (void)dims, (void)err;
	out[0] = in[0];
	return true;
}

void op_copy_run(const struct op *op, struct exec *exec)
{
	memcpy(exec_out(exec, op, 0)->data, exec_in(exec, op, 0)->data, tensor_bytes(exec_in(exec, op, 0)));
}

bool op_copy_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	explain_place(explain, explain_add(explain, op->inputs[0], *x, 1, *x), op->inputs[0], offset);
	explain->recomputed = *x;
	buf_printf(&explain->formula, "%.9g, copied", (double)*x);
	return true;
}

void op_copy_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_copy_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op, (void)dims;
	no_cost(cost); /* a copy stands for an operation that was left out */
}

/* --- inject --- */

bool op_inject_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_inject_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t width = tensor_count(exec_in(exec, op, 0)) / pass->cells;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		int32_t request = pass->rows[pass->row_of[cell]];
		for (int64_t i = cell * width; i < (cell + 1) * width; i++)
			y[i] = op->rows[request] != 0 ? op->fill[request] : x[i];
	}
}

bool op_inject_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int32_t request = explain->pass->rows[explain->pass->row_of[explain_cell_index(explain, op->outputs[0])]];
	if (op->rows[request] == 0)
		return op_copy_explain(op, explain, err);
	explain->recomputed = op->fill[request];
	buf_printf(&explain->formula, "%.9g, put in place of the row's own numbers", (double)op->fill[request]);
	return true;
}

void op_inject_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_inject_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op, (void)dims;
	no_cost(cost);
}
