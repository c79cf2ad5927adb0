/* Reading JSON: what is refused and where, what the tree holds, what the getters say; and writing it. */
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "harness.h"

static struct arena arena;
static struct err err;

static void setup(void)
{
	arena = ARENA_INIT;
	err = ERR_INIT;
}

static void teardown(void)
{
	arena_free(&arena);
}

static const struct json *parsed(const char *text)
{
	struct json *root = NULL;
	char why[1024];
	/* an exact copy on the heap, so that a sanitizer sees a read beyond it */
	char *copy = memcpy(malloc(strlen(text)), text, strlen(text));
	bool ok = json_parse(copy, strlen(text), NULL, &arena, &root, &err);
	free(copy);
	err_text(&err, why, sizeof why);
	ck_assert_msg(ok, "%s: %s", text, why);
	return root;
}

/* The message for a text that must be refused. */
static const char *refusal(const char *text, size_t length)
{
	static char why[1024];
	struct json *root = NULL;
	err_clear(&err);
	ck_assert_msg(!json_parse(text, length, "f", &arena, &root, &err), "accepted: %s", text);
	ck_assert_ptr_null(root);
	ck_assert_int_eq(err.kind, ERR_INPUT);
	err_text(&err, why, sizeof why);
	return why;
}

START_TEST(accepts_what_the_grammar_allows)
{
	static const char *const good[] = {"0", "-0", "-0.5e+10", "1E-2", "\"\"", " [ ] ", "{}", "[[],{}]", "true",
		"\t\r\n null \n", "{\"a\":{\"b\":[1,2,{\"c\":null}]}}",
		"\"\\u00e9\\ud834\\udd1e\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "{\"\":0}", "\"\x7f\"", "\"\xf4\x8f\xbf\xbf\"",
		"[123456789012345678901234567890]", "1e400", "\"\\\"\\\"\""};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		parsed(good[i]);
}
END_TEST

START_TEST(refuses_what_the_grammar_forbids)
{
	static const char *const bad[] = {"", " ", "[", "]", "{", "}", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}",
		"{a:1}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{1:1}", "01", "-", "-a", "+1", ".5", "1.", "1e", "1e+",
		"0x1", "1_0", "NaN", "Infinity", "-Infinity", "nul", "True", "truex", "'a'", "\"a", "\"\\", "\"\\a\"",
		"\"\\u12\"", "\"\\u12g4\"", "\"\\x41\"", "\"\t\"", "\"\n\"", "1 2", "[] []", "{}#", "// c\n1", "/**/1",
		"[1}", "{\"a\":1]", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\xff\"", "\"\xc0\xaf\"",
		"\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe5\xbe\"", "\xef\xbb\xbf{}", "\f1", "\xc2\xa0\x31",
		"[1]\xff"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refusal(bad[i], strlen(bad[i]));
	refusal("1\0", 2);
	refusal("\"a\0\"", 4);
	refusal("[1,\0 2]", 7);
}
END_TEST

START_TEST(names_the_line_and_the_byte)
{
	const char *text = "{\n  \"a\": 1,\n  \"b\": 01\n}";
	ck_assert_str_eq(refusal(text, strlen(text)),
		"f: line 3, byte 20: this is no valid JSON: a comma or } is expected, not '1'");
	ck_assert_str_eq(refusal("[1", 2),
		"f: line 1, byte 2: the JSON ends here, but a comma or ] is expected; the file may be cut short");
	ck_assert_str_eq(refusal("\x1b", 1),
		"f: line 1, byte 0: this is no valid JSON: a value is expected, not byte 0x1b");
}
END_TEST

START_TEST(refuses_a_key_that_occurs_twice)
{
	const char *text = "{\"x\":[{\"b\":1,\"a\":2,\"\\u0062\":3}]}";
	const char *why = refusal(text, strlen(text));
	ck_assert_msg(strstr(why, "the key x[0].b occurs twice") != NULL, "%s", why);
	text = "{\"a\\u0000b\":1,\"a\\u0000c\":2,\"a\":3,\"A\":4}";
	parsed(text);
	text = "{\"a\\u0000b\":1,\"a\\u0000b\":2}";
	refusal(text, strlen(text));
	struct json *root;
	err_clear(&err);
	ck_assert(json_parse_any("{\"a\":1,\"a\":2}", 13, &arena, &root, &err));
	ck_assert_uint_eq(root->count, 2);
}
END_TEST

/* `depth` opening brackets, a value, and as many closing ones. */
static char *nested(size_t depth, char opening, char closing, bool closed)
{
	char *text = arena_array(&arena, 2 * depth + 2, 1);
	memset(text, opening, depth);
	text[depth] = closed ? '1' : '\0';
	if (closed)
		memset(text + depth + 1, closing, depth);
	return text;
}

START_TEST(depth_is_bounded)
{
	char *text = nested(JSON_MAX_DEPTH, '[', ']', true);
	const struct json *node = parsed(text);
	for (int i = 0; i < JSON_MAX_DEPTH; i++)
		node = node->items[0];
	ck_assert_int_eq(node->type, JSON_NUMBER);
	text = nested(JSON_MAX_DEPTH + 1, '[', ']', true);
	ck_assert_ptr_nonnull(strstr(refusal(text, strlen(text)), "nested more than 500"));
	text = nested(100000, '[', ']', false);
	refusal(text, strlen(text));
}
END_TEST

START_TEST(the_number_of_values_is_bounded)
{
	char *text = malloc(2 * JSON_MAX_VALUES + 1);
	memset(text, '0', 2 * JSON_MAX_VALUES + 1);
	for (size_t i = 0; i < JSON_MAX_VALUES; i++)
		text[2 * i] = ',';
	text[0] = '[';
	text[2 * JSON_MAX_VALUES] = ']';
	ck_assert_ptr_nonnull(strstr(refusal(text, 2 * JSON_MAX_VALUES + 1), "more than 4000000 values"));
	free(text);
}
END_TEST

START_TEST(the_tree_holds_the_document_in_order)
{
	const struct json *root = parsed("{\"b\": [1, \"x\\u0000y\\n\", true], \"a\": {\"c\": null, \"\": false}}");
	ck_assert_int_eq(root->type, JSON_OBJECT);
	ck_assert_uint_eq(root->count, 2);
	ck_assert_str_eq(root->items[0]->key, "b");
	ck_assert_uint_eq(root->items[0]->offset, 6);
	const struct json *list = json_find(root, "b");
	ck_assert_ptr_eq(list, root->items[0]);
	ck_assert_uint_eq(list->count, 3);
	ck_assert_double_eq(list->items[0]->number, 1.0);
	ck_assert_uint_eq(list->items[1]->length, 4);
	ck_assert_int_eq(memcmp(list->items[1]->text, "x\0y\n", 5), 0);
	ck_assert_int_eq(list->items[2]->type, JSON_TRUE);
	const struct json *inner = json_find(root, "a");
	ck_assert_int_eq(json_find(inner, "c")->type, JSON_NULL);
	ck_assert_int_eq(json_find(inner, "")->type, JSON_FALSE);
	ck_assert_ptr_null(json_find(inner, "C"));
	ck_assert_ptr_null(json_find(list, "c"));
	ck_assert_ptr_null(json_find(NULL, "c"));
}
END_TEST

START_TEST(strings_with_nul_decode_as_the_others_do)
{
	const struct json *root = parsed("[\"\\u00e9\\ud834\\udd1e\\\"\\\\\\/\\b\\f\\n\\r\\t很\","
					 "\"\\u00e9\\ud834\\udd1e\\\"\\\\\\/\\b\\f\\n\\r\\t很\\u0000\"]");
	ck_assert_uint_eq(root->items[0]->length + 1, root->items[1]->length);
	ck_assert_str_eq(root->items[0]->text, root->items[1]->text);
	ck_assert_str_eq(root->items[0]->text, "é\xf0\x9d\x84\x9e\"\\/\b\f\n\r\t很");
}
END_TEST

START_TEST(numbers_keep_their_spelling)
{
	const struct json *root =
		parsed("[4.0, 1e3, 0.1, "
		       "-0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000001,"
		       "\"0000000000000000000000000000000000000000000000000000000000000000000000000000\", 1e400]");
	ck_assert_str_eq(root->items[0]->text, "4.0");
	ck_assert_str_eq(root->items[1]->text, "1e3");
	ck_assert_double_eq(root->items[2]->number, 0.1);
	ck_assert_double_eq(root->items[3]->number, -1e-89);
	ck_assert_uint_eq(root->items[4]->length, 76);
	double value;
	ck_assert(!json_number(root->items[5], -INFINITY, INFINITY, &value, &err));
}
END_TEST

START_TEST(only_whole_numbers_are_integers)
{
	static const char *const bad[] = {"4.0", "1e3", "-0", "9223372036854775808", "-9223372036854775809",
		"18446744073709551614", "99999999999999999999999999", "\"1\"", "null", "true", "[1]", "1E0"};
	int64_t value = 77;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err_clear(&err);
		ck_assert_msg(!json_int(parsed(bad[i]), INT64_MIN, INT64_MAX, &value, &err), "%s", bad[i]);
	}
	ck_assert_int_eq(value, 77);
	err_clear(&err);
	ck_assert(json_int(parsed("9223372036854775807"), INT64_MIN, INT64_MAX, &value, &err));
	ck_assert_int_eq(value, INT64_MAX);
	ck_assert(json_int(parsed("-9223372036854775808"), INT64_MIN, INT64_MAX, &value, &err));
	ck_assert_int_eq(value, INT64_MIN);
	ck_assert(json_int(parsed("9007199254740993"), 0, INT64_MAX, &value, &err));
	ck_assert_int_eq(value, INT64_C(9007199254740993));
	ck_assert(json_int(parsed("0"), 0, 0, &value, &err));
	ck_assert(!json_int(parsed("5"), 6, 9, &value, &err));
}
END_TEST

