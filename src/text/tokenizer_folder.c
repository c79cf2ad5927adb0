/*
 * A byte-level BPE as folders had it before tokenizer.json: vocab.json {token: id}, merges.txt with one "a b" per line in order of rank,
 * and what tokenizer_config.json and special_tokens_map.json say of control tokens.
 *
 * Neither file tells how texts are cut into words: that is known by the tokenizer's class, GPT2Tokenizer where none is named.
 *
 * Source: tokenization_gpt2.py and tokenization_qwen2.py of Hugging Face transformers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "text/setting.h"
#include "text/telling.h"

#define MOST_BYTES ((uint64_t)64 << 20)

struct folder {
	const char *path;
	struct telling t;
	struct arena arena; /* of the files */
	struct err *err;
	const struct json *vocab, *config,
		*map; /* config: tokenizer_config.json; map: special_tokens_map.json; NULL: none */
};

/* Classes whose words are known. */
static const struct word_class {
	const char *name, *pre, *normalizer;
} classes[] = {
	{"GPT2Tokenizer", "gpt-2", NULL},
	{"GPT2TokenizerFast", "gpt-2", NULL},
	{"Qwen2Tokenizer", "qwen2", "NFC"},
	{"Qwen2TokenizerFast", "qwen2", "NFC"},
};

/* --- the files --- */

static bool load_object(struct folder *f, const char *name, bool required, const struct json **root)
{
	char path[576];
	struct json *document;
	*root = NULL;
	if (!file_join(path, sizeof path, f->path, name, f->err))
		return false;
	if (!required && !file_exists(path))
		return true;
	if (!json_load(path, MOST_BYTES, &f->arena, &document, f->err))
		return false;
	*root = document;
	return document->type == JSON_OBJECT || json_error(document, f->err, "an object was expected");
}

static bool add_tokens(struct folder *f)
{
	for (size_t i = 0; i < f->vocab->count; i++) {
		const struct json *item = f->vocab->items[i];
		int64_t id;
		if (item->key_length == 0)
			return json_error(item, f->err, "a token without text was not expected");
		if (!json_int(item, 0, VOCAB_MAX_ID, &id, f->err))
			return false;
		telling_add_token(&f->t, item->key, item->key_length, 0, TOKEN_NORMAL)->id = (int32_t)id;
	}
	return true;
}

static bool add_merges(struct folder *f)
{
	char path[576], *text;
	size_t length;
	if (!file_join(path, sizeof path, f->path, "merges.txt", f->err) ||
		!file_load(path, MOST_BYTES, &f->arena, &text, &length, f->err))
		return false;
	for (size_t at = 0, end; at < length; at = end + 1) {
		const char *newline = memchr(text + at, '\n', length - at);
		end = newline != NULL ? (size_t)(newline - text) : length;
		size_t size = end - at - (end > at && text[end - 1] == '\r' ? 1 : 0);
		bool is_heading = at == 0 && size >= 8 && memcmp(text, "#version", 8) == 0;
		if (size > 0 && !is_heading && !telling_add_merge(&f->t, text + at, size, f->err))
			return false;
	}
	return true;
}

/* --- control tokens --- */

/* One of "added_tokens_decoder": its key is the ID. */
static bool add_described(struct folder *f, const struct json *node)
{
	static const char *const flags[] = {"lstrip", "rstrip", "normalized", "single_word", "special"};
	struct json_writer *w = &f->t.writer;
	const struct json *content;
	char *end;
	long long id = strtoll(node->key, &end, 10);
	if (end == node->key || *end != '\0' || id < 0 || id > VOCAB_MAX_ID)
		return json_error(node, f->err, "a token's ID was expected as the key");
	if (!setting_need(node, "content", &content, f->err))
		return false;
	if (content->type != JSON_STRING)
		return json_error(content, f->err, "a text was expected");
	json_begin_object(w);
	json_put_int(w, "id", id);
	json_key(w, "content");
	json_add_bytes(w, content->text, content->length);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		bool value;
		if (!setting_bool(node, flags[i], false, &value, f->err))
			return false;
		json_put_bool(w, flags[i], value);
	}
	json_end_object(w);
	return true;
}

/* The spelling of a control token: a text, or an object with it. */
static const struct json *spelling(const struct json *node)
{
	const struct json *content = node->type == JSON_OBJECT ? setting_find(node, "content") : node;
	return content != NULL && content->type == JSON_STRING && content->length > 0 ? content : NULL;
}

