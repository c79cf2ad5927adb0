/*
 * The right behaviour behind public reports about batched inference, a test each, with the number of the report in the design's list
 * (docs/FAULTS.md names most of them). Cases 24 to 27 are in test_sample.c, 31 to 36 in test_cases_numbers.c.
 */
#include <math.h>

#include "cases.h"
#include "harness.h"

static const int64_t two_five_nine[] = {2, 5, 9};

START_TEST(case_1_positions_start_at_0_whatever_the_padding)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	ck_assert(desk_proved(&d, NULL));
	const int32_t *positions = tensor_of(&d, 0, "positions", &t);
	const struct pass *pass = layout_of(&d, 0);
	for (int64_t b = 0; b < 3; b++)
		ck_assert_int_eq(positions[pass->first[b]], 0);
	desk_free(&d);
}
END_TEST

START_TEST(case_2_one_pad_is_enough_to_go_wrong)
{
	struct desk d;
	static const int64_t lengths[] = {3, 2};
	desk_init(&d, "glass", lengths, 2);
	ck_assert(desk_proved(&d, NULL));
	ck_assert(!desk_proved(&d, "positions-through-padding"));
	desk_free(&d);
}
END_TEST

START_TEST(case_3_a_row_decodes_at_its_own_length)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "tiny-stories", two_five_nine, 3);
	ck_assert(desk_proved(&d, NULL));
	for (int64_t step = 1; step < 5; step++) {
		const int32_t *positions = tensor_of(&d, step, "positions", &t);
		for (int64_t b = 0; b < layout_of(&d, step)->B; b++)
			ck_assert_int_eq(positions[b], two_five_nine[layout_of(&d, step)->rows[b]] + step - 1);
	}
	desk_free(&d);
}
END_TEST

/* The position of a pad may be anything: here 1, as in a well-known example. */
static void pads_stand_at_1(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		if (pass->pad[cell] != 0)
			pass->positions[cell] = 1;
	}
}

START_TEST(case_4_the_position_of_a_pad_moves_no_real_row)
{
	struct desk d;
	struct plan *plan;
	struct run *run;
	bool more = true;
	static const int32_t same[] = {0, 1, 2};
	desk_init(&d, "glass", two_five_nine, 3);
	desk_record(&d, NULL);
	struct run_options options = {.threads = 1, .rewrites = {{pads_stand_at_1, NULL}}, .rewrite_count = 1};
	ck_assert(plan_build(&plan, d.c.model, batch_way(&d.batch), &d.arena, &d.err));
	ck_assert(run_new(&run, d.c.model, plan, &d.batch, &options, &d.err));
	struct comparison *comparison = comparison_new(d.trace, plan, same, 3, PROOF_ALONE);
	struct probe probe = comparison_probe(comparison);
	while (more)
		ck_assert(run_step(run, &probe, &more, &d.err));
	ck_assert(!comparison_leak(comparison).found);
	ck_assert_int_gt(comparison_counts(comparison)[plan_value(plan, "logits")].values, 0);
	comparison_delete(comparison);
	run_delete(run);
	plan_free(plan);
	desk_free(&d);
}
END_TEST

START_TEST(case_5_positions_and_mask_are_both_needed)
{
	struct desk d;
	desk_init(&d, "glass", two_five_nine, 3);
	ck_assert(desk_proved(&d, NULL));
	ck_assert(!desk_proved(&d, "positions-through-padding"));
	ck_assert(!desk_proved(&d, "padding-attended"));
	desk_free(&d);
}
END_TEST