START_TEST(getters_name_the_path)
{
	const struct json *root =
		parsed("{\"rows\":[{},{},{\"sampling\":{\"top_p\":\"x\",\"odd.key\":1.5}}],\"s\":\"a\\u0000\"}");
	const struct json *sampling = json_find(json_find(root, "rows")->items[2], "sampling");
	char text[1024];
	double number;
	int64_t integer;
	bool truth;
	const char *string;
	ck_assert(!json_get_number(sampling, "top_p", 0, 1, &number, &err));
	err_text(&err, text, sizeof text);
	ck_assert_str_eq(text, "rows[2].sampling.top_p: this must be a number from 0 to 1, but it is a string");
	err_clear(&err);
	ck_assert(!json_get_int(sampling, "odd.key", 0, 9, &integer, &err));
	err_text(&err, text, sizeof text);
	ck_assert_str_eq(text, "rows[2].sampling[\"odd.key\"]: this must be a whole number from 0 to 9, but it is 1.5");
	err_clear(&err);
	ck_assert(!json_get_bool(sampling, "nothing", &truth, &err));
	ck_assert_str_eq(err.where, "rows[2].sampling");
	ck_assert_str_eq(err.message, "the key 'nothing' is missing; add it");
	err_clear(&err);
	ck_assert(!json_get_string(root, "s", &string, &err));
	err_clear(&err);
	ck_assert(!json_get_string(json_find(root, "rows"), "s", &string, &err));
	err_clear(&err);
	static const char *const known[] = {"rows", NULL};
	ck_assert(!json_only_keys(root, known, &err));
	ck_assert_str_eq(err.where, "s");
	ck_assert_str_eq(err.message, "this key is not known; the known keys here are rows");
}
END_TEST

