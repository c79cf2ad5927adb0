#include "text/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "text/bytechar.h"
#include "text/setting.h"
#include "text/tokenizer_parts.h"
#include "text/unicode.h"

/* Bytes of the largest tokenizer.json: several times the largest in use. */
#define MAX_FILE ((uint64_t)256 << 20)

static bool check_version(const struct json *root, struct err *err)
{
	const struct json *version = setting_find(root, "version");
	if (version == NULL)
		return true;
	if (version->type != JSON_STRING || strcmp(version->text, "1.0") != 0)
		return json_error(version, err, "the version of a tokenizer.json must be \"1.0\"");
	return true;
}

static bool load_parts(struct tokenizer *tokenizer, const struct json *root, const struct vocab_tables *tables,
	struct err *err)
{
	static const char *const known[] = {"version", "truncation", "padding", "added_tokens", "normalizer",
		"pre_tokenizer", "post_processor", "decoder", "model", NULL};
	const struct json *model;
	if (root->type != JSON_OBJECT)
		return json_error(root, err, "a tokenizer.json holds an object with a \"model\"");
	return json_only_keys(root, known, err) && check_version(root, err) &&
		setting_need(root, "model", &model, err) &&
		subword_load(&tokenizer->model, model, tables, &tokenizer->arena, err) &&
		normalizer_load(&tokenizer->normalizer, json_find(root, "normalizer"), err) &&
		added_load(&tokenizer->added, json_find(root, "added_tokens"), &tokenizer->model.vocab,
			&tokenizer->normalizer, &tokenizer->arena, err) &&
		pretokenizer_load(&tokenizer->pretokenizer, json_find(root, "pre_tokenizer"), err) &&
		processor_load(&tokenizer->processor, json_find(root, "post_processor"), &tokenizer->arena, err) &&
		decoder_load(&tokenizer->decoder, json_find(root, "decoder"), err);
}

bool tokenizer_parse(struct tokenizer **out, const char *bytes, size_t length, const char *name, struct err *err)
{
	return tokenizer_assemble(out, MEM_NEW(struct tokenizer), (struct tokenizer_json){bytes, length, name}, NULL,
		err);
}

bool tokenizer_assemble(struct tokenizer **out, struct tokenizer *tokenizer, struct tokenizer_json json,
	const struct vocab_tables *tables, struct err *err)
{
	struct arena arena = ARENA_INIT; /* of the JSON */
	struct json *root;
	bool done = json_parse(json.bytes, json.length, json.name, &arena, &root, err) &&
		load_parts(tokenizer, root, tables, err);
	if (done) {
		tokenizer->digest = hash_bytes(json.bytes, json.length);
		*out = tokenizer;
	} else {
		tokenizer_delete(tokenizer);
		err_in_file(err, json.name);
	}
	arena_free(&arena);
	return done;
}

bool tokenizer_load(struct tokenizer **out, const char *path, struct err *err)
{
	struct arena arena = ARENA_INIT; /* of the file */
	char *bytes;
	size_t length;
	bool done = file_load(path, MAX_FILE, &arena, &bytes, &length, err) &&
		tokenizer_parse(out, bytes, length, path, err);
	if (!done)
		err_in_file(err, path);
	arena_free(&arena);
	return done;
}

void tokenizer_delete(struct tokenizer *tokenizer)
{
	if (tokenizer == NULL)
		return;
	decoder_free(&tokenizer->decoder);
	processor_free(&tokenizer->processor);
	pretokenizer_free(&tokenizer->pretokenizer);
	added_free(&tokenizer->added);
	normalizer_free(&tokenizer->normalizer);
	subword_free(&tokenizer->model);
	arena_free(&tokenizer->arena);
	free(tokenizer);
}

/* The spelling of an ID; false when it is no token. */
static bool find_spelling(const struct tokenizer *tokenizer, int32_t id, struct decoder_text *text)
{
	const struct added_token *added = added_by_id(&tokenizer->added, id);
	const struct vocab_entry *entry = vocab_entry(&tokenizer->model.vocab, id);
	if (added != NULL)
		*text = (struct decoder_text){added->content, added->length};
	else if (entry != NULL)
		*text = (struct decoder_text){entry->text, entry->length};
	return added != NULL || entry != NULL;
}

