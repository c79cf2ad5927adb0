/*
 * tokenizers.h: small tokenizer.json files for the tests of src/text, written to a temporary folder, and a short way
 * to say what a text must become.
 */
#ifndef TOKENIZERS_H
#define TOKENIZERS_H

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"
#include "text/tokenizer.h"

static char tokenizers_folder[64], tokenizers_path[128];
static struct tokenizer *tokenizer;
static struct arena arena;
static struct err err;

static void setup(void)
{
	tokenizer = NULL;
	arena = ARENA_INIT;
	err = ERR_INIT;
	snprintf(tokenizers_folder, sizeof tokenizers_folder, "/tmp/rowscope-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tokenizers_folder));
	snprintf(tokenizers_path, sizeof tokenizers_path, "%s/tokenizer.json", tokenizers_folder);
}

static void teardown(void)
{
	tokenizer_delete(tokenizer);
	arena_free(&arena);
	file_remove_folder(tokenizers_folder);
}

/* Writes a tokenizer.json; in the tests' spelling ' stands for ". */
static inline bool load_text(const char *text)
{
	char *json = strdup(text);
	for (char *c = json; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	struct err failed = ERR_INIT;
	ck_assert(file_save(tokenizers_path, json, strlen(json), true, &failed));
	free(json);
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	err_clear(&err);
	return tokenizer_load(&tokenizer, tokenizers_path, &err);
}

static inline void load(const char *text)
{
	char why[1024];
	bool loaded = load_text(text);
	err_text(&err, why, sizeof why);
	ck_assert_msg(loaded, "%s: %s", text, why);
}

/* The file must be refused with these words in the message. */
static inline void refuses(const char *text, const char *words)
{
	char why[1024];
	ck_assert_msg(!load_text(text), "accepted: %s", text);
	ck_assert_int_eq(err.kind, ERR_INPUT);
	err_text(&err, why, sizeof why);
	ck_assert_msg(strstr(why, words) != NULL, "\"%s\" is not in: %s", words, why);
}

/* Encodes into "id@start-end id@start-end ...". */
static inline const char *encoded(const char *text, size_t length, bool special)
{
	struct tokenizer_list tokens;
	struct buf out = BUF_INIT;
	char why[1024];
	err_clear(&err);
	bool done = tokenizer_encode(tokenizer, (struct tokenizer_text){text, length, special}, &arena, &tokens, &err);
	err_text(&err, why, sizeof why);
	ck_assert_msg(done, "%s: %s", text, why);
	for (size_t i = 0; i < tokens.count; i++)
		buf_printf(&out, "%s%d@%zu-%zu", i > 0 ? " " : "", (int)tokens.items[i].id, tokens.items[i].start,
			tokens.items[i].end);
	const char *result = arena_strdup(&arena, buf_text(&out));
	buf_free(&out);
	return result;
}

static inline void becomes(const char *text, const char *expected)
{
	ck_assert_str_eq(encoded(text, strlen(text), true), expected);
}

static inline const char *decoded(const int32_t *ids, size_t count, bool skip_special)
{
	struct buf out = BUF_INIT;
	ck_assert(tokenizer_decode(tokenizer, ids, count, skip_special, &out));
	const char *result = arena_strndup(&arena, buf_text(&out), out.length);
	buf_free(&out);
	return result;
}

#define DECODED(...) \
	decoded((const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t), false)

#endif