/* One of special_tokens_map.json, unless it is there already under another name. */
static void mark_special(struct folder *f, const struct json *node)
{
	const struct json *text = spelling(node);
	for (size_t i = 0; text != NULL && i < f->t.count; i++) {
		if (f->t.tokens[i].length == text->length && memcmp(f->t.tokens[i].text, text->text, text->length) == 0)
			f->t.types[i] = TOKEN_CONTROL;
	}
}

/* What both files say; without either, the one control token that GPT-2 has. */
static bool add_named(struct folder *f)
{
	const struct json *described = f->config != NULL ? setting_find(f->config, "added_tokens_decoder") : NULL;
	struct json gpt2 = {.type = JSON_STRING, .text = "<|endoftext|>", .length = 13};
	if (described == NULL) {
		for (size_t i = 0; f->map != NULL && i < f->map->count; i++)
			mark_special(f, f->map->items[i]);
		mark_special(f, &gpt2);
		telling_add_named(&f->t);
		return true;
	}
	if (described->type != JSON_OBJECT)
		return json_error(described, f->err, "an object of IDs and tokens was expected");
	json_key(&f->t.writer, "added_tokens");
	json_begin_array(&f->t.writer);
	for (size_t i = 0; i < described->count; i++) {
		if (!add_described(f, described->items[i]))
			return false;
	}
	json_end_array(&f->t.writer);
	return true;
}

/* The ID of the start token where the folder wants it before every text; -1 otherwise. */
static bool find_start(struct folder *f, int64_t *start)
{
	const struct json *node = f->config != NULL ? setting_find(f->config, "bos_token") : NULL;
	bool adds = false;
	*start = -1;
	if (f->config != NULL && !setting_bool(f->config, "add_bos_token", false, &adds, f->err))
		return false;
	const struct json *text = node != NULL ? spelling(node) : NULL;
	for (size_t i = 0; adds && text != NULL && i < f->t.count; i++) {
		if (f->t.tokens[i].length == text->length && memcmp(f->t.tokens[i].text, text->text, text->length) == 0)
			*start = f->t.tokens[i].id;
	}
	return true;
}

/* --- words --- */

static bool find_class(struct folder *f, const struct word_class **class)
{
	const char *name = classes[0].name;
	size_t length;
	if (f->config != NULL && setting_find(f->config, "tokenizer_class") != NULL &&
		!setting_text(f->config, "tokenizer_class", &name, &length, f->err))
		return false;
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		*class = &classes[i];
		if (strcmp(classes[i].name, name) == 0)
			return true;
	}
	return json_error(setting_find(f->config, "tokenizer_class"), f->err,
		"how a tokenizer of the class \"%.60s\" cuts words is not known from vocab.json; save it as "
		"tokenizer.json",
		name);
}

static bool tell(struct folder *f)
{
	const struct word_class *class;
	bool prefix = false;
	int64_t start;
	if (!load_object(f, "vocab.json", true, &f->vocab) ||
		!load_object(f, "tokenizer_config.json", false, &f->config) ||
		!load_object(f, "special_tokens_map.json", false, &f->map) || !find_class(f, &class) ||
		!add_tokens(f) || !add_merges(f))
		return false;
	if (f->config != NULL && !setting_bool(f->config, "add_prefix_space", false, &prefix, f->err))
		return false;
	if (prefix && class->normalizer != NULL)
		return json_error(json_find(f->config, "add_prefix_space"), f->err,
			"it is not supported for the class %s", class->name);
	telling_add_bpe(&f->t, gguf_pre_find(class->pre), prefix);
	if (class->normalizer != NULL) {
		json_key(&f->t.writer, "normalizer");
		json_begin_object(&f->t.writer);
		json_put_string(&f->t.writer, "type", class->normalizer);
		json_end_object(&f->t.writer);
	}
	if (!add_named(f) || !find_start(f, &start))
		return false;
	telling_add_ends(&f->t, start, -1);
	return true;
}

bool tokenizer_load_folder(struct tokenizer **out, const char *folder, struct err *err)
{
	struct folder f = {.path = folder, .arena = ARENA_INIT, .err = err};
	telling_init(&f.t, folder);
	bool ok = tell(&f);
	if (ok)
		ok = telling_end(&f.t, out, NULL, err);
	else
		telling_free(&f.t);
	arena_free(&f.arena);
	return ok;
}
