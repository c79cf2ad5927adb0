/*
 * config.h: what a model is: family, sizes, and the options that change its arithmetic.
 *
 * Read from a Hugging Face config.json. Every number is an integer within bounds or an error naming its key; a family or an
 * option that rowscope does not compute is refused by name, never guessed.
 */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

enum activation { ACTIVATION_GELU_TANH, ACTIVATION_GELU_ERF, ACTIVATION_RELU, ACTIVATION_SILU };

#define CONFIG_MAX_END_TOKENS 8
#define CONFIG_MAX_LAYERS 1024

/* How rotary frequencies are stretched for a longer context. */
enum rope_scaling { ROPE_PLAIN, ROPE_LINEAR, ROPE_LLAMA3 };

struct rope {
	float theta; /* base of the frequencies; 0: the family has no rotary positions */
	enum rope_scaling scaling;
	float factor, low_freq_factor, high_freq_factor, original_context;
	const float *factors; /* [head_width / 2]: each frequency is divided by its own; NULL: none */
};

struct config {
	const char *family; /* "gpt2", "llama", ...: config_family */
	int64_t vocabulary, context, hidden, layers, heads, kv_heads, head_width, mlp;
	float norm_eps;
	enum activation activation;
	bool scale_by_layer; /* attention scores are divided by the layer's number, from 1 */
	bool scale_scores;   /* attention scores are divided by sqrt(head_width) */
	bool tied;           /* the output matrix is the token table */
	/* the Llama-like families; zeros mean that the family has no such thing */
	struct rope rope, local_rope; /* local: of layers with a sliding window, where its theta is not 0 */
	bool qkv_bias, out_bias, mlp_bias;
	bool qk_norm;               /* queries and keys are normalised head by head */
	bool post_norms;            /* attention and MLP are normalised again before they are added */
	float norm_offset;          /* added to the gain of every norm when it is loaded: Gemma stores them less 1 */
	float embed_scale;          /* embeddings are multiplied by it */
	float score_scale;          /* attention scores are multiplied by it; 0: 1 / sqrt(head_width) */
	float score_cap, logit_cap; /* c * tanh(x / c) of scores and logits */
	int64_t window;             /* positions that a layer with a sliding window sees */
	uint8_t windowed[CONFIG_MAX_LAYERS]; /* 1 for such a layer */
	int32_t bos, pad;                    /* -1: none */
	int32_t end_tokens[CONFIG_MAX_END_TOKENS];
	int end_token_count;
};

/* The group of families that share weights and operations: "gpt2" or "llama"; "" when the family is unknown. */
const char *config_group(const struct config *config);
/* Name of family i = 0, 1, ... ("llama"); NULL after the last. All of them in one line, for messages. */
const char *config_family(size_t i);
void config_families(char *text, size_t size);

/* Fills a config from the document. Input error with the path of the value. */
bool config_read(struct config *config, const struct json *document, struct err *err);

const char *activation_name(enum activation activation);

#endif
