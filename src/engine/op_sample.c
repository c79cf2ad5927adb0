/* From logits to each row's next token by sampling: every step is a value of its own. Parameters are the request's (struct sampling). */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"
#include "engine/random.h"
#include "tensor/real.h"

const struct sampling *op_sampling(const struct batch *batch, const struct pass *pass, int64_t b)
{
	return request_sampling(&batch->requests[pass->rows[b]], pass->past[b] + pass->fresh[b]);
}

/* Whether a row draws in this pass; a greedy one takes the largest. */
static bool draws(const struct batch *batch, const struct pass *pass, int64_t b)
{
	return pass->sampled[b] != 0 && op_sampling(batch, pass, b)->temperature > 0;
}

/* The cost of a step over (B,V) that does so many operations for each number. */
static void step_cost(const struct op *op, const struct dims *dims, double flops, struct cost *cost)
{
	op_elements_cost(op, dims, "BV", flops, cost);
}

/* --- penalise --- */

/* One logit of a token that occurs `count` times among the row's own. */
static float penalised(const struct sampling *s, float x, int64_t count)
{
	if (count == 0)
		return x;
	if (s->repetition_penalty != 0)
		x = x > 0 ? x / s->repetition_penalty : x * s->repetition_penalty;
	x = x - s->presence_penalty;
	return x - s->frequency_penalty * (float)count;
}

bool op_penalise_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_penalise_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t V = exec->dims.V, *counts = ARENA_ARRAY(exec->scratch, int64_t, V);
	memcpy(y, x, tensor_bytes(exec_in(exec, op, 0)));
	for (int64_t b = 0; b < pass->B; b++, y += V) {
		const struct sampling *s = op_sampling(exec->batch, pass, b);
		int64_t length = pass->past[b] + pass->fresh[b];
		if (!sampling_is_used(s))
			continue;
		memset(counts, 0, (size_t)V * sizeof *counts);
		for (int64_t t = 0; t < length; t++)
			counts[pass->histories[b][t]]++;
		counts[pass->pad_token] += pass->counted_pads[b];
		for (int64_t v = 0; v < V; v++)
			y[v] = penalised(s, y[v], counts[v]);
	}
}

bool op_penalise_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct pass *pass = explain->pass;
	int64_t b = explain->index[0], v = explain->index[1], offset = b * explain->dims.V + v, count = 0;
	const int32_t *history = explain->reader.history(explain->reader.self, pass->rows[b]);
	const struct sampling *s = op_sampling(explain->batch, pass, b);
	float *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	for (int64_t t = 0; t < pass->past[b] + pass->fresh[b]; t++)
		count += history[t] == v;
	float y = sampling_is_used(s) ? penalised(s, *x, count) : *x;
	explain_place(explain, explain_add(explain, op->inputs[0], *x, *x != 0 ? (double)y / *x : 0, y), op->inputs[0],
		offset);
	explain->recomputed = y;
	buf_printf(&explain->formula, "%.9g: logit %.9g, the token occurs %lld times in its row", (double)y, (double)*x,
		(long long)count);
	return true;
}

void op_penalise_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_penalise_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	step_cost(op, dims, 4, cost);
}

/* --- temper --- */

bool op_temper_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	return op_same_shape(op, in, out, err);
}

void op_temper_run(const struct op *op, struct exec *exec)
{
	const float *x = exec_in(exec, op, 0)->data;
	float *y = exec_out(exec, op, 0)->data;
	int64_t V = exec->dims.V;
	for (int64_t b = 0; b < exec->pass->B; b++) {
		float temperature = op_sampling(exec->batch, exec->pass, b)->temperature;
		for (int64_t i = b * V; i < (b + 1) * V; i++)
			y[i] = temperature > 0 ? x[i] / temperature : x[i];
	}
}

bool op_temper_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float temperature = op_sampling(explain->batch, explain->pass, explain->index[0])->temperature, *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	double weight = temperature > 0 ? 1.0 / temperature : 1;
	explain_place(explain, explain_add(explain, op->inputs[0], *x, weight, *x * weight), op->inputs[0], offset);
	explain->recomputed = temperature > 0 ? *x / temperature : *x;
	if (temperature > 0)
		buf_printf(&explain->formula, "%.9g = %.9g / temperature %.9g", explain->recomputed, (double)*x,
			(double)temperature);
	else
		buf_printf(&explain->formula, "%.9g, as it is: the row is greedy", explain->recomputed);
	return true;
}

void op_temper_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_temper_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	step_cost(op, dims, 1, cost);
}

/* --- softmax_kept --- */

bool op_softmax_kept_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = in[0];
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 1, DTYPE_BOOL, err);
}

void op_softmax_kept_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	exec->kernels->softmax(exec_out(exec, op, 0)->data, NULL, x->data, exec_in(exec, op, 1)->data, x->shape[0],
		x->shape[1], x->shape[0], exec->pool);
}

bool op_softmax_kept_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t V = explain->dims.V, offset = explain_offset(explain, op->outputs[0]), v = offset % V;
	float *x, *kept;
	if (!explain_read(explain, op->inputs[0], offset - v, V, &x, err) ||
		!explain_read(explain, op->inputs[1], offset - v, V, &kept, err))
		return false;
	if (kept[v] == 0) {
		buf_add_text(&explain->formula, "0: a filter has left this token out");
		return true;
	}
	explain_softmax(explain, &(struct explain_range){op->inputs[0], offset - v, V, x, kept}, v);
	return true;
}

void op_softmax_kept_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_softmax_kept_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	step_cost(op, dims, 4, cost);
	cost->bytes_read = 5 * (double)dims_count(dims, "BV");
}

