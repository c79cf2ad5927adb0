/*
 * Weights of the Llama-like families by their names in Hugging Face folders, under one of several prefixes. Matrices are Linear,
 * stored [out, in]. Axis Q counts all numbers of a position's queries (N * D), E those of its keys (G * D).
 */
#include "model/build.h"

struct llama {
	struct model *model;
	const struct config *config;
	const char *prefix;
	struct err *err;
	int64_t layer;
};

/* "model.layers.3.self_attn.q_proj.weight" */
static const char *source_name(struct llama *l, const char *part, const char *ending)
{
	if (l->layer < 0)
		return model_printf(l->model, "%s%s.%s", l->prefix, part, ending);
	return model_printf(l->model, "%slayers.%lld.%s.%s", l->prefix, (long long)l->layer, part, ending);
}

static const char *own_name(struct llama *l, const char *part, const char *ending)
{
	if (l->layer < 0)
		return model_printf(l->model, "%s.%s", part, ending);
	return model_printf(l->model, "layers.%lld.%s.%s", (long long)l->layer, part, ending);
}

static bool norm(struct llama *l, const char *part, const char *source, const char *axis)
{
	return model_add(l->model,
		&(struct model_part){.name = own_name(l, part, "weight"),
			.source = source_name(l, source, "weight"),
			.axes = axis,
			.out = axis[0] == 'D' ? l->config->head_width : l->config->hidden,
			.form = WEIGHT_VECTOR,
			.parts = 1,
			.offset = l->config->norm_offset,
			.constant = 1},
		l->err);
}

/* Sizes of a matrix and the letters of its outputs and inputs. */
struct sizes {
	const char *axes;
	int64_t out, in;
	int64_t rotary_heads; /* of queries and keys */
};

static bool linear(struct llama *l, const char *part, const char *source, struct sizes sizes, bool bias)
{
	int64_t rotary = sizes.rotary_heads;
	const char bias_axes[2] = {sizes.axes[0], '\0'};
	struct model_part matrix = {.name = own_name(l, part, "weight"),
		.source = source_name(l, source, "weight"),
		.axes = sizes.axes,
		.out = sizes.out,
		.in = sizes.in,
		.form = WEIGHT_PANEL,
		.parts = 1,
		.rotary_heads = rotary};
	struct model_part vector = {.name = own_name(l, part, "bias"),
		.source = source_name(l, source, "bias"),
		.axes = bias_axes,
		.out = sizes.out,
		.form = WEIGHT_VECTOR,
		.parts = 1,
		.rotary_heads = rotary};
	return model_add(l->model, &matrix, l->err) && (!bias || model_add(l->model, &vector, l->err));
}

static bool attention(struct llama *l)
{
	const struct config *c = l->config;
	int64_t H = c->hidden, q = c->heads * c->head_width, kv = c->kv_heads * c->head_width;
	return norm(l, "attn.norm", "input_layernorm", "H") &&
		linear(l, "attn.q", "self_attn.q_proj", (struct sizes){"QH", q, H, c->heads}, c->qkv_bias) &&
		linear(l, "attn.k", "self_attn.k_proj", (struct sizes){"EH", kv, H, c->kv_heads}, c->qkv_bias) &&
		linear(l, "attn.v", "self_attn.v_proj", (struct sizes){"EH", kv, H, 0}, c->qkv_bias) &&
		(!c->qk_norm ||
			(norm(l, "attn.q_norm", "self_attn.q_norm", "D") &&
				norm(l, "attn.k_norm", "self_attn.k_norm", "D"))) &&
		linear(l, "attn.out", "self_attn.o_proj", (struct sizes){"HQ", H, q, 0}, c->out_bias) &&
		(!c->post_norms || norm(l, "attn.post_norm", "post_attention_layernorm", "H"));
}

static bool mlp(struct llama *l)
{
	const struct config *c = l->config;
	int64_t H = c->hidden, F = c->mlp;
	return norm(l, "mlp.norm", c->post_norms ? "pre_feedforward_layernorm" : "post_attention_layernorm", "H") &&
		linear(l, "mlp.gate", "mlp.gate_proj", (struct sizes){"FH", F, H, 0}, c->mlp_bias) &&
		linear(l, "mlp.up", "mlp.up_proj", (struct sizes){"FH", F, H, 0}, c->mlp_bias) &&
		linear(l, "mlp.out", "mlp.down_proj", (struct sizes){"HF", H, F, 0}, c->mlp_bias) &&
		(!c->post_norms || norm(l, "mlp.post_norm", "post_feedforward_layernorm", "H"));
}

static bool output(struct llama *l)
{
	if (l->config->tied)
		return true;
	return model_add(l->model,
		&(struct model_part){.name = "logits.weight",
			.source = "lm_head.weight",
			.axes = "VH",
			.out = l->config->vocabulary,
			.in = l->config->hidden,
			.form = WEIGHT_PANEL,
			.parts = 1},
		l->err);
}

/* A whole model, its body alone, the text part of a model of text and pictures (two generations). */
static const char *find_prefix(struct model *model)
{
	static const char *const prefixes[] = {"model.", "", "language_model.model.", "model.language_model."};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		if (model_has(model, model_printf(model, "%sembed_tokens.weight", prefixes[i])))
			return prefixes[i];
	}
	return prefixes[0];
}

bool model_llama(struct model *model, struct err *err)
{
	struct llama l = {.model = model, .config = model_config(model), .err = err, .layer = -1};
	l.prefix = find_prefix(model);
	if (!model_add(model,
		    &(struct model_part){.name = "embed.token.weight",
			    .source = source_name(&l, "embed_tokens", "weight"),
			    .axes = "VH",
			    .out = l.config->vocabulary,
			    .in = l.config->hidden,
			    .form = WEIGHT_PANEL,
			    .parts = 1},
		    err))
		return false;
	for (l.layer = 0; l.layer < l.config->layers; l.layer++) {
		if (!attention(&l) || !mlp(&l))
			return false;
	}
	l.layer = -1;
	if (l.config->norm_offset != 0 && !model_is_file(model))
		model_note(model, "gains of norms are stored less 1 in the file and given here whole");
	if (model_is_interleaved(model))
		model_note(model,
			"queries and keys have rotary pairs side by side in the file and are given here in half-split "
			"order");
	model_note(model, "rotary positions turn number i of a head together with number i + D/2 (half-split order)");
	return norm(&l, "final.norm", "norm", "H") && output(&l);
}
