/* From the last hidden states to each row's next token. */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

/* --- last --- */

bool op_last_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	if (!spec_want(op, in, 0, DTYPE_F32, err))
		return false;
	out[0] = spec_of(DTYPE_F32, "B");
	strcat(out[0].axes, in[0].axes + spec_lead(&in[0]));
	return true;
}

void op_last_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t width = tensor_count(exec_out(exec, op, 0)) / pass->B;
	for (int64_t b = 0; b < pass->B; b++, y += width) {
		if (pass->last[b] >= 0)
			memcpy(y, x + pass->last[b] * width, (size_t)width * sizeof *y);
		else
			memset(y, 0, (size_t)width * sizeof *y); /* the row has no token in this pass */
	}
}

bool op_last_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct pass *pass = explain->pass;
	int64_t width = dims_count(&explain->dims, explain->plan->values[op->outputs[0]].spec.axes + 1);
	int64_t b = explain->index[0], i = explain_offset(explain, op->outputs[0]) % width;
	int64_t offset = pass->last[b] * width + i;
	float *x;
	if (pass->last[b] < 0) {
		buf_add_text(&explain->formula, "0: the row has no token in this pass");
		return true;
	}
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	explain_place(explain, explain_add(explain, op->inputs[0], *x, 1, *x), op->inputs[0], offset);
	explain->recomputed = *x;
	buf_printf(&explain->formula, "%.9g, taken from position %lld: the last real token of its row", (double)*x,
		(long long)pass_position(pass, pass->last[b]));
	return true;
}

void op_last_reach(const struct op *op, struct reach *reach)
{
	if (reach->pass->last[reach->cell] >= 0)
		reach_from(reach, op->inputs[0], reach->pass->last[reach->cell]);
}

void op_last_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "BH", 0, cost);
}

/* --- softmax --- */

bool op_softmax_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_softmax_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	float *sums = arena_raw(exec->memory, (size_t)x->shape[0], sizeof *sums);
	exec->kernels->softmax(exec_out(exec, op, 0)->data, sums, x->data, NULL, 1, x->shape[1], x->shape[0],
		exec->pool);
	exec->summed = op->inputs[0];
	exec->sums = sums;
}

bool op_softmax_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t V = explain->dims.V, offset = explain_offset(explain, op->outputs[0]), v = offset % V;
	float *x;
	if (!explain_read(explain, op->inputs[0], offset - v, V, &x, err))
		return false;
	explain_softmax(explain, &(struct explain_range){op->inputs[0], offset - v, V, x, NULL}, v);
	return true;
}

void op_softmax_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_softmax_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "BV", 4, cost);
}

/* --- choose --- */

bool op_choose_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = spec_of(DTYPE_I32, "B");
	return spec_want(op, in, 0, DTYPE_F32, err);
}

void op_choose_run(const struct op *op, struct exec *exec)
{
	const struct tensor *logits = exec_in(exec, op, 0);
	int32_t *next = exec_out(exec, op, 0)->data;
	for (int64_t b = 0; b < exec->pass->B; b++) {
		const float *row = (const float *)logits->data + b * logits->shape[1];
		next[b] = exec->pass->sampled[b] != 0 ? (int32_t)exec->kernels->argmax(row, logits->shape[1]) : -1;
	}
}

/* Index of the largest of x [n], the lowest on a tie; 0 when all are NaN. */
static int64_t largest(const float *x, int64_t n)
{
	int64_t best = -1;
	for (int64_t i = 0; i < n; i++) {
		if (x[i] == x[i] && (best < 0 || x[i] > x[best]))
			best = i;
	}
	return best < 0 ? 0 : best;
}

bool op_choose_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t V = explain->dims.V, b = explain->index[0];
	float *x;
	if (explain->pass->sampled[b] == 0 || explain->pass->ended[b] != 0) {
		explain->recomputed = -1;
		buf_add_text(&explain->formula,
			"-1: the row is not sampled: it is in the middle of its prompt, or has finished");
		return true;
	}
	if (!explain_read(explain, op->inputs[0], b * V, V, &x, err))
		return false;
	int64_t best = largest(x, V);
	explain_place(explain, explain_add(explain, op->inputs[0], x[best], 1, x[best]), op->inputs[0], b * V + best);
	explain->recomputed = (float)best;
	buf_printf(&explain->formula, "%lld: its logit %.9g is the largest of %lld", (long long)best, (double)x[best],
		(long long)V);
	return true;
}

