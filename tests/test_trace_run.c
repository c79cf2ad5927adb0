/* The worked example, run by the engine and recorded: what the trace tells, and that it is the same bytes every time. */
#include <string.h>

#include "engine/run.h"
#include "trace/selector.h"
#include "trace_fixture.h"

static int32_t prompt_a[] = {0, 0, 0}, prompt_b[] = {0}, prompt_c[] = {0};
static struct request requests[] =
	{{.id = "A", .text = "我今天", .prompt = prompt_a, .prompt_length = 3, .max_new_tokens = 6, .arrives = 0},
		{.id = "B", .text = "天", .prompt = prompt_b, .prompt_length = 1, .max_new_tokens = 6, .arrives = 0},
		{.id = "C", .text = NULL, .prompt = prompt_c, .prompt_length = 1, .max_new_tokens = 6, .arrives = 1}};

struct example {
	struct fixture fixture; /* for its folder */
	struct arena arena;
	struct model *model;
	struct plan *plan;
	struct batch batch;
	struct err err;
};

/* The prompts by the tokenizer's own IDs. */
static void encode(const struct model *model)
{
	static const char *const pieces[] = {"我", "今", "天"};
	for (int i = 0; i < 3; i++)
		prompt_a[i] = tokenizer_find(model_tokenizer(model), pieces[i]);
	prompt_b[0] = prompt_a[2];
}

static void example_init(struct example *example)
{
	*example = (struct example){.arena = ARENA_INIT, .batch = {.requests = requests, .count = 3}, .err = ERR_INIT};
	fixture_init(&example->fixture);
	ck_assert_msg(model_open(&example->model, "tiny_models/three-requests", &example->err), "%s",
		example->err.message);
	ck_assert_msg(plan_build(&example->plan, example->model, (struct plan_way){0}, &example->arena, &example->err),
		"%s", example->err.message);
	encode(example->model);
}

static void example_free(struct example *example)
{
	plan_free(example->plan);
	model_delete(example->model);
	arena_free(&example->arena);
	fixture_free(&example->fixture);
}

static void record(struct example *example, const char *folder, const char *capture, const struct run_options *options)
{
	struct recorder *recorder;
	struct run *run;
	struct recorder_options recording = {.folder = folder,
		.capture = capture,
		.scratch = true,
		.model = example->model,
		.plan = example->plan,
		.batch = &example->batch};
	ck_assert_msg(recorder_new(&recorder, &recording, &example->err), "%s", example->err.message);
	ck_assert_msg(run_new(&run, example->model, example->plan, &example->batch, options, &example->err), "%s",
		example->err.message);
	struct probe probe = recorder_probe(recorder);
	for (bool more = true; more;)
		ck_assert_msg(run_step(run, &probe, &more, &example->err), "%s", example->err.message);
	run_delete(run);
	ck_assert(recorder_finish(recorder, &example->err));
}

static void part_of(struct trace *trace, const char *text, struct arena *arena, struct tensor *part)
{
	struct selector selector;
	struct selector_match match;
	struct err err = ERR_INIT;
	ck_assert_msg(selector_parse(&selector, text, arena, &err) && selector_find(&selector, trace, &match, &err) &&
			trace_slice(trace, &match.tensor, &match.selection, arena, part, &err),
		"%s: %s", text, err.message);
}

START_TEST(tells_the_worked_example)
{
	struct example example;
	struct tensor part;
	size_t length;
	static const int32_t tokens[] = {100, 2056, 0}, next[] = {520, 89, 12};
	example_init(&example);
	record(&example, example.fixture.folder, "all", &(struct run_options){.threads = 1});
	struct trace *trace = fixture_open(&example.fixture);
	part_of(trace, "pass=1 tokens", &example.arena, &part);
	ck_assert(part.rank == 2 && part.shape[0] == 3 && part.shape[1] == 1);
	ck_assert_mem_eq(part.data, tokens, sizeof tokens);
	part_of(trace, "pass=1 next_tokens", &example.arena, &part);
	ck_assert_mem_eq(part.data, next, sizeof next);
	part_of(trace, "pass=1 embed[row=C]", &example.arena, &part);
	ck_assert_str_eq(part.axes, "SH");
	part_of(trace, "pass=0 layers.0.attn.weights[row=B,pos=-1,head=0]", &example.arena, &part);
	ck_assert(part.rank == 1 && part.shape[0] == 3);
	ck_assert_str_eq(trace_token_text(trace, 520, &length), "开心");
	ck_assert_int_eq(trace_pass(trace, 0)->layout.kind, PASS_PREFILL);
	ck_assert_int_eq(trace_pass(trace, 1)->layout.kind, PASS_MIXED);
	ck_assert_int_eq(trace_pass(trace, 0)->layout.positions[3], -1); /* B is padded */
	ck_assert_msg(trace_check(trace, &example.err), "%s", example.err.message);
	trace_close(trace);
	example_free(&example);
}
END_TEST

/* What the trace rebuilds of a layout is what the engine laid. */
START_TEST(rebuilds_the_engine_s_layout)
{
	struct example example;
	struct tensor part;
	static const char *const names[] = {"tokens", "positions", "pad", "cache.position"};
	example_init(&example);
	record(&example, example.fixture.folder, "io", &(struct run_options){.threads = 1});
	struct trace *trace = fixture_open(&example.fixture);
	ck_assert_int_gt(trace_pass_count(trace), 3);
	for (int64_t i = 0; i < trace_pass_count(trace); i++) {
		const struct pass *pass = &trace_pass(trace, i)->layout;
		const void *const rebuilt[] = {pass->tokens, pass->positions, pass->pad, pass->key_position};
		for (int j = 0; j < 4; j++) {
			char text[64];
			snprintf(text, sizeof text, "pass=%d %s", (int)i, names[j]);
			part_of(trace, text, &example.arena, &part);
			ck_assert_msg(memcmp(part.data, rebuilt[j], tensor_bytes(&part)) == 0, "%s", text);
		}
	}
	trace_close(trace);
	example_free(&example);
}
END_TEST

static void same_file(struct example *example, const char *other, const char *name)
{
	size_t a_length, b_length;
	char *b;
	char *a = fixture_read(&example->fixture, name, &a_length);
	ck_assert(file_load(arena_printf(&example->arena, "%s/%s", other, name), 1 << 24, &example->arena, &b,
		&b_length, &example->err));
	ck_assert_uint_eq(a_length, b_length);
	ck_assert_msg(memcmp(a, b, a_length) == 0, "%s differs", name);
}

START_TEST(same_bytes_with_other_threads_and_kernels)
{
	struct example example;
	example_init(&example);
	const char *other = arena_printf(&example.arena, "%s-2", example.fixture.folder);
	record(&example, example.fixture.folder, "all", &(struct run_options){.threads = 1});
	record(&example, other, "all", &(struct run_options){.threads = 3, .kernels = "scalar"});
	struct trace *trace = fixture_open(&example.fixture);
	same_file(&example, other, "trace.json");
	same_file(&example, other, "passes.jsonl");
	for (int64_t i = 0; i < trace_pass_count(trace); i++)
		same_file(&example, other, trace_pass(trace, i)->file);
	trace_close(trace);
	example_free(&example);
}
END_TEST

TEST_PROGRAM("trace_run", {
	tcase_add_test(tests, tells_the_worked_example);
	tcase_add_test(tests, rebuilds_the_engine_s_layout);
	tcase_add_test(tests, same_bytes_with_other_threads_and_kernels);
})
