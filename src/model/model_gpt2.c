/*
 * GPT-2's weights by their names in Hugging Face folders, with or without the prefix "transformer.". Its matrices are
 * Conv1D, stored [in, out]; q, k and v are one matrix with the outputs of all three side by side.
 */
#include <stdio.h>

#include "model/build.h"

struct gpt2 {
	struct model *model;
	const struct config *config;
	const char *prefix;
	struct err *err;
	int64_t layer;
};

/* "transformer.h.3.ln_1.weight" */
static const char *source_name(struct gpt2 *g, const char *part, const char *ending)
{
	if (g->layer < 0)
		return model_printf(g->model, "%s%s.%s", g->prefix, part, ending);
	return model_printf(g->model, "%sh.%lld.%s.%s", g->prefix, (long long)g->layer, part, ending);
}

static const char *own_name(struct gpt2 *g, const char *part, const char *ending)
{
	if (g->layer < 0)
		return model_printf(g->model, "%s.%s", part, ending);
	return model_printf(g->model, "layers.%lld.%s.%s", (long long)g->layer, part, ending);
}

static bool table(struct gpt2 *g, const char *part, const char *source, enum weight_form form, int64_t rows)
{
	return model_add(g->model,
		&(struct model_part){.name = own_name(g, part, "weight"),
			.source = source_name(g, source, "weight"),
			.axes = form == WEIGHT_TABLE ? "PH" : "VH",
			.out = rows,
			.in = g->config->hidden,
			.form = form,
			.parts = 1},
		g->err);
}

static bool norm(struct gpt2 *g, const char *part, const char *source)
{
	for (int i = 0; i < 2; i++) {
		const char *ending = i == 0 ? "weight" : "bias";
		if (!model_add(g->model,
			    &(struct model_part){.name = own_name(g, part, ending),
				    .source = source_name(g, source, ending),
				    .axes = "H",
				    .out = g->config->hidden,
				    .form = WEIGHT_VECTOR,
				    .parts = 1,
				    .constant = i == 0 ? 1 : 0},
			    g->err))
			return false;
	}
	return true;
}

/* Matrix and bias; `axes` are the letters of outputs and inputs. */
static bool conv1d(struct gpt2 *g, const char *part, const char *source, const char *axes, int64_t index, int64_t parts)
{
	int64_t out = axes[0] == 'F' ? g->config->mlp : g->config->hidden;
	int64_t in = axes[1] == 'F' ? g->config->mlp : g->config->hidden;
	const char bias_axes[2] = {axes[0], '\0'};
	struct model_part matrix = {.name = own_name(g, part, "weight"),
		.source = source_name(g, source, "weight"),
		.axes = axes,
		.out = out,
		.in = in,
		.form = WEIGHT_PANEL,
		.transposed = true,
		.part = index,
		.parts = parts};
	struct model_part bias = {.name = own_name(g, part, "bias"),
		.source = source_name(g, source, "bias"),
		.axes = bias_axes,
		.out = out,
		.form = WEIGHT_VECTOR,
		.part = index,
		.parts = parts};
	return model_add(g->model, &matrix, g->err) && model_add(g->model, &bias, g->err);
}

static bool layer(struct gpt2 *g)
{
	return norm(g, "attn.norm", "ln_1") && conv1d(g, "attn.q", "attn.c_attn", "HH", 0, 3) &&
		conv1d(g, "attn.k", "attn.c_attn", "HH", 1, 3) && conv1d(g, "attn.v", "attn.c_attn", "HH", 2, 3) &&
		conv1d(g, "attn.out", "attn.c_proj", "HH", 0, 1) && norm(g, "mlp.norm", "ln_2") &&
		conv1d(g, "mlp.up", "mlp.c_fc", "FH", 0, 1) && conv1d(g, "mlp.out", "mlp.c_proj", "HF", 0, 1);
}

/* An untied output matrix: a Linear of its own, outside the prefix. */
static bool output(struct gpt2 *g)
{
	if (g->config->tied)
		return true;
	return model_add(g->model,
		&(struct model_part){.name = "logits.weight",
			.source = "lm_head.weight",
			.axes = "VH",
			.out = g->config->vocabulary,
			.in = g->config->hidden,
			.form = WEIGHT_PANEL,
			.parts = 1},
		g->err);
}

bool model_gpt2(struct model *model, struct err *err)
{
	struct gpt2 g = {.model = model, .config = model_config(model), .err = err, .layer = -1};
	g.prefix = model_has(model, "wte.weight") ? "" : "transformer.";
	if (!table(&g, "embed.token", "wte", WEIGHT_PANEL, g.config->vocabulary) ||
		!table(&g, "embed.position", "wpe", WEIGHT_TABLE, g.config->context))
		return false;
	for (g.layer = 0; g.layer < g.config->layers; g.layer++) {
		if (!layer(&g))
			return false;
	}
	g.layer = -1;
	model_note(model, "matrices are stored [in, out] in the file (Conv1D) and given here as [out, in]");
	model_note(model, "attn.c_attn of the file is given here as attn.q, attn.k and attn.v");
	return norm(&g, "final.norm", "ln_f") && output(&g);
}
