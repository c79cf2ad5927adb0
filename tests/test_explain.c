/*
 * The five functions of every kind of operation against each other: what run computes, explain recomputes to the bit, from
 * terms that add up and that reach names; what really changes when an input changes is within reach; and the cost is what a
 * person counts. Every check is seen to fail, too.
 */
#include <math.h>

#include "analysis/faults.h"
#include "analysis/scramble.h"
#include "engine/op_kinds.h"
#include "harness.h"
#include "model/model.h"
#include "seen.h"

#define ROWS 3

/* --- batches --- */

static int32_t first_prompt[] = {5, 3, 2, 7}, second_prompt[] = {4}, third_prompt[] = {2, 6};

/* Ragged, with a row that arrives later; and as many ways to run it as there are layouts. */
static struct batch ragged(struct request *rows, enum layout layout, bool sampled)
{
	static const char *const ids[] = {"A", "B", "C"};
	int32_t *prompts[] = {first_prompt, second_prompt, third_prompt};
	static const int64_t lengths[] = {4, 1, 2};
	for (int i = 0; i < ROWS; i++)
		rows[i] = (struct request){.id = ids[i],
			.prompt = prompts[i],
			.prompt_length = lengths[i],
			.max_new_tokens = 2 + i};
	rows[2].arrives = 1;
	if (sampled) {
		rows[0].sampling = (struct sampling){.temperature = 1.5f,
			.top_k = 9,
			.top_p = 0.9f,
			.min_p = 0.01f,
			.repetition_penalty = 1.2f,
			.presence_penalty = 0.25f,
			.frequency_penalty = 0.125f,
			.seed = 3};
		rows[2].sampling = (struct sampling){.temperature = 0.5f, .seed = 3};
	}
	struct batch batch = {.requests = rows, .count = ROWS, .layout = layout};
	if (layout == LAYOUT_RIGHT)
		batch.schedule = SCHEDULE_CHUNKED, batch.chunk = 2, batch.page_size = 2;
	return batch;
}

static struct model *open_model(const char *name)
{
	char path[128];
	struct err err = ERR_INIT;
	struct model *model = NULL;
	snprintf(path, sizeof path, "tiny_models/%s", name);
	ck_assert_msg(model_open(&model, path, &err), "%s", err.message);
	return model;
}

static struct plan *build(struct model *model, const struct batch *batch, struct arena *arena)
{
	struct err err = ERR_INIT;
	struct plan *plan = NULL;
	ck_assert_msg(plan_build(&plan, model, batch_way(batch), arena, &err), "%s", err.message);
	return plan;
}

/* --- explain against run, and terms against reach --- */

typedef void reach_fn(const struct op *op, struct reach *reach);

/* What an output cell reads, as reach tells it. */
struct within {
	struct seen *seen;
	int64_t pass, row;
	struct source {
		int value;
		int64_t pass, cell;
	} * sources;
	int64_t count, capacity;
	struct arena arena;
};

static void within_add(struct within *within, int value, int64_t pass, int64_t cell)
{
	if (within->count == within->capacity) {
		within->capacity = within->capacity * 2 + 64;
		struct source *more = ARENA_ARRAY(&within->arena, struct source, within->capacity);
		if (within->count > 0)
			memcpy(more, within->sources, (size_t)within->count * sizeof *more);
		within->sources = more;
	}
	within->sources[within->count++] = (struct source){value, pass, cell};
}

/* A slot of a cache stands for the keys and values that were written there. */
static void within_from(void *self, int value, int64_t cell)
{
	struct within *within = self;
	const struct plan *plan = within->seen->plan;
	const struct seen_pass *pass = &within->seen->passes[within->pass];
	if (!plan->values[value].is_state) {
		within_add(within, value, within->pass, cell);
		return;
	}
	for (int64_t i = within->row * pass->layout.K; i < (within->row + 1) * pass->layout.K; i++) {
		const struct op *writer = &plan->ops[plan->values[value].producer];
		if (pass->layout.key_origin[i] != cell)
			continue;
		within_add(within, writer->inputs[0], pass->keys[i].pass, pass->keys[i].cell);
		within_add(within, writer->inputs[1], pass->keys[i].pass, pass->keys[i].cell);
	}
}

