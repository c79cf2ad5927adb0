/* Two traces compared: equal in every way of running a batch, a planted bit found in its place, rounding told from bugs. */
#include "format/safetensors.h"
#include "analysis/diff.h"
#include "compositions.h"
#include "harness.h"

/* Two folders for two traces of one model. */
struct two {
	struct compositions a, b;
	struct trace *trace_a, *trace_b;
	struct arena arena;
	struct err err;
	struct diff diff;
};

static void two_init(struct two *two, const char *model)
{
	*two = (struct two){.arena = ARENA_INIT, .err = ERR_INIT};
	ck_assert(compositions_open(&two->a, model));
	ck_assert(compositions_open(&two->b, model));
}

static void two_close(struct two *two)
{
	trace_close(two->trace_a);
	trace_close(two->trace_b);
	two->trace_a = two->trace_b = NULL;
}

static void two_free(struct two *two)
{
	two_close(two);
	compositions_close(&two->a);
	compositions_close(&two->b);
	arena_free(&two->arena);
}

static void record(struct compositions *c, const struct batch *batch, const char *fault)
{
	struct err err = ERR_INIT;
	ck_assert_msg(composition_record(c, batch, fault, &(struct run_options){.threads = 1}, &err), "%s",
		err.message);
}

/* Opens what lies in the two folders and compares it. */
static void compare(struct two *two)
{
	two_close(two);
	ck_assert_msg(trace_open(&two->trace_a, two->a.folder, &two->err), "%s", two->err.message);
	ck_assert_msg(trace_open(&two->trace_b, two->b.folder, &two->err), "%s", two->err.message);
	ck_assert_msg(diff_traces(&two->diff, two->trace_a, two->trace_b, &two->arena, &two->err), "%s",
		two->err.message);
}

/* Three rows of 3, 1 and 2 tokens, the last arriving at pass 1. */
struct ragged {
	int32_t tokens[3][3];
	struct request requests[3];
	struct batch batch;
};

static void set_ragged(struct ragged *r)
{
	*r = (struct ragged){.tokens = {{2, 3, 4}, {5}, {6, 7}}};
	r->requests[0] = (struct request){.id = "A", .prompt = r->tokens[0], .prompt_length = 3, .max_new_tokens = 4};
	r->requests[1] = (struct request){.id = "B", .prompt = r->tokens[1], .prompt_length = 1, .max_new_tokens = 3};
	r->requests[2] = (struct request){.id = "C",
		.prompt = r->tokens[2],
		.prompt_length = 2,
		.max_new_tokens = 3,
		.arrives = 1};
	r->batch = (struct batch){.requests = r->requests, .count = 3};
}

static const struct diff_value *value_of(const struct two *two, const char *name)
{
	int wanted = trace_find_value(two->trace_a, name);
	for (int i = 0; i < two->diff.value_count; i++) {
		if (two->diff.values[i].value == wanted)
			return &two->diff.values[i];
	}
	return NULL;
}

/* Random batches, each run again with another layout, schedule, chunk, pages, arrivals: equal. */
START_TEST(random_batches_are_equal_in_every_way_of_running_them)
{
	struct two two;
	two_init(&two, "glass");
	for (uint64_t seed = 1; seed <= (harness_is_crawling() ? 4 : 40); seed++) {
		struct arena arena = ARENA_INIT;
		uint64_t state = seed;
		struct batch batch = composition_batch(model_config(two.a.model), &state, &arena);
		record(&two.a, &batch, NULL);
		composition_way(&batch, &state);
		record(&two.b, &batch, NULL);
		compare(&two);
		ck_assert_msg(two.diff.equal && two.diff.verdict == DIFF_EQUAL && !two.diff.first.found,
			"seed %d differs", (int)seed);
		ck_assert_int_gt(two.diff.numbers, 100);
		two_close(&two);
		arena_free(&arena);
	}
	two_free(&two);
}
END_TEST

