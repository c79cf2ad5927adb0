/*
 * Norms, softmax, attention, rotary positions and element-wise kernels of every instruction set against plain loops that
 * follow the definitions in kernels.h, bit for bit.
 */
#include "harness.h"
#include "numbers.h"
#include "tensor/kernels.h"
#include "tensor/real.h"

static void check_equal(const char *set, const char *what, const float *got, const float *right, int64_t n)
{
	int64_t at = numbers_difference(got, right, n);
	ck_assert_msg(at < 0, "%s, %s: element %d of %d is %.9g, expected %.9g", set, what, (int)at, (int)n,
		(double)got[at], (double)right[at]);
}

static void canon_all(float *x, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		x[i] = numbers_canon(x[i]);
}

static struct pool *new_pool(int threads)
{
	struct err err = ERR_INIT;
	struct pool *pool;
	ck_assert(pool_new(&pool, threads, &err));
	return pool;
}

static void plain_layer_norm(float *y, const float *x, const float *gain, const float *bias, float eps, int64_t H)
{
	float sum = 0.0f;
	float squares = 0.0f;
	for (int64_t i = 0; i < H; i++)
		sum += x[i];
	float mean = sum / (float)H;
	for (int64_t i = 0; i < H; i++)
		squares = fmaf(x[i] - mean, x[i] - mean, squares);
	float r = 1.0f / sqrtf(squares / (float)H + eps);
	for (int64_t i = 0; i < H; i++) {
		float v = (x[i] - mean) * r;
		v = v * gain[i];
		y[i] = numbers_canon(bias != NULL ? v + bias[i] : v);
	}
}

static void plain_rms_norm(float *y, const float *x, const float *gain, float eps, int64_t H)
{
	float squares = 0.0f;
	for (int64_t i = 0; i < H; i++)
		squares = fmaf(x[i], x[i], squares);
	float r = 1.0f / sqrtf(squares / (float)H + eps);
	for (int64_t i = 0; i < H; i++)
		y[i] = numbers_canon(x[i] * r * gain[i]);
}

static void check_norms(int64_t H, int64_t rows, void (*fill)(float *, int64_t, uint64_t), struct pool *pool)
{
	float *x = numbers_new(rows * H), *gain = numbers_new(H), *bias = numbers_new(H);
	float *y = numbers_new(rows * H), *right = numbers_new(rows * H);
	fill(x, rows * H, (uint64_t)(H * 100 + rows));
	numbers_fill(gain, H, 8);
	numbers_fill(bias, H, 9);
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		for (int64_t r = 0; r < rows; r++)
			plain_layer_norm(right + r * H, x + r * H, gain, rows == 3 ? NULL : bias, 1e-5f, H);
		k->layer_norm(y, x, gain, rows == 3 ? NULL : bias, 1e-5f, H, rows, pool);
		check_equal(k->name, "layer norm", y, right, rows * H);
		for (int64_t r = 0; r < rows; r++)
			plain_rms_norm(right + r * H, x + r * H, gain, 1e-6f, H);
		memcpy(y, x, (size_t)(rows * H) * sizeof(float));
		k->rms_norm(y, y, gain, 1e-6f, H, rows, pool);
		check_equal(k->name, "rms norm", y, right, rows * H);
	}
	free(x);
	free(gain);
	free(bias);
	free(y);
	free(right);
}

START_TEST(norms)
{
	static const int64_t widths[] = {1, 3, 8, 16, 17, 64, 100, 577};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		for (int64_t rows = 1; rows <= 19; rows++)
			check_norms(widths[i], rows, numbers_fill, NULL);
		check_norms(widths[i], 19, numbers_hostile, NULL);
	}
	struct pool *pool = new_pool(3);
	check_norms(577, 301, numbers_fill, pool);
	pool_delete(pool);
}
END_TEST

static void plain_softmax(float *y, const float *x, const uint8_t *mask, int64_t n)
{
	float most = -INFINITY;
	float sum = 0.0f;
	for (int64_t i = 0; i < n; i++) {
		if ((mask == NULL || mask[i] != 0) && x[i] > most)
			most = x[i];
	}
	for (int64_t i = 0; i < n; i++) {
		if (mask == NULL || mask[i] != 0)
			sum += real_exp(x[i] - most);
	}
	for (int64_t i = 0; i < n; i++)
		y[i] = mask == NULL || mask[i] != 0 ? numbers_canon(real_exp(x[i] - most) / sum) : 0.0f;
}