static bool within_has(const struct within *within, int value, int64_t pass, int64_t cell)
{
	for (int64_t i = 0; i < within->count; i++) {
		const struct source *s = &within->sources[i];
		if (s->value == value && s->pass == pass && s->cell == cell)
			return true;
	}
	return false;
}

static void within_find(struct within *within, reach_fn *reach, const struct op *op, int output, int64_t cell)
{
	struct seen *seen = within->seen;
	const struct pass *pass = &seen->passes[within->pass].layout;
	int mask = op->input_count > 0 ? op->inputs[op->input_count - 1] : plan_value(seen->plan, "mask");
	struct reach query = {.plan = seen->plan,
		.pass = pass,
		.mask = seen->passes[within->pass].values[mask].data,
		.cell = cell,
		.output = output,
		.self = within,
		.from = within_from};
	bool per_cell = strpbrk(seen->plan->values[op->outputs[output]].spec.axes, "ST") != NULL;
	within->row = per_cell ? pass->row_of[cell] : cell;
	within->count = 0;
	reach(op, &query);
}

/* What the terms of a kind add up to: the value, 1, or nothing: they are what has decided. */
enum sum { SUM_VALUE, SUM_ONE, SUM_NONE };

static enum sum sum_of(enum op_code code)
{
	switch (code) {
	case OP_softmax:
	case OP_attn_softmax:
	case OP_softmax_kept:
	case OP_softmax_rows: return SUM_ONE;
	case OP_mask_and:
	case OP_keep_top_k:
	case OP_keep_top_p:
	case OP_keep_min_p:
	case OP_choose:
	case OP_choose_drawn:
	case OP_logprob:
	case OP_finish: return SUM_NONE;
	default: return SUM_VALUE;
	}
}

struct found {
	int64_t cells, other_bits, wrong_sums, outside;
	bool kinds[OP_COUNT];
	char first[256];
};

static void note(struct found *found, int64_t *count, const struct seen *seen, int value, int64_t pass, int64_t element)
{
	++*count;
	if (found->first[0] == '\0')
		snprintf(found->first, sizeof found->first, "pass %lld %s element %lld", (long long)pass,
			seen->plan->values[value].name, (long long)element);
}

static bool same_bits(const struct tensor *tensor, int64_t element, double recomputed)
{
	if (tensor->dtype != DTYPE_F32)
		return tensor_value(tensor, element) == recomputed;
	float a = ((const float *)tensor->data)[element], b = (float)recomputed;
	return a != a ? b != b : memcmp(&a, &b, sizeof a) == 0;
}

static bool sum_fits(const struct explain *explain, enum sum kind, double value)
{
	double sum = 0, size = 0;
	for (int64_t i = 0; i < explain->term_count; i++) {
		sum += explain->terms[i].term;
		size += fabs(explain->terms[i].term);
	}
	if (kind == SUM_NONE || !isfinite(value) || explain->term_count == 0)
		return true;
	/* a float32 sum is rounded once per term */
	double rounding = ldexp((double)explain->term_count + 8, -24);
	return fabs(sum - (kind == SUM_ONE ? 1 : value)) <= rounding * (size + fabs(value)) + 1e-30;
}

static bool terms_within(const struct explain *explain, const struct within *within)
{
	const struct seen *seen = within->seen;
	for (int64_t i = 0; i < explain->term_count; i++) {
		const struct explain_term *term = &explain->terms[i];
		int value = term->pass < 0 ? PLAN_NONE : plan_value(seen->plan, term->name);
		if (term->pass < 0)
			continue; /* a weight */
		int64_t cell = seen_cell_of(seen->plan->values[value].spec.axes, term->index,
			seen->passes[term->pass].layout.S);
		if (!within_has(within, value, term->pass, cell))
			return false;
	}
	return true;
}

