/* Vocabularies of GGUF files and tokenizer.bin: what they say of themselves, and what is refused. Their tokens are held against other
 * libraries' in test_tokenizer_golden.c. */
#include "tokenizers.h"

#include "base/buf.h"
#include "format/gguf.h"
#include "model/model.h"
#include "text/gguf_pre.h"

static struct buf bytes;

static void add_u32(uint32_t value)
{
	for (int i = 0; i < 4; i++)
		buf_add_char(&bytes, (char)(value >> 8 * i & 0xff));
}

static void add_u64(uint64_t value)
{
	add_u32((uint32_t)(value & 0xffffffff));
	add_u32((uint32_t)(value >> 32));
}

static void add_string(const char *text)
{
	add_u64(strlen(text));
	buf_add_text(&bytes, text);
}

static void add_text_key(const char *key, const char *value)
{
	add_string(key);
	add_u32(8);
	add_string(value);
}

/* A list of strings; in `list` a | parts them. */
static void add_texts_key(const char *key, const char *list)
{
	size_t count = 1;
	for (const char *at = list; *at != '\0'; at++)
		count += *at == '|';
	add_string(key);
	add_u32(9);
	add_u32(8);
	add_u64(count);
	for (const char *at = list; count-- > 0; at += strcspn(at, "|") + 1) {
		add_u64(strcspn(at, "|"));
		buf_add(&bytes, at, strcspn(at, "|"));
	}
}

static void begin(uint64_t keys)
{
	buf_clear(&bytes);
	buf_add_text(&bytes, "GGUF");
	add_u32(3);
	add_u64(0);
	add_u64(keys);
}

static bool open_bytes(void)
{
	struct err failed = ERR_INIT;
	while (bytes.length % 32 != 0)
		buf_add_char(&bytes, 0);
	ck_assert(file_save(tokenizers_path, bytes.data, bytes.length, true, &failed));
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	err_clear(&err);
	return tokenizer_open(&tokenizer, tokenizers_path, 0, &err);
}

static void expect_refusal(const char *where, const char *words)
{
	ck_assert(!open_bytes());
	ck_assert_int_eq(err.kind, ERR_INPUT);
	ck_assert_str_eq(err.file, tokenizers_path);
	ck_assert_str_eq(err.where, where);
	ck_assert_msg(strstr(err.message, words) != NULL, "\"%s\" is not in: %s", words, err.message);
}

/* A vocabulary of the gpt2 kind; `pre` may be NULL. */
static void small_gguf(const char *pre, const char *tokens, const char *merges)
{
	begin(3 + (pre != NULL));
	add_text_key("tokenizer.ggml.model", "gpt2");
	if (pre != NULL)
		add_text_key("tokenizer.ggml.pre", pre);
	add_texts_key("tokenizer.ggml.tokens", tokens);
	add_texts_key("tokenizer.ggml.merges", merges);
}

START_TEST(knows_every_pretokenizer)
{
	struct buf names = BUF_INIT;
	int count = 0;
	gguf_pre_names(&names);
	for (char *name = strtok(names.data, " "); name != NULL; name = strtok(NULL, " "), count++) {
		ck_assert_ptr_nonnull(gguf_pre_find(name));
		small_gguf(name, "a|b|ab|c", "a b");
		ck_assert_msg(open_bytes(), "%s: %s", name, err.message);
		ck_assert_msg(strcmp(encoded("abc", 3, false), "2@0-2 3@2-3") == 0, "%s", name);
		ck_assert_ptr_null(tokenizer_note(tokenizer));
	}
	buf_free(&names);
	ck_assert_int_gt(count, 70);
	ck_assert_ptr_null(gguf_pre_find(""));
	ck_assert_ptr_null(gguf_pre_find("qwen"));
}
END_TEST

START_TEST(refuses_an_unknown_pretokenizer_by_name)
{
	small_gguf("qwen9", "a|b|ab", "a b");
	expect_refusal("tokenizer.ggml.pre", "\"qwen9\" is not known");
	ck_assert_ptr_nonnull(strstr(err.message, "qwen2"));
}
END_TEST

START_TEST(says_when_the_pretokenizer_is_a_guess)
{
	small_gguf(NULL, "a|b|ab", "a b");
	ck_assert(open_bytes());
	ck_assert_ptr_nonnull(strstr(tokenizer_note(tokenizer), "\"default\""));
}
END_TEST

