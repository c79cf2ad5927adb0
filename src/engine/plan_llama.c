/*
 * The Llama-like families as one list of operations: RMSNorm before each half of a layer, rotary positions, grouped queries, a
 * gated MLP. What a family has besides is switched on by its configuration: norms of queries and keys (Qwen3, Gemma 3), norms after
 * attention and MLP, soft caps, scaled embeddings (Gemma), layers with a sliding window (Mistral, Qwen2, Gemma 2 and 3).
 * Sources: Touvron et al., "LLaMA", 2023; the model files of Hugging Face transformers for the order of steps.
 */
#include <math.h>
#include <stdio.h>

#include "engine/builder.h"
#include "tensor/real.h"

/* What the layers share. */
struct shared {
	const float *frequencies, *local_frequencies;
	int local_mask; /* for layers with a window */
};

/* Frequencies of the pairs, float32 at each step as in Hugging Face transformers; Llama 3's stretching with them. */
static const float *frequencies_of(struct builder *b, const struct rope *rope)
{
	int64_t D = b->config->head_width, half = D / 2;
	float *f = ARENA_ARRAY(b->plan->arena, float, half);
	for (int64_t i = 0; i < half; i++) {
		f[i] = 1.0f / real_pow(rope->theta, (float)(2 * i) / (float)D);
		if (rope->factors != NULL)
			f[i] /= rope->factors[i];
		if (rope->scaling == ROPE_LINEAR)
			f[i] /= rope->factor;
		if (rope->scaling != ROPE_LLAMA3)
			continue;
		float wave = 6.28318530717958647692f / f[i];
		float low = rope->original_context / rope->low_freq_factor,
		      high = rope->original_context / rope->high_freq_factor;
		float smooth = (rope->original_context / wave - rope->low_freq_factor) /
			(rope->high_freq_factor - rope->low_freq_factor);
		if (wave > low)
			f[i] = f[i] / rope->factor;
		else if (wave >= high)
			f[i] = (1 - smooth) * (f[i] / rope->factor) + smooth * f[i];
	}
	return f;
}

static int norm(struct builder *b, const char *part, const char *value, const char *axes, int x)
{
	struct op op = plan_op(OP_rms_norm, b->layer);
	snprintf(op.axes, sizeof op.axes, "%s", axes);
	plan_input(&op, x);
	plan_weight(&op, builder_weight(b, part, "weight"));
	op.eps = b->config->norm_eps;
	return builder_add(b, op, value);
}

static int constant(struct builder *b, enum op_code code, const char *part, int x, float c)
{
	struct op op = plan_op(code, b->layer);
	plan_input(&op, x);
	op.constant = c;
	return builder_add(b, op, part);
}

/* A projection, normalised head by head where the family does that: attn.q is what comes out in the end. */
static int projection(struct builder *b, const char *part, const char *raw, const char *norm_part, int x,
	const char *axes)
{
	struct op op = plan_op(OP_linear, b->layer);
	bool is_normed = norm_part != NULL && b->config->qk_norm;
	plan_input(&op, x);
	plan_weight(&op, builder_weight(b, part, "weight"));
	if (b->config->qkv_bias)
		plan_weight(&op, builder_weight(b, part, "bias"));
	op.axes[0] = axes[0], op.axes[1] = axes[1];
	int y = builder_add(b, op, is_normed ? raw : part);
	return is_normed ? norm(b, norm_part, part, axes, y) : y;
}

static int rotated(struct builder *b, const struct shared *shared, const char *part, int x, char heads)
{
	bool local = b->config->windowed[b->layer] != 0 && shared->local_frequencies != NULL;
	struct op op = plan_op(OP_rope, b->layer);
	plan_input(&op, x);
	plan_input(&op, b->positions);
	op.axes[0] = heads, op.axes[1] = 'D';
	op.frequencies = local ? shared->local_frequencies : shared->frequencies;
	return builder_add(b, op, part);
}

