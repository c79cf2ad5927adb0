/* Against Hugging Face tokenizers: the bundled models' (tests/golden/tokenizer_*.json), and a small one of each kind
 * (tests/golden/kinds*.json). */
#include <dirent.h>

#include "base/json.h"
#include "tokenizers.h"

static bool is_inside_character(const char *text, size_t length, size_t at)
{
	return at < length && ((unsigned char)text[at] & 0xc0) == 0x80;
}

/* The goldens give a token that is part of a character the whole character's bytes; rowscope gives its own. */
static void widen(const char *text, size_t length, struct tokenizer_token *token)
{
	while (is_inside_character(text, length, token->start))
		token->start--;
	while (is_inside_character(text, length, token->end))
		token->end++;
}

static int64_t number(const struct json *node)
{
	int64_t value = -1;
	ck_assert(json_int(node, 0, INT32_MAX, &value, &err));
	return value;
}

static void check_ids(const struct json *text, bool special, const struct json *ids, const struct json *offsets)
{
	struct tokenizer_list tokens;
	ck_assert_msg(tokenizer_encode(tokenizer, (struct tokenizer_text){text->text, text->length, special}, &arena,
			      &tokens, &err),
		"%s", err.message);
	ck_assert_msg(tokens.count == ids->count, "%s: %zu tokens, not %zu", text->text, tokens.count, ids->count);
	for (size_t i = 0; i < tokens.count; i++) {
		ck_assert_msg(tokens.items[i].id == number(ids->items[i]), "%s: token %zu is %d", text->text, i,
			(int)tokens.items[i].id);
		if (offsets == NULL)
			continue;
		widen(text->text, text->length, &tokens.items[i]);
		const struct json *pair = offsets->items[i];
		ck_assert_msg((int64_t)tokens.items[i].start == number(pair->items[0]) &&
				(int64_t)tokens.items[i].end == number(pair->items[1]),
			"%s: token %zu is at %zu-%zu", text->text, i, tokens.items[i].start, tokens.items[i].end);
	}
}

/* The text of the IDs, at once and token by token. */
static void check_text(const struct json *ids, bool skip, const struct json *expected)
{
	struct buf whole = BUF_INIT, parts = BUF_INIT;
	int32_t *list = ARENA_ARRAY(&arena, int32_t, ids->count);
	struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, skip);
	for (size_t i = 0; i < ids->count; i++) {
		list[i] = (int32_t)number(ids->items[i]);
		tokenizer_stream_add(stream, list[i], &parts);
	}
	tokenizer_stream_finish(stream, &parts);
	tokenizer_stream_delete(stream);
	ck_assert(tokenizer_decode(tokenizer, list, ids->count, skip, &whole));
	ck_assert_uint_eq(whole.length, expected->length);
	ck_assert(memcmp(buf_text(&whole), expected->text, expected->length) == 0);
	ck_assert_uint_eq(parts.length, expected->length);
	ck_assert(memcmp(buf_text(&parts), expected->text, expected->length) == 0);
	buf_free(&whole);
	buf_free(&parts);
}

static void check_case(const struct json *node)
{
	const struct json *text = json_find(node, "text"), *ids = json_find(node, "ids"),
			  *decoded = json_find(node, "decoded");
	const struct json *plain = json_find(node, "plain"), *skipped = json_find(node, "skipped");
	ck_assert(text != NULL && ids != NULL && decoded != NULL);
	const struct json *special = json_find(node, "special");
	check_ids(text, true, special != NULL ? special : ids, json_find(node, "offsets"));
	check_ids(text, false, plain != NULL ? plain : ids, NULL);
	check_text(ids, false, decoded);
	check_text(ids, true, skipped != NULL ? skipped : decoded);
}

static void check_cases(const struct json *cases)
{
	ck_assert_ptr_nonnull(cases);
	for (size_t i = 0; i < cases->count; i++)
		check_case(cases->items[i]);
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
}

static size_t check_golden(const char *name)
{
	char path[512];
	struct json *root;
	const char *model;
	snprintf(path, sizeof path, "tests/golden/%s", name);
	ck_assert_msg(json_load(path, 1 << 24, &arena, &root, &err), "%s", err.message);
	ck_assert(json_get_string(root, "model", &model, &err));
	snprintf(path, sizeof path, "tiny_models/%s/tokenizer.json", model);
	ck_assert_msg(tokenizer_load(&tokenizer, path, &err), "%s", err.message);
	const struct json *cases = json_find(root, "cases");
	check_cases(cases);
	return cases->count;
}