/* In every pass, layer and head: the weight of whatever is no token of the row is exactly 0. */
static void check_pads_weigh_nothing(struct desk *d)
{
	for (int64_t pass = 0; pass < trace_pass_count(d->trace); pass++) {
		struct trace_tensor t;
		const float *weights = tensor_of(d, pass, "layers.0.attn.weights", &t);
		const struct pass *layout = layout_of(d, pass);
		int64_t N = t.tensor.shape[1], S = layout->S, K = layout->K;
		for (int64_t i = 0; i < layout->B * N * S * K; i++) {
			int64_t b = i / (N * S * K), k = i % K, s = i / K % S;
			bool nobody = layout->key_position[b * K + k] < 0 || layout->pad[b * S + s] != 0;
			ck_assert(isfinite(weights[i]));
			ck_assert(!nobody || weights[i] == 0.0f);
		}
	}
}

START_TEST(case_6_pads_get_weight_0_in_every_head)
{
	struct desk d;
	desk_init(&d, "three-requests", two_five_nine, 3);
	desk_record(&d, NULL);
	check_pads_weigh_nothing(&d);
	desk_free(&d);
}
END_TEST

START_TEST(case_7_pads_stay_masked_while_decoding)
{
	struct desk d;
	desk_init(&d, "glass", two_five_nine, 3);
	ck_assert(desk_proved(&d, NULL));
	ck_assert_int_ge(trace_pass_count(d.trace), 4);
	check_pads_weigh_nothing(&d);
	ck_assert(!desk_proved(&d, "mask-dropped-at-decode"));
	desk_free(&d);
}
END_TEST

START_TEST(case_8_the_mask_grows_with_every_step)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	d.batch.requests[2].max_new_tokens = 5;
	desk_record(&d, NULL);
	for (int64_t pass = 0; pass < trace_pass_count(d.trace); pass++) {
		tensor_of(&d, pass, "mask", &t);
		if (layout_of(&d, pass)->rows[layout_of(&d, pass)->B - 1] == 2)
			ck_assert_int_eq(t.tensor.shape[2], 9 + pass);
	}
	desk_free(&d);
}
END_TEST

START_TEST(case_9_mask_positions_and_end_together)
{
	struct desk d;
	desk_init(&d, "three-requests", two_five_nine, 3);
	d.batch.schedule = SCHEDULE_STATIC;
	d.batch.requests[0].max_new_tokens = 2;
	ck_assert(desk_proved(&d, NULL));
	desk_free(&d);
}
END_TEST

START_TEST(case_10_the_mask_has_a_row_of_its_own_for_every_request)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	desk_record(&d, NULL);
	const uint8_t *mask = tensor_of(&d, 0, "mask", &t);
	ck_assert_str_eq(t.tensor.axes, "BSK");
	ck_assert_mem_ne(mask, mask + 2 * 9 * 9, 9 * 9);
	desk_free(&d);
}
END_TEST

START_TEST(case_11_seven_and_nine_tokens_are_sixteen)
{
	struct desk d;
	static const int64_t lengths[] = {16, 3};
	desk_init(&d, "tiny-stories", lengths, 2);
	d.batch.schedule = SCHEDULE_CHUNKED;
	d.batch.chunk = 7;
	ck_assert(desk_proved(&d, NULL)); /* rows alone are run in one piece */
	ck_assert_int_eq(layout_of(&d, 1)->past[0], 7);
	ck_assert(!desk_proved(&d, "square-mask-reused"));
	desk_free(&d);
}
END_TEST

START_TEST(case_12_a_fully_masked_query_is_0_and_never_nan)
{
	struct desk d;
	static const int64_t lengths[] = {4, 1};
	desk_init(&d, "glass", lengths, 2);
	desk_record(&d, NULL);
	for (int v = 0; v < trace_value_count(d.trace); v++) {
		const struct trace_value *value = trace_value(d.trace, v);
		struct trace_tensor t;
		if (!value->captured || value->dtype != DTYPE_F32 || strstr(value->name, "scores") != NULL)
			continue;
		const float *x = tensor_of(&d, 0, value->name, &t);
		for (int64_t i = 0; i < tensor_count(&t.tensor); i++)
			ck_assert_msg(isfinite(x[i]), "%s[%d]", value->name, (int)i);
	}
	struct trace_tensor t;
	const float *mix = tensor_of(&d, 0, "layers.0.attn.mix", &t);
	for (int64_t i = 0; i < 3 * 8; i++) /* the three pads of B */
		ck_assert(mix[4 * 8 + i] == 0.0f);
	desk_free(&d);
}
END_TEST

