/*
 * k_norm.c: layer normalisation and root-mean-square normalisation.
 *
 * A row's sum is one chain of dependent additions. To keep the arithmetic units busy a few rows go side by side,
 * each with its own accumulator.
 */
#include <math.h>

#include "tensor/kernels_set.h"

#define SIDE_BY_SIDE 8

struct norm {
	float *y;
	const float *x;
	const float *gain;
	const float *bias;
	float eps;
	int64_t H;
	bool centred; /* layer normalisation */
};

/* sums[r] = sum of x[r][i]. */
K_INLINE void sum_rows(const int rows, const float *x, int64_t H, float *sums)
{
	float acc[SIDE_BY_SIDE];
	K_UNROLL
	for (int r = 0; r < rows; r++)
		acc[r] = 0.0f;
	for (int64_t i = 0; i < H; i++) {
		K_UNROLL
		for (int r = 0; r < rows; r++)
			acc[r] += x[r * H + i];
	}
	K_UNROLL
	for (int r = 0; r < rows; r++)
		sums[r] = acc[r];
}

/* sums[r] = sum of (x[r][i] - centre[r])^2. */
K_INLINE void sum_squares(const int rows, const float *x, int64_t H, const float *centre, float *sums)
{
	float acc[SIDE_BY_SIDE];
	K_UNROLL
	for (int r = 0; r < rows; r++)
		acc[r] = 0.0f;
	for (int64_t i = 0; i < H; i++) {
		K_UNROLL
		for (int r = 0; r < rows; r++) {
			float d = x[r * H + i] - centre[r];
			acc[r] = scalar_fma(d, d, acc[r]);
		}
	}
	K_UNROLL
	for (int r = 0; r < rows; r++)
		sums[r] = acc[r];
}

K_INLINE vec scaled(const struct norm *n, vec x, vec centre, vec factor, vec gain, vec bias)
{
	vec v = (x - centre) * factor * gain;
	if (n->bias != NULL)
		v += bias;
	return vec_canon(v);
}

static void scale_row(const struct norm *n, int64_t row, float centre, float factor)
{
	const float *x = n->x + row * n->H;
	float *y = n->y + row * n->H;
	const vec c = vec_all(centre);
	const vec f = vec_all(factor);
	const vec none = {0};
	int64_t i = 0;
	for (; i + VEC_LANES <= n->H; i += VEC_LANES) {
		vec bias = n->bias != NULL ? vec_load(n->bias + i) : none;
		vec_store(y + i, scaled(n, vec_load(x + i), c, f, vec_load(n->gain + i), bias));
	}
	int64_t rest = n->H - i;
	if (rest > 0) {
		vec bias = n->bias != NULL ? vec_load_some(n->bias + i, rest) : none;
		vec v = scaled(n, vec_load_some(x + i, rest), c, f, vec_load_some(n->gain + i, rest), bias);
		vec_store_some(y + i, v, rest);
	}
}

K_INLINE void some_rows(const struct norm *n, const int rows, int64_t first)
{
	const float *x = n->x + first * n->H;
	const float H = (float)n->H;
	float centre[SIDE_BY_SIDE] = {0};
	float squares[SIDE_BY_SIDE];
	if (n->centred) {
		sum_rows(rows, x, n->H, centre);
		for (int r = 0; r < rows; r++)
			centre[r] /= H;
	}
	sum_squares(rows, x, n->H, centre, squares);
	for (int r = 0; r < rows; r++) {
		float factor = 1.0f / sqrtf(squares[r] / H + n->eps);
		scale_row(n, first + r, centre[r], factor);
	}
}

static void eight_rows(const struct norm *n, int64_t first)
{
	some_rows(n, SIDE_BY_SIDE, first);
}

static void one_row(const struct norm *n, int64_t first)
{
	some_rows(n, 1, first);
}

static void norm_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct norm *n = ctx;
	for (; begin + SIDE_BY_SIDE <= end; begin += SIDE_BY_SIDE)
		eight_rows(n, begin);
	for (; begin < end; begin++)
		one_row(n, begin);
}

void K(k_layer_norm)(float *y, const float *x, const float *gain, const float *bias, float eps, int64_t H, int64_t rows,
	struct pool *pool)
{
	struct norm norm = {y, x, gain, bias, eps, H, true};
	pool_run(pool, rows, k_grain(H * 16), norm_piece, &norm);
}

void K(k_rms_norm)(float *y, const float *x, const float *gain, float eps, int64_t H, int64_t rows, struct pool *pool)
{
	struct norm norm = {y, x, gain, NULL, eps, H, false};
	pool_run(pool, rows, k_grain(H * 16), norm_piece, &norm);
}