/* --- draw: counter, random word, number in [0, 1) --- */

bool op_draw_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)op, (void)dims, (void)in, (void)err;
	out[0] = spec_of(DTYPE_U32, "B");
	out[1] = spec_of(DTYPE_U32, "B");
	out[2] = spec_of(DTYPE_F32, "B");
	return true;
}

void op_draw_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	uint32_t *counter = exec_out(exec, op, 0)->data, *word = exec_out(exec, op, 1)->data;
	float *unit = exec_out(exec, op, 2)->data;
	for (int64_t b = 0; b < pass->B; b++) {
		uint32_t words[4] = {0};
		bool drawn = draws(exec->batch, pass, b);
		if (drawn)
			random_philox(pass->draws[b].key, pass->draws[b].counter, words);
		counter[b] = drawn ? pass->draws[b].counter[0] : 0;
		word[b] = words[0];
		unit[b] = random_unit(words[0]);
	}
}

bool op_draw_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct pass *pass = explain->pass;
	int64_t b = explain->index[0];
	const struct pass_draw *draw = &pass->draws[b];
	uint32_t words[4] = {0};
	(void)op, (void)err;
	if (!draws(explain->batch, pass, b) || pass->ended[b] != 0) {
		buf_add_text(&explain->formula, "0: the row draws nothing in this pass");
		return true;
	}
	random_philox(draw->key, draw->counter, words);
	explain->recomputed = explain->output == 0 ? draw->counter[0]
		: explain->output == 1             ? words[0]
						   : (double)random_unit(words[0]);
	buf_printf(&explain->formula,
		"%.10g: Philox with the seed %llu and the counter (position %u, 0, hash of the row's ID)",
		explain->recomputed, (unsigned long long)draw->key, (unsigned)draw->counter[0]);
	return true;
}

void op_draw_reach(const struct op *op, struct reach *reach)
{
	(void)op, (void)reach; /* of the row's own seed, ID and position */
}

void op_draw_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	*cost = (struct cost){.bytes_written = 12.0 * (double)dims->B};
}

/* --- choose_drawn --- */

bool op_choose_drawn_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = spec_of(DTYPE_I32, "B");
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 1, DTYPE_F32, err) &&
		spec_want(op, in, 2, DTYPE_BOOL, err) && spec_want(op, in, 3, DTYPE_F32, err);
}

/* The first token at which the running sum of what is kept exceeds u; the last one kept when rounding leaves the sum below. */
static int32_t inverse_sum(const float *probs, const uint8_t *kept, int64_t V, float u)
{
	float sum = 0;
	int32_t last = 0;
	for (int64_t v = 0; v < V; v++) {
		if (kept[v] == 0)
			continue;
		sum += probs[v];
		last = (int32_t)v;
		if (u < sum)
			break;
	}
	return last;
}

void op_choose_drawn_run(const struct op *op, struct exec *exec)
{
	int64_t V = exec->dims.V;
	const float *x = exec_in(exec, op, 0)->data, *probs = exec_in(exec, op, 1)->data,
		    *u = exec_in(exec, op, 3)->data;
	const uint8_t *kept = exec_in(exec, op, 2)->data;
	int32_t *next = exec_out(exec, op, 0)->data;
	for (int64_t b = 0; b < exec->pass->B; b++) {
		if (exec->pass->sampled[b] == 0)
			next[b] = -1;
		else if (draws(exec->batch, exec->pass, b))
			next[b] = inverse_sum(probs + b * V, kept + b * V, V, u[b]);
		else
			next[b] = (int32_t)exec->kernels->argmax(x + b * V, V);
	}
}

/* The running sum up to the chosen token, as terms. */
static bool explain_drawn(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t V = explain->dims.V, b = explain->index[0];
	float *probs, *flags, *u, sum = 0;
	uint8_t *kept = ARENA_ARRAY(explain->arena, uint8_t, V);
	if (!explain_read(explain, op->inputs[1], b * V, V, &probs, err) ||
		!explain_read(explain, op->inputs[2], b * V, V, &flags, err) ||
		!explain_read(explain, op->inputs[3], b, 1, &u, err))
		return false;
	for (int64_t v = 0; v < V; v++)
		kept[v] = flags[v] != 0;
	int32_t chosen = inverse_sum(probs, kept, V, *u);
	for (int64_t v = 0; v <= chosen; v++) {
		if (kept[v] == 0)
			continue;
		sum += probs[v];
		explain_place(explain, explain_add(explain, op->inputs[1], probs[v], 1, probs[v]), op->inputs[1],
			b * V + v);
	}
	explain->recomputed = chosen;
	buf_printf(&explain->formula, "%d: the running sum of probabilities, %.9g, is the first above the draw %.9g",
		chosen, (double)sum, (double)*u);
	return true;
}

bool op_choose_drawn_explain(const struct op *op, struct explain *explain, struct err *err)
{
	if (draws(explain->batch, explain->pass, explain->index[0]) && explain->pass->ended[explain->index[0]] == 0)
		return explain_drawn(op, explain, err);
	return op_choose_explain(op, explain, err); /* the largest of its first input, or no choice */
}

void op_choose_drawn_reach(const struct op *op, struct reach *reach)
{
	op_same_cell_reach(op, reach);
}

void op_choose_drawn_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double count = (double)dims_count(dims, "BV"), rows = (double)dims->B;
	(void)op;
	/* every row draws: probabilities, flags and its number; an addition and a comparison each */
	*cost = (struct cost){.flops = 2 * count, .bytes_read = 5 * count + 4 * rows, .bytes_written = 4 * rows};
}
