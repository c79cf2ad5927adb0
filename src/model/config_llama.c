/*
 * The Llama-like families: RMSNorm, rotary positions, grouped queries, a gated MLP. They differ in what is switched on.
 * Sources: the configuration classes of Hugging Face transformers (keys and standards, both generations of rope keys).
 */
#include <math.h>
#include <string.h>

#include "model/config_parts.h"

static bool is_family(const struct config *config, const char *name)
{
	return strcmp(config->family, name) == 0;
}

/* Gemma, any generation. */
static bool is_gemma(const struct config *config)
{
	return strncmp(config->family, "gemma", 5) == 0;
}

static bool has_post_norms(const struct config *config)
{
	return is_family(config, "gemma2") || is_family(config, "gemma3_text");
}

/* The standards of a family where its config.json says nothing. */
void config_llama_standards(struct config *c)
{
	c->vocabulary = is_gemma(c) ? 256000 : is_family(c, "qwen2") || is_family(c, "qwen3") ? 151936 : 32000;
	c->hidden = is_gemma(c) ? 2304 : 4096;
	c->layers = is_gemma(c) ? 26 : 32;
	c->heads = is_gemma(c) ? 8 : 32;
	c->mlp = is_gemma(c) ? 9216 : 11008;
	c->context = is_gemma(c) ? 8192 : 2048;
	c->norm_eps = 1e-6f;
	c->activation = is_gemma(c) ? ACTIVATION_GELU_TANH : ACTIVATION_SILU;
	c->scale_scores = true;
	c->tied = is_gemma(c);
	c->qkv_bias = is_family(c, "qwen2");
	c->qk_norm = is_family(c, "qwen3") || is_family(c, "gemma3_text");
	c->post_norms = has_post_norms(c);
	c->norm_offset = is_gemma(c) ? 1 : 0;
	c->rope.theta = is_family(c, "gemma3_text") ? 1e6f : 10000;
}

static bool read_sizes(struct config *c, const struct json *document, struct err *err)
{
	if (!config_int(document, "vocab_size", 1, CONFIG_MAX_SIZE, &c->vocabulary, err) ||
		!config_int(document, "hidden_size", 1, CONFIG_MAX_SIZE, &c->hidden, err) ||
		!config_int(document, "num_hidden_layers", 1, CONFIG_MAX_LAYERS, &c->layers, err) ||
		!config_int(document, "num_attention_heads", 1, CONFIG_MAX_SIZE, &c->heads, err) ||
		!config_int(document, "intermediate_size", 1, CONFIG_MAX_SIZE, &c->mlp, err) ||
		!config_int(document, "max_position_embeddings", 1, CONFIG_MAX_SIZE, &c->context, err))
		return false;
	c->kv_heads = is_family(c, "mistral") ? 8 : c->post_norms ? 4 : c->heads;
	c->head_width = is_gemma(c) ? 256 : is_family(c, "qwen3") ? 128 : 0;
	if (!config_int(document, "num_key_value_heads", 1, CONFIG_MAX_SIZE, &c->kv_heads, err) ||
		!config_int(document, "head_dim", 1, CONFIG_MAX_SIZE, &c->head_width, err))
		return false;
	if (c->head_width == 0 && c->hidden % c->heads != 0)
		return json_error(json_find(document, "num_attention_heads"), err,
			"hidden_size %lld is not a multiple of num_attention_heads %lld, and there is no head_dim",
			(long long)c->hidden, (long long)c->heads);
	if (c->head_width == 0)
		c->head_width = c->hidden / c->heads;
	if (c->heads % c->kv_heads != 0)
		return json_error(json_find(document, "num_key_value_heads"), err,
			"num_attention_heads %lld is not a multiple of num_key_value_heads %lld", (long long)c->heads,
			(long long)c->kv_heads);
	return c->head_width % 2 == 0 || json_error(document, err, "rotary positions need an even head_dim, got %lld",
		(long long)c->head_width);
}