static void random_mask(uint8_t *mask, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++)
		mask[i] = (uint8_t)(numbers_next(&seed) % 3 == 0 ? 0 : 1 + numbers_next(&seed) % 255);
}

START_TEST(softmax_rows)
{
	static const int64_t sizes[] = {1, 2, 15, 16, 33, 255, 256, 257, 1000};
	enum { ROWS = 6, MASKS = 3 };
	struct pool *pool = new_pool(2);
	for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
		int64_t n = sizes[c];
		float *x = numbers_new(ROWS * n), *y = numbers_new(ROWS * n), *right = numbers_new(ROWS * n);
		uint8_t *mask = malloc((size_t)(MASKS * n));
		numbers_hostile(x, n, 5);
		numbers_fill(x + n, (ROWS - 1) * n, 6);
		random_mask(mask, MASKS * n, 7);
		memset(mask + n, 0, (size_t)n);
		const struct kernels *k;
		for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
			for (int r = 0; r < ROWS; r++)
				plain_softmax(right + r * n, x + r * n, mask + r % MASKS * n, n);
			k->softmax(y, NULL, x, mask, MASKS, n, ROWS, pool);
			check_equal(k->name, "softmax", y, right, ROWS * n);
			for (int64_t j = 0; j < n; j++)
				ck_assert_uint_eq(numbers_bits(y[n + j]), 0);
			for (int r = 0; r < ROWS; r++)
				plain_softmax(right + r * n, x + r * n, NULL, n);
			memcpy(y, x, (size_t)(ROWS * n) * sizeof(float));
			k->softmax(y, NULL, y, NULL, 0, n, ROWS, NULL);
			check_equal(k->name, "softmax without mask", y, right, ROWS * n);
		}
		free(x);
		free(y);
		free(right);
		free(mask);
	}
	pool_delete(pool);
}
END_TEST

/* One row of attention with everything allocated. */
struct attention {
	struct attn_shape shape;
	struct attn_row row;
	float *q, *keys, *values;
	const float **key, **value;
	uint8_t *mask;
	float *scores, *weights, *out;
};

enum mask_kind { CAUSAL, RANDOM, NOTHING };

static void fill_mask(uint8_t *mask, int64_t S, int64_t K, enum mask_kind kind)
{
	random_mask(mask, S * K, 99);
	for (int64_t s = 0; s < S; s++) {
		for (int64_t j = 0; j < K; j++) {
			if (kind == CAUSAL)
				mask[s * K + j] = j >= 2 && j <= K - S + s;
			else if (kind == NOTHING || s == 1)
				mask[s * K + j] = 0;
		}
	}
}

static struct attention attention_new(struct attn_shape shape, int64_t S, int64_t K, enum mask_kind kind)
{
	int64_t q_stride = shape.N * shape.D + 3;
	struct attention a = {.shape = shape};
	a.q = numbers_new(S * q_stride);
	a.keys = numbers_new(K * shape.G * shape.D);
	a.values = numbers_new(K * shape.G * shape.D);
	a.key = malloc((size_t)K * sizeof *a.key);
	a.value = malloc((size_t)K * sizeof *a.value);
	a.mask = malloc((size_t)(S * K));
	a.scores = numbers_new(shape.N * S * K);
	a.weights = numbers_new(shape.N * S * K);
	a.out = numbers_new(S * shape.N * shape.D);
	numbers_fill(a.q, S * q_stride, 21);
	numbers_fill(a.keys, K * shape.G * shape.D, 22);
	numbers_fill(a.values, K * shape.G * shape.D, 23);
	for (int64_t j = 0; j < K; j++) { /* slots need not lie in order */
		a.key[j] = a.keys + (K - 1 - j) * shape.G * shape.D;
		a.value[j] = a.values + (K - 1 - j) * shape.G * shape.D;
	}
	if (K > 4) {
		a.key[3] = NULL;
		a.value[3] = NULL;
	}
	fill_mask(a.mask, S, K, kind);
	a.row = (struct attn_row){a.q, q_stride, a.key, a.value, a.mask, S, K, S * K, a.scores, a.weights, a.out};
	return a;
}

static void attention_free(struct attention *a)
{
	free(a->q);
	free(a->keys);
	free(a->values);
	free(a->key);
	free(a->value);
	free(a->mask);
	free(a->scores);
	free(a->weights);
	free(a->out);
}

