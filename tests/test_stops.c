/* What ends a row before its time: stop tokens, and stop texts wherever the borders of tokens fall. */
#include <string.h>

#include "analysis/stops.h"
#include "base/file.h"
#include "text/tokenizer.h"
#include "engine/run.h"
#include "harness.h"

enum { MOST = 8 };

/* `glass` goes on after "the big" with: cat, says, meow, a full stop, its end token. */
static int32_t the_big[] = {3, 4};

struct heard {
	int32_t tokens[MOST];
	int64_t count;
	enum finish_reason finish;
	struct buf text;
};

static struct request row_of(const char *id, const char *const *stops, int64_t count)
{
	return (struct request){.id = id,
		.prompt = the_big,
		.prompt_length = 2,
		.max_new_tokens = MOST,
		.stops = stops,
		.stop_count = count};
}

static void hear(struct request *requests, int64_t count, enum schedule schedule, struct heard *heard)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct batch batch = {.requests = requests, .count = count, .schedule = schedule};
	struct model *model;
	struct plan *plan;
	struct run *run;
	bool more = true;
	ck_assert_msg(model_open(&model, "tiny_models/glass", &err), "%s", err.message);
	struct run_options options = {.threads = 1, .stop = stops_rule(model)};
	ck_assert(plan_build(&plan, model, batch_way(&batch), &arena, &err));
	ck_assert_msg(run_new(&run, model, plan, &batch, &options, &err), "%s", err.message);
	while (more)
		ck_assert(run_step(run, NULL, &more, &err));
	for (int64_t i = 0; i < count; i++) {
		const struct row *row = run_row(run, i);
		heard[i] = (struct heard){.count = row->count - 2, .finish = row->finish, .text = BUF_INIT};
		memcpy(heard[i].tokens, row->tokens + 2, (size_t)heard[i].count * sizeof(int32_t));
		stops_text(model, &requests[i], row->tokens, heard[i].count, &heard[i].text);
	}
	run_delete(run);
	plan_free(plan);
	model_delete(model);
	arena_free(&arena);
}

static const struct {
	const char *stops[2];
	int64_t stop_count, tokens;
	enum finish_reason finish;
	const char *text;
} texts[] = {
	{{NULL}, 0, 5, FINISH_EOS, " cat says meow ."},
	{{"says"}, 1, 2, FINISH_STOP, " cat "},         /* a whole token */
	{{"ay"}, 1, 2, FINISH_STOP, " cat s"},          /* inside one */
	{{"ys m"}, 1, 3, FINISH_STOP, " cat sa"},       /* across a border */
	{{"cat says meow"}, 1, 3, FINISH_STOP, " "},    /* across two */
	{{"meow", "says"}, 2, 2, FINISH_STOP, " cat "}, /* the first to be completed */
	{{"says meow", "meow"}, 2, 3, FINISH_STOP,
		" cat "}, /* completed together: cut before the one that begins first */
	{{"big cat"}, 1, 5, FINISH_EOS, " cat says meow ."}, /* begins in the prompt, which is not searched */
	{{"dog"}, 1, 5, FINISH_EOS, " cat says meow ."},
};

START_TEST(text_is_cut_before_the_stop)
{
	struct request row = row_of("A", texts[_i].stops, texts[_i].stop_count);
	struct heard heard;
	hear(&row, 1, SCHEDULE_CONTINUOUS, &heard);
	ck_assert_int_eq(heard.count, texts[_i].tokens);
	ck_assert_int_eq(heard.finish, texts[_i].finish);
	ck_assert_str_eq(buf_text(&heard.text), texts[_i].text);
	buf_free(&heard.text);
}
END_TEST

/* The tokens of a row that stops are those of the same row without the stop, as far as they go. */
START_TEST(pieces_of_the_stop_stay_in_the_tokens)
{
	static const char *const stops[] = {"ys m"};
	struct request rows[2] = {row_of("A", NULL, 0), row_of("B", stops, 1)};
	struct heard heard[2];
	hear(rows, 2, (enum schedule)_i, heard);
	ck_assert_int_eq(heard[0].finish, FINISH_EOS);
	ck_assert_int_eq(heard[1].finish, FINISH_STOP);
	ck_assert_int_eq(heard[0].count, 5);
	ck_assert_mem_eq(heard[0].tokens, heard[1].tokens, (size_t)heard[1].count * sizeof(int32_t));
	buf_free(&heard[0].text);
	buf_free(&heard[1].text);
}
END_TEST

