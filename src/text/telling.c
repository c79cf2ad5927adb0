#include "text/telling.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"

void telling_init(struct telling *t, const char *file)
{
	*t = (struct telling){.tokenizer = MEM_NEW(struct tokenizer), .file = file, .text = BUF_INIT};
	json_writer_init(&t->writer, &t->text, false);
	json_begin_object(&t->writer);
}

void telling_free(struct telling *t)
{
	tokenizer_delete(t->tokenizer);
	free(t->tokens);
	free(t->scores);
	free(t->types);
	free(t->merges);
	buf_free(&t->text);
	*t = (struct telling){0};
}

struct vocab_entry *telling_add_token(struct telling *t, const char *bytes, size_t length, double score,
	enum token_type type)
{
	char name[40];
	if (t->count == t->capacity) {
		t->capacity = t->capacity == 0 ? 256 : t->capacity * 2;
		t->tokens = mem_resize(t->tokens, t->capacity, sizeof *t->tokens);
		t->scores = mem_resize(t->scores, t->capacity, sizeof *t->scores);
		t->types = mem_resize(t->types, t->capacity, sizeof *t->types);
	}
	if (length == 0) {
		length = (size_t)snprintf(name, sizeof name, "[EMPTY_%zu]", t->count);
		bytes = name;
	}
	const char *text = arena_strndup(&t->tokenizer->arena, bytes, length);
	t->tokens[t->count] = (struct vocab_entry){(int32_t)t->count, text, length};
	t->scores[t->count] = score;
	t->types[t->count] = (uint8_t)type;
	return &t->tokens[t->count++];
}

bool telling_add_merge(struct telling *t, const char *bytes, size_t length, struct err *err)
{
	const char *space = length > 2 ? memchr(bytes + 1, ' ', length - 2) : NULL;
	if (space == NULL) {
		char where[40];
		snprintf(where, sizeof where, "merges[%zu]", t->merge_count);
		return err_input(err, t->file, where, "two tokens with a space between were expected");
	}
	if (t->merge_count == t->merge_capacity) {
		t->merge_capacity = t->merge_capacity == 0 ? 256 : t->merge_capacity * 2;
		t->merges = mem_resize(t->merges, t->merge_capacity, sizeof *t->merges);
	}
	const char *text = arena_strndup(&t->tokenizer->arena, bytes, length);
	size_t left = (size_t)(space - bytes);
	t->merges[t->merge_count][0] = (struct vocab_entry){.text = text, .length = left};
	t->merges[t->merge_count++][1] = (struct vocab_entry){.text = text + left + 1, .length = length - left - 1};
	return true;
}

void telling_add_steps(struct telling *t, const char *key, const char *list, const char *steps)
{
	json_key(&t->writer, key);
	json_begin_object(&t->writer);
	json_put_string(&t->writer, "type", "Sequence");
	json_key(&t->writer, list);
	json_add_raw(&t->writer, steps);
	json_end_object(&t->writer);
}

/* A step that comes before or after others; "" leaves it out. */
static void add_step(struct buf *steps, const char *step)
{
	if (step[0] == '\0')
		return;
	buf_add_char(steps, steps->length == 0 ? '[' : ',');
	buf_add_text(steps, step);
}

void telling_add_sentencepiece(struct telling *t, int64_t unknown, bool marked, bool prefix)
{
	struct buf before = BUF_INIT, after = BUF_INIT;
	struct json_writer *w = &t->writer;
	json_key(w, "model");
	json_begin_object(w);
	json_put_string(w, "type", "SentencePiece");
	json_put_bool(w, "merges_unknown", marked);
	if (unknown >= 0 && (uint64_t)unknown < t->count) {
		json_key(w, "unk_token");
		json_add_bytes(w, t->tokens[unknown].text, t->tokens[unknown].length);
	}
	json_end_object(w);
	add_step(&before,
		!prefix          ? ""
			: marked ? "{\"type\":\"Prepend\",\"prepend\":\"▁\"}"
				 : "{\"type\":\"Prepend\",\"prepend\":\" \"}");
	add_step(&before, marked ? "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"▁\"}" : "");
	add_step(&after, marked ? "{\"type\":\"Replace\",\"pattern\":{\"String\":\"▁\"},\"content\":\" \"}" : "");
	add_step(&after, "{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"}");
	add_step(&after, prefix ? "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}" : "");
	buf_add_text(&before, before.length == 0 ? "[]" : "]");
	buf_add_char(&after, ']');
	telling_add_steps(t, "normalizer", "normalizers", buf_text(&before));
	telling_add_steps(t, "decoder", "decoders", buf_text(&after));
	buf_free(&before);
	buf_free(&after);
}

