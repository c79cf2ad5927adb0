/* Text that appears token by token: nothing is split, nothing is lost, whatever the tokens; and files that are cut short
 * or changed. */
#include <time.h>

#include "base/utf8.h"
#include "tokenizers.h"

/* Byte-level tokens that are parts of characters: the bytes of é, 天 and 😀 one by one, and some that hold a piece. */
static const char bytes_file[] = "{'added_tokens':[{'id':20,'content':'<s>','special':true}],'decoder':{'type':'"
				 "ByteLevel'},'model':{'type':'BPE','vocab':"
				 "{'a':0,'\u0120':1,'\u00c3':2,'\u00a9':3,'\u00e5':4,'\u00a4':5,'\u00b0':6,'\u0141':7,'"
				 "\u013a':8,'\u0122':9,'\u00a4\u00a9':10,'a\u00e5':11,'\u00a9a\u00c3':12},"
				 "'merges':[]}}";

static void add(struct tokenizer_stream *stream, int32_t id, const char *expected)
{
	struct buf part = BUF_INIT;
	tokenizer_stream_add(stream, id, &part);
	ck_assert_str_eq(buf_text(&part), expected);
	buf_free(&part);
}

static void finish(struct tokenizer_stream *stream, const char *expected)
{
	struct buf part = BUF_INIT;
	tokenizer_stream_finish(stream, &part);
	ck_assert_str_eq(buf_text(&part), expected);
	buf_free(&part);
}

START_TEST(a_character_comes_whole)
{
	load(bytes_file);
	struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, true);
	add(stream, 0, "a");
	add(stream, 2, "");
	add(stream, 3, "\u00e9");
	add(stream, 11, "a");
	add(stream, 20, ""); /* a control token in the middle is passed over */
	add(stream, 10, "\u5929");
	add(stream, 2, "");
	add(stream, 12, "\u00e9a");
	add(stream, 3, "\u00e9");
	finish(stream, "");
	add(stream, 2, "");
	finish(stream, "\ufffd");
	add(stream, 2, "");
	add(stream, 0,
		"\ufffd"
		"a");
	tokenizer_stream_delete(stream);
}
END_TEST

START_TEST(parts_make_the_whole)
{
	uint32_t state = 7;
	load(bytes_file);
	for (int round = 0; round < 500; round++) {
		bool skip = round % 2 == 1;
		int32_t ids[40];
		struct buf whole = BUF_INIT, parts = BUF_INIT;
		struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, skip);
		for (size_t i = 0; i < 40; i++) {
			state = state * 1664525u + 1013904223u;
			ids[i] = (int32_t)((state >> 16) % 15) - 1;
			ids[i] = ids[i] == 13 ? 20 : ids[i];
			tokenizer_stream_add(stream, ids[i], &parts);
			ck_assert(utf8_is_valid(buf_text(&parts), parts.length));
		}
		tokenizer_stream_finish(stream, &parts);
		tokenizer_stream_delete(stream);
		ck_assert(tokenizer_decode(tokenizer, ids, 40, skip, &whole));
		ck_assert_str_eq(buf_text(&parts), buf_text(&whole));
		buf_free(&whole);
		buf_free(&parts);
	}
}
END_TEST

START_TEST(words_without_a_decoder_are_spaced)
{
	load("{'model':{'type':'WordLevel','vocab':{'a':0,'b':1}}}");
	struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, false);
	add(stream, 0, "a");
	add(stream, 1, " b");
	for (int i = 0; i < 20; i++)
		add(stream, 0, " a");
	finish(stream, "");
	tokenizer_stream_delete(stream);
}
END_TEST

/* A file with something of every stage. */
static const char every_stage[] = "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[{\"id\":"
				  "7,\"content\":\"<s>\",\"special\":true,\"lstrip\":true}],"
				  "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},{\"type\":"
				  "\"Replace\",\"pattern\":{\"Regex\":\"[x-z]\"},\"content\":\"a\"}]},"
				  "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\","
				  "\"pattern\":{\"String\":\" \"},\"behavior\":\"MergedWithNext\","
				  "\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":"
				  "false}]},\"post_processor\":{\"type\":\"TemplateProcessing\","
				  "\"single\":[{\"SpecialToken\":{\"id\":\"<s>\",\"type_id\":0}},{\"Sequence\":{\"id\":"
				  "\"A\",\"type_id\":0}}],\"pair\":[],\"special_tokens\":"
				  "{\"<s>\":{\"id\":\"<s>\",\"ids\":[7],\"tokens\":[\"<s>\"]}}},\"decoder\":{\"type\":"
				  "\"Sequence\",\"decoders\":[{\"type\":\"ByteLevel\"},{\"type\":\"Strip\","
				  "\"content\":\" "
				  "\",\"start\":1,\"stop\":0}]},\"model\":{\"type\":\"BPE\",\"unk_token\":null,\"fuse_"
				  "unk\":false,\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"\\u0120\":3,"
				  "\"\\u0120ab\":4},\"merges\":[[\"a\",\"b\"],\"\\u0120 ab\"]}}";

/* Either a tokenizer that can be used, or an input error with a message. */
static void try_file(const char *bytes, size_t length)
{
	struct tokenizer_list tokens;
	err_clear(&err);
	if (!tokenizer_parse(&tokenizer, bytes, length, "f", &err)) {
		ck_assert_int_eq(err.kind, ERR_INPUT);
		ck_assert(err.message[0] != '\0');
		return;
	}
	if (!tokenizer_encode(tokenizer, (struct tokenizer_text){"<s> ab x\u0301", 9, true}, &arena, &tokens, &err))
		ck_assert_int_eq(err.kind, ERR_USAGE);
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	arena_reset(&arena);
}

START_TEST(every_prefix_is_refused)
{
	size_t length = strlen(every_stage);
	ck_assert_msg(tokenizer_parse(&tokenizer, every_stage, length, "f", &err), "%s: %s", err.where, err.message);
	becomes("<s> xb ab", "7@0-0 7@0-3 4@3-6 4@6-9");
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	for (size_t cut = 0; cut < length; cut++) {
		ck_assert(!tokenizer_parse(&tokenizer, every_stage, cut, "f", &err));
		ck_assert_int_eq(err.kind, ERR_INPUT);
		err_clear(&err);
	}
}
END_TEST

START_TEST(every_flipped_bit_is_read_or_refused)
{
	size_t length = strlen(every_stage);
	char *bytes = malloc(length);
	for (size_t bit = 0; bit < length * 8; bit++) {
		memcpy(bytes, every_stage, length);
		bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << (bit % 8)));
		try_file(bytes, length);
	}
	free(bytes);
}
END_TEST

START_TEST(a_large_vocabulary_loads_fast)
{
	struct buf file = BUF_INIT;
	buf_add_text(&file, "{\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"word0\":0");
	for (int i = 1; i < 100000; i++)
		buf_printf(&file, ",\"word%d\":%d", i, i * 3);
	buf_add_text(&file, "}}}");
	clock_t start = clock();
	ck_assert_msg(tokenizer_parse(&tokenizer, file.data, file.length, "f", &err), "%s", err.message);
	ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 3);
	becomes("word99999", "299997@0-9");
	buf_free(&file);
}
END_TEST

TEST_PROGRAM("tokenizer_stream", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_character_comes_whole);
	tcase_add_test(tests, parts_make_the_whole);
	tcase_add_test(tests, words_without_a_decoder_are_spaced);
	tcase_add_test(tests, every_prefix_is_refused);
	tcase_add_test(tests, every_flipped_bit_is_read_or_refused);
	tcase_add_test(tests, a_large_vocabulary_loads_fast);
})
