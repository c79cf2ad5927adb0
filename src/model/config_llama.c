/*
 * The families with rotary positions and a gated MLP, as transformers writes their config.json: version 4 (rope_theta,
 * rope_scaling) and version 5 (rope_parameters). Families differ in the standard values of keys and in what cannot be said
 * by keys at all; both are lines of one table. Source: configuration_*.py of Hugging Face transformers, 4.57 and 5.
 */
#include <math.h>
#include <string.h>

#include "model/config_parts.h"

enum window_rule { WINDOW_NONE, WINDOW_ALL, WINDOW_FROM_LAYER, WINDOW_BY_PATTERN };

/* What holds where config.json says nothing. A width of 0 is hidden / heads, no kv_heads are as many as heads. */
static const struct standard {
	const char *family;
	int64_t vocabulary, hidden, mlp, layers, heads, kv_heads, head_width, context, window, pattern;
	enum window_rule rule;
	float theta;
	bool tied, qkv_bias, qk_norm, gemma, post_norms, scalar, score_cap_key, mlp_bias_key, bias_key, local_rope;
	float score_cap, logit_cap;
	int32_t bos, end; /* -1: none */
} standards[] = {
	{.family = "llama",
		.vocabulary = 32000,
		.hidden = 4096,
		.mlp = 11008,
		.layers = 32,
		.heads = 32,
		.context = 2048,
		.theta = 1e4f,
		.bias_key = true,
		.mlp_bias_key = true,
		.bos = 1,
		.end = 2},
	{.family = "mistral",
		.vocabulary = 32000,
		.hidden = 4096,
		.mlp = 14336,
		.layers = 32,
		.heads = 32,
		.kv_heads = 8,
		.context = 131072,
		.theta = 1e4f,
		.window = 4096,
		.rule = WINDOW_ALL,
		.bos = 1,
		.end = 2},
	{.family = "qwen2",
		.vocabulary = 151936,
		.hidden = 4096,
		.mlp = 22016,
		.layers = 32,
		.heads = 32,
		.kv_heads = 32,
		.context = 32768,
		.theta = 1e4f,
		.window = 4096,
		.rule = WINDOW_FROM_LAYER,
		.qkv_bias = true,
		.bos = -1,
		.end = -1},
	{.family = "qwen3",
		.vocabulary = 151936,
		.hidden = 4096,
		.mlp = 22016,
		.layers = 32,
		.heads = 32,
		.kv_heads = 32,
		.head_width = 128,
		.context = 32768,
		.theta = 1e4f,
		.window = 4096,
		.rule = WINDOW_FROM_LAYER,
		.qk_norm = true,
		.bias_key = true,
		.bos = -1,
		.end = -1},
	{.family = "gemma",
		.vocabulary = 256000,
		.hidden = 3072,
		.mlp = 24576,
		.layers = 28,
		.heads = 16,
		.kv_heads = 16,
		.head_width = 256,
		.context = 8192,
		.theta = 1e4f,
		.tied = true,
		.gemma = true,
		.bias_key = true,
		.bos = 2,
		.end = 1},
	{.family = "gemma2",
		.vocabulary = 256000,
		.hidden = 2304,
		.mlp = 9216,
		.layers = 26,
		.heads = 8,
		.kv_heads = 4,
		.head_width = 256,
		.context = 8192,
		.theta = 1e4f,
		.tied = true,
		.gemma = true,
		.bias_key = true,
		.post_norms = true,
		.scalar = true,
		.window = 4096,
		.rule = WINDOW_BY_PATTERN,
		.pattern = 2,
		.score_cap_key = true,
		.score_cap = 50,
		.logit_cap = 30,
		.bos = 2,
		.end = 1},
	{.family = "gemma3_text",
		.vocabulary = 262208,
		.hidden = 2304,
		.mlp = 9216,
		.layers = 26,
		.heads = 8,
		.kv_heads = 4,
		.head_width = 256,
		.context = 131072,
		.theta = 1e6f,
		.tied = true,
		.gemma = true,
		.bias_key = true,
		.post_norms = true,
		.scalar = true,
		.window = 4096,
		.rule = WINDOW_BY_PATTERN,
		.pattern = 6,
		.qk_norm = true,
		.local_rope = true,
		.bos = 2,
		.end = 1},
};

static const char *const rope_scalings[] =
	{[ROPE_PLAIN] = "default", [ROPE_LINEAR] = "linear", [ROPE_LLAMA3] = "llama3"};

