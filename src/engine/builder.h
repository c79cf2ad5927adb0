/*
 * builder.h: what the plan_*.c files build their lists with, so that a list reads as a list. Internal to engine/.
 *
 * The first failure is kept in `failed` and everything after it does nothing. Names are those of the contract: parts get "layers.<i>."
 * in front inside a layer (layer >= 0).
 */
#ifndef ENGINE_BUILDER_H
#define ENGINE_BUILDER_H

#include "engine/plan.h"

struct builder {
	struct plan *plan;
	struct model *model;
	const struct config *config;
	struct err *err;
	bool failed;
	int layer;                   /* -1 outside the layers */
	int tokens, positions, mask; /* values, after builder_inputs */
	char name[96];
};

struct builder builder_of(struct plan *plan, struct model *model, struct err *err);

/* "layers.3.attn.q", or the part itself outside the layers; it lives until the next call. */
const char *builder_name(struct builder *b, const char *part);
/* The weight "<part>.<ending>"; a failure when the model has none. It belongs to the model. */
struct weight *builder_weight(struct builder *b, const char *part, const char *ending);
/* Adds an operation with one output and gives its value. */
int builder_add(struct builder *b, struct op op, const char *part);

/* Tokens, positions, padding, the cache's table and the masks: what every family starts with. */
void builder_inputs(struct builder *b);
/* An operation that takes from table `V,H` the row of each ID of `B,S` or `T`. */
int builder_lookup(struct builder *b, const char *part, int ids);
/* A matrix product with "<part>.weight", and "<part>.bias" where `bias`; `axes` are the letters of its output behind the cell. */
int builder_linear(struct builder *b, const char *part, int x, const char *axes, bool bias);
/* Operations of one or two inputs and nothing else. */
int builder_unary(struct builder *b, enum op_code code, const char *part, int x);
int builder_binary(struct builder *b, enum op_code code, const char *part, int x, int y);
/* What attention of one layer is made of: values, and what the scores are multiplied with and capped at (0: not at all). */
struct builder_attention {
	int q, k, v; /* q and k as they are multiplied */
	int mask;
	float scale, cap;
};

/* Cache, scores, softmax and mix of one layer, under the names of the contract. Gives attn.mix. */
int builder_attention(struct builder *b, const struct builder_attention *parts);
/* From the last layer's normed output to logits, of that name. The head is `logits.weight`, or the embedding where tied. */
int builder_logits(struct builder *b, int normed, const char *name);
/* Probabilities, choice, its log-probability, and which rows end. */
void builder_choice(struct builder *b, int logits);

#endif
