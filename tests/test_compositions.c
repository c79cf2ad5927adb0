/* Random ragged batches of each bundled model, every tensor by all proofs; and planted bugs that must be found, in the
 * right place. A long campaign is tests/compositions.c (make compositions). */
#include "compositions.h"
#include "harness.h"

static int how_many(void)
{
	return harness_is_crawling() ? 3 : harness_is_slow() ? 10 : 200;
}

static void some_isolated(const char *model, int count)
{
	struct compositions c;
	ck_assert(compositions_open(&c, model));
	for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
		struct arena arena = ARENA_INIT;
		struct isolation result;
		uint64_t state = seed;
		struct batch batch = composition_batch(model_config(c.model), &state, &arena);
		ck_assert_msg(composition_check(&c, &batch, NULL, seed, &result, &arena), "seed %d cannot be checked",
			(int)seed);
		ck_assert_msg(result.ok, "seed %d is not isolated: proof %s, pass %d", (int)seed,
			proof_name(result.first.proof), (int)result.first.pass);
		struct leak leak;
		ck_assert_msg(composition_again(&c, &batch, seed, &leak), "seed %d cannot be run again", (int)seed);
		ck_assert_msg(!leak.found, "seed %d differs when run in another way: pass %d, value %d", (int)seed,
			(int)leak.pass, leak.value);
		arena_free(&arena);
	}
	ck_assert_int_gt(c.values, 100000);
	compositions_close(&c);
}

static void all_isolated(const char *model)
{
	some_isolated(model, how_many());
}

START_TEST(glass_batches_are_isolated)
{
	all_isolated("glass");
}
END_TEST

START_TEST(three_requests_batches_are_isolated)
{
	all_isolated("three-requests");
}
END_TEST

START_TEST(tiny_stories_batches_are_isolated)
{
	all_isolated("tiny-stories");
}
END_TEST

START_TEST(tiny_llama_batches_are_isolated)
{
	all_isolated("tiny-llama");
}
END_TEST

/* Small random models of the other families: rotary positions, grouped queries, windows, caps. */
START_TEST(batches_of_every_family_are_isolated)
{
	static const char *const families[] = {"llama", "llama3", "linear", "mistral", "qwen2", "qwen3", "gemma",
		"gemma2", "gemma3"};
	char path[64];
	snprintf(path, sizeof path, "tests/golden/families/%s", families[_i]);
	some_isolated(path, (how_many() + 9) / 10);
}
END_TEST

/* --- every way to cut a prompt --- */

#define PROMPT 12

/* A prompt of 12 tokens, whole, against all 2^11 ways to cut it, in each layout: every tensor, bit for bit. */
static void cut_every_way(const char *model, enum layout layout, struct sampling sampling)
{
	struct compositions c;
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct trace *trace;
	struct plan *plan;
	int32_t prompt[PROMPT], same = 0;
	struct request request = {.id = "A",
		.prompt = prompt,
		.prompt_length = PROMPT,
		.max_new_tokens = 3,
		.sampling = sampling};
	struct batch batch = {.requests = &request, .count = 1};
	struct run_options options = {.threads = 1};
	ck_assert(compositions_open(&c, model));
	for (int i = 0; i < PROMPT; i++)
		prompt[i] = (i * 7 + 3) % (int32_t)model_config(c.model)->vocabulary;
	ck_assert(composition_record(&c, &batch, NULL, &options, &err) && trace_open(&trace, c.folder, &err));
	batch.layout = layout;
	ck_assert(plan_build(&plan, c.model, batch_way(&batch), &arena, &err));
	for (int ways = 0; ways < 1 << (PROMPT - 1); ways += harness_is_crawling() ? 701 : harness_is_slow() ? 89 : 1) {
		uint8_t cuts[256] = {0};
		struct run *run;
		bool more = true;
		for (int i = 1; i < PROMPT; i++)
			cuts[i] = (ways >> (i - 1) & 1) != 0;
		options.cuts = cuts;
		ck_assert(run_new(&run, c.model, plan, &batch, &options, &err));
		struct comparison *comparison = comparison_new(trace, plan, &same, 1, PROOF_ALONE);
		struct probe probe = comparison_probe(comparison);
		while (more)
			ck_assert(run_step(run, &probe, &more, &err));
		ck_assert_msg(!comparison_leak(comparison).found, "cut number %d differs", ways);
		ck_assert(comparison_counts(comparison)[plan_value(plan, "logits")].values > 0);
		comparison_delete(comparison);
		run_delete(run);
	}
	plan_free(plan);
	trace_close(trace);
	compositions_close(&c);
	arena_free(&arena);
}

