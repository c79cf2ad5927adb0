/*
 * What every kind of operation costs, against counts made by hand: for B = 2 rows of S = 3 positions (T = 6 cells) that see
 * K = 5 columns, in a model of H = 8, N = 4 heads on G = 2 key/value heads of D = 2, F = 10, V = 12. A fused multiply-add counts 2.
 */
#include "engine/op.h"
#include "harness.h"
#include "model/weight.h"

static const struct dims dims = {.B = 2, .S = 3, .T = 6, .K = 5, .H = 8, .N = 4, .G = 2, .D = 2, .F = 10, .V = 12};

struct count {
	enum op_code code;
	int inputs;
	int64_t out, in; /* of the weight; 0: none */
	int weights;
	bool per_row;
	double flops, read, written, shared;
};

static const struct count counts[] = {
	{OP_input, 0, 0, 0, 0, false, 0, 0, 0, 0},          /* given */
	{OP_cache_table, 0, 0, 0, 0, false, 0, 0, 0, 0},    /* bookkeeping */
	{OP_mask_causal, 0, 0, 0, 0, false, 0, 24, 30, 0},  /* reads 6 columns of 4 bytes, writes 6 x 5 bytes */
	{OP_mask_padding, 0, 0, 0, 0, false, 0, 46, 30, 0}, /* 6 pads, 2 x 5 positions of 4 bytes */
	{OP_mask_and, 2, 0, 0, 0, false, 0, 60, 30, 0},     /* two masks of 30 bytes */
	{OP_copy, 1, 0, 0, 0, false, 0, 0, 0, 0},           /* stands for what was left out */
	{OP_inject, 1, 0, 0, 0, false, 0, 0, 0, 0},         /* a tool of the proofs */
	/* 6 rows of 8 numbers of 4 bytes, and 6 IDs of 4 */
	{OP_lookup, 1, 12, 8, 1, false, 0, 192 + 24, 192, 192},
	/* 48 sums of two numbers */
	{OP_add, 2, 0, 0, 0, false, 48, 384, 192, 0},
	/* per number: add to the sum; subtract, multiply-add (2) for the variance; subtract, times deviation, times gain, plus bias */
	{OP_layer_norm, 1, 8, 0, 2, false, 48 * 8, 192 + 64, 192, 64},
	{OP_batch_norm, 1, 8, 0, 2, false, 48 * 8, 192 + 64, 192, 64},
	/* per number: multiply-add (2) for the mean square, times 1 / root, times gain */
	{OP_rms_norm, 1, 8, 0, 1, false, 48 * 4, 192 + 32, 192, 32},
	{OP_scale, 1, 0, 0, 0, false, 48, 192, 192, 0}, /* 48 products */
	{OP_mul, 2, 0, 0, 0, false, 60, 480, 240, 0},   /* 60 products */
	/* quotient, tanh, product: of 6 x 4 x 5 scores, of 2 x 12 logits */
	{OP_softcap, 1, 0, 0, 0, false, 360, 480, 480, 0}, {OP_softcap, 1, 0, 0, 0, true, 72, 96, 96, 0},
	/* 6 x 1 angles with cosine and sine; 6 x 4 x 2 numbers: two products, a sum; reads them, 6 positions, 1 frequency */
	{OP_rope, 2, 0, 0, 0, false, 18 + 144, 4 * (48 + 6 + 1), 192, 0},
	{OP_mask_window, 0, 0, 0, 0, false, 0, 4 * (6 + 10), 30, 0}, /* positions of 6 cells and 10 columns */
	/* 6 cells x 10 outputs x (8 multiply-adds + a bias); weights 10 x 8, bias 10; inputs 6 x 8; outputs 6 x 10 */
	{OP_linear, 1, 10, 8, 2, false, 60 * 17, 4 * (80 + 10) + 4 * 48, 4 * 60, 4 * 90},
	{OP_linear_parts, 1, 10, 8, 2, false, 60 * 17, 4 * (80 + 10) + 4 * 48, 4 * 60, 4 * 90},
	/* the head: 2 rows x 12 outputs x 8 multiply-adds, no bias */
	{OP_linear, 1, 12, 8, 1, true, 2 * 12 * 16, 4 * 96 + 4 * 16, 4 * 24, 4 * 96},
	/* keys and values: 2 x 6 cells x 2 heads x 2 numbers of 4 bytes */
	{OP_cache_write, 2, 0, 0, 0, false, 0, 192, 192, 0},
	/* 6 x 4 x 5 scores x (2 multiply-adds + the scale); queries 6 x 4 x 2, keys 2 x 5 x 2 x 2, the mask 6 x 5 bytes */
	{OP_attn_scores, 3, 0, 0, 0, false, 120 * 5, 4 * 48 + 4 * 40 + 30, 480, 0},
	/* 120 times: difference, exp, sum, quotient */
	{OP_attn_softmax, 2, 0, 0, 0, false, 480, 480 + 30, 480, 0},
	/* 6 x 4 x 2 outputs x 5 multiply-adds; weights 120, values 40, the mask 30 bytes */
	{OP_attn_mix, 3, 0, 0, 0, false, 480, 480 + 160 + 30, 192, 0},
	/* 60 numbers; x * x * x * c + x, times a constant, tanh, + 1, times x / 2 (2): 9 */
	{OP_gelu_tanh, 1, 0, 0, 0, false, 540, 240, 240, 0},
	{OP_gelu_erf, 1, 0, 0, 0, false, 300, 240, 240, 0}, /* times a constant, erf, + 1, times x, times 1/2 */
	{OP_relu, 1, 0, 0, 0, false, 60, 240, 240, 0},      /* a comparison */
	{OP_silu, 1, 0, 0, 0, false, 240, 240, 240, 0},     /* minus, exp, + 1, quotient */
	{OP_last, 1, 0, 0, 0, false, 0, 64, 64, 0},         /* 2 x 8 numbers moved */
	{OP_softmax, 1, 0, 0, 0, false, 96, 96, 96, 0},     /* 24 times: difference, exp, sum, quotient */
	{OP_softmax_rows, 1, 0, 0, 0, false, 96, 96, 96, 0},
	{OP_penalise, 1, 0, 0, 0, false, 96, 96, 96, 0}, /* quotient; minus presence; minus frequency times count */
	{OP_temper, 1, 0, 0, 0, false, 24, 96, 96, 0},   /* a quotient */
	/* reads 24 numbers, writes 24 flags of a byte; of the sort, one comparison each */
	{OP_keep_top_k, 1, 0, 0, 0, false, 24, 96, 24, 0},
	{OP_keep_top_p, 2, 0, 0, 0, false, 96, 120, 24, 0}, /* and reads 24 flags; difference, exp, quotient, sum */
	{OP_keep_min_p, 2, 0, 0, 0, false, 72, 120, 24, 0}, /* difference, exp, comparison */
	{OP_softmax_kept, 2, 0, 0, 0, false, 96, 120, 96, 0},
	{OP_draw, 0, 0, 0, 0, false, 0, 0, 24, 0}, /* three numbers of 4 bytes a row */
	/* 24 sums and comparisons; 24 probabilities, 24 flags, 2 draws; 2 IDs */
	{OP_choose_drawn, 4, 0, 0, 0, false, 48, 128, 8, 0},
	{OP_choose, 1, 0, 0, 0, false, 24, 96, 8, 0}, /* 24 comparisons, 2 IDs */
	/* 24 times difference, exp, sum; per row log and two differences; 24 logits and 2 IDs */
	{OP_logprob, 2, 0, 0, 0, false, 78, 104, 8, 0}, {OP_finish, 1, 0, 0, 0, false, 0, 8, 2, 0}, /* 2 IDs, 2 flags */
};