START_TEST(case_13_a_token_with_the_pad_id_is_a_token)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	d.batch.requests[1].prompt[2] = model_config(d.c.model)->pad;
	d.batch.requests[2].prompt[4] = model_config(d.c.model)->end_tokens[0];
	ck_assert(desk_proved(&d, NULL));
	const uint8_t *pad = tensor_of(&d, 0, "pad", &t);
	ck_assert_int_eq(pad[pass_cell(layout_of(&d, 0), 1, 2)], 0);
	ck_assert(!desk_proved(&d, "mask-from-token-ids"));
	desk_free(&d);
}
END_TEST

START_TEST(case_14_a_prompt_that_ends_with_the_pad_id_is_not_padded)
{
	struct desk d;
	desk_init(&d, "glass", two_five_nine, 3);
	for (int i = 0; i < 3; i++)
		d.batch.requests[i].prompt[two_five_nine[i] - 1] = model_config(d.c.model)->pad;
	d.batch.layout = LAYOUT_RIGHT;
	ck_assert(desk_proved(&d, NULL));
	for (int64_t b = 0; b < 3; b++)
		ck_assert_int_eq(pass_position(layout_of(&d, 0), layout_of(&d, 0)->last[b]), two_five_nine[b] - 1);
	desk_free(&d);
}
END_TEST

START_TEST(case_15_right_padding_is_gathered_at_the_last_token)
{
	struct desk d;
	static const int64_t lengths[] = {2, 3};
	desk_init(&d, "glass", lengths, 2);
	d.batch.layout = LAYOUT_RIGHT;
	ck_assert(desk_proved(&d, NULL));
	ck_assert_int_eq(layout_of(&d, 0)->last[0], 1);
	ck_assert(!desk_proved(&d, "last-column-taken"));
	desk_free(&d);
}
END_TEST

START_TEST(case_16_both_sides_and_none_give_the_same_logits)
{
	struct desk d;
	struct trace_tensor t;
	float left[3 * 16];
	desk_init(&d, "glass", two_five_nine, 3);
	desk_record(&d, NULL);
	memcpy(left, tensor_of(&d, 0, "logits", &t), sizeof left);
	for (int layout = LAYOUT_RIGHT; layout < LAYOUT_COUNT; layout++) {
		d.batch.layout = (enum layout)layout;
		desk_record(&d, NULL);
		ck_assert_mem_eq(left, tensor_of(&d, 0, "logits", &t), sizeof left);
	}
	desk_free(&d);
}
END_TEST

START_TEST(case_17_every_row_of_logits_has_its_row_and_position)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	d.batch.layout = LAYOUT_PACKED;
	desk_record(&d, NULL);
	const float *last = tensor_of(&d, 0, "final.last", &t), *norm = tensor_of(&d, 0, "final.norm", &t);
	const int32_t *row_of = tensor_of(&d, 0, "row_of", &t);
	static const int64_t ends[] = {1, 6, 15};
	for (int64_t b = 0; b < 3; b++) {
		ck_assert_int_eq(row_of[ends[b]], b);
		ck_assert_mem_eq(last + b * 8, norm + ends[b] * 8, 8 * sizeof(float));
	}
	desk_free(&d);
}
END_TEST

START_TEST(case_18_the_longest_row_ends_first)
{
	struct desk d;
	desk_init(&d, "tiny-stories", two_five_nine, 3);
	d.batch.requests[2].max_new_tokens = 2;
	ck_assert(desk_proved(&d, NULL));
	ck_assert(!desk_proved(&d, "append-at-longest"));
	desk_free(&d);
}
END_TEST