START_TEST(a_prompt_cut_every_way_gives_the_same_bits)
{
	cut_every_way("glass", (enum layout)_i, (struct sampling){0});
	cut_every_way("three-requests", (enum layout)_i,
		(struct sampling){.temperature = 1.5f, .top_p = 0.9f, .seed = 3});
}
END_TEST

/* --- planted bugs --- */

/* Two rows of 3 tokens and 1 token, and a third that arrives at pass 1. */
struct ragged {
	int32_t tokens[3][3];
	struct request requests[3];
	struct batch batch;
};

static void set_ragged(struct ragged *r)
{
	*r = (struct ragged){.tokens = {{2, 3, 4}, {5}, {6}}};
	r->requests[0] = (struct request){.id = "A", .prompt = r->tokens[0], .prompt_length = 3, .max_new_tokens = 3};
	r->requests[1] = (struct request){.id = "B", .prompt = r->tokens[1], .prompt_length = 1, .max_new_tokens = 3};
	r->requests[2] = (struct request){.id = "C",
		.prompt = r->tokens[2],
		.prompt_length = 1,
		.max_new_tokens = 3,
		.arrives = 1};
	r->batch = (struct batch){.requests = r->requests, .count = 3};
}

/* The name of the value where the first leak of a fault shows; "" when there is none. */
static void first_leak(const char *model, const struct batch *batch, const char *fault, struct isolation *result,
	char *name)
{
	struct compositions c;
	struct arena arena = ARENA_INIT;
	struct trace *trace;
	struct err err = ERR_INIT;
	name[0] = '\0';
	ck_assert(compositions_open(&c, model));
	ck_assert(composition_check(&c, batch, fault, 1, result, &arena));
	ck_assert(trace_open(&trace, c.folder, &err));
	if (result->first.found)
		snprintf(name, 64, "%s", trace_value(trace, result->first.value)->name);
	trace_close(trace);
	compositions_close(&c);
	arena_free(&arena);
}

static const char *const models[] = {"glass", "three-requests", "tiny-stories"};

/* B is padded on the left by two: its first real token sees them in the scores of layer 0. */
START_TEST(padding_attended_shows_in_the_first_scores_of_the_padded_row)
{
	struct ragged r;
	struct isolation result;
	char name[64];
	set_ragged(&r);
	first_leak(models[_i], &r.batch, "padding-attended", &result, name);
	ck_assert(!result.ok && !result.proofs[PROOF_REACH].ok && !result.proofs[PROOF_ALONE].ok);
	ck_assert_str_eq(name, "layers.0.attn.scores");
	ck_assert_int_eq(result.first.pass, 0);
	ck_assert_int_eq(result.first.request, 1);
	ck_assert_int_eq(result.first.position, 0);
	ck_assert_int_eq(result.first.from, LEAK_FROM_PADDING);
}
END_TEST

/* Equal lengths need no padding, so the forgotten mask changes nothing. */
START_TEST(padding_attended_cannot_show_without_padding)
{
	struct ragged r;
	struct isolation result;
	char name[64];
	set_ragged(&r);
	r.batch.count = 1;
	first_leak(models[_i], &r.batch, "padding-attended", &result, name);
	ck_assert(result.ok);
	ck_assert_str_eq(name, "");
}
END_TEST

