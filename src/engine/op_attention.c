/*
 * Attention of each row over its own history. Source: Vaswani et al., "Attention Is All You Need", 2017, part 3.2.1.
 * Which slots a row reads is data of the pass (key_slot); which of them count is the mask.
 */
#include <math.h>
#include <string.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

/* --- cache_write --- */

bool op_cache_write_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = spec_of(DTYPE_F32, "");
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 1, DTYPE_F32, err);
}

void op_cache_write_run(const struct op *op, struct exec *exec)
{
	const struct pass *pass = exec->pass;
	const float *k = exec_in(exec, op, 0)->data, *v = exec_in(exec, op, 1)->data;
	int64_t width = exec->cache->options.width;
	size_t bytes = (size_t)width * sizeof(float);
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		memcpy(exec->cache->keys[op->layer] + pass->slot[cell] * width, k + cell * width, bytes);
		memcpy(exec->cache->values[op->layer] + pass->slot[cell] * width, v + cell * width, bytes);
	}
}

bool op_cache_write_explain(const struct op *op, struct explain *explain, struct err *err)
{
	(void)explain;
	return err_input(err, NULL, op->name, "keys and values are recorded under their own names; explain those");
}

/* The cell of a slot: those cells of this pass that wrote it. */
void op_cache_write_reach(const struct op *op, struct reach *reach)
{
	const struct pass *pass = reach->pass;
	for (int64_t cell = pass->cells - 1; cell >= 0; cell--) {
		if (pass->slot[cell] == reach->cell) { /* the last writer is what the slot holds */
			reach_from(reach, op->inputs[0], cell);
			reach_from(reach, op->inputs[1], cell);
			return;
		}
	}
}

void op_cache_write_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double bytes = 4.0 * 2 * (double)dims_count(dims, "TGD");
	(void)op;
	*cost = (struct cost){.bytes_read = bytes, .bytes_written = bytes};
}

/* --- what scores, softmax and mix share --- */

/* Numbers per head, query and key: axes B,N,S,K, or N,T,K when packed. */
static struct spec spec_of_keys(const struct dims *dims)
{
	return spec_of(DTYPE_F32, dims->packed ? "NTK" : "BNSK");
}

/* The element (head n, query of `cell`, key 0) of such a value. */
static int64_t key_offset(const struct dims *dims, int64_t cell, int64_t n)
{
	if (dims->packed)
		return (n * dims->T + cell) * dims->K;
	return ((cell / dims->S * dims->N + n) * dims->S + cell % dims->S) * dims->K;
}

/* One attn_row per row of the pass that has cells, with pointers to its mask and to its keys or values. */
static struct attn_row *attention_rows(const struct op *op, struct exec *exec, float **store)
{
	const struct pass *pass = exec->pass;
	struct attn_row *rows = ARENA_ARRAY(exec->scratch, struct attn_row, pass->B);
	const float **slots = store == NULL ? NULL : ARENA_ARRAY(exec->scratch, const float *, pass->B * pass->K);
	const uint8_t *mask = exec->tensors[op->inputs[op->input_count - 1]].data;
	for (int64_t b = 0; b < pass->B; b++) {
		rows[b].S = pass_row_width(pass, b);
		rows[b].K = pass->K;
		rows[b].mask = mask + pass_row_begin(pass, b) * pass->K;
		rows[b].head_stride = (exec->dims.packed ? pass->cells : pass->S) * pass->K;
		if (store == NULL)
			continue;
		for (int64_t k = b * pass->K; k < (b + 1) * pass->K; k++) {
			if (pass->key_slot[k] >= 0)
				slots[k] = store[op->layer] + pass->key_slot[k] * exec->cache->options.width;
		}
		rows[b].keys = rows[b].values = slots + b * pass->K;
	}
	return rows;
}

/* Where a row's part of a value begins, in floats: a value with N * D numbers per cell, and one per head, query and key. */
static int64_t row_cells(const struct exec *exec, int64_t b)
{
	return pass_row_begin(exec->pass, b) * exec->dims.N * exec->dims.D;
}

static int64_t row_keys(const struct exec *exec, int64_t b)
{
	return key_offset(&exec->dims, pass_row_begin(exec->pass, b), 0);
}

static struct attn_shape attention_shape(const struct op *op, const struct exec *exec)
{
	const struct dims *dims = &exec->dims;
	return (struct attn_shape){.N = dims->N, .G = dims->G, .D = dims->D, .scale = op->scale};
}

/* An output cell depends on what the columns that its mask allows hold. */
static void reach_slots(struct reach *reach, int state)
{
	const struct pass *pass = reach->pass;
	const uint8_t *mask = reach->mask + reach->cell * pass->K;
	const int32_t *origins = pass->key_origin + pass->row_of[reach->cell] * pass->K;
	for (int64_t k = 0; k < pass->K; k++) {
		if (mask[k] != 0)
			reach_from(reach, state, origins[k]);
	}
}