/* With a blank in front of a text the words are GPT-2's, which the step ByteLevel has built in. */
static void add_patterns(struct telling *t, const struct gguf_pre *pre, bool prefix)
{
	struct json_writer *w = &t->writer;
	json_key(w, "pre_tokenizer");
	json_begin_object(w);
	json_put_string(w, "type", "Sequence");
	json_key(w, "pretokenizers");
	json_begin_array(w);
	for (int i = 0; i < GGUF_PRE_PATTERNS && pre->patterns[i] != NULL && !prefix; i++) {
		json_begin_object(w);
		json_put_string(w, "type", "Split");
		json_key(w, "pattern");
		json_begin_object(w);
		json_put_string(w, "Regex", pre->patterns[i]);
		json_end_object(w);
		json_put_string(w, "behavior", "Isolated");
		json_put_bool(w, "invert", false);
		json_end_object(w);
	}
	if (!pre->is_text) {
		json_begin_object(w);
		json_put_string(w, "type", "ByteLevel");
		json_put_bool(w, "add_prefix_space", prefix);
		json_put_bool(w, "use_regex", prefix);
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

static void add_spelling(struct telling *t, const struct gguf_pre *pre)
{
	if (!pre->is_text) {
		telling_add_steps(t, "decoder", "decoders", "[{\"type\":\"ByteLevel\"}]");
		return;
	}
	telling_add_steps(t, "normalizer", "normalizers",
		"[{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"▁\"}]");
	telling_add_steps(t, "decoder", "decoders",
		"[{\"type\":\"Replace\",\"pattern\":{\"String\":\"▁\"},\"content\":\" "
		"\"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"}]");
}

void telling_add_bpe(struct telling *t, const struct gguf_pre *pre, bool prefix)
{
	struct json_writer *w = &t->writer;
	json_key(w, "model");
	json_begin_object(w);
	json_put_string(w, "type", "BPE");
	json_put_bool(w, "ignore_merges", pre->ignore_merges);
	json_put_bool(w, "byte_fallback", pre->is_text);
	json_end_object(w);
	add_patterns(t, pre, prefix);
	add_spelling(t, pre);
}

/* Control tokens are found where special ones are asked for, user-defined ones always. A token that is not UTF-8 cannot be in a
 * text. */
void telling_add_named(struct telling *t)
{
	struct json_writer *w = &t->writer;
	json_key(w, "added_tokens");
	json_begin_array(w);
	for (size_t i = 0; i < t->count; i++) {
		bool is_special = t->types[i] == TOKEN_CONTROL || t->types[i] == TOKEN_UNKNOWN;
		if ((!is_special && t->types[i] != TOKEN_USER) ||
			!utf8_is_valid(t->tokens[i].text, t->tokens[i].length))
			continue;
		json_begin_object(w);
		json_put_int(w, "id", (int64_t)i);
		json_key(w, "content");
		json_add_bytes(w, t->tokens[i].text, t->tokens[i].length);
		json_put_bool(w, "special", is_special);
		json_put_bool(w, "normalized", false);
		json_end_object(w);
	}
	json_end_array(w);
}

void telling_add_ends(struct telling *t, int64_t start, int64_t end)
{
	char text[512];
	size_t used = 0;
	if (start < 0 && end < 0)
		return;
	json_key(&t->writer, "post_processor");
	used += (size_t)snprintf(text, sizeof text,
		"{\"type\":\"TemplateProcessing\",\"single\":[%s{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}%s],"
		"\"special_tokens\":{",
		start >= 0 ? "{\"SpecialToken\":{\"id\":\"start\",\"type_id\":0}}," : "",
		end >= 0 ? ",{\"SpecialToken\":{\"id\":\"end\",\"type_id\":0}}" : "");
	if (start >= 0)
		used += (size_t)snprintf(text + used, sizeof text - used,
			"\"start\":{\"id\":\"start\",\"ids\":[%" PRId64 "]}%s", start, end >= 0 ? "," : "");
	if (end >= 0)
		used += (size_t)snprintf(text + used, sizeof text - used,
			"\"end\":{\"id\":\"end\",\"ids\":[%" PRId64 "]}", end);
	snprintf(text + used, sizeof text - used, "}}");
	json_add_raw(&t->writer, text);
}

/* Over everything that makes the tokens what they are. */
static uint64_t digest(const struct telling *t)
{
	struct buf all = BUF_INIT;
	buf_add(&all, t->text.data, t->text.length);
	for (size_t i = 0; i < t->count; i++) {
		buf_add(&all, t->tokens[i].text, t->tokens[i].length + 1);
		buf_printf(&all, "%a", t->scores[i]);
	}
	for (size_t i = 0; i < t->merge_count; i++)
		buf_add(&all, t->merges[i][0].text, t->merges[i][0].length + 1 + t->merges[i][1].length + 1);
	uint64_t value = hash_bytes(all.data, all.length);
	buf_free(&all);
	return value;
}

bool telling_end(struct telling *t, struct tokenizer **out, const char *note, struct err *err)
{
	struct vocab_tables tables = {.file = t->file,
		.tokens = t->tokens,
		.count = t->count,
		.scores = t->scores,
		.merges = (const struct vocab_entry(*)[2])t->merges,
		.merge_count = t->merge_count};
	json_end_object(&t->writer);
	struct tokenizer *tokenizer = t->tokenizer;
	t->tokenizer = NULL;
	bool ok = tokenizer_assemble(out, tokenizer,
		(struct tokenizer_json){buf_text(&t->text), t->text.length, t->file}, &tables, err);
	if (ok) {
		(*out)->digest = digest(t);
		(*out)->note = note;
	}
	telling_free(t);
	return ok;
}