/* B's only token overwrites the key of A's first: A's scores at position 0 are the first to differ. */
START_TEST(shared_cache_slot_shows_in_the_first_scores_of_the_first_row)
{
	struct ragged r;
	struct isolation result;
	char name[64];
	set_ragged(&r);
	first_leak(models[_i], &r.batch, "shared-cache-slot", &result, name);
	ck_assert(!result.ok && !result.proofs[PROOF_REACH].ok && !result.proofs[PROOF_ALONE].ok &&
		!result.proofs[PROOF_SCRAMBLED].ok);
	ck_assert_str_eq(name, "layers.0.attn.scores");
	ck_assert_int_eq(result.first.pass, 0);
	ck_assert_int_eq(result.first.request, 0);
	ck_assert_int_eq(result.first.position, 0);
	ck_assert_int_eq(result.first.from, 1);
}
END_TEST

/* The influence matrix: with the fault, B reaches A; without, nobody reaches anybody else. */
START_TEST(influence_is_the_identity_unless_slots_are_shared)
{
	struct ragged r;
	struct isolation result;
	struct arena arena = ARENA_INIT;
	struct compositions c;
	set_ragged(&r);
	ck_assert(compositions_open(&c, "glass"));
	ck_assert(composition_check(&c, &r.batch, NULL, 1, &result, &arena));
	for (int i = 0; i < 9; i++)
		ck_assert_int_eq(result.between[i], i / 3 == i % 3);
	ck_assert(composition_check(&c, &r.batch, "shared-cache-slot", 1, &result, &arena));
	ck_assert_int_eq(result.between[1 * 3 + 0], 1);
	compositions_close(&c);
	arena_free(&arena);
}
END_TEST

/* One bit of one recorded number is flipped: the replay and the audit of that tensor must both see it. */
START_TEST(a_flipped_bit_in_a_trace_is_found)
{
	struct ragged r;
	struct isolation result;
	struct arena arena = ARENA_INIT;
	struct compositions c;
	struct err err = ERR_INIT;
	struct trace *trace;
	set_ragged(&r);
	ck_assert(compositions_open(&c, "glass"));
	ck_assert(composition_check(&c, &r.batch, NULL, 1, &result, &arena));
	char path[TEMPORARY_SIZE + 32];
	snprintf(path, sizeof path, "%s/pass-000000.safetensors", c.folder);
	FILE *file = fopen(path, "r+b");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, -64, SEEK_END), 0); /* within probs, the largest tensor near the end */
	int byte = fgetc(file);
	ck_assert_int_eq(fseek(file, -64, SEEK_END), 0);
	fputc(byte ^ 1, file);
	fclose(file);
	ck_assert(trace_open(&trace, c.folder, &err));
	struct isolation_options options = {.trace = trace,
		.model = c.model,
		.run = {.threads = 1},
		.seed = 1,
		.cells_per_value = 400};
	ck_assert(isolation_check(&result, &options, &arena, &err));
	ck_assert(!result.proofs[PROOF_REPLAY].ok);
	ck_assert_int_eq(result.proofs[PROOF_REPLAY].bad, 1);
	ck_assert(result.proofs[PROOF_REACH].ok);
	ck_assert(!result.audit.ok);
	ck_assert(!trace_check(trace, &err));
	trace_close(trace);
	compositions_close(&c);
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("compositions", {
	tcase_add_test(tests, glass_batches_are_isolated);
	tcase_add_test(tests, three_requests_batches_are_isolated);
	tcase_add_test(tests, tiny_stories_batches_are_isolated);
	tcase_add_test(tests, tiny_llama_batches_are_isolated);
	tcase_add_loop_test(tests, batches_of_every_family_are_isolated, 0, 9);
	tcase_add_loop_test(tests, a_prompt_cut_every_way_gives_the_same_bits, 0, LAYOUT_COUNT);
	tcase_add_loop_test(tests, padding_attended_shows_in_the_first_scores_of_the_padded_row, 0, 3);
	tcase_add_loop_test(tests, padding_attended_cannot_show_without_padding, 0, 3);
	tcase_add_loop_test(tests, shared_cache_slot_shows_in_the_first_scores_of_the_first_row, 0, 3);
	tcase_add_test(tests, influence_is_the_identity_unless_slots_are_shared);
	tcase_add_test(tests, a_flipped_bit_in_a_trace_is_found);
})
