#include "analysis/explainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/faults.h"
#include "base/mem.h"
#include "analysis/stops.h"

struct explainer {
	struct trace *trace;
	struct model *model;
	struct arena arena;
	struct plan *plan;
	int64_t pass; /* that is being explained */
	struct tables {
		int64_t pass;                          /* -1: none is loaded */
		int32_t *written, *position, *request; /* [B,K]: cache.written, .position, .row */
		struct arena arena;
	} tables;
	struct stop_rule stop;
};

static size_t list_length(const char *const *list)
{
	size_t count = 0;
	while (list[count] != NULL)
		count++;
	return count;
}

static bool same_weights(struct explainer *e, struct err *err)
{
	char digest[17];
	const struct trace_info *info = trace_info(e->trace);
	if (!model_weights_digest(e->model, digest, err))
		return false;
	return strcmp(digest, info->weights_digest) == 0 ||
		err_input(err, model_path(e->model), NULL,
			"its weights (digest %s) are not those that the trace was made with (%s); name the right model "
			"with --model",
			digest, info->weights_digest);
}

/* All weights are read up front: an explanation may look at any of them. */
static bool load_all(struct model *model, struct err *err)
{
	for (size_t i = 0; i < model_weight_count(model); i++) {
		if (!weight_load(model_weight_at(model, i), err))
			return false;
	}
	return true;
}

bool explainer_new(struct explainer **result, struct trace *trace, struct model *model, struct err *err)
{
	struct explainer *e = MEM_NEW(struct explainer);
	const char *const *faults = trace_info(trace)->faults;
	struct run_options unused = {0};
	e->trace = trace;
	e->model = model;
	e->stop = stops_rule(model);
	e->tables.pass = -1;
	if (!same_weights(e, err) || !plan_build(&e->plan, model, batch_way(trace_batch(trace)), &e->arena, err) ||
		!faults_apply(faults, list_length(faults), e->plan, &unused, err) || !load_all(model, err)) {
		explainer_delete(e);
		return false;
	}
	*result = e;
	return true;
}

void explainer_delete(struct explainer *e)
{
	if (e == NULL)
		return;
	plan_free(e->plan);
	arena_free(&e->arena);
	arena_free(&e->tables.arena);
	free(e);
}

const struct plan *explainer_plan(const struct explainer *e)
{
	return e->plan;
}

/* --- the reader that explanations read through --- */

static bool read_numbers(void *self, const struct explain_span *span, float *out, struct err *err)
{
	struct explainer *e = self;
	struct trace_tensor t;
	if (!trace_find(e->trace, span->pass, span->name, &t, err) ||
		!trace_read(e->trace, &t, span->first, span->count, out, err))
		return false;
	if (t.tensor.dtype == DTYPE_F32)
		return true;
	t.tensor.data = out;
	for (int64_t i = span->count - 1; i >= 0; i--) { /* widening in place: from the end */
		double value = tensor_value(&t.tensor, i);
		out[i] = (float)value;
	}
	return true;
}

static bool read_table(struct explainer *e, const char *name, int32_t **table, struct err *err)
{
	struct trace_tensor t;
	if (!trace_find(e->trace, e->pass, name, &t, err))
		return false;
	int64_t count = tensor_count(&t.tensor);
	*table = ARENA_ARRAY(&e->tables.arena, int32_t, count + 1);
	return trace_read(e->trace, &t, 0, count, *table, err);
}

/* The tables of the pass that is being explained: cells are often asked about pass by pass. */
static bool load_tables(struct explainer *e, struct err *err)
{
	struct tables *tables = &e->tables;
	if (tables->pass == e->pass)
		return true;
	tables->pass = -1;
	arena_reset(&tables->arena);
	if (!read_table(e, "cache.written", &tables->written, err) ||
		!read_table(e, "cache.position", &tables->position, err) ||
		!read_table(e, "cache.row", &tables->request, err))
		return false;
	tables->pass = e->pass;
	return true;
}

/* By the recorded table of the cache: what the slot really held. */
static bool find_key(void *self, int64_t b, int64_t k, int64_t *pass, int64_t *cell, struct err *err)
{
	struct explainer *e = self;
	const struct pass *layout = &trace_pass(e->trace, e->pass)->layout;
	int64_t offset = b * layout->K + k;
	if (!load_tables(e, err))
		return false;
	int32_t written = e->tables.written[offset], position = e->tables.position[offset],
		request = e->tables.request[offset];
	*pass = written;
	*cell = -1;
	if (written < 0)
		return true;
	if (written >= trace_pass_count(e->trace))
		return err_input(err, trace_folder(e->trace), "cache.written", "names pass %d, which is not there",
			written);
	if (position >= 0)
		*cell = pass_cell(&trace_pass(e->trace, written)->layout, request, position);
	int64_t begin = pass_row_begin(layout, b), end = begin + pass_row_width(layout, b);
	for (int64_t at = begin; position < 0 && at < end; at++) {
		if (layout->column[at] == k && pass_position(layout, at) < 0)
			*cell = at; /* padding of this very pass */
	}
	return *cell >= 0 ||
		err_input(err, trace_folder(e->trace), "cache.position",
			"pass %d did not compute position %d of request %d", written, position, request);
}

static int64_t columns_of(void *self, int64_t pass)
{
	struct explainer *e = self;
	const struct pass *layout = &trace_pass(e->trace, pass)->layout;
	return layout->layout == LAYOUT_PACKED ? 0 : layout->S;
}

static const int32_t *history_of(void *self, int32_t request)
{
	struct explainer *e = self;
	return trace_history(e->trace, request);
}

/* --- one cell --- */

