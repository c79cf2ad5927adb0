/*
 * The GPT-2 family as a list of operations: learned positions, LayerNorm before each half of a layer, a biased
 * projection for q, k and v each, an ungated MLP, a final LayerNorm.
 * Source: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, part 2.3.
 */
#include <math.h>

#include "engine/builder.h"

static int norm(struct builder *b, const char *part, int x)
{
	struct op op = plan_op(OP_layer_norm, b->layer);
	plan_input(&op, x);
	plan_weight(&op, builder_weight(b, part, "weight"));
	plan_weight(&op, builder_weight(b, part, "bias"));
	op.eps = b->config->norm_eps;
	return builder_add(b, op, part);
}

static float score_scale(const struct builder *b)
{
	float scale = b->config->scale_scores ? 1.0f / sqrtf((float)b->config->head_width) : 1.0f;
	return b->config->scale_by_layer ? scale / (float)(b->layer + 1) : scale;
}

static int attention(struct builder *b, int x)
{
	/* One statement each: C does not say in which order arguments are evaluated, and the list is an order. */
	int normed = norm(b, "attn.norm", x);
	int q = builder_linear(b, "attn.q", normed, "ND", true);
	int k = builder_linear(b, "attn.k", normed, "GD", true);
	int v = builder_linear(b, "attn.v", normed, "GD", true);
	int mix = builder_attention(b, &(struct builder_attention){q, k, v, b->mask, score_scale(b), 0});
	return builder_linear(b, "attn.out", mix, "H", true);
}

static int mlp(struct builder *b, int x)
{
	static const enum op_code activations[] = {
		[ACTIVATION_GELU_TANH] = OP_gelu_tanh,
		[ACTIVATION_GELU_ERF] = OP_gelu_erf,
		[ACTIVATION_RELU] = OP_relu,
		[ACTIVATION_SILU] = OP_silu,
	};
	int up = builder_linear(b, "mlp.up", norm(b, "mlp.norm", x), "F", true);
	int act = builder_unary(b, activations[b->config->activation], "mlp.act", up);
	return builder_linear(b, "mlp.out", act, "H", true);
}

bool plan_gpt2(struct plan *plan, struct model *model, struct err *err)
{
	struct builder b = builder_of(plan, model, err);
	builder_inputs(&b);
	int token = builder_lookup(&b, "embed.token", b.tokens);
	int position = builder_lookup(&b, "embed.position", b.positions);
	int x = builder_binary(&b, OP_add, "embed", token, position);
	for (b.layer = 0; b.layer < plan->layers && !b.failed; b.layer++) {
		x = builder_binary(&b, OP_add, "resid_mid", x, attention(&b, x));
		x = builder_binary(&b, OP_add, "resid", x, mlp(&b, x));
	}
	b.layer = -1;
	builder_choice(&b, builder_logits(&b, norm(&b, "final.norm", x), "logits"));
	return !b.failed;
}