#define COUNTED (sizeof counts / sizeof *counts)

static struct cost cost_of(const struct count *c)
{
	struct weight weight = {.shape = {c->out, c->in}}, bias = {.shape = {c->out, 0}};
	struct op op = {.code = c->code,
		.input_count = c->inputs,
		.weight_count = c->weights,
		.weights = {&weight, &bias},
		.per_row = c->per_row,
		.axes = "ND"};
	struct cost cost;
	op_kind(c->code)->cost(&op, &dims, &cost);
	return cost;
}

START_TEST(costs_are_those_counted_by_hand)
{
	const struct count *c = &counts[_i];
	struct cost cost = cost_of(c);
	const char *name = op_kind(c->code)->name;
	ck_assert_msg(cost.flops == c->flops, "%s: %g operations, not %g", name, cost.flops, c->flops);
	ck_assert_msg(cost.bytes_read == c->read, "%s: reads %g bytes, not %g", name, cost.bytes_read, c->read);
	ck_assert_msg(cost.bytes_written == c->written, "%s: writes %g bytes, not %g", name, cost.bytes_written,
		c->written);
	ck_assert_msg(cost.weight_bytes == c->shared, "%s: %g bytes of weights, not %g", name, cost.weight_bytes,
		c->shared);
}
END_TEST

START_TEST(every_kind_is_counted)
{
	for (int code = 0; code < OP_COUNT; code++) {
		bool found = false;
		for (size_t i = 0; i < COUNTED; i++)
			found = found || counts[i].code == (enum op_code)code;
		ck_assert_msg(found, "count %s by hand in tests/test_cost.c", op_kind((enum op_code)code)->name);
	}
}
END_TEST

START_TEST(packed_cells_are_the_tokens_alone)
{
	struct weight weight = {.shape = {10, 8}};
	struct op op = {.code = OP_linear, .input_count = 1, .weight_count = 1, .weights = {&weight}};
	struct dims packed = dims;
	struct cost cost;
	packed.packed = true;
	packed.T = 4; /* two of the six cells were padding */
	op_kind(OP_linear)->cost(&op, &packed, &cost);
	ck_assert(cost.flops == 4 * 10 * 16);
}
END_TEST

TEST_PROGRAM("cost", {
	tcase_add_loop_test(tests, costs_are_those_counted_by_hand, 0, (int)COUNTED);
	tcase_add_test(tests, every_kind_is_counted);
	tcase_add_test(tests, packed_cells_are_the_tokens_alone);
})
