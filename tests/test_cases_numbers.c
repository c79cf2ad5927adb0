/*
 * The right behaviour behind public reports of answers that change with the number of rows, a test each, with the number of the report in
 * the design's list.
 */
#include <math.h>

#include "analysis/diff_choice.h"
#include "cases.h"
#include "harness.h"

static const int64_t two_five_nine[] = {2, 5, 9};

START_TEST(case_31_identical_rows_stay_identical)
{
	struct desk d;
	struct trace_tensor t;
	static const int64_t lengths[] = {6, 6, 6, 6};
	desk_init(&d, "tiny-stories", lengths, 4);
	for (int i = 0; i < 4; i++) {
		d.batch.requests[i].prompt = d.batch.requests[0].prompt;
		d.batch.requests[i].max_new_tokens = 60;
	}
	desk_record(&d, NULL);
	for (int64_t pass = 0; pass < trace_pass_count(d.trace); pass++) {
		const char *logits = tensor_of(&d, pass, "logits", &t);
		size_t row = tensor_bytes(&t.tensor) / 4;
		for (size_t i = 1; i < 4; i++)
			ck_assert_mem_eq(logits, logits + i * row, row);
	}
	desk_free(&d);
}
END_TEST

/* Whatever the number of rows, the first one's bits. */
START_TEST(case_32_the_number_of_rows_changes_nothing)
{
	struct desk d;
	struct trace_tensor t;
	static const int64_t lengths[] = {6, 2, 9, 4, 7, 1, 3, 8};
	float first[768];
	desk_init(&d, "tiny-stories", lengths, 8);
	for (int64_t B = 1; B <= 8; B++) {
		d.batch.count = B;
		desk_record(&d, NULL);
		const float *logits = tensor_of(&d, 0, "logits", &t);
		ck_assert_int_eq(t.tensor.shape[1], 768);
		if (B == 1)
			memcpy(first, logits, sizeof first);
		ck_assert_mem_eq(first, logits, sizeof first);
	}
	desk_free(&d);
}
END_TEST

/* At temperature 0, too: the same words for any number of rows. */
START_TEST(case_33_greedy_answers_do_not_depend_on_the_rows)
{
	struct desk d;
	static const int64_t lengths[] = {6, 2, 9, 4, 7, 1, 3, 8};
	int32_t first[16], said[16];
	desk_init(&d, "tiny-stories", lengths, 8);
	for (int64_t i = 0; i < 8; i++)
		d.batch.requests[i].max_new_tokens = 16;
	for (int64_t B = 1; B <= 8; B++) {
		d.batch.count = B;
		desk_record(&d, NULL);
		generated(&d, 0, B == 1 ? first : said);
		ck_assert(B == 1 || memcmp(first, said, sizeof first) == 0);
	}
	desk_free(&d);
}
END_TEST

/* What rounding does is told beside how close the choice was: the two together say whether an answer can turn. */
START_TEST(case_34_a_difference_is_told_with_the_margin_of_the_choice)
{
	struct desk exact, rounded;
	struct trace_tensor t;
	struct diff_choice choice;
	desk_init(&exact, "glass", two_five_nine, 3);
	desk_init(&rounded, "glass", two_five_nine, 3);
	desk_record(&exact, NULL);
	desk_record(&rounded, "batch-dependent-sum");
	const float *a = tensor_of(&exact, 0, "logits", &t), *b = tensor_of(&rounded, 0, "logits", &t);
	int32_t best = 0, second = 1;
	float distance = 0;
	for (int32_t v = 0; v < 16; v++) {
		second = v != best && a[v] <= a[best] && (second == best || a[v] > a[second]) ? v
			: a[v] > a[best]                                                      ? best
											      : second;
		best = a[v] > a[best] ? v : best;
		distance = fmaxf(distance, fabsf(a[v] - b[v]));
	}
	struct diff_choice_place x = {exact.trace, 0, 0, best}, y = {rounded.trace, 0, 0, second};
	ck_assert(diff_choice_read(&choice, &x, &y, &exact.err));
	ck_assert(choice.known && choice.token_a == best && choice.token_b == second);
	ck_assert_double_eq(choice.margin, (double)a[best] - (double)a[second]);
	ck_assert_double_eq_tol(choice.distance, (double)distance, 1e-9);
	ck_assert(choice.distance > 0 && choice.distance < 1e-4 && choice.margin > 1e-2 && !choice.turns);
	y.token = best; /* a tie as near as can be */
	ck_assert(diff_choice_read(&choice, &x, &y, &exact.err) && choice.turns);
	desk_free(&exact);
	desk_free(&rounded);
}
END_TEST

