/*
 * k_softmax.c: softmax, its logarithm, and the largest element.
 *
 * Exponentials run in vectors, a block at a time; their sum is one scalar chain in ascending index that skips what the
 * mask forbids.
 */
#include <math.h>

#include "tensor/kernels_set.h"
#include "tensor/real.h"

#define BLOCK 256

static bool allowed(const uint8_t *mask, int64_t i)
{
	return mask == NULL || mask[i] != 0;
}

/* The largest allowed value; -Inf when there is none but NaN. The order does not matter to a maximum. */
static float largest(const float *x, const uint8_t *mask, int64_t n)
{
	float most = -INFINITY;
	int64_t i = 0;
	if (mask == NULL) {
		vec best = vec_all(most);
		for (; i + VEC_LANES <= n; i += VEC_LANES) {
			vec v = vec_load(x + i);
			best = vec_select((vec_bits)(v > best), v, best);
		}
		for (int lane = 0; lane < VEC_LANES; lane++)
			most = best[lane] > most ? best[lane] : most;
	}
	for (; i < n; i++) {
		if (allowed(mask, i) && x[i] > most)
			most = x[i];
	}
	return most;
}

/* e[i] = exp(x[i] - most) for n <= BLOCK; whatever where the mask forbids. */
static void exponentials(float *e, const float *x, float most, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		e[i] = x[i] - most;
	K(k_exp)(e, e, n, NULL);
}

void K(k_softmax_row)(float *y, const float *x, const uint8_t *mask, int64_t n)
{
	float most = largest(x, mask, n);
	float sum = 0.0f;
	bool any = false;
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t count = n - i < BLOCK ? n - i : BLOCK;
		float e[BLOCK];
		exponentials(e, x + i, most, count);
		for (int64_t j = 0; j < count; j++) {
			if (allowed(mask, i + j)) {
				sum += e[j];
				any = true;
			} else {
				e[j] = 0.0f;
			}
		}
		memcpy(y + i, e, (size_t)count * sizeof(float));
	}
	if (!any)
		return; /* all are zero already */
	for (int64_t i = 0; i < n; i++)
		y[i] = allowed(mask, i) ? y[i] / sum : 0.0f;
	K(k_canon_nan)(y, n);
}

struct softmax {
	float *y;
	const float *x;
	const uint8_t *mask;
	int64_t mask_rows;
	int64_t n;
};

static void softmax_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct softmax *s = ctx;
	for (int64_t r = begin; r < end; r++) {
		const uint8_t *mask = s->mask == NULL ? NULL : s->mask + r % s->mask_rows * s->n;
		K(k_softmax_row)(s->y + r * s->n, s->x + r * s->n, mask, s->n);
	}
}

void K(k_softmax)(
	float *y, const float *x, const uint8_t *mask, int64_t mask_rows, int64_t n, int64_t rows, struct pool *pool)
{
	struct softmax softmax = {y, x, mask, mask_rows, n};
	pool_run(pool, rows, k_grain(n * 32), softmax_piece, &softmax);
}

int64_t K(k_argmax)(const float *x, int64_t n)
{
	float most = largest(x, NULL, n);
	for (int64_t i = 0; i < n; i++) {
		if (x[i] == most)
			return i;
	}
	return 0;
}

float K(k_log_softmax_at)(const float *x, int64_t n, int64_t index)
{
	float most = largest(x, NULL, n);
	float sum = 0.0f;
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t count = n - i < BLOCK ? n - i : BLOCK;
		float e[BLOCK];
		exponentials(e, x + i, most, count);
		for (int64_t j = 0; j < count; j++)
			sum += e[j];
	}
	float result = (x[index] - most) - real_log(sum);
	K(k_canon_nan)(&result, 1);
	return result;
}
