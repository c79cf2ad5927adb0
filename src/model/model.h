/*
 * model.h: a model on disk as a configuration, weights under canonical names, and a tokenizer.
 *
 * A Hugging Face folder (config.json, model.safetensors, tokenizer.json) is opened without reading its weights; a weight
 * is read when it is first used, straight into the form that the kernels want, so that it is never twice in
 * memory. Canonical names say where a weight is used ("layers.0.attn.q.weight"), with matrices as [out, in] whatever the
 * file's order; model_gpt2.c maps them to the names of a family's files.
 *
 *     struct model *model;
 *     if (!model_open(&model, "tiny_models/glass", err)) return false;
 *     struct weight *weight = model_weight(model, "layers.0.attn.q.weight");
 *     if (!weight_load(weight, err)) ...
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "model/weight.h"
#include "text/tokenizer.h"

enum activation { ACTIVATION_GELU_TANH, ACTIVATION_GELU_ERF, ACTIVATION_RELU, ACTIVATION_SILU };

#define CONFIG_MAX_END_TOKENS 8

struct config {
	const char *family; /* "gpt2" */
	int64_t vocabulary, context, hidden, layers, heads, kv_heads, head_width, mlp;
	float norm_eps;
	enum activation activation;
	bool scale_by_layer; /* attention scores are divided by the layer's number, from 1 */
	bool scale_scores;   /* attention scores are divided by sqrt(head_width) */
	bool tied;           /* the output matrix is the token table */
	int32_t bos, pad;    /* -1: none */
	int32_t end_tokens[CONFIG_MAX_END_TOKENS];
	int end_token_count;
};

struct model;

/* Opens a folder. Input error naming what is missing, not understood or does not fit. */
bool model_open(struct model **model, const char *path, struct err *err);
/* A model of that configuration with weights drawn at random from a fixed seed: for measuring. No tokenizer. */
bool model_random(struct model **model, const struct config *config, const char *name, struct err *err);
void model_delete(struct model *model);

const char *model_name(const struct model *model); /* last component of its path */
const char *model_path(const struct model *model); /* "" for a random one */
const struct config *model_config(const struct model *model);
/* NULL when the folder has none. */
const struct tokenizer *model_tokenizer(const struct model *model);

/* The weight of that canonical name, or NULL. */
struct weight *model_weight(struct model *model, const char *name);
/* All weights in order. */
size_t model_weight_count(const struct model *model);
struct weight *model_weight_at(const struct model *model, size_t i);
/* Parameters in all weights (a tied matrix once). */
int64_t model_parameters(const struct model *model);

/* XXH3-64 of the weights file (0 for a random model) and of the tokenizer file, as 16 hex digits into text[17]. */
bool model_weights_digest(struct model *model, char text[17], struct err *err);
bool model_tokenizer_digest(struct model *model, char text[17], struct err *err);
/* What was done on loading that a reader of a trace should know ("matrices transposed to [out, in]"); NULL-terminated. */
const char *const *model_notes(const struct model *model);

#endif