/* Order of terms: by share, then by place. */
struct ranked {
	struct explained_term term;
	int64_t place;
};

static int by_share(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	double left = isnan(x->term.share) ? -1 : x->term.share, right = isnan(y->term.share) ? -1 : y->term.share;
	if (left != right)
		return left < right ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void rank(const struct explain *explain, struct arena *arena, struct explained *cell)
{
	struct ranked *ranked = ARENA_ARRAY(arena, struct ranked, explain->term_count);
	double sum = 0;
	for (int64_t i = 0; i < explain->term_count; i++)
		sum += fabs(explain->terms[i].term);
	for (int64_t i = 0; i < explain->term_count; i++) {
		double share = sum > 0 ? fabs(explain->terms[i].term) / sum : 0;
		ranked[i] = (struct ranked){{explain->terms[i], share}, i};
	}
	qsort(ranked, (size_t)explain->term_count, sizeof *ranked, by_share);
	cell->term_count = explain->term_count;
	cell->terms = ARENA_ARRAY(arena, struct explained_term, explain->term_count);
	for (int64_t i = 0; i < explain->term_count; i++)
		cell->terms[i] = ranked[i].term;
}

static uint32_t float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return value != value ? 0x7fc00000u : bits;
}

static bool recorded_value(struct explainer *e, const struct trace_tensor *t, struct explained *cell, struct err *err)
{
	uint8_t bytes[8] = {0};
	struct tensor one = {.dtype = t->tensor.dtype, .data = bytes};
	if (!trace_read(e->trace, t, tensor_offset(&t->tensor, cell->index), 1, bytes, err))
		return false;
	cell->value = tensor_value(&one, 0);
	cell->dtype = one.dtype;
	if (one.dtype == DTYPE_F32)
		cell->bits = float_bits((float)cell->value);
	else
		cell->bits = (uint32_t)(int64_t)cell->value;
	return true;
}

static bool check_index(const struct trace_tensor *t, const int64_t *index, struct err *err)
{
	for (int i = 0; i < t->tensor.rank; i++) {
		if (index[i] < 0 || index[i] >= t->tensor.shape[i])
			return err_usage(err, t->name, "index %lld is outside axis %d of size %lld",
				(long long)index[i], i, (long long)t->tensor.shape[i]);
	}
	return true;
}

static void set_question(struct explainer *e, struct explain *explain, const struct op *op, int value,
	const struct explained *cell, struct arena *arena)
{
	const struct pass *layout = &trace_pass(e->trace, cell->pass)->layout;
	const struct config *config = model_config(e->model);
	*explain = (struct explain){.plan = e->plan,
		.pass = layout,
		.dims = e->plan->dims,
		.arena = arena,
		.batch = trace_batch(e->trace),
		.finish = {config->end_tokens, config->end_token_count, config->context, e->stop},
		.reader = {e, read_numbers, find_key, columns_of, history_of}};
	dims_set_pass(&explain->dims, layout);
	memcpy(explain->index, cell->index, sizeof explain->index);
	while (op->outputs[explain->output] != value)
		explain->output++;
}

bool explainer_cell(struct explainer *e, struct explained *cell, struct arena *arena, struct err *err)
{
	struct trace_tensor t;
	struct explain explain;
	if (!trace_find(e->trace, cell->pass, cell->name, &t, err) || !check_index(&t, cell->index, err))
		return false;
	int value = plan_value(e->plan, cell->name);
	if (value == PLAN_NONE)
		return err_input(err, trace_folder(e->trace), cell->name,
			"the model's list of operations has no such value");
	const struct op *op = &e->plan->ops[e->plan->values[value].producer];
	cell->pass = t.pass;
	cell->rank = t.tensor.rank;
	cell->kind = op_kind(op->code)->name;
	cell->formula_text = op_kind(op->code)->formula;
	e->pass = t.pass;
	set_question(e, &explain, op, value, cell, arena);
	bool ok = recorded_value(e, &t, cell, err) && explain_cell(op, &explain, err);
	if (ok) {
		cell->recomputed = explain.recomputed;
		cell->recomputed_bits = cell->dtype == DTYPE_F32 ? float_bits((float)explain.recomputed)
								 : (uint32_t)(int64_t)explain.recomputed;
		cell->same = cell->bits == cell->recomputed_bits;
		cell->formula = arena_strdup(arena, buf_text(&explain.formula));
		if (!cell->only_value)
			rank(&explain, arena, cell);
	}
	buf_free(&explain.formula);
	return ok;
}

static bool is_captured(const struct explainer *e, const char *name)
{
	int value = trace_find_value(e->trace, name);
	return value >= 0 && trace_value(e->trace, value)->captured;
}

bool explainer_can(const struct explainer *e, const char *name)
{
	int value = plan_value(e->plan, name);
	if (value == PLAN_NONE || e->plan->values[value].is_state || !is_captured(e, name))
		return false;
	const struct op *op = &e->plan->ops[e->plan->values[value].producer];
	if (op->code == OP_cache_table)
		return is_captured(e, "cache.written") && is_captured(e, "cache.position") &&
			is_captured(e, "cache.row");
	for (int i = 0; i < op->input_count; i++) {
		const struct value *input = &e->plan->values[op->inputs[i]];
		if (!input->is_state && !is_captured(e, input->name))
			return false;
		const struct op *writer = &e->plan->ops[input->producer];
		for (int j = 0; input->is_state && j < writer->input_count; j++) {
			if (!is_captured(e, e->plan->values[writer->inputs[j]].name) ||
				!is_captured(e, "cache.written") || !is_captured(e, "cache.position") ||
				!is_captured(e, "cache.row"))
				return false;
		}
	}
	return true;
}