/* Repeatable is not the same as independent of the batch. */
START_TEST(case_35_repeatable_is_not_batch_invariant)
{
	struct desk d;
	struct trace_tensor t;
	float once[3 * 16], alone[16];
	desk_init(&d, "glass", two_five_nine, 3);
	desk_record(&d, "batch-dependent-sum");
	memcpy(once, tensor_of(&d, 0, "logits", &t), sizeof once);
	desk_record(&d, "batch-dependent-sum");
	ck_assert_mem_eq(once, tensor_of(&d, 0, "logits", &t), sizeof once);
	d.batch.count = 1;
	desk_record(&d, "batch-dependent-sum");
	memcpy(alone, tensor_of(&d, 0, "logits", &t), sizeof alone);
	ck_assert_mem_ne(once, alone, sizeof alone);
	for (int v = 0; v < 16; v++) /* rounding: far from a bug's distance */
		ck_assert(fabsf(once[v] - alone[v]) <= 1e-4f * fabsf(alone[v]) + 1e-5f);
	desk_free(&d);
}
END_TEST

/* Rows of a batch that say what they say alone. */
static int64_t unchanged_rows(struct desk *d, int64_t rows, int32_t alone[][16], const char *fault)
{
	int64_t same = 0;
	int32_t said[16];
	d->batch.count = rows;
	desk_record(d, fault);
	for (int32_t i = 0; i < rows; i++) {
		generated(d, i, said);
		same += memcmp(said, alone[i], sizeof said) == 0;
	}
	return same;
}

/* Benchmark scores that fall at batch size 2 and above: silent at batch size 1. */
START_TEST(case_36_a_padding_bug_costs_answers_only_in_a_batch)
{
	struct desk d;
	static const int64_t lengths[] = {2, 9, 4, 12, 1, 7, 3, 10};
	int32_t alone[8][16];
	desk_init(&d, "tiny-stories", lengths, 8);
	struct request *requests = d.batch.requests;
	for (int i = 0; i < 8; i++) {
		requests[i].max_new_tokens = 12;
		d.batch = (struct batch){.requests = &requests[i], .count = 1};
		desk_record(&d, NULL);
		generated(&d, 0, alone[i]);
		ck_assert_int_eq(unchanged_rows(&d, 1, &alone[i], "padding-attended"), 1);
	}
	d.batch.requests = requests;
	ck_assert_int_eq(unchanged_rows(&d, 8, alone, NULL), 8);
	ck_assert_int_lt(unchanged_rows(&d, 8, alone, "padding-attended"), 8);
	desk_free(&d);
}
END_TEST

/* A recorder that flattens rows and positions must still know whose number it holds. */
START_TEST(case_nnsight_722_every_number_knows_its_row)
{
	struct desk d;
	struct trace_tensor t;
	float alone[9][64];
	desk_init(&d, "glass", two_five_nine, 3);
	struct request *requests = d.batch.requests;
	for (int32_t i = 0; i < 3; i++) {
		d.batch = (struct batch){.requests = &requests[i], .count = 1};
		desk_record(&d, NULL);
		const float *embed = tensor_of(&d, 0, "embed", &t);
		size_t H = (size_t)t.tensor.shape[2];
		ck_assert_uint_le(H, 64);
		for (int64_t p = 0; p < two_five_nine[i]; p++)
			memcpy(alone[p], embed + (size_t)p * H, H * sizeof(float));
		d.batch = (struct batch){.requests = requests, .count = 3, .layout = LAYOUT_PACKED};
		desk_record(&d, NULL);
		const float *packed = tensor_of(&d, 0, "embed", &t);
		ck_assert_int_eq(t.tensor.shape[0], 2 + 5 + 9);
		for (int64_t p = 0; p < two_five_nine[i]; p++)
			ck_assert_mem_eq(packed + (size_t)pass_cell(layout_of(&d, 0), i, p) * H, alone[p],
				H * sizeof(float));
	}
	desk_free(&d);
}
END_TEST

TEST_PROGRAM("cases_numbers", {
	tcase_add_test(tests, case_31_identical_rows_stay_identical);
	tcase_add_test(tests, case_32_the_number_of_rows_changes_nothing);
	tcase_add_test(tests, case_33_greedy_answers_do_not_depend_on_the_rows);
	tcase_add_test(tests, case_34_a_difference_is_told_with_the_margin_of_the_choice);
	tcase_add_test(tests, case_35_repeatable_is_not_batch_invariant);
	tcase_add_test(tests, case_36_a_padding_bug_costs_answers_only_in_a_batch);
	tcase_add_test(tests, case_nnsight_722_every_number_knows_its_row);
})