/* --- rotary positions --- */

/* One set of rope settings, in either generation of keys. */
static bool read_scaling(struct rope *rope, const struct json *object, struct err *err)
{
	const struct json *kind = config_find(object, "rope_type");
	const char *name = "default";
	size_t length;
	if (kind == NULL)
		kind = config_find(object, "type"); /* before transformers 4.43 */
	if ((kind != NULL && !json_string(kind, &name, &length, err)) ||
		!config_float(object, "rope_theta", 1e-3, 1e12, &rope->theta, err))
		return false;
	if (strcmp(name, "default") == 0)
		return true;
	rope->scaling = strcmp(name, "linear") == 0 ? ROPE_LINEAR : ROPE_LLAMA3;
	if (rope->scaling == ROPE_LLAMA3 && strcmp(name, "llama3") != 0)
		return json_error(kind, err, "unknown scaling of rotary positions \"%.40s\"; known: default, linear, llama3", name);
	rope->factor = 1, rope->low_freq_factor = 1, rope->high_freq_factor = 4, rope->original_context = 8192;
	return config_float(object, "factor", 1e-3, 1e6, &rope->factor, err) &&
		config_float(object, "low_freq_factor", 1e-3, 1e6, &rope->low_freq_factor, err) &&
		config_float(object, "high_freq_factor", 1e-3, 1e6, &rope->high_freq_factor, err) &&
		config_float(object, "original_max_position_embeddings", 1, 1e9, &rope->original_context, err);
}

/* A value that must be an object when it is there. */
static bool find_object(const struct json *document, const char *key, const struct json **object, struct err *err)
{
	*object = config_find(document, key);
	return *object == NULL || (*object)->type == JSON_OBJECT || json_error(*object, err, "an object was expected");
}

static bool read_rope(struct config *c, const struct json *document, struct err *err)
{
	const struct json *old, *new, *full = NULL, *sliding = NULL;
	if (!config_float(document, "rope_theta", 1e-3, 1e12, &c->rope.theta, err) ||
		!config_refuse(document, "rope_interleaved", err) ||
		!find_object(document, "rope_scaling", &old, err) || !find_object(document, "rope_parameters", &new, err))
		return false;
	if (is_family(c, "gemma3_text")) {
		c->local_rope.theta = 10000;
		if (!config_float(document, "rope_local_base_freq", 1e-3, 1e12, &c->local_rope.theta, err))
			return false;
	}
	if (old != NULL && !read_scaling(&c->rope, old, err))
		return false;
	if (new == NULL)
		return true;
	if (!find_object(new, "full_attention", &full, err) || !find_object(new, "sliding_attention", &sliding, err))
		return false;
	return read_scaling(&c->rope, full != NULL ? full : new, err) &&
		(sliding == NULL || read_scaling(&c->local_rope, sliding, err));
}

/* --- sliding windows --- */

/* The layers that have a window where no list says so. */
static bool standard_windows(struct config *c, const struct json *document, struct err *err)
{
	bool used = false;
	int64_t from = c->layers, pattern = 6;
	if (!config_bool(document, "use_sliding_window", &used, err) ||
		!config_int(document, "max_window_layers", 0, CONFIG_MAX_LAYERS, &from, err) ||
		!config_int(document, "sliding_window_pattern", 1, CONFIG_MAX_LAYERS, &pattern, err))
		return false;
	for (int64_t i = 0; i < c->layers; i++) {
		if (is_family(c, "mistral"))
			c->windowed[i] = 1;
		else if (is_family(c, "gemma2"))
			c->windowed[i] = i % 2 == 0;
		else if (is_family(c, "gemma3_text"))
			c->windowed[i] = (i + 1) % pattern != 0;
		else
			c->windowed[i] = used && i >= from;
	}
	return true;
}

