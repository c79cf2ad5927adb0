/* Configurations that a weights file itself gives: the keys of GGUF, the sizes of llama2.c. Source of the keys: docs/gguf.md of ggml. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/config_parts.h"
#include "model/source.h"

/* A GGUF file with its architecture, whose name stands before its keys. */
struct reader {
	const struct gguf *gguf;
	const char *architecture;
	struct arena *arena;
	struct err *err;
};

static const char *key(const struct reader *r, const char *rest)
{
	return arena_printf(r->arena, "%s.%s", r->architecture, rest);
}

static bool size(const struct reader *r, const char *rest, int64_t most, int64_t *value)
{
	return gguf_int(r->gguf, key(r, rest), 1, most, value, r->err);
}

static bool number(const struct reader *r, const char *rest, double low, double high, float *value)
{
	return gguf_float(r->gguf, key(r, rest), low, high, value, r->err);
}

static const struct {
	const char *architecture, *family;
} architectures[] = {
	{"gpt2", "gpt2"},
	{"llama", "llama"},
	{"qwen2", "qwen2"},
	{"qwen3", "qwen3"},
	{"gemma", "gemma"},
	{"gemma2", "gemma2"},
	{"gemma3", "gemma3_text"},
};

bool source_knows(const char *architecture)
{
	for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
		if (strcmp(architectures[i].architecture, architecture) == 0)
			return true;
	}
	return false;
}

static bool find_family(struct reader *r, struct config *config)
{
	char known[200] = "";
	size_t used = 0;
	if (!gguf_text(r->gguf, "general.architecture", &r->architecture, r->err))
		return false;
	if (r->architecture == NULL)
		return err_input(r->err, r->gguf->file.path, "general.architecture",
			"the file does not say what model it is");
	for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
			architectures[i].architecture);
		if (strcmp(architectures[i].architecture, r->architecture) == 0) {
			*config = (struct config){.family = architectures[i].family};
			return true;
		}
	}
	return err_input(r->err, r->gguf->file.path, "general.architecture",
		"unknown architecture \"%.60s\"; known: %s", r->architecture, known);
}

static bool read_sizes(const struct reader *r, struct config *c)
{
	const struct gguf_tensor *table = gguf_tensor(r->gguf, "token_embd.weight");
	if (table == NULL || table->rank != 2)
		return err_input(r->err, r->gguf->file.path, "token_embd.weight",
			"there is no table of tokens: the file holds no weights");
	c->vocabulary = table->shape[0];
	c->hidden = c->layers = c->heads = c->mlp = c->context = 0;
	if (c->vocabulary > CONFIG_MAX_SIZE || !size(r, "embedding_length", CONFIG_MAX_SIZE, &c->hidden) ||
		!size(r, "block_count", CONFIG_MAX_LAYERS, &c->layers) ||
		!size(r, "attention.head_count", CONFIG_MAX_SIZE, &c->heads) ||
		!size(r, "feed_forward_length", CONFIG_MAX_SIZE, &c->mlp) ||
		!size(r, "context_length", CONFIG_MAX_SIZE, &c->context))
		return false;
	if (c->hidden == 0 || c->layers == 0 || c->heads == 0 || c->mlp == 0 || c->context == 0)
		return err_input(r->err, r->gguf->file.path, r->architecture,
			"a size is missing: embedding_length, block_count, attention.head_count, feed_forward_length "
			"and context_length are needed");
	c->kv_heads = c->heads;
	c->head_width = c->hidden / c->heads;
	if (!size(r, "attention.head_count_kv", CONFIG_MAX_SIZE, &c->kv_heads) ||
		!size(r, "attention.key_length", CONFIG_MAX_SIZE, &c->head_width))
		return false;
	return (c->head_width > 0 && c->heads % c->kv_heads == 0) ||
		err_input(r->err, r->gguf->file.path, key(r, "attention.head_count"),
			"%" PRId64 " heads do not go with %" PRId64 " key/value heads and a width of %" PRId64,
			c->heads, c->kv_heads, c->hidden);
}