static void plain_head(const struct attention *a, int64_t s, int64_t n, float *scores, float *weights, float *out)
{
	const struct attn_row *row = &a->row;
	const int64_t D = a->shape.D;
	const int64_t at = n / (a->shape.N / a->shape.G) * D;
	const uint8_t *mask = row->mask + s * row->K;
	for (int64_t j = 0; j < row->K; j++) {
		float acc = 0.0f;
		for (int64_t d = 0; d < D; d++)
			acc = fmaf(row->q[s * row->q_stride + n * D + d],
				row->keys[j] != NULL ? row->keys[j][at + d] : 0.0f, acc);
		scores[j] = mask[j] != 0 ? numbers_canon(acc * a->shape.scale) : -INFINITY;
	}
	plain_softmax(weights, scores, mask, row->K);
	for (int64_t d = 0; d < D; d++) {
		float acc = 0.0f;
		for (int64_t j = 0; j < row->K; j++) {
			if (mask[j] != 0)
				acc = fmaf(weights[j], row->values[j] != NULL ? row->values[j][at + d] : 0.0f, acc);
		}
		out[d] = numbers_canon(acc);
	}
}

static void check_attention(const struct attention *a, struct pool *pool)
{
	const struct attn_row *row = &a->row;
	const int64_t N = a->shape.N, D = a->shape.D, S = row->S, K = row->K;
	float *scores = numbers_new(N * S * K), *weights = numbers_new(N * S * K), *out = numbers_new(S * N * D);
	for (int64_t s = 0; s < S; s++) {
		for (int64_t n = 0; n < N; n++) {
			int64_t at = (n * S + s) * K;
			plain_head(a, s, n, scores + at, weights + at, out + (s * N + n) * D);
		}
	}
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		memset(row->out, 0xa5, (size_t)(S * N * D) * sizeof(float));
		k->attn_scores(&a->shape, row, 1, pool);
		check_equal(k->name, "scores", row->scores, scores, N * S * K);
		k->attn_weights(&a->shape, row, 1, pool);
		check_equal(k->name, "weights", row->weights, weights, N * S * K);
		k->attn_mix(&a->shape, row, 1, pool);
		check_equal(k->name, "mix", row->out, out, S * N * D);
	}
	free(scores);
	free(weights);
	free(out);
}

static void check_shape(struct attn_shape shape, int64_t S, int64_t K, enum mask_kind kind, struct pool *pool)
{
	struct attention a = attention_new(shape, S, K, kind);
	check_attention(&a, pool);
	attention_free(&a);
}

START_TEST(attention_of_all_shapes)
{
	static const int64_t widths[] = {1, 2, 5, 8, 16, 24, 33, 64, 80, 131};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		for (int64_t S = 1; S <= 11; S += 2) {
			check_shape((struct attn_shape){4, 4, widths[i], 0.3f}, S, 14, CAUSAL, NULL);
			check_shape((struct attn_shape){6, 2, widths[i], 0.3f}, S, 67, RANDOM, NULL);
		}
	}
	for (enum mask_kind kind = CAUSAL; kind <= NOTHING; kind++) {
		check_shape((struct attn_shape){9, 3, 64, 0.125f}, 70, 300, kind, NULL);
		check_shape((struct attn_shape){2, 1, 64, 0.125f}, 130, 130, kind, NULL);
		check_shape((struct attn_shape){3, 3, 10, 0.125f}, 1, 1, kind, NULL);
	}
}
END_TEST

START_TEST(attention_with_threads)
{
	for (int threads = 2; threads <= 4; threads++) {
		struct pool *pool = new_pool(threads);
		check_shape((struct attn_shape){9, 3, 64, 0.125f}, 150, 200, CAUSAL, pool);
		pool_delete(pool);
	}
}
END_TEST

/* Many rows in one call give what each gives alone. */
START_TEST(attention_of_a_batch)
{
	enum { ROWS = 5 };
	struct attention alone[ROWS], together[ROWS];
	struct attn_row rows[ROWS];
	struct attn_shape shape = {6, 2, 20, 0.2f};
	struct pool *pool = new_pool(2);
	for (int r = 0; r < ROWS; r++) {
		alone[r] = attention_new(shape, 1 + r * 20, 90 + r, r % 2 == 0 ? CAUSAL : RANDOM);
		together[r] = attention_new(shape, 1 + r * 20, 90 + r, r % 2 == 0 ? CAUSAL : RANDOM);
		rows[r] = together[r].row;
		check_attention(&alone[r], NULL);
	}
	const struct kernels *k = kernels_get(NULL);
	k->attn_scores(&shape, rows, ROWS, pool);
	k->attn_weights(&shape, rows, ROWS, pool);
	k->attn_mix(&shape, rows, ROWS, pool);
	for (int r = 0; r < ROWS; r++) {
		int64_t n = rows[r].S * rows[r].K * shape.N;
		check_equal(k->name, "scores of a batch", rows[r].scores, alone[r].scores, n);
		check_equal(k->name, "weights of a batch", rows[r].weights, alone[r].weights, n);
		check_equal(k->name, "mix of a batch", rows[r].out, alone[r].out, rows[r].S * shape.N * shape.D);
		attention_free(&alone[r]);
		attention_free(&together[r]);
	}
	pool_delete(pool);
}
END_TEST

