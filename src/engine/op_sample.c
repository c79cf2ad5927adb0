/* From logits to each row's next token by sampling: every step is a value of its own. Parameters are the request's (struct sampling). */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"
#include "engine/random.h"
#include "tensor/real.h"

static const struct sampling *sampling_of(const struct batch *batch, const struct pass *pass, int64_t b)
{
	return request_sampling(&batch->requests[pass->rows[b]], pass->past[b] + pass->fresh[b]);
}

/* Whether a row draws in this pass; a greedy one takes the largest. */
static bool draws(const struct batch *batch, const struct pass *pass, int64_t b)
{
	return pass->sampled[b] != 0 && sampling_of(batch, pass, b)->temperature > 0;
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
		const struct sampling *s = sampling_of(exec->batch, pass, b);
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
	const struct sampling *s = sampling_of(explain->batch, pass, b);
	float *x;
	if (!explain_read(explain, op->inputs[0], offset, 1, &x, err))
		return false;
	for (int64_t t = 0; t < pass->past[b] + pass->fresh[b]; t++)
		count += history[t] == v;
	float y = sampling_is_used(s) ? penalised(s, *x, count) : *x;
	explain_place(explain, explain_add(explain, op->inputs[0], *x, *x != 0 ? (double)y / *x : 0, y), op->inputs[0], offset);
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

bool op_temper_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out, struct err *err)
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
		float temperature = sampling_of(exec->batch, exec->pass, b)->temperature;
		for (int64_t i = b * V; i < (b + 1) * V; i++)
			y[i] = temperature > 0 ? x[i] / temperature : x[i];
	}
}

bool op_temper_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t offset = explain_offset(explain, op->outputs[0]);
	float temperature = sampling_of(explain->batch, explain->pass, explain->index[0])->temperature, *x;
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

/* --- what the three filters share --- */

/* One row of a filter: the scaled logits, what earlier filters kept (NULL: all), what is kept now. */
struct filter {
	const float *x;
	const uint8_t *before;
	uint8_t *kept;
	int64_t V;
	int32_t *order; /* [V]: memory for an order of the tokens */
};

typedef void filter_fn(const struct filter *filter, const struct sampling *sampling);

static bool is_in(const struct filter *f, int64_t v)
{
	return f->before == NULL || f->before[v] != 0;
}

/* Larger first, the lower ID first on a tie; NaN last. */
static bool comes_before(const float *x, int32_t a, int32_t b)
{
	if (x[a] != x[b] && x[a] == x[a] && x[b] == x[b])
		return x[a] > x[b];
	if ((x[a] == x[a]) != (x[b] == x[b]))
		return x[a] == x[a];
	return a < b;
}

static void sift(int32_t *heap, int64_t count, int64_t at, const float *x)
{
	for (int64_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && comes_before(x, heap[child], heap[child + 1]))
			child++;
		if (!comes_before(x, heap[at], heap[child]))
			return;
		int32_t other = heap[at];
		heap[at] = heap[child], heap[child] = other;
	}
}

/* The tokens that are still in, into order[], largest first (heap sort: no worst case). Gives their number. */
static int64_t sort_tokens(const struct filter *f)
{
	int64_t count = 0;
	for (int64_t v = 0; v < f->V; v++) {
		if (is_in(f, v))
			f->order[count++] = (int32_t)v;
	}
	for (int64_t i = count / 2 - 1; i >= 0; i--)
		sift(f->order, count, i, f->x);
	for (int64_t end = count - 1; end > 0; end--) {
		int32_t last = f->order[0];
		f->order[0] = f->order[end], f->order[end] = last;
		sift(f->order, end, 0, f->x);
	}
	return count;
}

static void keep_all(const struct filter *f)
{
	for (int64_t v = 0; v < f->V; v++)
		f->kept[v] = is_in(f, v);
}

static void top_k(const struct filter *f, const struct sampling *s)
{
	if (s->top_k <= 0 || s->top_k >= f->V) {
		keep_all(f);
		return;
	}
	int64_t count = sort_tokens(f);
	for (int64_t i = 0; i < count && i < s->top_k; i++)
		f->kept[f->order[i]] = 1;
}

/* The largest of what is in, and the sum of exp of the differences to it, ascending by ID. */
static float sum_of_exp(const struct filter *f, float *most)
{
	float sum = 0;
	bool any = false;
	*most = 0;
	for (int64_t v = 0; v < f->V; v++) {
		if (is_in(f, v) && f->x[v] == f->x[v] && (!any || f->x[v] > *most))
			*most = f->x[v], any = true;
	}
	for (int64_t v = 0; v < f->V; v++) {
		if (is_in(f, v))
			sum += real_exp(f->x[v] - *most);
	}
	return sum;
}

/* The smallest set, largest first, whose probabilities reach p. */
static void top_p(const struct filter *f, const struct sampling *s)
{
	if (s->top_p <= 0 || s->top_p >= 1) {
		keep_all(f);
		return;
	}
	float most, sum = sum_of_exp(f, &most), reached = 0;
	int64_t count = sort_tokens(f);
	for (int64_t i = 0; i < count && !(reached >= s->top_p); i++) {
		f->kept[f->order[i]] = 1;
		reached += real_exp(f->x[f->order[i]] - most) / sum;
	}
}

/* Tokens at least min_p times as likely as the likeliest. */
static void min_p(const struct filter *f, const struct sampling *s)
{
	float most;
	if (s->min_p <= 0) {
		keep_all(f);
		return;
	}
	sum_of_exp(f, &most);
	for (int64_t v = 0; v < f->V; v++)
		f->kept[v] = is_in(f, v) && real_exp(f->x[v] - most) >= s->min_p;
}

