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

/* Fills a config from the document. Input error with the path of the value. */
bool config_read(struct config *config, const struct json *document, struct err *err);

const char *activation_name(enum activation activation);

#endif