START_TEST(a_row_alone_is_equal_to_the_row_in_its_batch)
{
	struct two two;
	struct ragged r;
	two_init(&two, "three-requests");
	set_ragged(&r);
	record(&two.a, &r.batch, NULL);
	for (int i = 0; i < 3; i++) {
		struct request alone = r.requests[i];
		alone.arrives = 0;
		record(&two.b, &(struct batch){.requests = &alone, .count = 1, .layout = LAYOUT_PACKED}, NULL);
		compare(&two);
		ck_assert(two.diff.equal);
		ck_assert_int_eq(two.diff.row_count, 3);
		for (int j = 0; j < 3; j++)
			ck_assert_int_eq(two.diff.rows[j].b, j == i ? 0 : -1);
		ck_assert_int_eq(two.diff.rows[i].positions_a, two.diff.rows[i].positions_b);
	}
	two_free(&two);
}
END_TEST

/* Flips bit `bit` of one number of a recorded tensor, where it lies in the file. */
static void plant(const struct compositions *c, int64_t pass, const char *name, int64_t element, int bit)
{
	struct safetensors file;
	struct err err = ERR_INIT;
	char path[TEMPORARY_SIZE + 48];
	snprintf(path, sizeof path, "%s/pass-%06d.safetensors", c->folder, (int)pass);
	ck_assert_msg(safetensors_open(&file, path, &err), "%s", err.message);
	const struct safetensors_entry *entry = safetensors_find(&file, name);
	ck_assert_ptr_nonnull(entry);
	long at = (long)(entry->offset + (uint64_t)element * 4 + (uint64_t)bit / 8);
	safetensors_close(&file);
	FILE *stream = fopen(path, "r+b");
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(fseek(stream, at, SEEK_SET), 0);
	int byte = fgetc(stream);
	ck_assert_int_eq(fseek(stream, at, SEEK_SET), 0);
	fputc(byte ^ 1 << bit % 8, stream);
	ck_assert_int_eq(fclose(stream), 0);
}

/* Pass 1 of a is A, B, C at S = 2: C's first token is cell 4, its unit 3 is element 4 * H + 3. In b, token by token and B left out, the
 * same number stands elsewhere. */
START_TEST(a_planted_bit_is_found_in_its_place)
{
	struct two two;
	struct ragged r;
	two_init(&two, "tiny-stories");
	set_ragged(&r);
	int64_t H = model_config(two.a.model)->hidden;
	record(&two.a, &r.batch, NULL);
	plant(&two.a, 1, "layers.1.attn.norm", 4 * H + 3, 0);
	r.batch.schedule = SCHEDULE_CHUNKED, r.batch.chunk = 1, r.batch.layout = LAYOUT_PACKED;
	r.requests[1] = r.requests[2];
	r.batch.count = 2;
	record(&two.b, &r.batch, NULL);
	compare(&two);
	const struct diff_place *first = &two.diff.first;
	ck_assert(!two.diff.equal && first->found);
	ck_assert_int_eq(two.diff.bad, 1);
	ck_assert_int_eq(first->pass, 1);
	ck_assert_int_eq(first->pass_b, 1);
	ck_assert_str_eq(first->name, "layers.1.attn.norm");
	ck_assert_int_eq(first->request, 2);
	ck_assert_int_eq(first->position, 0);
	ck_assert(first->rank == 3 && first->index[0] == 2 && first->index[1] == 0 && first->index[2] == 3);
	ck_assert_uint_eq(first->a ^ first->b, 1);
	ck_assert_uint_eq(value_of(&two, "layers.1.attn.norm")->max_ulps, 1);
	ck_assert_int_eq(two.diff.verdict, DIFF_ROUNDING);
	two_free(&two);
}
END_TEST

/* The same place, a high bit of the mantissa: too far for a sum of so few numbers. */
START_TEST(a_planted_large_bit_is_a_bug)
{
	struct two two;
	struct ragged r;
	two_init(&two, "three-requests");
	set_ragged(&r);
	record(&two.a, &r.batch, NULL);
	record(&two.b, &r.batch, NULL);
	plant(&two.b, 0, "layers.0.attn.norm", 5, 22);
	compare(&two);
	ck_assert_int_eq(two.diff.bad, 1);
	ck_assert_int_eq(two.diff.verdict, DIFF_BUG);
	ck_assert_uint_eq(value_of(&two, "layers.0.attn.norm")->max_ulps, 1 << 22);
	ck_assert_int_eq(value_of(&two, "layers.0.attn.norm")->kind, DIFF_UNEXPLAINED);
	two_free(&two);
}
END_TEST