START_TEST(case_19_a_place_is_used_again_without_a_trace)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	d.batch.max_rows = 1;
	ck_assert(desk_proved(&d, NULL));
	int64_t last = trace_pass_count(d.trace) - 1;
	ck_assert_int_eq(((const int32_t *)tensor_of(&d, last, "cache.slot", &t))[0],
		0); /* the very slots of the first */
	ck_assert(!desk_proved(&d, "stale-slot"));
	desk_free(&d);
}
END_TEST

START_TEST(case_20_the_slot_changes_nothing)
{
	struct desk d;
	struct trace_tensor t;
	float first[16];
	desk_init(&d, "glass", two_five_nine, 3);
	for (int place = 0; place < 3; place++) {
		struct request moved = d.batch.requests[place];
		if (place > 0) {
			d.batch.requests[place] = d.batch.requests[place - 1];
			d.batch.requests[place - 1] = moved;
		}
		desk_record(&d, NULL);
		const float *logits = tensor_of(&d, 0, "logits", &t);
		if (place == 0)
			memcpy(first, logits, sizeof first);
		ck_assert_mem_eq(first, logits + place * 16, sizeof first);
	}
	desk_free(&d);
}
END_TEST

/* Pads of an earlier pass are never among the keys; a row that joins brings pads for the others. */
START_TEST(case_21_pads_are_not_in_the_cache)
{
	struct desk d;
	struct trace_tensor t;
	desk_init(&d, "glass", two_five_nine, 3);
	d.batch.requests[2].arrives = 2;
	ck_assert(desk_proved(&d, NULL));
	for (int64_t pass = 0; pass < trace_pass_count(d.trace); pass++) {
		const int32_t *written = tensor_of(&d, pass, "cache.written", &t),
			      *position = tensor_of(&d, pass, "cache.position", &t);
		for (int64_t i = 0; i < tensor_count(&t.tensor); i++)
			ck_assert(written[i] < 0 || position[i] >= 0 || written[i] == pass);
	}
	desk_free(&d);
}
END_TEST

START_TEST(case_22_batches_of_any_size)
{
	static const int64_t sizes[] = {3, 5, 31, 33};
	int64_t lengths[ROWS];
	struct desk d;
	for (int i = 0; i < ROWS; i++)
		lengths[i] = 1 + i % 7;
	desk_init(&d, "glass", lengths, sizes[_i]);
	ck_assert(desk_proved(&d, NULL));
	desk_free(&d);
}
END_TEST

/* Token by token with the cache, against the whole prompt at once. */
START_TEST(case_23_cached_is_full)
{
	struct desk d;
	desk_init(&d, "tiny-stories", two_five_nine, 3);
	d.batch.schedule = SCHEDULE_CHUNKED;
	d.batch.chunk = 1;
	ck_assert(desk_proved(&d, NULL));
	desk_free(&d);
}
END_TEST

START_TEST(case_28_finished_rows_are_frozen)
{
	struct desk d;
	struct trace_tensor t;
	int32_t tokens[16];
	desk_init(&d, "glass", two_five_nine, 3);
	d.batch.schedule = SCHEDULE_STATIC;
	d.batch.requests[1].max_new_tokens = 2;
	for (int i = 0; i < 3; i++)
		d.batch.requests[i].sampling = (struct sampling){.temperature = 2, .seed = 5};
	ck_assert(desk_proved(&d, NULL));
	int64_t last = trace_pass_count(d.trace) - 1;
	ck_assert_int_eq(layout_of(&d, last)->B, 3);
	ck_assert_int_eq(((const int32_t *)tensor_of(&d, last, "next_tokens", &t))[1], -1);
	ck_assert(((const float *)tensor_of(&d, last, "logprobs", &t))[1] == 0.0f);
	ck_assert_uint_eq(((const uint32_t *)tensor_of(&d, last, "sample.random", &t))[1], 0);
	ck_assert_int_eq(((const uint8_t *)tensor_of(&d, last, "finished", &t))[1], 1);
	generated(&d, 1, tokens);
	ck_assert(tokens[1] >= 0 && tokens[2] == -1);
	ck_assert(!desk_proved(&d, "finished-rows-go-on"));
	desk_free(&d);
}
END_TEST