static bool listed_windows(struct config *c, const struct json *list, struct err *err)
{
	if (list->type != JSON_ARRAY || (int64_t)list->count != c->layers)
		return json_error(list, err, "a list of %lld kinds of layers was expected", (long long)c->layers);
	for (int64_t i = 0; i < c->layers; i++) {
		const char *kind;
		size_t length;
		if (!json_string(list->items[i], &kind, &length, err))
			return false;
		c->windowed[i] = strcmp(kind, "sliding_attention") == 0;
		if (c->windowed[i] == 0 && strcmp(kind, "full_attention") != 0)
			return json_error(list->items[i], err,
				"unknown kind of layer \"%.40s\"; known: full_attention, sliding_attention", kind);
	}
	return true;
}

static bool read_windows(struct config *c, const struct json *document, struct err *err)
{
	const struct json *list = config_find(document, "layer_types");
	bool is_used = !is_family(c, "qwen2") && !is_family(c, "qwen3");
	c->window = is_gemma(c) && c->post_norms ? 4096 : 0;
	if (!config_int(document, "sliding_window", 1, CONFIG_MAX_SIZE, &c->window, err) ||
		!config_bool(document, "use_sliding_window", &is_used, err) ||
		!(list != NULL ? listed_windows(c, list, err) : standard_windows(c, document, err)))
		return false;
	if (c->window == 0 || !is_used || is_family(c, "llama") || is_family(c, "gemma"))
		memset(c->windowed, 0, sizeof c->windowed);
	return true;
}

/* --- the rest --- */

static bool read_options(struct config *c, const struct json *document, struct err *err)
{
	float query_scalar = 0;
	bool attention_bias = c->qkv_bias;
	if (!config_float(document, "rms_norm_eps", 0, 1, &c->norm_eps, err) ||
		!config_bool(document, "tie_word_embeddings", &c->tied, err) ||
		!config_bool(document, "mlp_bias", &c->mlp_bias, err) ||
		!config_activation(document, "hidden_act", &c->activation, err) ||
		!config_activation(document, "hidden_activation", &c->activation, err) ||
		!config_float(document, "query_pre_attn_scalar", 1e-6, 1e9, &query_scalar, err))
		return false;
	if (!is_family(c, "qwen2") && !config_bool(document, "attention_bias", &attention_bias, err))
		return false;
	c->qkv_bias = attention_bias;
	c->out_bias = attention_bias && !is_family(c, "qwen2");
	if (is_gemma(c)) {
		c->activation = ACTIVATION_GELU_TANH; /* "gelu" in early files means this one, too */
		c->embed_scale = (float)sqrt((double)c->hidden);
	}
	if (is_family(c, "gemma2")) {
		c->score_cap = 50, c->logit_cap = 30;
		query_scalar = query_scalar == 0 ? 256 : query_scalar;
	} else if (is_family(c, "gemma3_text")) {
		query_scalar = query_scalar == 0 ? 256 : query_scalar;
	}
	if (c->post_norms && (!config_float(document, "attn_logit_softcapping", 1e-3, 1e6, &c->score_cap, err) ||
		!config_float(document, "final_logit_softcapping", 1e-3, 1e6, &c->logit_cap, err)))
		return false;
	c->score_scale = c->post_norms ? (float)(1.0 / sqrt((double)query_scalar)) : 0;
	return true;
}

/* Published files say null where a soft cap is left out. */
static void drop_null_caps(struct config *c, const struct json *document)
{
	const struct json *score = json_find(document, "attn_logit_softcapping"), *logit = json_find(document, "final_logit_softcapping");
	if (score != NULL && score->type == JSON_NULL)
		c->score_cap = 0;
	if (logit != NULL && logit->type == JSON_NULL)
		c->logit_cap = 0;
}

bool config_llama(struct config *config, const struct json *document, struct err *err)
{
	config_llama_standards(config);
	if (!read_sizes(config, document, err) || !read_options(config, document, err) || !read_rope(config, document, err) ||
		!read_windows(config, document, err))
		return false;
	drop_null_caps(config, document);
	return config_special_tokens(config, document, err);
}
