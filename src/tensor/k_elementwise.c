/*
 * k_elementwise.c: operations that look at one element, or a pair, at a time.
 */
#include "tensor/kernels_set.h"

#define REAL_LANES (VEC_LANES / 2)
#include "tensor/real_core.h"

typedef float real_floats __attribute__((vector_size(4 * REAL_LANES)));
typedef float real_memory __attribute__((vector_size(4 * REAL_LANES), aligned(4), may_alias));

enum activation { GELU_TANH, GELU_ERF, SILU, EXP };

struct elementwise {
	float *y;
	const float *a;
	const float *b;
};

/* Half a vector of floats through a function of doubles; the one rounding is the conversion back. */
K_INLINE real_floats activate(enum activation which, real_floats x)
{
	const real_ints canonical = {0};
	real_vec wide = __builtin_convertvector(x, real_vec);
	real_vec result;
	switch (which) {
	case GELU_TANH: result = real_core_gelu_tanh(wide); break;
	case GELU_ERF: result = real_core_gelu_erf(wide); break;
	case SILU: result = real_core_silu(wide); break;
	default: result = real_core_exp(wide);
	}
	result = real_select((real_ints)(result == result), result, (real_vec)(canonical + 0x7ff8000000000000));
	return __builtin_convertvector(result, real_floats);
}

K_INLINE void activate_piece(enum activation which, const struct elementwise *e, int64_t begin, int64_t end)
{
	int64_t i = begin;
	for (; i + REAL_LANES <= end; i += REAL_LANES) {
		real_floats x = (real_floats)(*(const real_memory *)(e->a + i));
		*(real_memory *)(e->y + i) = (real_memory)activate(which, x);
	}
	if (i < end) {
		real_floats x = {0};
		for (int64_t j = i; j < end; j++)
			x[j - i] = e->a[j];
		x = activate(which, x);
		for (int64_t j = i; j < end; j++)
			e->y[j] = x[j - i];
	}
}

static void gelu_tanh_piece(void *ctx, int64_t begin, int64_t end)
{
	activate_piece(GELU_TANH, ctx, begin, end);
}

static void gelu_erf_piece(void *ctx, int64_t begin, int64_t end)
{
	activate_piece(GELU_ERF, ctx, begin, end);
}

static void silu_piece(void *ctx, int64_t begin, int64_t end)
{
	activate_piece(SILU, ctx, begin, end);
}

static void exp_piece(void *ctx, int64_t begin, int64_t end)
{
	activate_piece(EXP, ctx, begin, end);
}

/* A multiple of every vector's length. */
#define GRAIN 16384

void K(k_gelu_tanh)(float *y, const float *x, int64_t n, struct pool *pool)
{
	struct elementwise e = {y, x, NULL};
	pool_run(pool, n, GRAIN, gelu_tanh_piece, &e);
}

void K(k_gelu_erf)(float *y, const float *x, int64_t n, struct pool *pool)
{
	struct elementwise e = {y, x, NULL};
	pool_run(pool, n, GRAIN, gelu_erf_piece, &e);
}

void K(k_silu)(float *y, const float *x, int64_t n, struct pool *pool)
{
	struct elementwise e = {y, x, NULL};
	pool_run(pool, n, GRAIN, silu_piece, &e);
}

void K(k_exp)(float *y, const float *x, int64_t n, struct pool *pool)
{
	struct elementwise e = {y, x, NULL};
	pool_run(pool, n, GRAIN, exp_piece, &e);
}

static void add_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct elementwise *e = ctx;
	int64_t i = begin;
	for (; i + VEC_LANES <= end; i += VEC_LANES)
		vec_store(e->y + i, vec_canon(vec_load(e->a + i) + vec_load(e->b + i)));
	if (i < end) {
		vec v = vec_load_some(e->a + i, end - i) + vec_load_some(e->b + i, end - i);
		vec_store_some(e->y + i, vec_canon(v), end - i);
	}
}

static void mul_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct elementwise *e = ctx;
	int64_t i = begin;
	for (; i + VEC_LANES <= end; i += VEC_LANES)
		vec_store(e->y + i, vec_canon(vec_load(e->a + i) * vec_load(e->b + i)));
	if (i < end) {
		vec v = vec_load_some(e->a + i, end - i) * vec_load_some(e->b + i, end - i);
		vec_store_some(e->y + i, vec_canon(v), end - i);
	}
}

void K(k_add)(float *y, const float *a, const float *b, int64_t n, struct pool *pool)
{
	struct elementwise e = {y, a, b};
	pool_run(pool, n, GRAIN * 8, add_piece, &e);
}

void K(k_mul)(float *y, const float *a, const float *b, int64_t n, struct pool *pool)
{
	struct elementwise e = {y, a, b};
	pool_run(pool, n, GRAIN * 8, mul_piece, &e);
}

void K(k_canon_nan)(float *x, int64_t n)
{
	int64_t i = 0;
	for (; i + VEC_LANES <= n; i += VEC_LANES)
		vec_store(x + i, vec_canon(vec_load(x + i)));
	if (i < n)
		vec_store_some(x + i, vec_canon(vec_load_some(x + i, n - i)), n - i);
}

struct rotation {
	float *y;
	const float *x;
	const float *cosines;
	const float *sines;
	int64_t heads;
	int64_t D;
};

static float canonical(float x)
{
	vec v = vec_canon(vec_all(x));
	return v[0];
}

static void rope_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct rotation *t = ctx;
	const int64_t half = t->D / 2;
	for (int64_t m = begin; m < end; m++) {
		const float *c = t->cosines + m * half;
		const float *s = t->sines + m * half;
		for (int64_t head = m * t->heads; head < (m + 1) * t->heads; head++) {
			const float *x = t->x + head * t->D;
			float *y = t->y + head * t->D;
			for (int64_t i = 0; i < half; i++) {
				float low = x[i];
				float high = x[i + half];
				y[i] = canonical(low * c[i] - high * s[i]);
				y[i + half] = canonical(high * c[i] + low * s[i]);
			}
		}
	}
}

void K(k_rope)(float *y, const float *x, const float *cosines, const float *sines, int64_t heads, int64_t D,
	int64_t rows, struct pool *pool)
{
	struct rotation rotation = {y, x, cosines, sines, heads, D};
	pool_run(pool, rows, k_grain(heads * D * 8), rope_piece, &rotation);
}

/* Twelve chains hide the latency of a multiply-add on every processor of today, and fit the registers. */
float K(k_burn)(int64_t steps)
{
	const vec a = vec_all(0.999f);
	const vec b = vec_all(0.001f);
	vec acc[12];
	float sum = 0.0f;
	K_UNROLL
	for (int i = 0; i < 12; i++)
		acc[i] = vec_all((float)i);
	for (int64_t s = 0; s < steps * VEC_PER_PANEL; s++) {
		K_UNROLL
		for (int i = 0; i < 12; i++)
			acc[i] = vec_fma(acc[i], a, b);
	}
	K_UNROLL
	for (int i = 0; i < 12; i++)
		sum += acc[i][0];
	return sum;
}