/* A look-up sums nothing: even its last bit is no rounding. */
START_TEST(a_planted_last_bit_of_a_lookup_is_a_bug)
{
	struct two two;
	struct ragged r;
	two_init(&two, "three-requests");
	set_ragged(&r);
	record(&two.a, &r.batch, NULL);
	record(&two.b, &r.batch, NULL);
	plant(&two.b, 0, "embed.token", 5, 0);
	compare(&two);
	ck_assert_int_eq(two.diff.bad, 1);
	ck_assert_int_eq(two.diff.verdict, DIFF_BUG);
	two_free(&two);
}
END_TEST

static const char *const models[] = {"glass", "three-requests", "tiny-stories"};

/* A greedy choice that differs is always told with a distance that can turn it. Returns how many there are. */
static int check_choices(const struct two *two)
{
	int known = 0;
	for (int64_t r = 0; r < two->diff.row_count; r++) {
		const struct diff_row *row = &two->diff.rows[r];
		if (!row->choice.known)
			continue;
		known++;
		ck_assert_int_eq(row->choice.token_a, trace_history(two->trace_a, row->a)[row->parts_at]);
		ck_assert_int_ne(row->choice.token_a, row->choice.token_b);
		if (trace_batch(two->trace_a)->requests[row->a].sampling.temperature == 0 &&
			trace_batch(two->trace_a)->requests[row->a].sampling.repetition_penalty == 1)
			ck_assert(row->choice.margin < 0 || row->choice.turns);
		ck_assert(!row->choice.near_tie || two->diff.verdict == DIFF_ROUNDING);
	}
	return known;
}

/* Each fault that shows in a random batch is a bug; another order of summation is rounding. */
START_TEST(faults_are_bugs_and_another_order_of_summation_is_rounding)
{
	struct two two;
	int shown[32] = {0}, parted = 0;
	two_init(&two, models[_i]);
	for (uint64_t seed = 100; seed < (harness_is_crawling() ? 102 : 112); seed++) {
		struct arena arena = ARENA_INIT;
		uint64_t state = seed;
		struct batch batch = composition_batch(model_config(two.a.model), &state, &arena);
		record(&two.a, &batch, NULL);
		for (size_t f = 0; faults_at(f) != NULL; f++) {
			bool sums = strcmp(faults_at(f)->name, "batch-dependent-sum") == 0;
			struct err err = ERR_INIT; /* some need a greedy batch */
			if (!composition_record(&two.b, &batch, faults_at(f)->name, &(struct run_options){.threads = 1},
				    &err))
				continue;
			compare(&two);
			shown[f] += !two.diff.equal;
			parted += check_choices(&two);
			ck_assert_msg(two.diff.equal || two.diff.verdict == (sums ? DIFF_ROUNDING : DIFF_BUG),
				"seed %d, fault %s: %s at %s", (int)seed, faults_at(f)->name,
				diff_verdict_name(two.diff.verdict),
				two.diff.first_unexplained < 0
					? "none"
					: trace_value(two.trace_a, two.diff.values[two.diff.first_unexplained].value)
						  ->name);
		}
		two_close(&two);
		arena_free(&arena);
	}
	ck_assert_int_gt(shown[0], 0);
	ck_assert_int_gt(parted, 0);
	two_free(&two);
}
END_TEST

START_TEST(rows_part_where_another_token_was_asked_for)
{
	struct two two;
	struct ragged r;
	two_init(&two, "tiny-stories");
	set_ragged(&r);
	record(&two.a, &r.batch, NULL);
	r.tokens[0][1] = 9;
	record(&two.b, &r.batch, NULL);
	compare(&two);
	ck_assert(!two.diff.equal && two.diff.asked_differently);
	ck_assert_int_eq(two.diff.bad, 0);
	ck_assert_int_eq(two.diff.rows[0].parts_at, 1);
	ck_assert_int_eq(two.diff.rows[1].parts_at, -1);
	ck_assert_str_eq(two.diff.first.name, "tokens");
	ck_assert_int_eq(two.diff.first.position, 1);
	ck_assert(two.diff.first.a == 3 && two.diff.first.b == 9);
	two_free(&two);
}
END_TEST