START_TEST(refuses_what_is_no_vocabulary)
{
	small_gguf("gpt-2", "a|b|ab|a", "a b");
	expect_refusal("token 3", "given twice: token 0");
	small_gguf("gpt-2", "a|b|ab", "a b|a c");
	expect_refusal("merges[1]", "needs the token \"c\"");
	small_gguf("gpt-2", "a|b|c", "a b");
	expect_refusal("merges[0]", "not in the vocabulary");
	small_gguf("gpt-2", "a|b|ab", "ab");
	expect_refusal("merges[0]", "a space between");
	begin(1);
	add_text_key("tokenizer.ggml.pre", "gpt-2");
	expect_refusal("tokenizer.ggml.model", "no vocabulary");
	begin(1);
	add_text_key("tokenizer.ggml.model", "rwkv");
	expect_refusal("tokenizer.ggml.model", "\"rwkv\"");
	begin(2);
	add_text_key("tokenizer.ggml.model", "llama");
	add_texts_key("tokenizer.ggml.tokens", "a|b");
	expect_refusal("tokenizer.ggml.scores", "one score per token");
}
END_TEST

START_TEST(a_file_may_say_that_it_has_no_vocabulary)
{
	static const char *const kinds[] = {"no_vocab", "none", "gpt2"};
	for (size_t i = 0; i < 3; i++) {
		struct gguf gguf;
		begin(1);
		add_text_key("tokenizer.ggml.model", kinds[i]);
		ck_assert(!open_bytes());
		err_clear(&err);
		ck_assert_msg(gguf_open(&gguf, tokenizers_path, &err), "%s", err.message);
		ck_assert(tokenizer_in_gguf(&gguf) == (i == 2));
		gguf_close(&gguf);
	}
}
END_TEST

START_TEST(names_empty_tokens)
{
	small_gguf("gpt-2", "a||b|ab", "a b");
	ck_assert(open_bytes());
	ck_assert_int_eq(tokenizer_find(tokenizer, "[EMPTY_1]"), 1);
}
END_TEST

/* Tokens that are not UTF-8 are no reason to refuse a file: nothing spells them, but a model may choose them. */
START_TEST(keeps_tokens_that_are_not_text)
{
	struct buf out = BUF_INIT;
	small_gguf("gpt-2", "a|\xe4|b|ab", "a b");
	ck_assert(open_bytes());
	ck_assert(tokenizer_token_spelling(tokenizer, 1, &out));
	ck_assert_uint_eq(out.length, 1);
	ck_assert_str_eq(DECODED(1), "\xef\xbf\xbd");
	buf_free(&out);
}
END_TEST

/* --- tokenizer.bin --- */

static void add_token(float score, const char *text)
{
	uint32_t word;
	memcpy(&word, &score, sizeof word);
	add_u32(word);
	add_u32((uint32_t)strlen(text));
	buf_add_text(&bytes, text);
}

static void small_bin(uint32_t longest)
{
	buf_clear(&bytes);
	add_u32(longest);
	add_token(0, "<unk>");
	add_token(0, "\n<s>\n");
	add_token(0, "\n</s>\n");
	add_token(-4, " ");
	add_token(-5, "a");
	add_token(-6, "b");
	add_token(-2, "ab");
	add_token(-1, " a");
	add_token(-3, "ba");
}

static bool open_bin(int64_t vocabulary)
{
	struct err failed = ERR_INIT;
	ck_assert(file_save(tokenizers_path, bytes.data, bytes.length, true, &failed));
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	err_clear(&err);
	return tokenizer_open(&tokenizer, tokenizers_path, vocabulary, &err);
}

START_TEST(merges_the_highest_score_first)
{
	small_bin(8);
	ck_assert(open_bin(0));
	ck_assert_str_eq(tokenizer_kind(tokenizer), "SentencePiece BPE");
	becomes("ab", "1@0-0 7@0-1 5@1-2");        /* " a" before "ab" */
	becomes("bab", "1@0-0 3@0-0 5@0-1 6@1-3"); /* "ab" before "ba" */
	becomes("é", "1@0-0 3@0-0 0@0-2");         /* no bytes in this vocabulary */
	ck_assert_str_eq(DECODED(7, 5, 4), "aba");
}
END_TEST

