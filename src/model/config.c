#include "model/config_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Spellings of config.json; gelu_new and its fast forms are the same formula. */
static const struct {
	const char *name;
	enum activation activation;
} activations[] = {
	{"gelu_new", ACTIVATION_GELU_TANH},
	{"gelu_pytorch_tanh", ACTIVATION_GELU_TANH},
	{"gelu_fast", ACTIVATION_GELU_TANH},
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

const struct json *config_find(const struct json *document, const char *key)
{
	const struct json *node = json_find(document, key);
	return node == NULL || node->type == JSON_NULL ? NULL : node;
}

bool config_int(const struct json *document, const char *key, int64_t low, int64_t high, int64_t *value,
	struct err *err)
{
	const struct json *node = config_find(document, key);
	return node == NULL || json_int(node, low, high, value, err);
}

bool config_bool(const struct json *document, const char *key, bool *value, struct err *err)
{
	const struct json *node = config_find(document, key);
	return node == NULL || json_bool(node, value, err);
}

bool config_float(const struct json *document, const char *key, double low, double high, float *value, struct err *err)
{
	const struct json *node = config_find(document, key);
	double number;
	if (node == NULL)
		return true;
	if (!json_number(node, low, high, &number, err))
		return false;
	*value = (float)number;
	return true;
}

bool config_activation(const struct json *document, const char *key, enum activation *activation, struct err *err)
{
	const struct json *node = config_find(document, key);
	const char *name;
	size_t length;
	if (node == NULL)
		return true;
	if (!json_string(node, &name, &length, err))
		return false;
	for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
		if (strcmp(activations[i].name, name) == 0) {
			*activation = activations[i].activation;
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

bool config_special_tokens(struct config *config, const struct json *document, struct err *err)
{
	int64_t bos = -1, pad = -1;
	if (!config_int(document, "bos_token_id", -1, INT32_MAX, &bos, err) ||
		!config_int(document, "pad_token_id", -1, config->vocabulary - 1, &pad, err))
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

bool config_refuse(const struct json *document, const char *key, struct err *err)
{
	bool on = false;
	if (!config_bool(document, key, &on, err))
		return false;
	return !on ||
		json_error(json_find(document, key), err, "true is not supported: this program has no such operation");
}

bool config_gpt2(struct config *config, const struct json *document, struct err *err)
{
	*config = (struct config){.family = "gpt2",
		.vocabulary = 50257,
		.context = 1024,
		.hidden = 768,
		.layers = 12,
		.heads = 12,
		.norm_eps = 1e-5f,
		.scale_scores = true,
		.tied = true};
	if (!config_int(document, "vocab_size", 1, CONFIG_MAX_SIZE, &config->vocabulary, err) ||
		!config_int(document, "n_positions", 1, CONFIG_MAX_SIZE, &config->context, err) ||
		!config_int(document, "n_embd", 1, CONFIG_MAX_SIZE, &config->hidden, err) ||
		!config_int(document, "n_layer", 1, CONFIG_MAX_LAYERS, &config->layers, err) ||
		!config_int(document, "n_head", 1, CONFIG_MAX_SIZE, &config->heads, err))
		return false;
	config->mlp = 4 * config->hidden;
	if (!config_int(document, "n_inner", 1, CONFIG_MAX_SIZE, &config->mlp, err) ||
		!config_bool(document, "scale_attn_weights", &config->scale_scores, err) ||
		!config_bool(document, "scale_attn_by_inverse_layer_idx", &config->scale_by_layer, err) ||
		!config_bool(document, "tie_word_embeddings", &config->tied, err) ||
		!config_refuse(document, "add_cross_attention", err) ||
		!config_float(document, "layer_norm_epsilon", 0, 1, &config->norm_eps, err) ||
		!config_activation(document, "activation_function", &config->activation, err))
		return false;
	if (config->hidden % config->heads != 0)
		return json_error(json_find(document, "n_head"), err, "n_embd %lld is not a multiple of n_head %lld",
			(long long)config->hidden, (long long)config->heads);
	config->kv_heads = config->heads;
	config->head_width = config->hidden / config->heads;
	return config_special_tokens(config, document, err);
}

/* Families: the name in config.json, who reads it, and the group whose weights and operations it has. */
static const struct {
	const char *model_type, *group;
	bool (*read)(struct config *config, const struct json *document, struct err *err);
} families[] = {
	{"gpt2", "gpt2", config_gpt2},
	{"llama", "llama", config_llama},
	{"mistral", "llama", config_llama},
	{"qwen2", "llama", config_llama},
	{"qwen3", "llama", config_llama},
	{"gemma", "llama", config_llama},
	{"gemma2", "llama", config_llama},
	{"gemma3_text", "llama", config_llama},
	{"gemma3", "llama", config_gemma3},
};

const char *config_group(const struct config *config)
{
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if (strcmp(families[i].model_type, config->family) == 0)
			return families[i].group;
	}
	return "";
}

const char *config_family(size_t i)
{
	return i < sizeof families / sizeof *families ? families[i].model_type : NULL;
}

void config_families(char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; config_family(i) != NULL && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", config_family(i));
}

/* Weights of GPTQ, AWQ, FP8 and their like, stored as other tensors than the family's. */
static bool refuse_quantised(const struct json *document, struct err *err)
{
	const struct json *node = config_find(document, "quantization_config"), *method;
	const char *name = "unnamed";
	size_t length;
	if (node == NULL)
		return true;
	method = node->type == JSON_OBJECT ? config_find(node, "quant_method") : NULL;
	if (method != NULL && !json_string(method, &name, &length, err))
		return false;
	return json_error(node, err,
		"quantised weights (%s) are not supported in a folder; take the model unquantised, or as GGUF", name);
}

bool config_read(struct config *config, const struct json *document, struct err *err)
{
	const char *type;
	char known[256];
	if (document->type != JSON_OBJECT)
		return json_error(document, err, "expected an object");
	if (!json_get_string(document, "model_type", &type, err) || !refuse_quantised(document, err))
		return false;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if (strcmp(families[i].model_type, type) != 0)
			continue;
		*config = (struct config){.family = families[i].model_type};
		return families[i].read(config, document, err);
	}
	config_families(known, sizeof known);
	return json_error(json_find(document, "model_type"), err, "unknown model family \"%s\"; known: %s", type,
		known);
}