/* The cell, head and key that an explained number is about. */
struct looked_at {
	int64_t cell, n, k, row;
};

static struct looked_at look_at(const struct explain *explain, int value)
{
	struct looked_at at = {.cell = explain_cell_index(explain, value),
		.n = explain_axis(explain, value, 'N'),
		.k = explain_axis(explain, value, 'K')};
	at.row = explain->pass->row_of[at.cell];
	return at;
}

/* The vector of one key/value head that a row sees in a column of its cache. */
struct cached {
	int64_t b, k, g;     /* asked for: row, column, head */
	const char *name;    /* the value it is part of */
	int64_t pass, cell;  /* where it was written */
	int64_t columns;     /* S of that pass; 0 when packed */
	const float *vector; /* [D]; NULL for an empty slot, which counts as zeros */
};

/* Fills in what the pass that wrote it recorded. `input` 0 is the key and 1 the value of the layer's cache_write. */
static bool read_cached(struct explain *explain, const struct op *op, int input, struct cached *cached, struct err *err)
{
	const struct plan *plan = explain->plan;
	const struct value *state = &plan->values[op->inputs[1]];
	const struct dims *dims = &explain->dims;
	struct explain_reader *reader = &explain->reader;
	cached->name = plan->values[plan->ops[state->producer].inputs[input]].name;
	cached->vector = NULL;
	if (!reader->key(reader->self, cached->b, cached->k, &cached->pass, &cached->cell, err))
		return false;
	if (cached->pass < 0)
		return true;
	float *vector = ARENA_ARRAY(explain->arena, float, dims->D);
	cached->columns = reader->columns(reader->self, cached->pass);
	cached->vector = vector;
	const struct explain_span span = {cached->pass, cached->name, (cached->cell * dims->G + cached->g) * dims->D,
		dims->D};
	return reader->read(reader->self, &span, vector, err);
}

/* The term is number d of a cached vector, in the pass that wrote it. */
static void place_cached(struct explain_term *term, const struct cached *cached, int64_t d)
{
	const int64_t packed[] = {cached->cell, cached->g, d};
	int64_t S = cached->columns > 0 ? cached->columns : 1;
	const int64_t padded[] = {cached->cell / S, cached->cell % S, cached->g, d};
	term->name = cached->name;
	term->pass = cached->pass;
	term->rank = cached->columns > 0 ? 4 : 3;
	memcpy(term->index, cached->columns > 0 ? padded : packed, (size_t)term->rank * sizeof *term->index);
}

/* --- attn_scores --- */

bool op_attn_scores_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	out[0] = spec_of_keys(dims);
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 2, DTYPE_BOOL, err);
}

void op_attn_scores_run(const struct op *op, struct exec *exec)
{
	struct attn_row *rows = attention_rows(op, exec, exec->cache->keys);
	struct attn_shape shape = attention_shape(op, exec);
	const float *q = exec_in(exec, op, 0)->data;
	float *scores = exec_out(exec, op, 0)->data;
	const struct dims *dims = &exec->dims;
	for (int64_t b = 0; b < dims->B; b++) {
		rows[b].q = q + row_cells(exec, b);
		rows[b].q_stride = dims->N * dims->D;
		rows[b].scores = scores + row_keys(exec, b);
	}
	exec->kernels->attn_scores(&shape, rows, dims->B, exec->pool);
}

bool op_attn_scores_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct dims *dims = &explain->dims;
	struct looked_at at = look_at(explain, op->outputs[0]);
	int64_t first = (at.cell * dims->N + at.n) * dims->D;
	float *q, *allowed, acc = 0;
	struct cached key = {.b = at.row, .k = at.k, .g = at.n / (dims->N / dims->G)};
	if (!explain_read(explain, op->inputs[2], at.cell * dims->K + at.k, 1, &allowed, err))
		return false;
	if (*allowed == 0) {
		explain->recomputed = -INFINITY;
		buf_add_text(&explain->formula, "-inf: the mask forbids this key");
		return true;
	}
	if (!explain_read(explain, op->inputs[0], first, dims->D, &q, err) || !read_cached(explain, op, 0, &key, err))
		return false;
	for (int64_t d = 0; d < dims->D; d++) {
		float other = key.vector == NULL ? 0 : key.vector[d];
		acc = fmaf(q[d], other, acc);
		double term = (double)q[d] * other * op->scale;
		explain_place(explain, explain_add(explain, op->inputs[0], q[d], other * op->scale, term),
			op->inputs[0], first + d);
	}
	explain->recomputed = acc * op->scale;
	buf_printf(&explain->formula, "%.9g = (q . k = %.9g) * %.9g", (double)explain->recomputed, (double)acc,
		(double)op->scale);
	return true;
}

void op_attn_scores_reach(const struct op *op, struct reach *reach)
{
	reach_from(reach, op->inputs[0], reach->cell);
	reach_slots(reach, op->inputs[1]);
}