void op_choose_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_choose_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	op_elements_cost(op, dims, "BV", 1, cost);
	cost->bytes_written = 4.0 * (double)dims->B;
}

/* --- logprob --- */

bool op_logprob_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = spec_of(DTYPE_F32, "B");
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 1, DTYPE_I32, err);
}

void op_logprob_run(const struct op *op, struct exec *exec)
{
	const struct tensor *logits = exec_in(exec, op, 0);
	const int32_t *next = exec_in(exec, op, 1)->data;
	const float *sums = exec->summed == op->inputs[0] ? exec->sums : NULL;
	exec->kernels->log_softmax(exec_out(exec, op, 0)->data, sums, logits->data, next, logits->shape[1],
		exec->pass->B, exec->pool);
}

bool op_logprob_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t V = explain->dims.V, b = explain->index[0];
	float *x, *next, sum = 0;
	if (!explain_read(explain, op->inputs[0], b * V, V, &x, err) ||
		!explain_read(explain, op->inputs[1], b, 1, &next, err))
		return false;
	if (*next < 0) {
		buf_add_text(&explain->formula, "0: the row is not sampled in this pass");
		return true;
	}
	int64_t chosen = (int64_t)*next;
	float most = x[largest(x, V)];
	for (int64_t v = 0; v < V; v++)
		sum += real_exp(x[v] - most);
	explain_place(explain, explain_add(explain, op->inputs[0], x[chosen], 1, x[chosen]), op->inputs[0],
		b * V + chosen);
	explain->recomputed = (x[chosen] - most) - real_log(sum);
	buf_printf(&explain->formula, "%.9g = logit %.9g - largest %.9g - log(sum of exp = %.9g)",
		(double)explain->recomputed, (double)x[chosen], (double)most, (double)sum);
	return true;
}

void op_logprob_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_logprob_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double count = (double)dims_count(dims, "BV"), rows = (double)dims->B;
	(void)op;
	/* difference, exp and sum of each logit; then log and two differences of each row */
	*cost = (struct cost){.flops = 3 * count + 3 * rows,
		.bytes_read = 4 * count + 4 * rows,
		.bytes_written = 4 * rows};
}

/* --- finish --- */

bool op_finish_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = spec_of(DTYPE_BOOL, "B");
	return spec_want(op, in, 0, DTYPE_I32, err);
}

void op_finish_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	const int32_t *next = exec_in(exec, op, 0)->data;
	uint8_t *finished = exec_out(exec, op, 0)->data;
	for (int64_t b = 0; b < pass->B; b++) {
		int64_t count = pass->past[b] + pass->fresh[b];
		int32_t *tokens = ARENA_ARRAY(exec->scratch, int32_t, count + 1);
		memcpy(tokens, pass->histories[b], (size_t)count * sizeof *tokens);
		tokens[count] = next[b];
		finished[b] = pass->ended[b] != 0 ||
			(next[b] >= 0 &&
				request_finish(&exec->batch->requests[pass->rows[b]], &exec->finish, tokens,
					count + 1) != FINISH_NONE);
	}
}

bool op_finish_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct pass *pass = explain->pass;
	int64_t b = explain->index[0];
	float *next;
	if (!explain_read(explain, op->inputs[0], b, 1, &next, err))
		return false;
	explain_place(explain, explain_add(explain, op->inputs[0], *next, 1, *next), op->inputs[0], b);
	if (pass->ended[b] != 0) {
		explain->recomputed = 1;
		buf_add_text(&explain->formula, "true: the row finished in an earlier pass");
		return true;
	}
	/* the choice, which a fork may have changed since */
	int64_t count = pass->past[b] + pass->fresh[b];
	int32_t *tokens = ARENA_ARRAY(explain->arena, int32_t, count + 1);
	memcpy(tokens, explain->reader.history(explain->reader.self, pass->rows[b]), (size_t)count * sizeof *tokens);
	tokens[count] = (int32_t)*next;
	enum finish_reason reason = *next < 0
		? FINISH_NONE
		: request_finish(&explain->batch->requests[pass->rows[b]], &explain->finish, tokens, count + 1);
	explain->recomputed = reason != FINISH_NONE;
	buf_printf(&explain->formula, "%s: token %d %s%s", reason != FINISH_NONE ? "true" : "false", (int)*next,
		reason != FINISH_NONE ? "ends the row: " : "does not end the row", finish_reason_name(reason));
	return true;
}

void op_finish_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_finish_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	*cost = (struct cost){.bytes_read = 4.0 * (double)dims->B, .bytes_written = (double)dims->B};
}