/* What is forbidden may hold anything. */
START_TEST(forbidden_keys_do_not_leak)
{
	struct attn_shape shape = {4, 2, 24, 0.2f};
	for (enum mask_kind kind = CAUSAL; kind <= RANDOM; kind++) {
		struct attention clean = attention_new(shape, 1, 50, kind);
		struct attention dirty = attention_new(shape, 1, 50, kind);
		for (int64_t j = 0; j < 50; j++) {
			if (dirty.mask[j] != 0 || dirty.key[j] == NULL)
				continue;
			for (int64_t d = 0; d < shape.G * shape.D; d++) {
				dirty.keys[(49 - j) * shape.G * shape.D + d] = d % 2 == 0 ? NAN : INFINITY;
				dirty.values[(49 - j) * shape.G * shape.D + d] = d % 2 == 0 ? NAN : INFINITY;
			}
		}
		const struct kernels *k;
		for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
			struct attention *both[] = {&clean, &dirty};
			for (int b = 0; b < 2; b++) {
				k->attn_scores(&shape, &both[b]->row, 1, NULL);
				k->attn_weights(&shape, &both[b]->row, 1, NULL);
				k->attn_mix(&shape, &both[b]->row, 1, NULL);
			}
			check_equal(k->name, "scores", dirty.scores, clean.scores, shape.N * 50);
			check_equal(k->name, "weights", dirty.weights, clean.weights, shape.N * 50);
			check_equal(k->name, "mix", dirty.out, clean.out, shape.N * shape.D);
		}
		attention_free(&clean);
		attention_free(&dirty);
	}
}
END_TEST

START_TEST(attention_to_nothing_is_zero)
{
	struct attn_shape shape = {4, 2, 24, 0.2f};
	struct attention a = attention_new(shape, 3, 20, NOTHING);
	numbers_hostile(a.values, 20 * shape.G * shape.D, 4);
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		k->attn_scores(&shape, &a.row, 1, NULL);
		k->attn_weights(&shape, &a.row, 1, NULL);
		k->attn_mix(&shape, &a.row, 1, NULL);
		for (int64_t j = 0; j < shape.N * 3 * 20; j++) {
			ck_assert_uint_eq(numbers_bits(a.scores[j]), 0xff800000);
			ck_assert_uint_eq(numbers_bits(a.weights[j]), 0);
		}
		for (int64_t j = 0; j < shape.N * 3 * shape.D; j++)
			ck_assert_uint_eq(numbers_bits(a.out[j]), 0);
	}
	attention_free(&a);
}
END_TEST

START_TEST(rotary_positions)
{
	enum { ROWS = 5, HEADS = 3, D = 14, HALF = D / 2 };
	float x[ROWS * HEADS * D], y[ROWS * HEADS * D], right[ROWS * HEADS * D], c[ROWS * HALF], s[ROWS * HALF];
	numbers_hostile(x, ROWS * HEADS * D, 31);
	for (int i = 0; i < ROWS * HALF; i++) {
		c[i] = real_cos((float)i * 0.7f);
		s[i] = real_sin((float)i * 0.7f);
	}
	for (int m = 0; m < ROWS; m++) {
		for (int h = 0; h < HEADS; h++) {
			for (int i = 0; i < HALF; i++) {
				int at = (m * HEADS + h) * D + i;
				volatile float a = x[at] * c[m * HALF + i], b = x[at + HALF] * s[m * HALF + i];
				volatile float e = x[at + HALF] * c[m * HALF + i], f = x[at] * s[m * HALF + i];
				right[at] = a - b;
				right[at + HALF] = e + f;
			}
		}
	}
	canon_all(right, ROWS * HEADS * D);
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		k->rope(y, x, c, s, HEADS, D, ROWS, NULL);
		check_equal(k->name, "rope", y, right, ROWS * HEADS * D);
		memcpy(y, x, sizeof x);
		k->rope(y, y, c, s, HEADS, D, ROWS, NULL);
		check_equal(k->name, "rope in place", y, right, ROWS * HEADS * D);
	}
}
END_TEST