START_TEST(agrees_on_the_bundled_models)
{
	DIR *folder = opendir("tests/golden");
	size_t cases = 0;
	ck_assert_ptr_nonnull(folder);
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		const char *end = strrchr(entry->d_name, '.');
		if (strncmp(entry->d_name, "tokenizer_", 10) == 0 && end != NULL && strcmp(end, ".json") == 0)
			cases += check_golden(entry->d_name);
	}
	closedir(folder);
	ck_assert_uint_gt(cases, 200);
}
END_TEST

static const struct {
	const char *path;
	size_t least;
} kind_files[] = {{"tests/golden/kinds.json", 15}, {"tests/golden/kinds_sentencepiece.json", 9},
	{"tests/golden/kinds_others.json", 17}};

START_TEST(agrees_on_every_kind)
{
	struct json *root;
	ck_assert_msg(json_load(kind_files[_i].path, 1 << 24, &arena, &root, &err), "%s", err.message);
	const struct json *kinds = json_find(root, "kinds");
	ck_assert_ptr_nonnull(kinds);
	ck_assert_uint_ge(kinds->count, kind_files[_i].least);
	for (size_t i = 0; i < kinds->count; i++) {
		const char *name;
		const struct json *file = json_find(kinds->items[i], "tokenizer");
		ck_assert(json_get_string(kinds->items[i], "name", &name, &err) && file != NULL);
		ck_assert_msg(tokenizer_parse(&tokenizer, file->text, file->length, name, &err), "%s: %s: %s", name,
			err.where, err.message);
		check_cases(json_find(kinds->items[i], "cases"));
	}
}
END_TEST

/* --- the same as a folder with vocab.json and merges.txt --- */

static void write_file(const char *name, const struct buf *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", tokenizers_folder, name);
	ck_assert(file_save(path, text->data, text->length, true, &err));
}

static void write_model(const struct json *model)
{
	struct buf text = BUF_INIT;
	struct json_writer writer;
	const struct json *vocab = json_find(model, "vocab"), *merges = json_find(model, "merges");
	json_writer_init(&writer, &text, false);
	json_begin_object(&writer);
	for (size_t i = 0; i < vocab->count; i++)
		json_put_int(&writer, vocab->items[i]->key, number(vocab->items[i]));
	json_end_object(&writer);
	write_file("vocab.json", &text);
	buf_clear(&text);
	buf_add_text(&text, "#version: 0.2\n");
	for (size_t i = 0; i < merges->count; i++)
		buf_printf(&text, "%s %s\n", merges->items[i]->items[0]->text, merges->items[i]->items[1]->text);
	write_file("merges.txt", &text);
	buf_free(&text);
}

static void write_config(const struct json *added, const char *class)
{
	static const char *const flags[] = {"lstrip", "rstrip", "normalized", "single_word", "special"};
	struct buf text = BUF_INIT;
	struct json_writer writer;
	json_writer_init(&writer, &text, false);
	json_begin_object(&writer);
	json_put_string(&writer, "tokenizer_class", class);
	json_key(&writer, "added_tokens_decoder");
	json_begin_object(&writer);
	for (size_t i = 0; i < added->count; i++) {
		char id[32];
		snprintf(id, sizeof id, "%d", (int)number(json_find(added->items[i], "id")));
		json_key(&writer, id);
		json_begin_object(&writer);
		json_put_string(&writer, "content", json_find(added->items[i], "content")->text);
		for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
			json_put_bool(&writer, flags[k], json_find(added->items[i], flags[k])->type == JSON_TRUE);
		json_end_object(&writer);
	}
	json_end_object(&writer);
	json_end_object(&writer);
	write_file("tokenizer_config.json", &text);
	buf_free(&text);
}

static const struct {
	const char *kind, *class;
} folders[] = {{"gpt2", "GPT2Tokenizer"}, {"qwen2", "Qwen2TokenizerFast"}};