void op_attn_scores_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double scores = (double)dims_count(dims, "TNK");
	(void)op;
	*cost = (struct cost){
		.flops = scores * (2 * (double)dims->D + 1),
		.bytes_read = 4 * ((double)dims_count(dims, "TND") + (double)dims_count(dims, "BKGD")) +
			(double)dims_count(dims, "TK"),
		.bytes_written = 4 * scores,
	};
}

/* --- attn_softmax --- */

bool op_attn_softmax_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = in[0];
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 1, DTYPE_BOOL, err);
}

void op_attn_softmax_run(const struct op *op, struct exec *exec)
{
	struct attn_row *rows = attention_rows(op, exec, NULL);
	struct attn_shape shape = attention_shape(op, exec);
	float *scores = exec_in(exec, op, 0)->data, *weights = exec_out(exec, op, 0)->data;
	for (int64_t b = 0; b < exec->dims.B; b++) {
		rows[b].scores = scores + row_keys(exec, b);
		rows[b].weights = weights + row_keys(exec, b);
	}
	exec->kernels->attn_weights(&shape, rows, exec->dims.B, exec->pool);
}

bool op_attn_softmax_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct dims *dims = &explain->dims;
	struct looked_at at = look_at(explain, op->outputs[0]);
	int64_t first = key_offset(dims, at.cell, at.n);
	float *scores, *allowed;
	if (!explain_read(explain, op->inputs[0], first, dims->K, &scores, err) ||
		!explain_read(explain, op->inputs[1], at.cell * dims->K, dims->K, &allowed, err))
		return false;
	if (allowed[at.k] == 0) {
		buf_add_text(&explain->formula, "0: the mask forbids this key");
		return true;
	}
	explain_softmax(explain, &(struct explain_range){op->inputs[0], first, dims->K, scores, allowed}, at.k);
	return true;
}

void op_attn_softmax_reach(const struct op *op, struct reach *reach)
{
	reach_from(reach, op->inputs[0], reach->cell);
}

void op_attn_softmax_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	(void)op;
	op_elements_cost(op, dims, "TNK", 4, cost);
	cost->bytes_read = 4 * (double)dims_count(dims, "TNK") + (double)dims_count(dims, "TK");
}

/* --- attn_mix --- */

bool op_attn_mix_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	out[0] = spec_of_cells(dims, DTYPE_F32, "ND");
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 2, DTYPE_BOOL, err);
}

void op_attn_mix_run(const struct op *op, struct exec *exec)
{
	struct attn_row *rows = attention_rows(op, exec, exec->cache->values);
	struct attn_shape shape = attention_shape(op, exec);
	float *weights = exec_in(exec, op, 0)->data, *out = exec_out(exec, op, 0)->data;
	const struct dims *dims = &exec->dims;
	for (int64_t b = 0; b < dims->B; b++) {
		rows[b].weights = weights + row_keys(exec, b);
		rows[b].out = out + row_cells(exec, b);
	}
	exec->kernels->attn_mix(&shape, rows, dims->B, exec->pool);
}

bool op_attn_mix_explain(const struct op *op, struct explain *explain, struct err *err)
{
	const struct dims *dims = &explain->dims;
	struct looked_at at = look_at(explain, op->outputs[0]);
	int64_t d = explain_axis(explain, op->outputs[0], 'D'), first = key_offset(dims, at.cell, at.n);
	float *weights, *allowed, acc = 0;
	int keys = 0;
	if (!explain_read(explain, op->inputs[0], first, dims->K, &weights, err) ||
		!explain_read(explain, op->inputs[2], at.cell * dims->K, dims->K, &allowed, err))
		return false;
	for (int64_t k = 0; k < dims->K; k++) {
		struct cached value = {.b = at.row, .k = k, .g = at.n / (dims->N / dims->G)};
		if (allowed[k] == 0)
			continue;
		if (!read_cached(explain, op, 1, &value, err))
			return false;
		float v = value.vector == NULL ? 0 : value.vector[d];
		acc = fmaf(weights[k], v, acc);
		keys++;
		struct explain_term *term = explain_add(explain, op->inputs[0], v, weights[k], (double)weights[k] * v);
		explain_place(explain, term, op->inputs[0], first + k);
		if (value.vector != NULL)
			place_cached(term, &value, d);
	}
	explain->recomputed = acc;
	buf_printf(&explain->formula, "%.9g = sum over %d allowed keys of weight * value", (double)acc, keys);
	return true;
}

void op_attn_mix_reach(const struct op *op, struct reach *reach)
{
	reach_from(reach, op->inputs[0], reach->cell);
	reach_slots(reach, op->inputs[1]);
}

void op_attn_mix_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	double scores = (double)dims_count(dims, "TNK");
	(void)op;
	*cost = (struct cost){
		.flops = scores * 2 * (double)dims->D,
		.bytes_read = 4 * (scores + (double)dims_count(dims, "BKGD")) + (double)dims_count(dims, "TK"),
		.bytes_written = 4 * (double)dims_count(dims, "TND"),
	};
}
