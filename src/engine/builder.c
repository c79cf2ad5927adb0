#include "engine/builder.h"

#include <stdio.h>

struct builder builder_of(struct plan *plan, struct model *model, struct err *err)
{
	return (struct builder){.plan = plan, .model = model, .config = model_config(model), .err = err, .layer = -1};
}

const char *builder_name(struct builder *b, const char *part)
{
	if (b->layer < 0)
		snprintf(b->name, sizeof b->name, "%s", part);
	else
		snprintf(b->name, sizeof b->name, "layers.%d.%s", b->layer, part);
	return b->name;
}

struct weight *builder_weight(struct builder *b, const char *part, const char *ending)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", builder_name(b, part), ending);
	struct weight *found = model_weight(b->model, name);
	if (found == NULL && !b->failed)
		b->failed = !err_input(b->err, model_path(b->model), name, "the model has no such weight");
	return found;
}

int builder_add(struct builder *b, struct op op, const char *part)
{
	if (b->failed)
		return 0;
	int value = plan_add(b->plan, op, builder_name(b, part), b->err);
	b->failed = value == PLAN_NONE;
	return value;
}

void builder_inputs(struct builder *b)
{
	static const char *const given[] = {"tokens", "positions", "pad", "row_of"};
	static const char *const table[] = {"cache.token", "cache.position", "cache.written", "cache.row",
		"cache.slot"};
	int tokens =
		plan_add_many(b->plan, plan_op(OP_input, -1), "tokens", given, b->plan->dims.packed ? 4 : 3, b->err);
	int slots = plan_add_many(b->plan, plan_op(OP_cache_table, -1), "cache.token", table, 5, b->err);
	b->failed = tokens == PLAN_NONE || slots == PLAN_NONE;
	b->tokens = tokens;
	b->positions = tokens + 1;
	int causal = builder_add(b, plan_op(OP_mask_causal, -1), "mask.causal");
	int padding = builder_add(b, plan_op(OP_mask_padding, -1), "mask.padding");
	b->mask = builder_binary(b, OP_mask_and, "mask", causal, padding);
}

int builder_lookup(struct builder *b, const char *part, int ids)
{
	struct op op = plan_op(OP_lookup, b->layer);
	plan_input(&op, ids);
	plan_weight(&op, builder_weight(b, part, "weight"));
	return builder_add(b, op, part);
}

int builder_linear(struct builder *b, const char *part, int x, const char *axes, bool bias)
{
	struct op op = plan_op(OP_linear, b->layer);
	plan_input(&op, x);
	plan_weight(&op, builder_weight(b, part, "weight"));
	if (bias)
		plan_weight(&op, builder_weight(b, part, "bias"));
	snprintf(op.axes, sizeof op.axes, "%s", axes);
	return builder_add(b, op, part);
}

int builder_unary(struct builder *b, enum op_code code, const char *part, int x)
{
	struct op op = plan_op(code, b->layer);
	plan_input(&op, x);
	return builder_add(b, op, part);
}

int builder_binary(struct builder *b, enum op_code code, const char *part, int x, int y)
{
	struct op op = plan_op(code, b->layer);
	plan_input(&op, x);
	plan_input(&op, y);
	return builder_add(b, op, part);
}

int builder_attention(struct builder *b, const struct builder_attention *parts)
{
	int cache = builder_binary(b, OP_cache_write, "attn.cache", parts->k, parts->v);
	struct op scores = plan_op(OP_attn_scores, b->layer);
	plan_input(&scores, parts->q);
	plan_input(&scores, cache);
	plan_input(&scores, parts->mask);
	scores.scale = parts->scale;
	int scored = builder_add(b, scores, "attn.scores");
	if (parts->cap != 0) {
		struct op cap = plan_op(OP_softcap, b->layer);
		plan_input(&cap, scored);
		cap.constant = parts->cap;
		scored = builder_add(b, cap, "attn.scores_capped");
	}
	int weights = builder_binary(b, OP_attn_softmax, "attn.weights", scored, parts->mask);
	struct op mix = plan_op(OP_attn_mix, b->layer);
	plan_input(&mix, weights);
	plan_input(&mix, cache);
	plan_input(&mix, parts->mask);
	return builder_add(b, mix, "attn.mix");
}

int builder_logits(struct builder *b, int normed, const char *name)
{
	struct op op = plan_op(OP_linear, -1);
	plan_input(&op, builder_unary(b, OP_last, "final.last", normed));
	plan_weight(&op, builder_weight(b, b->config->tied ? "embed.token" : "logits", "weight"));
	snprintf(op.axes, sizeof op.axes, "V");
	return builder_add(b, op, name);
}

/* The steps of the sampler, each of them a value to be looked at. Gives next_tokens. */
static int sampled_choice(struct builder *b, int logits)
{
	int penalised = builder_unary(b, OP_penalise, "sample.penalised", logits);
	int scaled = builder_unary(b, OP_temper, "sample.scaled", penalised);
	int top_k = builder_unary(b, OP_keep_top_k, "sample.top_k", scaled);
	int top_p = builder_binary(b, OP_keep_top_p, "sample.top_p", scaled, top_k);
	int kept = builder_binary(b, OP_keep_min_p, "sample.kept", scaled, top_p);
	int probs = builder_binary(b, OP_softmax_kept, "probs", scaled, kept);
	static const char *const drawn[] = {"sample.counter", "sample.random", "sample.draw"};
	int counter = plan_add_many(b->plan, plan_op(OP_draw, -1), "sample.counter", drawn, 3, b->err);
	b->failed = b->failed || counter == PLAN_NONE;
	struct op choose = plan_op(OP_choose_drawn, -1);
	plan_input(&choose, penalised);
	plan_input(&choose, probs);
	plan_input(&choose, kept);
	plan_input(&choose, counter + 2);
	return builder_add(b, choose, "next_tokens");
}

static int greedy_choice(struct builder *b, int logits)
{
	builder_unary(b, OP_softmax, "probs", logits);
	return builder_unary(b, OP_choose, "next_tokens", logits);
}

void builder_choice(struct builder *b, int logits)
{
	int next = b->plan->way.sampled ? sampled_choice(b, logits) : greedy_choice(b, logits);
	builder_binary(b, OP_logprob, "logprobs", logits, next);
	builder_unary(b, OP_finish, "finished", next);
}