START_TEST(case_29_a_row_ends_at_its_first_end_token)
{
	struct desk d;
	int32_t tokens[16];
	static const int64_t lengths[] = {1, 1};
	desk_init(&d, "glass", lengths, 2);
	d.batch.requests[0].prompt[0] = 3;
	d.batch.requests[0].max_new_tokens = 12;
	desk_record(&d, NULL);
	generated(&d, 0, tokens);
	int32_t end = model_config(d.c.model)->end_tokens[0];
	int64_t count = trace_generated(d.trace, 0, NULL, 0);
	ck_assert_int_lt(count, 12);
	for (int64_t i = 0; i < count; i++)
		ck_assert_int_eq(tokens[i] == end, i == count - 1);
	desk_free(&d);
}
END_TEST

START_TEST(case_30_the_run_ends_with_its_last_row)
{
	struct desk d;
	desk_init(&d, "tiny-stories", two_five_nine, 3);
	for (int i = 0; i < 3; i++)
		d.batch.requests[i].max_new_tokens = 1 + i;
	desk_record(&d, NULL);
	ck_assert_int_eq(trace_pass_count(d.trace), 3);
	ck_assert_int_eq(layout_of(&d, 2)->B, 1); /* and the cost shrinks on the way */
	desk_free(&d);
}
END_TEST

TEST_PROGRAM("cases", {
	tcase_add_test(tests, case_1_positions_start_at_0_whatever_the_padding);
	tcase_add_test(tests, case_2_one_pad_is_enough_to_go_wrong);
	tcase_add_test(tests, case_3_a_row_decodes_at_its_own_length);
	tcase_add_test(tests, case_4_the_position_of_a_pad_moves_no_real_row);
	tcase_add_test(tests, case_5_positions_and_mask_are_both_needed);
	tcase_add_test(tests, case_6_pads_get_weight_0_in_every_head);
	tcase_add_test(tests, case_7_pads_stay_masked_while_decoding);
	tcase_add_test(tests, case_8_the_mask_grows_with_every_step);
	tcase_add_test(tests, case_9_mask_positions_and_end_together);
	tcase_add_test(tests, case_10_the_mask_has_a_row_of_its_own_for_every_request);
	tcase_add_test(tests, case_11_seven_and_nine_tokens_are_sixteen);
	tcase_add_test(tests, case_12_a_fully_masked_query_is_0_and_never_nan);
	tcase_add_test(tests, case_13_a_token_with_the_pad_id_is_a_token);
	tcase_add_test(tests, case_14_a_prompt_that_ends_with_the_pad_id_is_not_padded);
	tcase_add_test(tests, case_15_right_padding_is_gathered_at_the_last_token);
	tcase_add_test(tests, case_16_both_sides_and_none_give_the_same_logits);
	tcase_add_test(tests, case_17_every_row_of_logits_has_its_row_and_position);
	tcase_add_test(tests, case_18_the_longest_row_ends_first);
	tcase_add_test(tests, case_19_a_place_is_used_again_without_a_trace);
	tcase_add_test(tests, case_20_the_slot_changes_nothing);
	tcase_add_test(tests, case_21_pads_are_not_in_the_cache);
	tcase_add_loop_test(tests, case_22_batches_of_any_size, 0, 4);
	tcase_add_test(tests, case_23_cached_is_full);
	tcase_add_test(tests, case_28_finished_rows_are_frozen);
	tcase_add_test(tests, case_29_a_row_ends_at_its_first_end_token);
	tcase_add_test(tests, case_30_the_run_ends_with_its_last_row);
})
