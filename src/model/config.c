#include "model/config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_SIZE ((int64_t)1 << 24) /* of one dimension: keeps every product of two within 64 bits */
#define MAX_LAYERS 1024

/* Spellings of config.json; gelu_new and its fast forms are the same formula. */
static const struct {
	const char *name;
	enum activation activation;
} activations[] = {
	{"gelu_new", ACTIVATION_GELU_TANH},
	{"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
	{"gelu", ACTIVATION_GELU_ERF},
	{"relu", ACTIVATION_RELU},
	{"silu", ACTIVATION_SILU},
	{"swish", ACTIVATION_SILU},
};

const char *activation_name(enum activation activation)
{
	for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
		if (activations[i].activation == activation)
			return activations[i].name;
	}
	return "";
}

/* An integer; *value stays as it is, the standard, when the key is absent or null. */
static bool optional_int(const struct json *document, const char *key, int64_t low, int64_t high, int64_t *value,
	struct err *err)
{
	const struct json *node = json_find(document, key);
	return node == NULL || node->type == JSON_NULL || json_int(node, low, high, value, err);
}

static bool optional_bool(const struct json *document, const char *key, bool *value, struct err *err)
{
	const struct json *node = json_find(document, key);
	return node == NULL || node->type == JSON_NULL || json_bool(node, value, err);
}

static bool read_eps(struct config *config, const struct json *document, const char *key, struct err *err)
{
	const struct json *node = json_find(document, key);
	double eps = 1e-5;
	if (node != NULL && !json_number(node, 0, 1, &eps, err))
		return false;
	config->norm_eps = (float)eps;
	return true;
}

static bool read_activation(struct config *config, const struct json *document, const char *key, struct err *err)
{
	const struct json *node = json_find(document, key);
	const char *name = "gelu_new";
	size_t length;
	if (node != NULL && node->type != JSON_NULL && !json_string(node, &name, &length, err))
		return false;
	for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
		if (strcmp(activations[i].name, name) == 0) {
			config->activation = activations[i].activation;
			return true;
		}
	}
	return json_error(node, err, "unknown activation; known are gelu_new, gelu_pytorch_tanh, gelu, relu, silu");
}

static bool add_end_token(struct config *config, const struct json *node, struct err *err)
{
	int64_t token;
	if (config->end_token_count == CONFIG_MAX_END_TOKENS)
		return json_error(node, err, "more than %d end tokens", CONFIG_MAX_END_TOKENS);
	/* some published configs name an end token that their vocabulary does not hold: it can never be chosen */
	if (!json_int(node, 0, INT32_MAX, &token, err))
		return false;
	config->end_tokens[config->end_token_count++] = (int32_t)token;
	return true;
}

/* eos_token_id is one number, a list, or null. */
static bool read_special_tokens(struct config *config, const struct json *document, struct err *err)
{
	int64_t bos = -1, pad = -1;
	if (!optional_int(document, "bos_token_id", -1, INT32_MAX, &bos, err) ||
		!optional_int(document, "pad_token_id", -1, config->vocabulary - 1, &pad, err))
		return false;
	config->bos = (int32_t)bos;
	config->pad = (int32_t)pad;
	const struct json *eos = json_find(document, "eos_token_id");
	if (eos == NULL || eos->type == JSON_NULL)
		return true;
	if (eos->type != JSON_ARRAY)
		return add_end_token(config, eos, err);
	for (size_t i = 0; i < eos->count; i++) {
		if (!add_end_token(config, eos->items[i], err))
			return false;
	}
	return true;
}

/* Options whose arithmetic rowscope does not have must be off. */
static bool refuse_option(const struct json *document, const char *key, struct err *err)
{
	bool on = false;
	if (!optional_bool(document, key, &on, err))
		return false;
	return !on || json_error(json_find(document, key), err, "true is not supported: this program has no such operation");
}

static bool read_gpt2(struct config *config, const struct json *document, struct err *err)
{
	*config = (struct config){.family = "gpt2", .vocabulary = 50257, .context = 1024, .hidden = 768, .layers = 12,
		.heads = 12, .scale_scores = true, .tied = true};
	if (!optional_int(document, "vocab_size", 1, MAX_SIZE, &config->vocabulary, err) ||
		!optional_int(document, "n_positions", 1, MAX_SIZE, &config->context, err) ||
		!optional_int(document, "n_embd", 1, MAX_SIZE, &config->hidden, err) ||
		!optional_int(document, "n_layer", 1, MAX_LAYERS, &config->layers, err) ||
		!optional_int(document, "n_head", 1, MAX_SIZE, &config->heads, err))
		return false;
	config->mlp = 4 * config->hidden;
	if (!optional_int(document, "n_inner", 1, MAX_SIZE, &config->mlp, err) ||
		!optional_bool(document, "scale_attn_weights", &config->scale_scores, err) ||
		!optional_bool(document, "scale_attn_by_inverse_layer_idx", &config->scale_by_layer, err) ||
		!optional_bool(document, "tie_word_embeddings", &config->tied, err) ||
		!refuse_option(document, "add_cross_attention", err) ||
		!read_eps(config, document, "layer_norm_epsilon", err) ||
		!read_activation(config, document, "activation_function", err))
		return false;
	if (config->hidden % config->heads != 0)
		return json_error(json_find(document, "n_head"), err, "n_embd %lld is not a multiple of n_head %lld",
			(long long)config->hidden, (long long)config->heads);
	config->kv_heads = config->heads;
	config->head_width = config->hidden / config->heads;
	return read_special_tokens(config, document, err);
}

static const struct {
	const char *model_type;
	bool (*read)(struct config *config, const struct json *document, struct err *err);
} families[] = {
	{"gpt2", read_gpt2},
};

bool config_read(struct config *config, const struct json *document, struct err *err)
{
	const char *type;
	if (document->type != JSON_OBJECT)
		return json_error(document, err, "expected an object");
	if (!json_get_string(document, "model_type", &type, err))
		return false;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if (strcmp(families[i].model_type, type) == 0)
			return families[i].read(config, document, err);
	}
	return json_error(json_find(document, "model_type"), err, "unknown model family \"%s\"; known: gpt2", type);
}
