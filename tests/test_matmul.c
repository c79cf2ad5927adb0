/*
 * The matrix product of every instruction set against a plain loop of fmaf, bit for bit: any number of rows, odd
 * sizes, threads, hostile numbers. Two planted bugs (partial sums; an order that depends on the number of rows) must be seen
 * by the same comparison.
 */
#include "harness.h"
#include "numbers.h"
#include "tensor/kernels.h"

struct case_data {
	int64_t in, out, M;
	float *x, *rows, *bias, *y, *expected;
	struct panel w;
};

static void plain(float *y, const struct case_data *c, const float *bias)
{
	for (int64_t m = 0; m < c->M; m++) {
		for (int64_t j = 0; j < c->out; j++) {
			float acc = 0.0f;
			for (int64_t k = 0; k < c->in; k++)
				acc = fmaf(c->x[m * c->in + k], c->rows[j * c->in + k], acc);
			y[m * c->out + j] = numbers_canon(bias != NULL ? acc + bias[j] : acc);
		}
	}
}

typedef void filler(float *x, int64_t n, uint64_t seed);

static struct case_data case_new(int64_t in, int64_t out, int64_t M, filler *fill)
{
	struct case_data c = {.in = in, .out = out, .M = M};
	c.x = numbers_new(M * in);
	c.rows = numbers_new(in * out);
	c.bias = numbers_new(out);
	c.y = numbers_new(M * out);
	c.expected = numbers_new(M * out);
	fill(c.x, M * in, 1 + (uint64_t)in);
	fill(c.rows, in * out, 2 + (uint64_t)out);
	fill(c.bias, out, 3);
	c.w = (struct panel){in, out, numbers_new((int64_t)panel_floats(in, out))};
	panel_clear(&c.w);
	panel_put_rows(&c.w, 0, out, c.rows);
	return c;
}

static void case_free(struct case_data *c)
{
	free(c->x);
	free(c->rows);
	free(c->bias);
	free(c->y);
	free(c->expected);
	free(c->w.data);
}

static void check_sets(struct case_data *c, const float *bias, struct pool *pool)
{
	plain(c->expected, c, bias);
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		memset(c->y, 0x5a, (size_t)(c->M * c->out) * sizeof(float));
		float guard = c->y[c->M * c->out];
		k->matmul(c->y, c->x, &c->w, bias, c->M, pool);
		int64_t at = numbers_difference(c->y, c->expected, c->M * c->out);
		ck_assert_msg(at < 0, "%s %d threads, M=%d in=%d out=%d: element %d is %.9g, expected %.9g", k->name,
			pool_threads(pool), (int)c->M, (int)c->in, (int)c->out, (int)at, (double)c->y[at],
			(double)c->expected[at]);
		ck_assert_uint_eq(numbers_bits(guard), numbers_bits(c->y[c->M * c->out]));
	}
}

static struct pool *new_pool(int threads)
{
	struct err err = ERR_INIT;
	struct pool *pool;
	ck_assert(pool_new(&pool, threads, &err));
	return pool;
}

START_TEST(any_number_of_rows)
{
	for (int64_t M = 1; M <= 67; M++) {
		struct case_data c = case_new(67, 83, M, numbers_fill);
		check_sets(&c, c.bias, NULL);
		case_free(&c);
	}
}
END_TEST

START_TEST(odd_sizes)
{
	static const int64_t sizes[] = {1, 2, 15, 16, 17, 31, 33, 64, 129, 257, 513};
	enum { COUNT = sizeof sizes / sizeof *sizes };
	for (int i = 0; i < COUNT; i++) {
		for (int j = 0; j < COUNT; j++) {
			for (int64_t M = 1; M <= 14; M += 13) {
				struct case_data c = case_new(sizes[i], sizes[j], M, numbers_fill);
				check_sets(&c, M == 1 ? NULL : c.bias, NULL);
				case_free(&c);
			}
		}
	}
}
END_TEST

START_TEST(any_number_of_threads)
{
	for (int threads = 1; threads <= 4; threads++) {
		struct pool *pool = new_pool(threads);
		static const int64_t rows[] = {1, 2, 5, 8, 13, 25};
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			/* large enough for several pieces: over a million multiply-adds */
			struct case_data c = case_new(515, i == 0 ? 5003 : 1111, rows[i], numbers_fill);
			check_sets(&c, c.bias, pool);
			case_free(&c);
		}
		pool_delete(pool);
	}
}
END_TEST