static const struct standard *standard_of(const char *family)
{
	size_t i = 0;
	while (i + 1 < sizeof standards / sizeof *standards && strcmp(standards[i].family, family) != 0)
		i++;
	return &standards[i];
}

/* Where an error about that key is: the document itself where the key is absent. */
static const struct json *place_of(const struct json *document, const char *key)
{
	const struct json *node = json_find(document, key);
	return node != NULL ? node : document;
}

void config_llama_standards(struct config *c)
{
	const struct standard *standard = standard_of(c->family);
	*c = (struct config){.family = standard->family,
		.vocabulary = standard->vocabulary,
		.context = standard->context,
		.hidden = standard->hidden,
		.layers = standard->layers,
		.heads = standard->heads,
		.mlp = standard->mlp,
		.norm_eps = 1e-6f,
		.activation = standard->gemma ? ACTIVATION_GELU_TANH : ACTIVATION_SILU,
		.scale_scores = true,
		.tied = standard->tied,
		.qkv_bias = standard->qkv_bias,
		.qk_norm = standard->qk_norm,
		.post_norms = standard->post_norms,
		.norm_offset = standard->gemma ? 1 : 0,
		.rope = {.theta = standard->theta, .factor = 1}};
}

/* --- sizes --- */

static bool read_sizes(struct config *c, const struct standard *standard, const struct json *document, struct err *err)
{
	if (!config_int(document, "vocab_size", 1, CONFIG_MAX_SIZE, &c->vocabulary, err) ||
		!config_int(document, "max_position_embeddings", 1, CONFIG_MAX_SIZE, &c->context, err) ||
		!config_int(document, "hidden_size", 1, CONFIG_MAX_SIZE, &c->hidden, err) ||
		!config_int(document, "intermediate_size", 1, CONFIG_MAX_SIZE, &c->mlp, err) ||
		!config_int(document, "num_hidden_layers", 1, CONFIG_MAX_LAYERS, &c->layers, err) ||
		!config_int(document, "num_attention_heads", 1, CONFIG_MAX_SIZE, &c->heads, err) ||
		!config_bool(document, "tie_word_embeddings", &c->tied, err))
		return false;
	/* null means as many as heads; where the key is absent, so it does unless the family says otherwise */
	bool absent = json_find(document, "num_key_value_heads") == NULL;
	c->kv_heads = absent && standard->kv_heads > 0 ? standard->kv_heads : c->heads;
	c->head_width = standard->head_width > 0 ? standard->head_width : c->hidden / c->heads;
	return config_int(document, "num_key_value_heads", 1, CONFIG_MAX_SIZE, &c->kv_heads, err) &&
		config_int(document, "head_dim", 1, CONFIG_MAX_SIZE, &c->head_width, err);
}

static bool check_sizes(const struct config *c, const struct json *document, struct err *err)
{
	if (c->heads % c->kv_heads != 0)
		return json_error(place_of(document, "num_key_value_heads"), err,
			"num_attention_heads %lld is not a multiple of num_key_value_heads %lld", (long long)c->heads,
			(long long)c->kv_heads);
	bool derived = c->head_width == c->hidden / c->heads && config_find(document, "head_dim") == NULL;
	if (derived && c->head_width * c->heads != c->hidden)
		return json_error(place_of(document, "num_attention_heads"), err,
			"hidden_size %lld is not a multiple of num_attention_heads %lld and there is no head_dim",
			(long long)c->hidden, (long long)c->heads);
	if (c->head_width % 2 != 0)
		return json_error(document, err, "head width %lld is odd; rotary positions turn pairs of numbers",
			(long long)c->head_width);
	if (c->heads * c->head_width > CONFIG_MAX_SIZE)
		return json_error(document, err, "%lld heads of width %lld are more than %lld numbers",
			(long long)c->heads, (long long)c->head_width, (long long)CONFIG_MAX_SIZE);
	return true;
}

/* --- rotary positions --- */

static bool read_scaling(struct rope *rope, const struct json *node, struct err *err)
{
	const struct json *kind = config_find(node, "rope_type");
	const char *name = "default";
	size_t length;
	if (kind == NULL)
		kind = config_find(node, "type"); /* before transformers 4.43 */
	if (kind != NULL && !json_string(kind, &name, &length, err))
		return false;
	for (size_t i = 0; i < sizeof rope_scalings / sizeof *rope_scalings; i++) {
		if (strcmp(name, rope_scalings[i]) == 0) {
			rope->scaling = (enum rope_scaling)i;
			return true;
		}
	}
	return json_error(kind, err, "rotary scaling \"%s\" is not supported; known: default, linear, llama3", name);
}

