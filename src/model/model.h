/*
 * model.h: a model on disk as a configuration, weights under canonical names, and a tokenizer.
 *
 * A Hugging Face folder (config.json, model.safetensors or several with an index, tokenizer.json), a GGUF file or a checkpoint of
 * llama2.c is opened without reading its weights; a weight
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
#include "model/config.h"
#include "model/weight.h"
#include "text/tokenizer.h"

struct model;

/* Opens a folder or file. Input error naming what is missing, not understood or does not fit. */
bool model_open(struct model **model, const char *path, struct err *err);
/* The same with the vocabulary of another file (tokenizer.json, GGUF or tokenizer.bin); NULL: the model's own. Fails
 * as model_open and tokenizer_open do. */
bool model_open_with(struct model **model, const char *path, const char *tokenizer, struct err *err);
/* A model of that configuration with weights drawn at random from a fixed seed: for measuring. No tokenizer. Input
 * error when the sizes do not go together. */
bool model_random(struct model **model, const struct config *config, const char *name, struct err *err);
/* NULL is allowed. */
void model_delete(struct model *model);

const char *model_name(const struct model *model); /* last component of its path */
const char *model_path(const struct model *model); /* "" for a random one */
const struct config *model_config(const struct model *model);
/* NULL when it has none: then rows are given by token IDs. A checkpoint of llama2.c has tok<V>.bin or else tokenizer.bin beside it. */
const struct tokenizer *model_tokenizer(const struct model *model);

/* The weight of that canonical name, or NULL. */
struct weight *model_weight(struct model *model, const char *name);
/* All weights in order. */
size_t model_weight_count(const struct model *model);
struct weight *model_weight_at(const struct model *model, size_t i);
/* Numbers in all weights (a tied matrix once). */
int64_t model_parameters(const struct model *model);
/* Names in the weights file that the family does not use, one after the other from i = 0; NULL after the last. */
const char *model_unused(const struct model *model, size_t i);

/* XXH3-64 of the weights file, as 16 hex digits; zeros for a random model. Computed when first asked for. The
 * tokenizer's is tokenizer_digest(). System error when the file cannot be read. */
bool model_weights_digest(struct model *model, char text[17], struct err *err);
/* What was done on loading that a reader of a trace should know; NULL-terminated. */
const char *const *model_notes(const struct model *model);

#endif