/* Keys that some writers add to these architectures, whose arithmetic is not here: none may say anything else than its standard. */
static bool refuse_options(const struct reader *r, const struct config *c)
{
	const struct {
		const char *key;
		double standard;
	} options[] = {
		{"expert_count", 0},
		{"rope.dimension_count", (double)c->head_width},
		{"attention.value_length", (double)c->head_width},
		{"attention.causal", 1},
		{"attention.scale", 0},
		{"logit_scale", 0},
		{"residual_scale", 0},
		{"embedding_scale", 0},
		{"attention.clamp_kqv", 0},
		{"attention.max_alibi_bias", 0},
		{"use_parallel_residual", 0},
		{"rope.scaling.attn_factor", 1},
	};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		const struct gguf_value *value = gguf_value(r->gguf, key(r, options[i].key));
		double given = value == NULL                                 ? options[i].standard
			: value->type == GGUF_F32 || value->type == GGUF_F64 ? value->real
									     : (double)value->integer;
		if (value != NULL &&
			(value->type == GGUF_STRING || value->type == GGUF_ARRAY || given != options[i].standard))
			return err_input(r->err, r->gguf->file.path, value->key,
				"only %.9g is supported: this program has no such operation", options[i].standard);
	}
	return true;
}

/* Factors that frequencies are divided by, stored as a tensor (Llama 3). */
static bool read_factors(const struct reader *r, struct config *c)
{
	const struct gguf_tensor *t = gguf_tensor(r->gguf, SOURCE_ROPE_FACTORS);
	enum quant type;
	if (t == NULL)
		return true;
	if (t->rank != 1 || t->shape[0] != c->head_width / 2 || !quant_find(t->type, &type) || type != QUANT_F32)
		return err_input(r->err, r->gguf->file.path, t->name, "%" PRId64 " numbers of type F32 were expected",
			c->head_width / 2);
	float *factors = ARENA_ARRAY(r->arena, float, t->shape[0]);
	c->rope.factors = factors;
	return file_read(&r->gguf->file, t->offset, (size_t)t->bytes, factors, r->err);
}

static bool read_rope(const struct reader *r, struct config *c)
{
	const char *scaling = "none";
	if (!number(r, "rope.freq_base", 1e-3, 1e12, &c->rope.theta) ||
		!gguf_text(r->gguf, key(r, "rope.scaling.type"), &scaling, r->err) || !read_factors(r, c))
		return false;
	if (strcmp(scaling, "none") == 0)
		return true;
	if (strcmp(scaling, "linear") != 0)
		return err_input(r->err, r->gguf->file.path, key(r, "rope.scaling.type"),
			"unknown scaling of rotary positions \"%.40s\"; known: none, linear", scaling);
	c->rope.scaling = ROPE_LINEAR;
	c->rope.factor = 1;
	return number(r, "rope.scaling.factor", 1e-3, 1e6, &c->rope.factor);
}

/* Which layers have a window: every one but each n-th, or a list of all. */
static bool read_pattern(const struct reader *r, struct config *c)
{
	const char *name = key(r, "attention.sliding_window_pattern");
	const struct gguf_value *value = gguf_value(r->gguf, name);
	int64_t period = 0;
	if (value == NULL)
		return true;
	if (value->type == GGUF_ARRAY) {
		double *layers = ARENA_ARRAY(r->arena, double, c->layers);
		if (!gguf_numbers(r->gguf, name, (uint64_t)c->layers, layers, r->err))
			return false;
		for (int64_t i = 0; i < c->layers; i++)
			c->windowed[i] = layers[i] != 0;
		return true;
	}
	if (!gguf_int(r->gguf, name, 1, CONFIG_MAX_LAYERS, &period, r->err))
		return false;
	for (int64_t i = 0; i < c->layers; i++)
		c->windowed[i] = (i + 1) % period != 0;
	return true;
}

/* What the file does not say follows from the family, as in llama.cpp: windows of every other layer (Gemma 2) or five of six
 * (Gemma 3), and the factor of the scores of the largest models. */
static bool read_gemma(const struct reader *r, struct config *c)
{
	bool third = strcmp(c->family, "gemma3_text") == 0, largest = c->layers == (third ? 62 : 46);
	double scalar = largest ? (double)c->hidden / (double)c->heads : (double)c->head_width;
	c->score_cap = third ? 0 : 50, c->logit_cap = third ? 0 : 30;
	c->window = third ? 1024 : 4096;
	c->score_scale = (float)(1.0 / sqrt(scalar));
	c->local_rope.theta = third ? 10000 : 0;
	for (int64_t i = 0; i < c->layers; i++)
		c->windowed[i] = (uint8_t)(third ? (i + 1) % 6 != 0 : i % 2 == 0);
	return (third || number(r, "attn_logit_softcapping", 1e-3, 1e6, &c->score_cap)) &&
		number(r, "final_logit_softcapping", 1e-3, 1e6, &c->logit_cap) &&
		size(r, "attention.sliding_window", CONFIG_MAX_SIZE, &c->window) &&
		(!third || number(r, "rope.freq_base_swa", 1e-3, 1e12, &c->local_rope.theta)) && read_pattern(r, c);
}