static bool filter_shape(const struct op *op, const struct spec *in, struct spec *out, struct err *err)
{
	out[0] = spec_of(DTYPE_BOOL, in[0].axes);
	return spec_want(op, in, 0, DTYPE_F32, err) && (op->input_count < 2 || spec_want(op, in, 1, DTYPE_BOOL, err));
}

/* A row that does not draw keeps everything. */
static void filter_row(const struct filter *f, const struct sampling *s, filter_fn *fn)
{
	memset(f->kept, 0, (size_t)f->V);
	if (s->temperature > 0)
		fn(f, s);
	else
		keep_all(f);
}

static void run_filter(const struct op *op, struct exec *exec, filter_fn *fn)
{
	int64_t V = exec->dims.V;
	const uint8_t *before = op->input_count > 1 ? exec_in(exec, op, 1)->data : NULL;
	int32_t *order = ARENA_ARRAY(exec->scratch, int32_t, V);
	for (int64_t b = 0; b < exec->pass->B; b++) {
		struct filter f = {.x = (const float *)exec_in(exec, op, 0)->data + b * V,
			.before = before != NULL ? before + b * V : NULL,
			.kept = (uint8_t *)exec_out(exec, op, 0)->data + b * V, .V = V, .order = order};
		filter_row(&f, sampling_of(exec->batch, exec->pass, b), fn);
	}
}

/* What the filter gives for the row of the explained cell. */
static bool explain_filter(const struct op *op, struct explain *explain, filter_fn *fn, struct err *err)
{
	int64_t V = explain->dims.V, b = explain->index[0], v = explain->index[1];
	uint8_t *before = ARENA_ARRAY(explain->arena, uint8_t, V);
	float *x, *flags = NULL;
	if (!explain_read(explain, op->inputs[0], b * V, V, &x, err) ||
		(op->input_count > 1 && !explain_read(explain, op->inputs[1], b * V, V, &flags, err)))
		return false;
	for (int64_t i = 0; i < V; i++)
		before[i] = flags == NULL || flags[i] != 0;
	struct filter f = {.x = x, .before = before, .kept = ARENA_ARRAY(explain->arena, uint8_t, V), .V = V,
		.order = ARENA_ARRAY(explain->arena, int32_t, V)};
	filter_row(&f, sampling_of(explain->batch, explain->pass, b), fn);
	int64_t in = 0, kept = 0;
	for (int64_t i = 0; i < V; i++)
		in += before[i], kept += f.kept[i];
	explain_place(explain, explain_add(explain, op->inputs[0], x[v], 1, x[v]), op->inputs[0], b * V + v);
	explain->recomputed = f.kept[v];
	buf_printf(&explain->formula, "%s: %s keeps %lld of the %lld tokens before it", f.kept[v] != 0 ? "true" : "false",
		op_kind(op->code)->name, (long long)kept, (long long)in);
	return true;
}

/* The five functions of a filter. */
#define FILTER(kind, fn, flops)                                                                                  \
	bool op_##kind##_shape(const struct op *op, const struct dims *dims, const struct spec *in,              \
		struct spec *out, struct err *err)                                                               \
	{                                                                                                        \
		(void)dims;                                                                                      \
		return filter_shape(op, in, out, err);                                                           \
	}                                                                                                        \
	void op_##kind##_run(const struct op *op, struct exec *exec)                                             \
	{                                                                                                        \
		run_filter(op, exec, fn);                                                                        \
	}                                                                                                        \
	bool op_##kind##_explain(const struct op *op, struct explain *explain, struct err *err)                  \
	{                                                                                                        \
		return explain_filter(op, explain, fn, err);                                                     \
	}                                                                                                        \
	void op_##kind##_reach(const struct op *op, struct reach *reach)                                         \
	{                                                                                                        \
		op_same_cell_reach(op, reach);                                                                   \
	}                                                                                                        \
	void op_##kind##_cost(const struct op *op, const struct dims *dims, struct cost *cost)                   \
	{                                                                                                        \
		step_cost(op, dims, flops, cost);                                                                \
		double count = (double)dims_count(dims, "BV"); /* flags are bytes */                             \
		cost->bytes_read = (op->input_count > 1 ? 5 : 4) * count;                                        \
		cost->bytes_written = count;                                                                     \
	}

FILTER(keep_top_k, top_k, 1)
FILTER(keep_top_p, top_p, 4)
FILTER(keep_min_p, min_p, 3)

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
	exec->kernels->softmax(exec_out(exec, op, 0)->data, x->data, exec_in(exec, op, 1)->data, x->shape[0], x->shape[1],
		x->shape[0], exec->pool);
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

bool op_draw_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out, struct err *err)
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
		: explain->output == 1		    ? words[0]
						    : (double)random_unit(words[0]);
	buf_printf(&explain->formula, "%.10g: Philox with the seed %llu and the counter (position %u, 0, hash of the row's ID)",
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
	const float *x = exec_in(exec, op, 0)->data, *probs = exec_in(exec, op, 1)->data, *u = exec_in(exec, op, 3)->data;
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
		explain_place(explain, explain_add(explain, op->inputs[1], probs[v], 1, probs[v]), op->inputs[1], b * V + v);
	}
	explain->recomputed = chosen;
	buf_printf(&explain->formula, "%d: the running sum of probabilities, %.9g, is the first above the draw %.9g", chosen,
		(double)sum, (double)*u);
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