/* Every `step`-th element of a value in a pass. */
static void explain_value(struct seen *seen, int value, int64_t pass, int64_t step, reach_fn *reach,
	struct found *found)
{
	const struct op *op = &seen->plan->ops[seen->plan->values[value].producer];
	const struct tensor *tensor = &seen->passes[pass].values[value];
	struct within within = {.seen = seen, .pass = pass, .arena = ARENA_INIT};
	struct arena arena = ARENA_INIT;
	int64_t cell = -1;
	for (int64_t i = 0; i < tensor_count(tensor); i += step) {
		struct err err = ERR_INIT;
		struct explain explain = seen_question(seen, pass, value, i, &arena);
		int64_t now = seen_cell_of(tensor->axes, explain.index, explain.pass->S);
		ck_assert_msg(explain_cell(op, &explain, &err), "%s", err.message);
		if (now != cell)
			within_find(&within, reach, op, explain.output, cell = now);
		found->cells++;
		if (!same_bits(tensor, i, explain.recomputed))
			note(found, &found->other_bits, seen, value, pass, i);
		if (!sum_fits(&explain, sum_of(op->code), explain.recomputed))
			note(found, &found->wrong_sums, seen, value, pass, i);
		if (!terms_within(&explain, &within))
			note(found, &found->outside, seen, value, pass, i);
		ck_assert_uint_gt(explain.formula.length, 0);
		buf_free(&explain.formula);
		arena_reset(&arena);
	}
	found->kinds[op->code] = true;
	arena_free(&arena);
	arena_free(&within.arena);
}

/* The real reach functions. */
static void honest(const struct op *op, struct reach *reach)
{
	op_kind(op->code)->reach(op, reach);
}

/* Explanations that look at the whole vocabulary for each entry of it are sampled where it is large. */
static int64_t step_of(const struct seen *seen, int value)
{
	bool wide = strchr(seen->plan->values[value].spec.axes, 'V') != NULL && seen->plan->dims.V > 100;
	enum op_code code = seen->plan->ops[seen->plan->values[value].producer].code;
	bool whole = code == OP_softmax || code == OP_softmax_kept || code == OP_keep_top_k || code == OP_keep_top_p ||
		code == OP_keep_min_p;
	return wide && whole ? 61 : 1;
}

static void explain_all(struct seen *seen, reach_fn *reach, struct found *found)
{
	for (int64_t pass = 0; pass < seen->count; pass++) {
		for (int value = 0; value < seen->plan->value_count; value++) {
			const struct op *op = &seen->plan->ops[seen->plan->values[value].producer];
			if (!seen->plan->values[value].is_state && op->code != OP_cache_table)
				explain_value(seen, value, pass, step_of(seen, value), reach, found);
		}
	}
}

static void check_sound(const struct found *found)
{
	ck_assert_int_gt(found->cells, 0);
	ck_assert_msg(found->other_bits == 0, "%lld cells have other bits: %s", (long long)found->other_bits,
		found->first);
	ck_assert_msg(found->wrong_sums == 0, "%lld sums are wrong: %s", (long long)found->wrong_sums, found->first);
	ck_assert_msg(found->outside == 0, "%lld terms are outside of reach: %s", (long long)found->outside,
		found->first);
}

/* Runs the batch of a layout with a list that `change` may rewrite, and explains it all. */
static void explain_run(struct model *model, enum layout layout, bool sampled,
	void (*change)(struct plan *plan, struct run_options *options), reach_fn *reach, struct found *found)
{
	struct request rows[ROWS];
	struct batch batch = ragged(rows, layout, sampled);
	struct arena arena = ARENA_INIT;
	struct plan *plan = build(model, &batch, &arena);
	struct run_options options = {.threads = 1};
	struct seen seen;
	if (change != NULL)
		change(plan, &options);
	ck_assert(seen_run(&seen, model, plan, &batch, &options));
	explain_all(&seen, reach, found);
	seen_free(&seen);
	plan_free(plan);
	arena_free(&arena);
}

