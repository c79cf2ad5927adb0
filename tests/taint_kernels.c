/*
 * Isolation of the kernels by taint, not by sampling: built with MemorySanitizer (`make taint`), which follows every bit that
 * was never defined. All memory of the other rows is declared undefined, a kernel runs over the whole batch, and row r's
 * results must still be defined. So that the proof can fail, the other rows' results must not be.
 *
 * Also: keys and values that the mask forbids are undefined, and nothing of them may reach the output.
 */
#include <sanitizer/msan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "tensor/kernels.h"

enum { ROWS = 9, H = 83, OUT = 70 };

static int failures;

static void expect(const char *set, const char *what, int row, int good)
{
	if (good)
		return;
	printf("FAIL %s, %s, row %d\n", set, what, row);
	failures++;
}

/* Row `row` of y [ROWS][width] must be defined, and of every other row something must not be. */
static void check_rows(const char *set, const char *what, const float *y, int64_t width, int row)
{
	for (int r = 0; r < ROWS; r++) {
		int64_t at = __msan_test_shadow(y + r * width, (size_t)width * sizeof(float));
		expect(set, what, r, r == row ? at < 0 : at >= 0);
	}
}

static void taint_others(const float *x, int64_t width, int row)
{
	for (int r = 0; r < ROWS; r++) {
		if (r != row)
			__msan_poison(x + r * width, (size_t)width * sizeof(float));
	}
}

static float *fresh(int64_t n, uint64_t seed)
{
	float *x = numbers_new(n);
	numbers_fill(x, n, seed);
	return x;
}

static void check_by_row(const struct kernels *k, int row)
{
	float *x = fresh(ROWS * H, 1), *other = fresh(ROWS * H, 2), *y = fresh(ROWS * H, 3);
	float *gain = fresh(H, 4), *rows = fresh(OUT * H, 5), *wide = fresh(ROWS * OUT, 6);
	struct panel w = {H, OUT, numbers_new((int64_t)panel_floats(H, OUT))};
	panel_clear(&w);
	panel_put_rows(&w, 0, OUT, rows);
	taint_others(x, H, row);
	taint_others(other, H, row);
	k->matmul(wide, x, &w, gain, ROWS, NULL);
	check_rows(k->name, "matmul", wide, OUT, row);
	k->layer_norm(y, x, gain, gain, 1e-5f, H, ROWS, NULL);
	check_rows(k->name, "layer_norm", y, H, row);
	k->rms_norm(y, x, gain, 1e-5f, H, ROWS, NULL);
	check_rows(k->name, "rms_norm", y, H, row);
	k->gelu_tanh(y, x, ROWS * H, NULL);
	check_rows(k->name, "gelu_tanh", y, H, row);
	k->gelu_erf(y, x, ROWS * H, NULL);
	check_rows(k->name, "gelu_erf", y, H, row);
	k->silu(y, x, ROWS * H, NULL);
	check_rows(k->name, "silu", y, H, row);
	k->add(y, x, other, ROWS * H, NULL);
	check_rows(k->name, "add", y, H, row);
	k->mul(y, x, other, ROWS * H, NULL);
	check_rows(k->name, "mul", y, H, row);
	k->rope(y, x, gain, gain, 1, 8, 1, NULL);
	free(x);
	free(other);
	free(y);
	free(gain);
	free(rows);
	free(wide);
	free(w.data);
}

/* Attention of a batch, each row with its own keys; forbidden keys are undefined in every row. */
enum { N = 4, G = 2, D = 20, K = 75, S = 3 };

struct attention {
	struct attn_row row;
	float *q, *keys, *values;
	const float *key[K], *value[K];
	uint8_t mask[S * K];
	float *scores, *weights, *out;
};

static void attention_start(struct attention *a, uint64_t seed)
{
	a->q = fresh(S * N * D, seed);
	a->keys = fresh(K * G * D, seed + 1);
	a->values = fresh(K * G * D, seed + 2);
	a->scores = fresh(N * S * K, 7);
	a->weights = fresh(N * S * K, 7);
	a->out = fresh(S * N * D, 7);
	for (int j = 0; j < K; j++) {
		a->key[j] = a->keys + j * G * D;
		a->value[j] = a->values + j * G * D;
		for (int s = 0; s < S; s++)
			a->mask[s * K + j] = j >= 5 && j % 7 != 0 && j < K - S + s;
		if (j < 5 || j % 7 == 0 || j >= K - 1) {
			__msan_poison(a->key[j], G * D * sizeof(float));
			__msan_poison(a->value[j], G * D * sizeof(float));
		}
	}
	a->row = (struct attn_row){a->q, N * D, a->key, a->value, a->mask, S, K, S * K, a->scores, a->weights, a->out};
}

static void attention_end(struct attention *a)
{
	free(a->q);
	free(a->keys);
	free(a->values);
	free(a->scores);
	free(a->weights);
	free(a->out);
}

static int defined(const float *x, int64_t n)
{
	return __msan_test_shadow(x, (size_t)n * sizeof(float)) < 0;
}

static void check_attention(const struct kernels *k, int row)
{
	static struct attention all[ROWS];
	struct attn_row rows[ROWS];
	struct attn_shape shape = {N, G, D, 0.25f};
	for (int r = 0; r < ROWS; r++) {
		attention_start(&all[r], (uint64_t)(r + 1) * 10);
		if (r != row) {
			__msan_poison(all[r].q, S * N * D * sizeof(float));
			__msan_poison(all[r].keys, K * G * D * sizeof(float));
			__msan_poison(all[r].values, K * G * D * sizeof(float));
		}
		rows[r] = all[r].row;
	}
	k->attn_scores(&shape, rows, ROWS, NULL);
	k->attn_weights(&shape, rows, ROWS, NULL);
	k->attn_mix(&shape, rows, ROWS, NULL);
	for (int r = 0; r < ROWS; r++) {
		int same = r == row;
		expect(k->name, "attn_scores", r, defined(all[r].scores, N * S * K) == same);
		expect(k->name, "attn_weights", r, defined(all[r].weights, N * S * K) == same);
		expect(k->name, "attn_mix", r, defined(all[r].out, S * N * D) == same);
		attention_end(&all[r]);
	}
}

/* Softmax of the sampler: rows of a batch, with forbidden entries undefined. */
static void check_softmax(const struct kernels *k, int row)
{
	float *x = fresh(ROWS * H, 1), *y = fresh(ROWS * H, 2);
	uint8_t mask[ROWS * H];
	for (int i = 0; i < ROWS * H; i++) {
		mask[i] = i % 5 != 0;
		if (mask[i] == 0)
			__msan_poison(x + i, sizeof *x);
	}
	taint_others(x, H, row);
	k->softmax(y, NULL, x, mask, ROWS, H, ROWS, NULL);
	check_rows(k->name, "softmax", y, H, row);
	free(x);
	free(y);
}

int main(void)
{
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		for (int row = 0; row < ROWS; row++) {
			check_by_row(k, row);
			check_softmax(k, row);
			check_attention(k, row);
		}
		printf("ok %s: every kernel, every row of %d\n", k->name, ROWS);
	}
	return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