START_TEST(long_paths_keep_their_end)
{
	struct buf text = BUF_INIT;
	for (int i = 0; i < 100; i++)
		buf_add_text(&text, "{\"abcdefgh\":");
	buf_add_text(&text, "1");
	for (int i = 0; i < 100; i++)
		buf_add_text(&text, "}");
	const struct json *node = parsed(buf_text(&text));
	for (int i = 0; i < 100; i++)
		node = node->items[0];
	char path[1024];
	json_path(node, path, sizeof path);
	ck_assert_uint_eq(strlen(path), 100 * 9 - 1);
	for (size_t size = 1; size < 1000; size++) {
		memset(path, 'x', sizeof path);
		json_path(node, path, size);
		ck_assert_uint_lt(strlen(path), size);
		if (size > 20 && size < 899)
			ck_assert_int_eq(memcmp(path, "…", 3), 0);
	}
	buf_free(&text);
}
END_TEST

START_TEST(a_hundred_thousand_keys_are_quick)
{
	struct buf text = BUF_INIT;
	buf_add_char(&text, '{');
	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "%s\"%d\":%d", i == 0 ? "" : ",", i, i);
	buf_add_char(&text, '}');
	clock_t start = clock();
	const struct json *root = parsed(buf_text(&text));
	ck_assert_double_eq(json_find(root, "77777")->number, 77777);
	/* 0.1 s; anything quadratic would take minutes, under valgrind hours */
	ck_assert_double_lt((double)(clock() - start) / CLOCKS_PER_SEC, 20.0);
	buf_free(&text);
}
END_TEST