static int attention(struct builder *b, const struct shared *shared, int x)
{
	const struct config *config = b->config;
	int normed = norm(b, "attn.norm", "attn.norm", "H", x);
	int q = projection(b, "attn.q", "attn.q_proj", "attn.q_norm", normed, "ND");
	int k = projection(b, "attn.k", "attn.k_proj", "attn.k_norm", normed, "GD");
	int v = projection(b, "attn.v", NULL, NULL, normed, "GD");
	int q_rot = rotated(b, shared, "attn.q_rot", q, 'N');
	int k_rot = rotated(b, shared, "attn.k_rot", k, 'G');
	float scale = config->score_scale != 0 ? config->score_scale : (float)(1.0 / sqrt((double)config->head_width));
	int mask = config->windowed[b->layer] != 0 ? shared->local_mask : b->mask;
	int mix = builder_attention(b, &(struct builder_attention){q_rot, k_rot, v, mask, scale, config->score_cap});
	int out = builder_linear(b, "attn.out", mix, "H", config->out_bias);
	return config->post_norms ? norm(b, "attn.post_norm", "attn.post_norm", "H", out) : out;
}

static int mlp(struct builder *b, int x)
{
	static const enum op_code activations[] = {
		[ACTIVATION_GELU_TANH] = OP_gelu_tanh,
		[ACTIVATION_GELU_ERF] = OP_gelu_erf,
		[ACTIVATION_RELU] = OP_relu,
		[ACTIVATION_SILU] = OP_silu,
	};
	const struct config *config = b->config;
	int normed = norm(b, "mlp.norm", "mlp.norm", "H", x);
	int gate = builder_linear(b, "mlp.gate", normed, "F", config->mlp_bias);
	int up = builder_linear(b, "mlp.up", normed, "F", config->mlp_bias);
	int opened = builder_unary(b, activations[config->activation], "mlp.gate_act", gate);
	int out = builder_linear(b, "mlp.out", builder_binary(b, OP_mul, "mlp.act", opened, up), "H", config->mlp_bias);
	return config->post_norms ? norm(b, "mlp.post_norm", "mlp.post_norm", "H", out) : out;
}

/* The mask of layers with a window: the other one, and a third condition. */
static int local_mask(struct builder *b)
{
	struct op op = plan_op(OP_mask_window, -1);
	op.window = b->config->window;
	return builder_binary(b, OP_mask_and, "mask.local", b->mask, builder_add(b, op, "mask.window"));
}

static struct shared share(struct builder *b)
{
	struct shared shared = {.frequencies = frequencies_of(b, &b->config->rope), .local_mask = b->mask};
	bool any = false;
	for (int64_t i = 0; i < b->config->layers; i++)
		any = any || b->config->windowed[i] != 0;
	if (any)
		shared.local_mask = local_mask(b);
	if (any && b->config->local_rope.theta != 0)
		shared.local_frequencies = frequencies_of(b, &b->config->local_rope);
	return shared;
}

bool plan_llama(struct plan *plan, struct model *model, struct err *err)
{
	struct builder b = builder_of(plan, model, err);
	builder_inputs(&b);
	struct shared shared = share(&b);
	int token = builder_lookup(&b, "embed.token", b.tokens);
	int x = b.config->embed_scale != 0 ? constant(&b, OP_scale, "embed", token, b.config->embed_scale)
					   : builder_unary(&b, OP_copy, "embed", token);
	for (b.layer = 0; b.layer < plan->layers && !b.failed; b.layer++) {
		x = builder_binary(&b, OP_add, "resid_mid", x, attention(&b, &shared, x));
		x = builder_binary(&b, OP_add, "resid", x, mlp(&b, x));
	}
	b.layer = -1;
	bool capped = b.config->logit_cap != 0;
	int logits =
		builder_logits(&b, norm(&b, "final.norm", "final.norm", "H", x), capped ? "logits.uncapped" : "logits");
	if (capped)
		logits = constant(&b, OP_softcap, "logits", logits, b.config->logit_cap);
	builder_choice(&b, logits);
	return !b.failed;
}