START_TEST(agrees_on_folders_of_vocab_and_merges)
{
	struct json *root, *document;
	char path[128];
	ck_assert(json_load(kind_files[0].path, 1 << 24, &arena, &root, &err));
	const struct json *kinds = json_find(root, "kinds"), *kind = NULL;
	for (size_t i = 0; i < kinds->count; i++) {
		if (strcmp(json_find(kinds->items[i], "name")->text, folders[_i].kind) == 0)
			kind = kinds->items[i];
	}
	ck_assert_ptr_nonnull(kind);
	const struct json *text = json_find(kind, "tokenizer");
	ck_assert(json_parse(text->text, text->length, "kind", &arena, &document, &err));
	write_model(json_find(document, "model"));
	write_config(json_find(document, "added_tokens"), folders[_i].class);
	snprintf(path, sizeof path, "%s/vocab.json", tokenizers_folder);
	ck_assert_msg(tokenizer_open(&tokenizer, path, 0, &err), "%s: %s: %s", err.file, err.where, err.message);
	check_cases(json_find(kind, "cases"));
	write_config(json_find(document, "added_tokens"), "BartTokenizer");
	ck_assert(!tokenizer_open(&tokenizer, path, 0, &err));
	ck_assert_str_eq(err.where, "tokenizer_class");
}
END_TEST

static size_t check_vocabularies(const char *path, const char *first, const char *last)
{
	struct json *root;
	size_t cases = 0;
	ck_assert_msg(json_load(path, 1 << 24, &arena, &root, &err), "%s", err.message);
	for (size_t i = 0; i < root->count; i++) {
		char file[512];
		snprintf(file, sizeof file, "%s%s%s", first, root->items[i]->key, last);
		ck_assert_msg(tokenizer_open(&tokenizer, file, 0, &err), "%s: %s: %s", file, err.where, err.message);
		cases += root->items[i]->count;
		check_cases(root->items[i]);
	}
	return cases;
}

START_TEST(agrees_on_the_formats_without_json)
{
	ck_assert_uint_gt(check_vocabularies("tests/golden/vocabularies/cases.json", "tests/golden/vocabularies/", ""),
		800);
}
END_TEST

/* The strings that llama.cpp tests its own vocabularies with. */
static void check_llama_cpp(const char *folder, const char *name)
{
	char path[512], *strings, *lists;
	size_t length, unused;
	snprintf(path, sizeof path, "%s/tokenizers/%s", folder, name);
	ck_assert_msg(tokenizer_open(&tokenizer, path, 0, &err), "%s", err.message);
	snprintf(path, sizeof path, "%s/tokenizers/%s.out", folder, name);
	ck_assert(file_load(path, 1 << 20, &arena, &lists, &unused, &err));
	snprintf(path, sizeof path, "%s/tokenizers/strings.inp", folder);
	ck_assert(file_load(path, 1 << 20, &arena, &strings, &length, &err));
	int count = 0;
	for (char *at = strings, *end; at != NULL; at = end, count++) {
		struct tokenizer_list tokens;
		static const char border[] = "\n__ggml_vocab_test__\n";
		end = strstr(at, border);
		size_t size = end != NULL ? (size_t)(end - at) : strlen(at);
		end = end != NULL ? end + sizeof border - 1 : NULL;
		ck_assert(tokenizer_encode(tokenizer, (struct tokenizer_text){at, size, false}, &arena, &tokens, &err));
		for (size_t i = 0; i < tokens.count; i++)
			ck_assert_msg(strtol(lists, &lists, 10) == tokens.items[i].id, "%s: string %d, token %zu", name,
				count, i);
		lists += strspn(lists, " ");
		ck_assert_msg(*lists == '\n' || *lists == '\0', "%s: string %d has more tokens", name, count);
		lists += *lists == '\n';
	}
	ck_assert_int_eq(count, 47);
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
}

START_TEST(agrees_with_llama_cpp)
{
	const char *folder = harness_testdata();
	if (folder == NULL)
		return;
	check_llama_cpp(folder, "ggml-vocab-gpt-2.gguf");
	check_llama_cpp(folder, "ggml-vocab-llama-spm.gguf");
}
END_TEST

TEST_PROGRAM("tokenizer_golden", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, agrees_on_the_bundled_models);
	tcase_add_loop_test(tests, agrees_on_every_kind, 0, sizeof kind_files / sizeof kind_files[0]);
	tcase_add_loop_test(tests, agrees_on_folders_of_vocab_and_merges, 0, 2);
	tcase_add_test(tests, agrees_on_the_formats_without_json);
	tcase_add_test(tests, agrees_with_llama_cpp);
})