START_TEST(every_cell_of_a_ragged_batch_is_explained)
{
	static const char *const models[] = {"glass", "three-requests", "tiny-stories"};
	if (_i > 0 && harness_is_slow())
		return;
	struct model *model = open_model(models[_i]);
	struct found found = {0};
	explain_run(model, LAYOUT_LEFT, false, NULL, honest, &found);
	explain_run(model, LAYOUT_RIGHT, false, NULL, honest, &found);
	explain_run(model, LAYOUT_PACKED, true, NULL, honest, &found);
	check_sound(&found);
	static const enum op_code used[] = {OP_input, OP_mask_causal, OP_mask_padding, OP_mask_and, OP_lookup, OP_add,
		OP_layer_norm, OP_linear, OP_attn_scores, OP_attn_softmax, OP_attn_mix, OP_gelu_tanh, OP_last,
		OP_softmax, OP_penalise, OP_temper, OP_keep_top_k, OP_keep_top_p, OP_keep_min_p, OP_softmax_kept,
		OP_draw, OP_choose_drawn, OP_choose, OP_logprob, OP_finish};
	for (size_t i = 0; i < sizeof used / sizeof *used; i++)
		ck_assert_msg(found.kinds[used[i]], "%s was not explained", op_kind(used[i])->name);
	model_delete(model);
}
END_TEST

START_TEST(every_cell_of_every_family_is_explained)
{
	static const char *const models[] = {"tiny-llama", "../tests/golden/families/llama",
		"../tests/golden/families/llama3", "../tests/golden/families/linear",
		"../tests/golden/families/mistral", "../tests/golden/families/qwen2", "../tests/golden/families/qwen3",
		"../tests/golden/families/gemma", "../tests/golden/families/gemma2", "../tests/golden/families/gemma3"};
	struct found found = {0};
	struct model *model = open_model(models[_i]);
	for (int layout = 0; layout < LAYOUT_COUNT; layout++)
		explain_run(model, (enum layout)layout, false, NULL, honest, &found);
	check_sound(&found);
	ck_assert(found.kinds[OP_rms_norm] && found.kinds[OP_rope] && found.kinds[OP_mul]);
	ck_assert(found.kinds[OP_mask_window] == (model_config(model)->window > 0));
	ck_assert(found.kinds[OP_softcap] == (model_config(model)->logit_cap > 0));
	ck_assert(found.kinds[OP_scale] == (model_config(model)->embed_scale > 0));
	model_delete(model);
}
END_TEST

/* --- kinds that no bundled model uses --- */

static void swap_activation(struct plan *plan, enum op_code code)
{
	for (int i = 0; i < plan->op_count; i++) {
		if (plan->ops[i].code == OP_gelu_tanh)
			plan->ops[i].code = code;
	}
}

static void use_relu(struct plan *plan, struct run_options *options)
{
	(void)options;
	swap_activation(plan, OP_relu);
}

static void use_silu(struct plan *plan, struct run_options *options)
{
	(void)options;
	swap_activation(plan, OP_silu);
}

static void use_gelu_erf(struct plan *plan, struct run_options *options)
{
	(void)options;
	swap_activation(plan, OP_gelu_erf);
}

static void use_inject(struct plan *plan, struct run_options *options)
{
	static const uint8_t scrambled[ROWS] = {0, 1, 0};
	struct err err = ERR_INIT;
	(void)options;
	ck_assert(scramble_plan(plan, scrambled, ROWS, 1, &err));
}

static void use_copy(struct plan *plan, struct run_options *options)
{
	struct err err = ERR_INIT;
	(void)options;
	ck_assert_int_ne(plan_insert_after(plan, plan_op(OP_copy, -1), plan_value(plan, "embed"), "embed.copy", &err),
		PLAN_NONE);
}