/* A window where the architecture has none in llama.cpp: it would be obeyed by one program and not by another. */
static bool refuse_window(const struct reader *r, const struct config *c)
{
	int64_t window = c->context;
	return gguf_int(r->gguf, key(r, "attention.sliding_window"), 0, INT32_MAX, &window, r->err) &&
		(window == 0 || window >= c->context ||
			err_input(r->err, r->gguf->file.path, key(r, "attention.sliding_window"),
				"a window is not supported for the architecture %s in a GGUF file, which does not say "
				"which layers have it; use the "
				"folder that the file was made from",
				r->architecture));
}

static bool read_special_tokens(const struct reader *r, struct config *c)
{
	static const char *const ends[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"};
	int64_t bos = -1, pad = -1;
	if (!gguf_int(r->gguf, "tokenizer.ggml.bos_token_id", 0, INT32_MAX, &bos, r->err) ||
		!gguf_int(r->gguf, "tokenizer.ggml.padding_token_id", 0, INT32_MAX, &pad, r->err))
		return false;
	c->bos = (int32_t)bos;
	c->pad = pad < c->vocabulary ? (int32_t)pad : -1;
	for (int i = 0; i < 2; i++) {
		int64_t end = -1;
		if (!gguf_int(r->gguf, ends[i], 0, INT32_MAX, &end, r->err))
			return false;
		if (end >= 0 && (c->end_token_count == 0 || c->end_tokens[0] != end))
			c->end_tokens[c->end_token_count++] = (int32_t)end;
	}
	return true;
}

static bool read_gguf(const struct gguf *gguf, struct config *c, struct arena *arena, struct err *err)
{
	struct reader r = {gguf, NULL, arena, err};
	if (!find_family(&r, c))
		return false;
	bool is_gpt2 = strcmp(c->family, "gpt2") == 0;
	if (!is_gpt2)
		config_llama_standards(c);
	if (!read_sizes(&r, c) || !refuse_options(&r, c) || !read_special_tokens(&r, c))
		return false;
	c->norm_offset = 0; /* the file has whole gains */
	c->scale_scores = true;
	c->tied = gguf_tensor(gguf, "output.weight") == NULL;
	c->norm_eps = 1e-5f;
	if (is_gpt2)
		return number(&r, "attention.layer_norm_epsilon", 0, 1, &c->norm_eps);
	c->qkv_bias = gguf_tensor(gguf, "blk.0.attn_q.bias") != NULL;
	c->out_bias = gguf_tensor(gguf, "blk.0.attn_output.bias") != NULL;
	c->mlp_bias = gguf_tensor(gguf, "blk.0.ffn_gate.bias") != NULL;
	if (strncmp(c->family, "gemma", 5) == 0)
		c->embed_scale = (float)sqrt((double)c->hidden);
	return number(&r, "attention.layer_norm_rms_epsilon", 0, 1, &c->norm_eps) && read_rope(&r, c) &&
		(c->post_norms ? read_gemma(&r, c) : refuse_window(&r, c));
}

static void read_llama2c(const struct llama2c *bin, struct config *c)
{
	*c = (struct config){.family = "llama"};
	config_llama_standards(c);
	c->vocabulary = bin->vocabulary, c->context = bin->context, c->hidden = bin->dim, c->layers = bin->layers;
	c->heads = bin->heads, c->kv_heads = bin->kv_heads, c->head_width = bin->dim / bin->heads, c->mlp = bin->hidden;
	c->norm_eps = 1e-5f;
	c->tied = bin->shared;
	c->bos = 1, c->pad = -1;
	c->end_tokens[0] = 1, c->end_tokens[1] = 2; /* a new beginning is an end, too */
	c->end_token_count = 2;
}

bool source_config(const struct source *source, struct config *config, struct arena *arena, struct err *err)
{
	if (source->kind == SOURCE_GGUF)
		return read_gguf(&source->gguf, config, arena, err);
	read_llama2c(&source->bin, config);
	if (config->layers > CONFIG_MAX_LAYERS)
		return err_input(err, source->path, "n_layers", "%" PRId64 " layers; at most %d are supported",
			config->layers, CONFIG_MAX_LAYERS);
	return true;
}