static bool read_llama3(struct rope *rope, const struct json *node, struct err *err)
{
	double low, high;
	int64_t context;
	if (!json_get_number(node, "low_freq_factor", 1e-6, 1e6, &low, err) ||
		!json_get_number(node, "high_freq_factor", 1e-6, 1e6, &high, err) ||
		!json_get_int(node, "original_max_position_embeddings", 1, CONFIG_MAX_SIZE, &context, err))
		return false;
	rope->low_freq_factor = (float)low;
	rope->high_freq_factor = (float)high;
	rope->original_context = (float)context;
	return high > low || json_error(json_find(node, "high_freq_factor"), err, "expected more than low_freq_factor");
}

/* All of a head is turned, or the configuration is refused. */
static bool check_part(const struct json *node, struct err *err)
{
	float part = 1;
	return config_float(node, "partial_rotary_factor", 0, 1, &part, err) &&
		(part == 1 ||
			json_error(json_find(node, "partial_rotary_factor"), err,
				"only 1 is supported: all of a head is turned"));
}

/* One description of rotary positions; theta and factor keep their values where it does not give them. */
static bool read_rope(struct rope *rope, const struct json *node, struct err *err)
{
	if (node == NULL)
		return true;
	if (node->type != JSON_OBJECT)
		return json_error(node, err, "expected an object");
	if (!read_scaling(rope, node, err) || !config_float(node, "rope_theta", 1, 1e15, &rope->theta, err) ||
		!check_part(node, err))
		return false;
	if (rope->scaling == ROPE_PLAIN)
		return true;
	double factor;
	if (!json_get_number(node, "factor", 1e-6, 1e6, &factor, err))
		return false;
	rope->factor = (float)factor;
	return rope->scaling == ROPE_LINEAR || read_llama3(rope, node, err);
}

static bool read_ropes(struct config *c, const struct standard *standard, const struct json *document, struct err *err)
{
	const struct json *node = config_find(document, "rope_parameters"), *of_full, *of_local;
	c->local_rope = (struct rope){.theta = 1e4f, .factor = 1};
	if (!check_part(document, err) || !config_float(document, "rope_theta", 1, 1e15, &c->rope.theta, err) ||
		!config_float(document, "rope_local_base_freq", 1, 1e15, &c->local_rope.theta, err))
		return false;
	if (node == NULL)
		node = config_find(document, "rope_scaling");
	of_full = node == NULL ? NULL : config_find(node, "full_attention");
	of_local = node == NULL ? NULL : config_find(node, "sliding_attention");
	if (of_full != NULL || of_local != NULL) {
		if (!read_rope(&c->rope, of_full, err) || !read_rope(&c->local_rope, of_local, err))
			return false;
	} else if (!read_rope(&c->rope, node, err)) {
		return false;
	}
	if (!standard->local_rope && of_local == NULL)
		c->local_rope = (struct rope){0}; /* the same for all layers */
	return config_refuse(document, "rope_interleaved", err);
}

/* --- sliding windows --- */

static bool read_layer_types(struct config *c, const struct json *list, struct err *err)
{
	if (list->type != JSON_ARRAY || (int64_t)list->count != c->layers)
		return json_error(list, err, "expected a list of %lld names, one per layer", (long long)c->layers);
	for (size_t i = 0; i < list->count; i++) {
		const char *name;
		size_t length;
		if (!json_string(list->items[i], &name, &length, err))
			return false;
		c->windowed[i] = strcmp(name, "sliding_attention") == 0;
		if (c->windowed[i] == 0 && strcmp(name, "full_attention") != 0)
			return json_error(list->items[i], err,
				"attention \"%s\" is not supported; known: full_attention, sliding_attention", name);
	}
	return true;
}

static bool read_windows(struct config *c, const struct standard *standard, const struct json *document,
	struct err *err)
{
	bool used = standard->rule != WINDOW_FROM_LAYER;
	int64_t first = 28, pattern = standard->pattern;
	const struct json *window = json_find(document, "sliding_window"),
			  *types = config_find(document, "layer_types");
	if (standard->rule == WINDOW_NONE)
		return true;
	c->window = window != NULL ? 0 : standard->window; /* null means none */
	if (!config_int(document, "sliding_window", 1, CONFIG_MAX_SIZE, &c->window, err) ||
		!config_bool(document, "use_sliding_window", &used, err) ||
		!config_int(document, "max_window_layers", 0, CONFIG_MAX_SIZE, &first, err) ||
		!config_int(document, "sliding_window_pattern", 1, CONFIG_MAX_SIZE, &pattern, err))
		return false;
	if (!used)
		c->window = 0;
	for (int64_t i = 0; i < c->layers; i++)
		c->windowed[i] = standard->rule == WINDOW_ALL || (standard->rule == WINDOW_FROM_LAYER && i >= first) ||
			(standard->rule == WINDOW_BY_PATTERN && (i + 1) % pattern != 0);
	if (types != NULL && standard->rule != WINDOW_ALL && !read_layer_types(c, types, err))
		return false;
	if (c->window == 0)
		memset(c->windowed, 0, sizeof c->windowed);
	return true;
}