START_TEST(hostile_numbers)
{
	for (int64_t M = 1; M <= 14; M++) {
		struct case_data c = case_new(9 + M * 41, 100 + M, M, numbers_hostile);
		check_sets(&c, c.bias, NULL);
		case_free(&c);
	}
}
END_TEST

/* A float near enough to -a * b, or to a tie, to make the rounding of a * b + c hard. */
static float hard_addend(float a, float b, uint64_t *seed)
{
	float near = -(a * b);
	switch (numbers_next(seed) % 5) {
	case 0: return numbers_float(numbers_bits(near) + numbers_next(seed) % 5 - 2);
	case 1: return near * 0x1p24f;
	case 2: return near * -0x1p25f;
	case 3: return near * 0x1p-23f;
	default: return numbers_float(numbers_next(seed));
	}
}

/* 1 * c + a * b for hard and for all kinds of numbers: the software multiply-add of the scalar set above all. */
START_TEST(one_multiply_add)
{
	enum { COUNT = 4096 };
	struct case_data c = case_new(2, COUNT, 1, numbers_fill);
	uint64_t seed = 77;
	for (int round = 0; round < 40; round++) {
		c.x[0] = 1.0f;
		c.x[1] = round < 20 ? numbers_unit(&seed) : numbers_float(numbers_next(&seed));
		for (int j = 0; j < COUNT; j++) {
			float b = round % 2 == 0 ? numbers_unit(&seed) : numbers_float(numbers_next(&seed));
			c.rows[j * 2] = hard_addend(c.x[1], b, &seed);
			c.rows[j * 2 + 1] = b;
		}
		panel_put_rows(&c.w, 0, COUNT, c.rows);
		check_sets(&c, NULL, NULL);
	}
	case_free(&c);
}
END_TEST

/*
 * c + a * b where c is a whole number of 25 bits and a * b is 1 and a little: a hair beside the tie between two floats. With
 * a = 1 + x / 2^23 and b = 1 - y / 2^23 the little is (x - y) / 2^23 - x y / 2^46, which for some x and y is next to the last
 * bit of a double.
 */
START_TEST(hairs_beside_ties)
{
	enum { COUNT = 16 };
	struct case_data c = case_new(2, COUNT, 1, numbers_fill);
	c.x[0] = 1.0f;
	for (int y = 1; y < 5000; y++) {
		c.x[1] = 1.0f + (float)(y + y % 2) * 0x1p-23f;
		for (int j = 0; j < COUNT; j++) {
			c.rows[j * 2] = (j < 8 ? 0x1p24f : -0x1p24f) + (float)(j * 2);
			c.rows[j * 2 + 1] = (1.0f - (float)y * 0x1p-23f) * (j % 4 < 2 ? 1.0f : -1.0f);
		}
		panel_put_rows(&c.w, 0, COUNT, c.rows);
		check_sets(&c, NULL, NULL);
	}
	case_free(&c);
}
END_TEST

/* A NaN row, or an infinite one, changes nothing in the others. */
START_TEST(rows_do_not_touch)
{
	struct case_data c = case_new(300, 70, 9, numbers_fill);
	plain(c.expected, &c, NULL);
	for (int64_t i = 0; i < c.in; i++)
		c.x[4 * c.in + i] = i % 2 == 0 ? numbers_float(0x7fc54321) : INFINITY;
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		k->matmul(c.y, c.x, &c.w, NULL, c.M, NULL);
		ck_assert_int_eq(numbers_difference(c.y, c.expected, 4 * c.out), -1);
		ck_assert_int_eq(numbers_difference(c.y + 5 * c.out, c.expected + 5 * c.out, 4 * c.out), -1);
		ck_assert_uint_eq(numbers_bits(c.y[4 * c.out]), 0x7fc00000);
	}
	case_free(&c);
}
END_TEST

/* Planted bug 1: eight partial sums, as a kernel vectorised along k would do. */
static float eight_sums(const float *x, const float *w, int64_t n)
{
	float part[8] = {0};
	float sum = 0.0f;
	for (int64_t k = 0; k < n; k++)
		part[k % 8] = fmaf(x[k], w[k], part[k % 8]);
	for (int i = 0; i < 8; i++)
		sum += part[i];
	return sum;
}