START_TEST(checks_the_number_of_tokens)
{
	small_bin(8);
	ck_assert(open_bin(9));
	ck_assert(!open_bin(10));
	ck_assert_ptr_nonnull(strstr(err.message, "9 tokens, but the model has 10"));
	ck_assert(!open_bin(8));
	ck_assert_ptr_nonnull(strstr(err.message, "at least 9 tokens"));
}
END_TEST

START_TEST(refuses_damaged_tokenizer_bins)
{
	small_bin(0);
	ck_assert(!open_bin(0));
	small_bin(0xffffffff);
	ck_assert(!open_bin(0));
	small_bin(4);
	ck_assert(!open_bin(0));
	ck_assert_ptr_nonnull(strstr(err.message, "token 0 has a length of 5 bytes; expected 1 to 4"));
	small_bin(8);
	size_t whole = bytes.length;
	for (size_t length = 5; length < whole; length++) {
		bytes.length = length;
		if (open_bin(9))
			ck_abort_msg("a file cut to %zu bytes is accepted", length);
	}
}
END_TEST

/* --- beside a checkpoint --- */

static void write_bin(const char *name, int64_t count)
{
	char path[256], token[32];
	struct err failed = ERR_INIT;
	buf_clear(&bytes);
	add_u32(16);
	for (int64_t i = 0; i < count; i++) {
		snprintf(token, sizeof token, "%s%d", name, (int)i);
		add_token(0, token);
	}
	snprintf(path, sizeof path, "%s/%s", tokenizers_folder, name);
	ck_assert(file_save(path, bytes.data, bytes.length, true, &failed));
}

START_TEST(finds_the_vocabulary_beside_a_checkpoint)
{
	char model[256], own[40], *checkpoint;
	struct model *opened = NULL;
	size_t length;
	ck_assert(file_load("tests/golden/files/llama_v0.bin", 1 << 20, &arena, &checkpoint, &length, &err));
	snprintf(model, sizeof model, "%s/model.bin", tokenizers_folder);
	ck_assert(file_save(model, checkpoint, length, true, &err));
	ck_assert(!model_open(&opened, tokenizers_folder, &err)); /* the folder is no model, the file in it is */
	ck_assert_ptr_nonnull(strstr(err.message, "it holds model.bin; give that file"));
	err_clear(&err);
	ck_assert(model_open(&opened, model, &err));
	ck_assert_ptr_null(model_tokenizer(opened));
	int64_t vocabulary = model_config(opened)->vocabulary;
	model_delete(opened);
	write_bin("tokenizer.bin", vocabulary);
	ck_assert_msg(model_open(&opened, model, &err), "%s", err.message);
	ck_assert_int_eq(tokenizer_find(model_tokenizer(opened), "tokenizer.bin5"), 5);
	model_delete(opened);
	snprintf(own, sizeof own, "tok%d.bin", (int)vocabulary);
	write_bin(own, vocabulary);
	ck_assert(model_open(&opened, model, &err));
	ck_assert_int_eq(tokenizer_find(model_tokenizer(opened), "tokenizer.bin5"), -1);
	model_delete(opened);
	write_bin(own, vocabulary + 1);
	ck_assert(!model_open(&opened, model, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "--tokenizer"));
	err_clear(&err);
	ck_assert(model_open_with(&opened, model, "tests/golden/vocabularies/llama.gguf", &err));
	model_delete(opened);
}
END_TEST

TEST_PROGRAM("vocabularies", {
	bytes = BUF_INIT;
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, knows_every_pretokenizer);
	tcase_add_test(tests, refuses_an_unknown_pretokenizer_by_name);
	tcase_add_test(tests, says_when_the_pretokenizer_is_a_guess);
	tcase_add_test(tests, refuses_what_is_no_vocabulary);
	tcase_add_test(tests, names_empty_tokens);
	tcase_add_test(tests, a_file_may_say_that_it_has_no_vocabulary);
	tcase_add_test(tests, keeps_tokens_that_are_not_text);
	tcase_add_test(tests, merges_the_highest_score_first);
	tcase_add_test(tests, checks_the_number_of_tokens);
	tcase_add_test(tests, refuses_damaged_tokenizer_bins);
	tcase_add_test(tests, finds_the_vocabulary_beside_a_checkpoint);
})