/* --- the rest --- */

static bool read_options(struct config *c, const struct standard *standard, const struct json *document,
	struct err *err)
{
	bool bias = false;
	if ((standard->bias_key && !config_bool(document, "attention_bias", &bias, err)) ||
		(standard->mlp_bias_key && !config_bool(document, "mlp_bias", &c->mlp_bias, err)))
		return false;
	c->qkv_bias = standard->qkv_bias || bias;
	c->out_bias = bias;
	if (standard->gemma)
		c->embed_scale = (float)sqrt((double)c->hidden);
	return config_refuse(document, "use_bidirectional_attention", err);
}

/* Caps are off where they are null, and standard where they are absent. Gemma 3 has the key of the scores' cap, and does not use it. */
static bool read_caps(struct config *c, const struct standard *standard, const struct json *document, struct err *err)
{
	if (!standard->scalar)
		return true;
	float scalar = 256;
	c->score_cap = json_find(document, "attn_logit_softcapping") == NULL ? standard->score_cap : 0;
	c->logit_cap = json_find(document, "final_logit_softcapping") == NULL ? standard->logit_cap : 0;
	if (!config_float(document, "query_pre_attn_scalar", 1e-6, 1e9, &scalar, err))
		return false;
	c->score_scale = (float)(1.0 / sqrt((double)scalar));
	return (!standard->score_cap_key ||
		       config_float(document, "attn_logit_softcapping", 1e-6, 1e9, &c->score_cap, err)) &&
		config_float(document, "final_logit_softcapping", 1e-6, 1e9, &c->logit_cap, err);
}

/* The start token, and the end token, of the family where config.json has no such key. */
static bool read_tokens(struct config *c, const struct standard *standard, const struct json *document, struct err *err)
{
	if (!config_special_tokens(c, document, err))
		return false;
	if (json_find(document, "bos_token_id") == NULL)
		c->bos = standard->bos;
	if (json_find(document, "eos_token_id") == NULL && standard->end >= 0)
		c->end_tokens[c->end_token_count++] = standard->end;
	return true;
}

/* Gemma 2 and 3 have a key of another name, and no use for the old one. Gemma's early files say "gelu" and mean its tanh form. */
static bool read_activation(struct config *c, const struct standard *standard, const struct json *document,
	struct err *err)
{
	const char *key = standard->gemma && standard->post_norms ? "hidden_activation" : "hidden_act";
	if (!config_activation(document, key, &c->activation, err))
		return false;
	if (standard->gemma && !standard->post_norms && c->activation == ACTIVATION_GELU_ERF)
		c->activation = ACTIVATION_GELU_TANH;
	return true;
}

bool config_llama(struct config *config, const struct json *document, struct err *err)
{
	const struct standard *standard = standard_of(config->family);
	config_llama_standards(config);
	return read_sizes(config, standard, document, err) && check_sizes(config, document, err) &&
		read_ropes(config, standard, document, err) && read_windows(config, standard, document, err) &&
		read_options(config, standard, document, err) && read_caps(config, standard, document, err) &&
		config_float(document, "rms_norm_eps", 0, 1, &config->norm_eps, err) &&
		read_activation(config, standard, document, err) && read_tokens(config, standard, document, err);
}

bool config_gemma3(struct config *config, const struct json *document, struct err *err)
{
	const struct json *text = json_find(document, "text_config");
	if (text == NULL || text->type != JSON_OBJECT)
		return json_error(text == NULL ? document : text, err,
			"expected an object \"text_config\": Gemma 3 keeps the sizes of its text part there");
	config->family = "gemma3_text";
	if (!config_llama(config, text, err))
		return false;
	struct config whole = *config; /* its end tokens are those of the whole, where that names any */
	whole.end_token_count = 0;
	if (!config_special_tokens(&whole, document, err))
		return false;
	if (whole.end_token_count > 0) {
		memcpy(config->end_tokens, whole.end_tokens, sizeof whole.end_tokens);
		config->end_token_count = whole.end_token_count;
	}
	return true;
}