/* Planted bug 2: blocks of k whose length depends on the number of rows, each summed from zero. */
static float batch_blocks(const float *x, const float *w, int64_t n, int64_t M)
{
	float sum = 0.0f;
	int64_t length = M == 1 ? n : 64;
	for (int64_t k = 0; k < n; k += length) {
		float part = 0.0f;
		for (int64_t i = k; i < n && i < k + length; i++)
			part = fmaf(x[i], w[i], part);
		sum += part;
	}
	return sum;
}

START_TEST(planted_bugs_are_seen)
{
	struct case_data c = case_new(257, 40, 3, numbers_fill);
	int partial = 0, batch = 0, batch_alone = 0;
	plain(c.expected, &c, NULL);
	for (int64_t m = 0; m < c.M; m++) {
		for (int64_t j = 0; j < c.out; j++) {
			const float *x = c.x + m * c.in;
			const float *w = c.rows + j * c.in;
			uint32_t right = numbers_bits(c.expected[m * c.out + j]);
			partial += numbers_bits(eight_sums(x, w, c.in)) != right;
			batch += numbers_bits(batch_blocks(x, w, c.in, c.M)) != right;
			batch_alone += numbers_bits(batch_blocks(x, w, c.in, 1)) != right;
		}
	}
	ck_assert_int_gt(partial, 0);
	ck_assert_int_gt(batch, 0);
	ck_assert_int_eq(batch_alone, 0);
	case_free(&c);
}
END_TEST

START_TEST(panels_hold_what_was_put)
{
	struct case_data c = case_new(37, 45, 2, numbers_fill);
	struct panel other = {37, 45, numbers_new((int64_t)panel_floats(37, 45))};
	float *cols = numbers_new(37 * 45);
	float column[37];
	for (int64_t j = 0; j < 45; j++) {
		for (int64_t k = 0; k < 37; k++)
			cols[k * 45 + j] = c.rows[j * 37 + k];
	}
	panel_clear(&other);
	panel_put_cols(&other, 0, 10, cols);
	panel_put_cols(&other, 10, 27, cols + 10 * 45);
	ck_assert_int_eq(numbers_difference(other.data, c.w.data, (int64_t)panel_floats(37, 45)), -1);
	panel_clear(&other);
	panel_put_rows(&other, 0, 7, c.rows);
	panel_put_rows(&other, 7, 38, c.rows + 7 * 37);
	ck_assert_int_eq(numbers_difference(other.data, c.w.data, (int64_t)panel_floats(37, 45)), -1);
	ck_assert(panel_cell(&c.w, 36, 44) == c.rows[44 * 37 + 36]);
	panel_column(&c.w, 16, column);
	ck_assert_int_eq(numbers_difference(column, c.rows + 16 * 37, 37), -1);
	ck_assert_uint_eq(panel_floats(37, 45), 37 * 48);
	free(other.data);
	free(cols);
	case_free(&c);
}
END_TEST

START_TEST(embedding_rows_are_looked_up)
{
	struct case_data c = case_new(37, 45, 1, numbers_fill);
	static const int32_t ids[] = {44, 0, 16, 44};
	float y[4 * 37];
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		k->lookup(y, &c.w, ids, 4, NULL);
		for (int m = 0; m < 4; m++)
			ck_assert_int_eq(numbers_difference(y + m * 37, c.rows + ids[m] * 37, 37), -1);
	}
	case_free(&c);
}
END_TEST

START_TEST(sets_are_found_by_name)
{
	const char *why = NULL;
	ck_assert_str_eq(kernels_get("scalar")->name, "scalar");
	ck_assert_ptr_null(kernels_get("mmx"));
	ck_assert_ptr_nonnull(kernels_get(NULL));
	ck_assert(kernels_check(&why));
}
END_TEST

TEST_PROGRAM("matmul", {
	tcase_add_test(tests, any_number_of_rows);
	tcase_add_test(tests, odd_sizes);
	tcase_add_test(tests, any_number_of_threads);
	tcase_add_test(tests, hostile_numbers);
	tcase_add_test(tests, one_multiply_add);
	tcase_add_test(tests, hairs_beside_ties);
	tcase_add_test(tests, rows_do_not_touch);
	tcase_add_test(tests, planted_bugs_are_seen);
	tcase_add_test(tests, panels_hold_what_was_put);
	tcase_add_test(tests, embedding_rows_are_looked_up);
	tcase_add_test(tests, sets_are_found_by_name);
})