START_TEST(a_stop_token_ends_the_row_and_is_kept)
{
	struct request row = row_of("A", NULL, 0);
	struct heard whole, heard;
	hear(&row, 1, SCHEDULE_CONTINUOUS, &whole);
	const int32_t ids[] = {whole.tokens[3], whole.tokens[1]};
	row.stop_ids = ids;
	row.stop_id_count = 2;
	hear(&row, 1, SCHEDULE_CONTINUOUS, &heard);
	ck_assert_int_eq(heard.count, 2);
	ck_assert_int_eq(heard.finish, FINISH_STOP);
	ck_assert_mem_eq(heard.tokens, whole.tokens, 2 * sizeof(int32_t));
	ck_assert_str_eq(buf_text(&heard.text), " cat says"); /* only texts are cut */
	buf_free(&whole.text);
	buf_free(&heard.text);
}
END_TEST

/* A stop with the last token that a row may make is a stop, and no matter of length. */
START_TEST(a_stop_comes_before_the_length)
{
	static const char *const stops[] = {"meow"};
	struct request row = row_of("A", stops, 1);
	struct heard heard;
	row.max_new_tokens = 3;
	hear(&row, 1, SCHEDULE_CONTINUOUS, &heard);
	ck_assert_int_eq(heard.finish, FINISH_STOP);
	buf_free(&heard.text);
	row.max_new_tokens = 2;
	hear(&row, 1, SCHEDULE_CONTINUOUS, &heard);
	ck_assert_int_eq(heard.finish, FINISH_LENGTH);
	ck_assert_str_eq(buf_text(&heard.text), " cat says");
	buf_free(&heard.text);
}
END_TEST

/* What llama2.c's own test expects of this model, text for text. */
START_TEST(a_story_goes_on_as_llama2c_tells_it)
{
	const char *folder = harness_testdata();
	if (folder == NULL)
		return;
	char path[512], *expected;
	size_t length;
	struct model *model;
	struct plan *plan;
	struct run *run;
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct tokenizer_list tokens;
	struct buf text = BUF_INIT;
	bool more = true;
	snprintf(path, sizeof path, "%s/stories260K-reference/stories260K_greedy_200.txt", folder);
	ck_assert(file_load(path, 1 << 16, &arena, &expected, &length, &err));
	snprintf(path, sizeof path, "%s/llama2c/stories260K.bin", folder);
	ck_assert_msg(model_open(&model, path, &err), "%s", err.message);
	ck_assert(tokenizer_encode(model_tokenizer(model), (struct tokenizer_text){"Once upon a time", 16, true},
		&arena, &tokens, &err));
	int32_t *prompt = ARENA_ARRAY(&arena, int32_t, tokens.count);
	for (size_t i = 0; i < tokens.count; i++)
		prompt[i] = tokens.items[i].id;
	struct request request = {.id = "A",
		.prompt = prompt,
		.prompt_length = (int64_t)tokens.count,
		.max_new_tokens = 200 - (int64_t)tokens.count + 1};
	struct batch batch = {.requests = &request, .count = 1};
	struct run_options options = {.threads = 1, .stop = stops_rule(model)};
	ck_assert(plan_build(&plan, model, batch_way(&batch), &arena, &err) &&
		run_new(&run, model, plan, &batch, &options, &err));
	while (more)
		ck_assert(run_step(run, NULL, &more, &err));
	buf_add_text(&text, "Once upon a time");
	stops_text(model, &request, run_row(run, 0)->tokens, run_row(run, 0)->count - request.prompt_length, &text);
	ck_assert_uint_ge(length, text.length);
	ck_assert_msg(strncmp(expected, buf_text(&text), text.length) == 0 && length - text.length <= 1, "%s",
		buf_text(&text));
	buf_free(&text);
	run_delete(run);
	plan_free(plan);
	model_delete(model);
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("stops", {
	tcase_add_loop_test(tests, text_is_cut_before_the_stop, 0, (int)(sizeof texts / sizeof *texts));
	tcase_add_loop_test(tests, pieces_of_the_stop_stay_in_the_tokens, 0, SCHEDULE_COUNT);
	tcase_add_test(tests, a_stop_token_ends_the_row_and_is_kept);
	tcase_add_test(tests, a_stop_comes_before_the_length);
	tcase_add_test(tests, a_story_goes_on_as_llama2c_tells_it);
})
