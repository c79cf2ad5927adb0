/*
 * The GPT-2 family as a list of operations: learned positions, LayerNorm before each half of a layer, a biased
 * projection for q, k and v each, an ungated MLP, a final LayerNorm.
 * Source: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, part 2.3.
 */
#include <math.h>
#include <stdio.h>

#include "engine/plan.h"

/* What is built so far; `failed` once anything went wrong, so that a list reads as a list. */
struct builder {
	struct plan *plan;
	struct model *model;
	const struct config *config;
	struct err *err;
	bool failed;
	int layer;
	int mask, positions;
	char name[96];
};

/* "layers.3.attn.q", or the part itself outside the layers. */
static const char *full_name(struct builder *b, const char *part)
{
	if (b->layer < 0)
		snprintf(b->name, sizeof b->name, "%s", part);
	else
		snprintf(b->name, sizeof b->name, "layers.%d.%s", b->layer, part);
	return b->name;
}

static struct weight *weight(struct builder *b, const char *part, const char *ending)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", full_name(b, part), ending);
	struct weight *found = model_weight(b->model, name);
	if (found == NULL && !b->failed)
		b->failed = !err_input(b->err, model_path(b->model), name, "the model has no such weight");
	return found;
}

static int add(struct builder *b, struct op op, const char *part)
{
	if (b->failed)
		return 0;
	int value = plan_add(b->plan, op, full_name(b, part), b->err);
	b->failed = value == PLAN_NONE;
	return value;
}

static int lookup(struct builder *b, const char *part, int ids)
{
	struct op op = plan_op(OP_lookup, b->layer);
	plan_input(&op, ids);
	plan_weight(&op, weight(b, part, "weight"));
	return add(b, op, part);
}

static int norm(struct builder *b, const char *part, int x)
{
	struct op op = plan_op(OP_layer_norm, b->layer);
	plan_input(&op, x);
	plan_weight(&op, weight(b, part, "weight"));
	plan_weight(&op, weight(b, part, "bias"));
	op.eps = b->config->norm_eps;
	return add(b, op, part);
}

static int linear(struct builder *b, const char *part, int x, const char *axes)
{
	struct op op = plan_op(OP_linear, b->layer);
	plan_input(&op, x);
	plan_weight(&op, weight(b, part, "weight"));
	plan_weight(&op, weight(b, part, "bias"));
	snprintf(op.axes, sizeof op.axes, "%s", axes);
	return add(b, op, part);
}

static int binary(struct builder *b, enum op_code code, const char *part, int x, int y)
{
	struct op op = plan_op(code, b->layer);
	plan_input(&op, x);
	plan_input(&op, y);
	return add(b, op, part);
}

static int unary(struct builder *b, enum op_code code, const char *part, int x)
{
	struct op op = plan_op(code, b->layer);
	plan_input(&op, x);
	return add(b, op, part);
}

/* Tokens, positions, the cache's table and the masks: what a pass is given. */
static int inputs(struct builder *b)
{
	static const char *const given[] = {"tokens", "positions", "pad"};
	static const char *const table[] = {"cache.token", "cache.position", "cache.written", "cache.row"};
	int tokens = plan_add_many(b->plan, plan_op(OP_input, -1), "tokens", given, 3, b->err);
	int slots = plan_add_many(b->plan, plan_op(OP_cache_table, -1), "cache.token", table, 4, b->err);
	b->failed = tokens == PLAN_NONE || slots == PLAN_NONE;
	b->positions = tokens + 1;
	int causal = add(b, plan_op(OP_mask_causal, -1), "mask.causal");
	int padding = add(b, plan_op(OP_mask_padding, -1), "mask.padding");
	b->mask = binary(b, OP_mask_and, "mask", causal, padding);
	return tokens;
}

static float score_scale(const struct builder *b)
{
	float scale = b->config->scale_scores ? 1.0f / sqrtf((float)b->config->head_width) : 1.0f;
	return b->config->scale_by_layer ? scale / (float)(b->layer + 1) : scale;
}

static int attention(struct builder *b, int x)
{
	int normed = norm(b, "attn.norm", x);
	int q = linear(b, "attn.q", normed, "ND");
	int k = linear(b, "attn.k", normed, "GD");
	int v = linear(b, "attn.v", normed, "GD");
	int cache = binary(b, OP_cache_write, "attn.cache", k, v);
	struct op scores = plan_op(OP_attn_scores, b->layer);
	plan_input(&scores, q);
	plan_input(&scores, cache);
	plan_input(&scores, b->mask);
	scores.scale = score_scale(b);
	int weights = binary(b, OP_attn_softmax, "attn.weights", add(b, scores, "attn.scores"), b->mask);
	struct op mix = plan_op(OP_attn_mix, b->layer);
	plan_input(&mix, weights);
	plan_input(&mix, cache);
	plan_input(&mix, b->mask);
	return linear(b, "attn.out", add(b, mix, "attn.mix"), "H");
}

static int mlp(struct builder *b, int x)
{
	static const enum op_code activations[] = {
		[ACTIVATION_GELU_TANH] = OP_gelu_tanh,
		[ACTIVATION_GELU_ERF] = OP_gelu_erf,
		[ACTIVATION_RELU] = OP_relu,
		[ACTIVATION_SILU] = OP_silu,
	};
	int up = linear(b, "mlp.up", norm(b, "mlp.norm", x), "F");
	return linear(b, "mlp.out", unary(b, activations[b->config->activation], "mlp.act", up), "H");
}

static int head(struct builder *b, int x)
{
	struct op op = plan_op(OP_linear, -1);
	plan_input(&op, unary(b, OP_last, "final.last", norm(b, "final.norm", x)));
	plan_weight(&op, weight(b, b->config->tied ? "embed.token" : "logits", "weight"));
	snprintf(op.axes, sizeof op.axes, "V");
	return add(b, op, "logits");
}

bool plan_gpt2(struct plan *plan, struct model *model, struct err *err)
{
	struct builder b = {.plan = plan, .model = model, .config = model_config(model), .err = err, .layer = -1};
	int tokens = inputs(&b);
	/* One statement each: C does not say in which order arguments are evaluated, and the list is an order. */
	int token = lookup(&b, "embed.token", tokens);
	int position = lookup(&b, "embed.position", b.positions);
	int x = binary(&b, OP_add, "embed", token, position);
	for (b.layer = 0; b.layer < plan->layers && !b.failed; b.layer++) {
		x = binary(&b, OP_add, "resid_mid", x, attention(&b, x));
		x = binary(&b, OP_add, "resid", x, mlp(&b, x));
	}
	b.layer = -1;
	int logits = head(&b, x);
	unary(&b, OP_softmax, "probs", logits);
	int next = unary(&b, OP_choose, "next_tokens", logits);
	binary(&b, OP_logprob, "logprobs", logits, next);
	unary(&b, OP_finish, "finished", next);
	return !b.failed;
}
