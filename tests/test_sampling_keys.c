/* The settings of the sampler by name: what is taken, what is refused, and that what is written is read again to the bit. */
#include <string.h>

#include "harness.h"
#include "trace/sampling_keys.h"

static const struct {
	const char *key, *text;
	bool on_line, in_file; /* good on a command line, good in a batch file */
} values[] = {
	{"temperature", "0", true, true},
	{"temperature", "0.8", true, true},
	{"temperature", "1e-6", true, true},
	{"temperature", "1e-7", false, false}, /* logits divided by less could leave the range of a float */
	{"temperature", "1e-50", false, false},
	{"temperature", "100", true, true},
	{"temperature", "100.5", false, false},
	{"temperature", "-1", false, false},
	{"temperature", "nan", false, false},
	{"temperature", "inf", false, false},
	{"temperature", "", false, false},
	{"temperature", "0.8x", false, false},
	{"temperature", " 1", false, true}, /* blanks are JSON's */
	{"temperature", "\"1\"", false, false},
	{"temperature", "true", false, false},
	{"top_k", "0", true, true},
	{"top_k", "40", true, true},
	{"top_k", "4.5", false, false},
	{"top_k", "1e3", false, false},
	{"top_k", "0x10", false, false},
	{"top_k", "-1", false, false},
	{"top_k", "2147483648", false, false},
	{"top_p", "1e-6", true, true},
	{"top_p", "0", false, false},
	{"top_p", "1", true, true},
	{"top_p", "1.01", false, false},
	{"min_p", "0.05", true, true},
	{"min_p", "-0.1", false, false},
	{"repetition_penalty", "0.001", true, true},
	{"repetition_penalty", "0", false, false},
	{"presence_penalty", "-2", true, true},
	{"frequency_penalty", "101", false, false},
	{"seed", "0", true, true},
	{"seed", "9007199254740991", true, true},
	{"seed", "9007199254740993", false, false}, /* a double would round it: another seed than was asked for */
	{"seed", "18446744073709551616", false, false},
	{"seed", "-1", false, false},
	{"seed", "7.0", false, false},
};

START_TEST(takes_and_refuses)
{
	struct arena arena = ARENA_INIT;
	struct sampling by_line = {0}, by_file = {0};
	struct err line = ERR_INIT, file = ERR_INIT;
	struct json *root;
	char text[128];
	bool taken = sampling_set(&by_line, values[_i].key, values[_i].text, "--x", &line);
	ck_assert_msg(taken == values[_i].on_line, "%s %s", values[_i].key, values[_i].text);
	ck_assert(taken || strstr(line.message, "got \"") != NULL);
	snprintf(text, sizeof text, "{\"%s\": %s}", values[_i].key, values[_i].text);
	taken = json_parse(text, strlen(text), "b.json", &arena, &root, &file) && sampling_read(root, &by_file, &file);
	ck_assert_msg(taken == values[_i].in_file, "%s", text);
	if (values[_i].on_line && values[_i].in_file)
		ck_assert_mem_eq(&by_line, &by_file, sizeof by_line);
	arena_free(&arena);
}
END_TEST

START_TEST(is_written_and_read_again_to_the_bit)
{
	static const struct sampling settings[] = {
		{0},
		{.temperature = 1e-6f, .top_p = 1e-6f, .repetition_penalty = 1e-3f},
		{.temperature = 0.1f, .top_k = 40, .top_p = 0.3f, .min_p = 0.7f, .seed = 9007199254740991u},
		{.temperature = 1.0f / 3,
			.repetition_penalty = 1.1f,
			.presence_penalty = -0.3f,
			.frequency_penalty = 1e-30f},
	};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct arena arena = ARENA_INIT;
		struct buf text = BUF_INIT;
		struct json_writer writer;
		struct json *root;
		struct err err = ERR_INIT;
		struct sampling again = {0};
		json_writer_init(&writer, &text, false);
		sampling_write(&writer, &settings[i]);
		ck_assert_msg(json_parse(buf_text(&text), text.length, "t.json", &arena, &root, &err), "%s",
			err.message);
		ck_assert_msg(sampling_read(root, &again, &err), "%s", err.message);
		ck_assert_mem_eq(&again, &settings[i], sizeof again);
		buf_free(&text);
		arena_free(&arena);
	}
}
END_TEST

START_TEST(names_the_key_that_it_does_not_know)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct sampling sampling = {0};
	struct json *root;
	static const char text[] = "{\"top_q\": 1}";
	ck_assert(json_parse(text, strlen(text), "b.json", &arena, &root, &err));
	ck_assert(!sampling_read(root, &sampling, &err));
	ck_assert_ptr_nonnull(strstr(err.where, "top_q"));
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("sampling_keys", {
	tcase_add_loop_test(tests, takes_and_refuses, 0, (int)(sizeof values / sizeof *values));
	tcase_add_test(tests, is_written_and_read_again_to_the_bit);
	tcase_add_test(tests, names_the_key_that_it_does_not_know);
})