START_TEST(every_prefix_and_bit_flip_ends_cleanly)
{
	static const char seed[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",true,null],\"很\":{\"b\":\"\\ud834\\udd1e\"}}";
	struct json *root;
	size_t length = sizeof seed - 1;
	for (size_t i = 0; i < length; i++) {
		/* an exact copy on the heap, so that a sanitizer sees a read beyond it */
		char *text = malloc(i + 1);
		memcpy(text, seed, i);
		err_clear(&err);
		ck_assert_msg(!json_parse(text, i, NULL, &arena, &root, &err), "prefix of %zu bytes accepted", i);
		free(text);
	}
	for (size_t bit = 0; bit < 8 * length; bit++) {
		char *text = malloc(length);
		memcpy(text, seed, length);
		text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
		err_clear(&err);
		bool ok = json_parse(text, length, NULL, &arena, &root, &err);
		ck_assert(ok || err.kind == ERR_INPUT);
		free(text);
	}
}
END_TEST

/* Parses one file of JSONTestSuite; `mode` is the first letter of its name. */
static void check_suite_file(const char *folder, const char *name)
{
	char path[1024];
	struct json *root;
	char *bytes;
	size_t length;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	bytes = malloc(1 << 20);
	length = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	err_clear(&err);
	bool ok = json_parse_any(bytes, length, &arena, &root, &err);
	ck_assert_msg(name[0] != 'y' || ok, "%s refused: %s", name, err.message);
	ck_assert_msg(name[0] != 'n' || !ok, "%s accepted", name);
	err_clear(&err);
	bool strict = json_parse(bytes, length, path, &arena, &root, &err);
	bool is_duplicate = strncmp(name, "y_object_duplicated_key", 23) == 0;
	ck_assert_msg(strict == (ok && !is_duplicate), "%s", name);
	free(bytes);
}

START_TEST(agrees_with_json_test_suite)
{
	if (harness_testdata() == NULL)
		return;
	char folder[512];
	snprintf(folder, sizeof folder, "%s/json/test_parsing", harness_testdata());
	DIR *handle = opendir(folder);
	ck_assert_ptr_nonnull(handle);
	int accepted = 0, refused = 0;
	for (struct dirent *entry; (entry = readdir(handle)) != NULL;) {
		if (strstr(entry->d_name, ".json") == NULL)
			continue;
		check_suite_file(folder, entry->d_name);
		accepted += entry->d_name[0] == 'y';
		refused += entry->d_name[0] == 'n';
	}
	closedir(handle);
	ck_assert_int_eq(accepted, 95);
	ck_assert_int_eq(refused, 188);
}
END_TEST

static void write_sample(struct json_writer *writer)
{
	json_begin_object(writer);
	json_key(writer, "a\"");
	json_begin_array(writer);
	json_add_int(writer, INT64_MIN);
	json_add_float(writer, 0.1f);
	json_add_double(writer, 0.1);
	json_add_double(writer, NAN);
	json_add_bool(writer, true);
	json_begin_array(writer);
	json_end_array(writer);
	json_end_array(writer);
	json_key(writer, "b");
	json_begin_object(writer);
	json_end_object(writer);
	json_key(writer, "c");
	json_add_bytes(writer, "很\0\x1b\xff\n\xe2\x80\xae\xf3\xa0\x80\x81", 14);
	json_end_object(writer);
}

START_TEST(writes_compact_and_pretty)
{
	struct buf out = BUF_INIT;
	struct json_writer writer;
	json_writer_init(&writer, &out, false);
	write_sample(&writer);
	ck_assert_str_eq(buf_text(&out),
		"{\"a\\\"\":[-9223372036854775808,0.100000001,0.10000000000000001,null,true,[]],"
		"\"b\":{},\"c\":\"很\\u0000\\u001b\xef\xbf\xbd\\n\\u202e\\udb40\\udc01\"}");
	const struct json *root = parsed(buf_text(&out));
	ck_assert_uint_eq(json_find(root, "c")->length, 3 + 1 + 1 + 3 + 1 + 3 + 4);
	buf_clear(&out);
	json_writer_init(&writer, &out, true);
	write_sample(&writer);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "{\n  \"a\\\"\": [-9223372036854775808, 0.100000001, "));
	ck_assert_ptr_nonnull(strstr(buf_text(&out), ",\n  \"b\": {},\n"));
	parsed(buf_text(&out));
	buf_free(&out);
}
END_TEST

TEST_PROGRAM("json", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, accepts_what_the_grammar_allows);
	tcase_add_test(tests, refuses_what_the_grammar_forbids);
	tcase_add_test(tests, names_the_line_and_the_byte);
	tcase_add_test(tests, refuses_a_key_that_occurs_twice);
	tcase_add_test(tests, depth_is_bounded);
	tcase_add_test(tests, the_number_of_values_is_bounded);
	tcase_add_test(tests, the_tree_holds_the_document_in_order);
	tcase_add_test(tests, strings_with_nul_decode_as_the_others_do);
	tcase_add_test(tests, numbers_keep_their_spelling);
	tcase_add_test(tests, only_whole_numbers_are_integers);
	tcase_add_test(tests, getters_name_the_path);
	tcase_add_test(tests, long_paths_keep_their_end);
	tcase_add_test(tests, a_hundred_thousand_keys_are_quick);
	tcase_add_test(tests, every_prefix_and_bit_flip_ends_cleanly);
	tcase_add_test(tests, agrees_with_json_test_suite);
	tcase_add_test(tests, writes_compact_and_pretty);
})