START_TEST(elementwise)
{
	enum { COUNT = 150007 };
	float *a = numbers_new(COUNT), *b = numbers_new(COUNT), *y = numbers_new(COUNT), *right = numbers_new(COUNT);
	struct pool *pool = new_pool(2);
	numbers_hostile(a, COUNT, 41);
	numbers_hostile(b, COUNT, 42);
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		for (int j = 0; j < COUNT; j++)
			right[j] = numbers_canon(a[j] + b[j]);
		k->add(y, a, b, COUNT, pool);
		check_equal(k->name, "add", y, right, COUNT);
		for (int j = 0; j < COUNT; j++)
			right[j] = numbers_canon(a[j] * b[j]);
		memcpy(y, a, COUNT * sizeof(float));
		k->mul(y, y, b, COUNT, pool);
		check_equal(k->name, "mul", y, right, COUNT);
		for (int j = 0; j < COUNT; j++)
			right[j] = numbers_canon(a[j]);
		memcpy(y, a, COUNT * sizeof(float));
		k->canon_nan(y, COUNT);
		check_equal(k->name, "canon_nan", y, right, COUNT);
	}
	pool_delete(pool);
	free(a);
	free(b);
	free(y);
	free(right);
}
END_TEST

START_TEST(picks_the_largest)
{
	float x[100];
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		numbers_fill(x, 100, 3);
		x[41] = 2.0f;
		x[77] = 2.0f;
		ck_assert_int_eq(k->argmax(x, 100), 41);
		ck_assert_int_eq(k->argmax(x + 42, 58), 77 - 42);
		x[2] = NAN;
		x[0] = NAN;
		ck_assert_int_eq(k->argmax(x, 100), 41);
		x[99] = INFINITY;
		ck_assert_int_eq(k->argmax(x, 100), 99);
		for (int j = 0; j < 100; j++)
			x[j] = j == 60 || j == 70 ? -INFINITY : NAN;
		ck_assert_int_eq(k->argmax(x, 100), 60);
		x[60] = x[70] = NAN;
		ck_assert_int_eq(k->argmax(x, 100), 0);
		x[5] = -0.0f;
		x[6] = 0.0f;
		ck_assert_int_eq(k->argmax(x, 100), 5);
	}
}
END_TEST

START_TEST(log_probability)
{
	enum { COUNT = 1003 };
	float x[COUNT];
	numbers_fill(x, COUNT, 17);
	float most = x[0], sum = 0.0f;
	for (int i = 1; i < COUNT; i++)
		most = x[i] > most ? x[i] : most;
	for (int i = 0; i < COUNT; i++)
		sum += real_exp(x[i] - most);
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		/* the same row several times: side by side, and one by one */
		float rows[7 * COUNT], y[7];
		for (int r = 0; r < 7; r++)
			memcpy(rows + r * COUNT, x, sizeof x);
		for (int j = 0; j + 6 * 17 < COUNT; j += 17) {
			int32_t ids[7] = {j, j + 17, j + 34, -1, j + 68, j + 85, j + 102};
			float sums[7], again[7], probabilities[7 * COUNT];
			k->log_softmax(y, NULL, rows, ids, COUNT, 7, NULL);
			k->softmax(probabilities, sums, rows, NULL, 1, COUNT, 7, NULL);
			k->log_softmax(again, sums, rows, ids, COUNT, 7, NULL);
			for (int r = 0; r < 7; r++) {
				float right = ids[r] < 0 ? 0.0f : (x[ids[r]] - most) - real_log(sum);
				ck_assert_uint_eq(numbers_bits(y[r]), numbers_bits(right));
				ck_assert_uint_eq(numbers_bits(again[r]), numbers_bits(right));
				ck_assert_uint_eq(numbers_bits(sums[r]), numbers_bits(sum));
			}
		}
	}
}
END_TEST

TEST_PROGRAM("kernels", {
	tcase_add_test(tests, norms);
	tcase_add_test(tests, softmax_rows);
	tcase_add_test(tests, attention_of_all_shapes);
	tcase_add_test(tests, attention_with_threads);
	tcase_add_test(tests, attention_of_a_batch);
	tcase_add_test(tests, forbidden_keys_do_not_leak);
	tcase_add_test(tests, attention_to_nothing_is_zero);
	tcase_add_test(tests, rotary_positions);
	tcase_add_test(tests, elementwise);
	tcase_add_test(tests, picks_the_largest);
	tcase_add_test(tests, log_probability);
})