static void use_fault(struct plan *plan, struct run_options *options, const char *name)
{
	struct err err = ERR_INIT;
	ck_assert_msg(faults_apply(&name, 1, plan, options, &err), "%s", err.message);
}

static void use_batch_norm(struct plan *plan, struct run_options *options)
{
	use_fault(plan, options, "batch-norm");
}

static void use_softmax_rows(struct plan *plan, struct run_options *options)
{
	use_fault(plan, options, "softmax-over-rows");
}

static void use_linear_parts(struct plan *plan, struct run_options *options)
{
	use_fault(plan, options, "batch-dependent-sum");
}

START_TEST(kinds_of_other_lists_are_explained)
{
	static void (*const changes[])(struct plan *, struct run_options *) = {use_relu, use_silu, use_gelu_erf,
		use_inject, use_copy, use_batch_norm, use_softmax_rows, use_linear_parts};
	static const enum op_code used[] = {OP_relu, OP_silu, OP_gelu_erf, OP_inject, OP_copy, OP_batch_norm,
		OP_softmax_rows, OP_linear_parts};
	struct model *model = open_model("glass");
	struct found found = {0};
	explain_run(model, LAYOUT_LEFT, false, changes[_i], honest, &found);
	check_sound(&found);
	ck_assert_msg(found.kinds[used[_i]], "%s was not explained", op_kind(used[_i])->name);
	model_delete(model);
}
END_TEST

/* --- the checks can fail --- */

/* Names the cell's own inputs, but not what attention reads from the cache. */
static void forgets_the_cache(const struct op *op, struct reach *reach)
{
	if (op->code == OP_attn_mix)
		reach_from(reach, op->inputs[0], reach->cell);
	else
		honest(op, reach);
}

/* Takes the first cell for all. */
static void names_another_cell(const struct op *op, struct reach *reach)
{
	if (op->code == OP_linear)
		reach_from(reach, op->inputs[0], 0);
	else
		honest(op, reach);
}

START_TEST(a_lying_reach_is_caught)
{
	static reach_fn *const liars[] = {forgets_the_cache, names_another_cell};
	struct model *model = open_model("glass");
	struct found found = {0};
	explain_run(model, LAYOUT_LEFT, false, NULL, liars[_i], &found);
	ck_assert_int_gt(found.outside, 0);
	ck_assert_int_eq(found.other_bits, 0);
	model_delete(model);
}
END_TEST

START_TEST(a_wrong_number_is_caught)
{
	struct model *model = open_model("glass");
	struct request rows[ROWS];
	struct batch batch = ragged(rows, LAYOUT_LEFT, false);
	struct arena arena = ARENA_INIT;
	struct plan *plan = build(model, &batch, &arena);
	struct run_options options = {.threads = 1};
	struct seen seen;
	struct found found = {0};
	ck_assert(seen_run(&seen, model, plan, &batch, &options));
	float *number = seen.passes[1].values[plan_value(plan, "layers.0.mlp.act")].data;
	*number = nextafterf(*number, 1e30f);
	explain_all(&seen, honest, &found);
	ck_assert_int_gt(found.other_bits, 0);
	ck_assert_msg(strstr(found.first, "layers.0.mlp.act element 0") != NULL, "%s", found.first);
	seen_free(&seen);
	plan_free(plan);
	arena_free(&arena);
	model_delete(model);
}
END_TEST

TEST_PROGRAM("explain", {
	tcase_add_loop_test(tests, every_cell_of_a_ragged_batch_is_explained, 0, 3);
	tcase_add_loop_test(tests, every_cell_of_every_family_is_explained, 0, 10);
	tcase_add_loop_test(tests, kinds_of_other_lists_are_explained, 0, 8);
	tcase_add_loop_test(tests, a_lying_reach_is_caught, 0, 2);
	tcase_add_test(tests, a_wrong_number_is_caught);
})