START_TEST(a_longer_run_is_equal_as_far_as_both_go)
{
	struct two two;
	struct ragged r;
	two_init(&two, "tiny-stories");
	set_ragged(&r);
	record(&two.a, &r.batch, NULL);
	for (int i = 0; i < 3; i++)
		r.requests[i].max_new_tokens += 2;
	record(&two.b, &r.batch, NULL);
	compare(&two);
	ck_assert(two.diff.equal && two.diff.asked_differently);
	ck_assert_int_lt(two.diff.rows[0].positions_a, two.diff.rows[0].positions_b);
	ck_assert_ptr_null(value_of(&two, "finished"));
	two_free(&two);
}
END_TEST

START_TEST(what_cannot_be_compared_is_refused)
{
	struct two two;
	struct ragged r;
	struct compositions other;
	two_init(&two, "three-requests");
	set_ragged(&r);
	record(&two.a, &r.batch, NULL);
	for (int i = 0; i < 3; i++)
		r.requests[i].id = i == 0 ? "X" : i == 1 ? "Y" : "Z";
	record(&two.b, &r.batch, NULL);
	ck_assert(compositions_open(&other, "glass"));
	set_ragged(&r);
	record(&other, &r.batch, NULL);
	const char *const folders[] = {two.b.folder, other.folder};
	const char *const says[] = {"no row in common", "different models"};
	for (int i = 0; i < 2; i++) {
		struct err err = ERR_INIT;
		two_close(&two);
		ck_assert(trace_open(&two.trace_a, two.a.folder, &err) && trace_open(&two.trace_b, folders[i], &err));
		ck_assert(!diff_traces(&two.diff, two.trace_a, two.trace_b, &two.arena, &err));
		ck_assert_int_eq(err.kind, ERR_USAGE);
		ck_assert_msg(strstr(err.message, says[i]) != NULL, "%s", err.message);
	}
	compositions_close(&other);
	two_free(&two);
}
END_TEST

START_TEST(ulps_count_the_floats_between)
{
	ck_assert_uint_eq(diff_ulps(DTYPE_F32, 0x3f800000, 0x3f800000), 0);
	ck_assert_uint_eq(diff_ulps(DTYPE_F32, 0x3f800000, 0x3f800001), 1);
	ck_assert_uint_eq(diff_ulps(DTYPE_F32, 0x80000000, 0x00000000), 1);
	ck_assert_uint_eq(diff_ulps(DTYPE_F32, 0x80000001, 0x00000001), 3);
	ck_assert_uint_eq(diff_ulps(DTYPE_F32, 0xff800000, 0x7f800000), 0xff000001);
	ck_assert_uint_eq(diff_ulps(DTYPE_I32, 0xffffffff, 2), 3);
	ck_assert_uint_eq(diff_ulps(DTYPE_BOOL, 1, 0), 1);
}
END_TEST

TEST_PROGRAM("diff", {
	tcase_add_test(tests, random_batches_are_equal_in_every_way_of_running_them);
	tcase_add_test(tests, a_row_alone_is_equal_to_the_row_in_its_batch);
	tcase_add_test(tests, a_planted_bit_is_found_in_its_place);
	tcase_add_test(tests, a_planted_large_bit_is_a_bug);
	tcase_add_test(tests, a_planted_last_bit_of_a_lookup_is_a_bug);
	tcase_add_loop_test(tests, faults_are_bugs_and_another_order_of_summation_is_rounding, 0, 3);
	tcase_add_test(tests, rows_part_where_another_token_was_asked_for);
	tcase_add_test(tests, a_longer_run_is_equal_as_far_as_both_go);
	tcase_add_test(tests, what_cannot_be_compared_is_refused);
	tcase_add_test(tests, ulps_count_the_floats_between);
})