bool tokenizer_decode_bytes(const struct tokenizer *tokenizer, const int32_t *ids, size_t count, bool skip_special,
	struct buf *out)
{
	struct arena scratch = ARENA_INIT;
	struct err err = ERR_INIT;
	struct decoder_list list = {ARENA_ARRAY(&scratch, struct decoder_text, count), 0};
	for (size_t i = 0; i < count; i++) {
		if (skip_special && tokenizer_is_special(tokenizer, ids[i]))
			continue;
		const struct added_token *added = added_by_id(&tokenizer->added, ids[i]);
		struct decoder_text *text = &list.items[list.count];
		if (added != NULL)
			*text = (struct decoder_text){added->found, added->found_length};
		if (added != NULL || find_spelling(tokenizer, ids[i], text))
			list.count++;
	}
	bool done = decoder_run(&tokenizer->decoder, &list, &scratch, out, &err);
	for (size_t i = 0; !done && i < count; i++)
		tokenizer_token_bytes(tokenizer, ids[i], out);
	arena_free(&scratch);
	return done;
}

bool tokenizer_decode(const struct tokenizer *tokenizer, const int32_t *ids, size_t count, bool skip_special,
	struct buf *out)
{
	struct buf bytes = BUF_INIT;
	bool done = tokenizer_decode_bytes(tokenizer, ids, count, skip_special, &bytes);
	unicode_repair(bytes.data, bytes.length, out);
	buf_free(&bytes);
	return done;
}

bool tokenizer_token_bytes(const struct tokenizer *tokenizer, int32_t id, struct buf *out)
{
	struct decoder_text text;
	if (!find_spelling(tokenizer, id, &text))
		return false;
	bool control = added_by_id(&tokenizer->added, id) != NULL;
	int byte = tokenizer->decoder.byte_fallback ? bytechar_of_fallback(text.bytes, text.length) : -1;
	if (byte >= 0) {
		buf_add_char(out, (char)byte);
		return true;
	}
	struct err none = ERR_INIT;
	if (control || (tokenizer->decoder.byte_level && !bytechar_decode(text.bytes, text.length, out)))
		buf_add(out, text.bytes, text.length);
	else if (!tokenizer->decoder.byte_level)
		decoder_spell(&tokenizer->decoder, text, out, &none);
	return true;
}

bool tokenizer_token_spelling(const struct tokenizer *tokenizer, int32_t id, struct buf *out)
{
	struct decoder_text text;
	if (!find_spelling(tokenizer, id, &text))
		return false;
	buf_add(out, text.bytes, text.length);
	return true;
}

int64_t tokenizer_vocab_size(const struct tokenizer *tokenizer)
{
	int64_t largest = vocab_max_id(&tokenizer->model.vocab);
	size_t count = tokenizer->added.count;
	if (count > 0 && tokenizer->added.tokens[count - 1].id > largest)
		largest = tokenizer->added.tokens[count - 1].id;
	return largest + 1;
}

int32_t tokenizer_find(const struct tokenizer *tokenizer, const char *spelling)
{
	const struct added_token *added = added_by_content(&tokenizer->added, spelling, strlen(spelling));
	return added != NULL ? added->id : vocab_find(&tokenizer->model.vocab, spelling, strlen(spelling));
}

bool tokenizer_is_special(const struct tokenizer *tokenizer, int32_t id)
{
	const struct added_token *added = added_by_id(&tokenizer->added, id);
	return added != NULL && added->special;
}

uint64_t tokenizer_digest(const struct tokenizer *tokenizer)
{
	return tokenizer->digest;
}

const char *tokenizer_kind(const struct tokenizer *tokenizer)
{
	if (tokenizer->model.kind == &wordlevel_kind)
		return "word level";
	if (tokenizer->model.kind == &sentencepiece_kind)
		return "SentencePiece BPE";
	if (tokenizer->model.kind == &unigram_kind)
		return "Unigram";
	if (tokenizer->model.kind == &wordpiece_kind)
		return "WordPiece";
	return tokenizer->decoder.byte_level ? "byte-level BPE" : "BPE";
}

const char *tokenizer_note(const struct tokenizer *tokenizer)
{
	return tokenizer->note;
}
