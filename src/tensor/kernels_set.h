/*
 * kernels_set.h: the vector of the instruction set that a k_*.c file is being compiled for.
 *
 * The Makefile compiles each k_*.c once per set with -DKERNELS_SET=<set> -DKERNELS_SET_<set> and the set's flags.
 * K(name) gives an exported name its set as a suffix. `vec` holds VEC_LANES floats; a panel of 16 columns is
 * VEC_PER_PANEL vectors. The only operations that need the set's own instructions are vec_fma and, for speed, parts of a
 * vector; the rest is the vector extension that gcc and clang share. Included by k_*.c files only.
 */
#ifndef TENSOR_KERNELS_SET_H
#define TENSOR_KERNELS_SET_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensor/kernels.h"

#if defined KERNELS_SET_avx2 || defined KERNELS_SET_avx512
#include <immintrin.h>
#elif defined KERNELS_SET_neon
#include <arm_neon.h>
#endif

#if FLT_EVAL_METHOD != 0
#error "the bit promise needs float arithmetic without extra precision (on 32-bit x86: -msse2 -mfpmath=sse)"
#endif

#ifndef KERNELS_SET
#define KERNELS_SET scalar
#define KERNELS_SET_scalar
#endif
#define K_PASTE_(name, set) name##_##set
#define K_PASTE(name, set) K_PASTE_(name, set)
#define K(name) K_PASTE(name, KERNELS_SET)
#define K_TEXT_(set) #set
#define K_TEXT(set) K_TEXT_(set)

#define K_INLINE static inline __attribute__((always_inline, unused))
#if defined __clang__
#define K_UNROLL _Pragma("clang loop unroll(full)")
#else
#define K_UNROLL _Pragma("GCC unroll 32")
#endif

/* VEC_LANES and the shape of the largest matrix tile: TILE_ROWS rows x TILE_PANELS panels, with all accumulators in
 * registers. */
#if defined KERNELS_SET_avx512
#define VEC_LANES 16
#define TILE_ROWS 12
#define TILE_PANELS 2
#elif defined KERNELS_SET_avx2
#define VEC_LANES 8
#define TILE_ROWS 6
#define TILE_PANELS 1
#elif defined KERNELS_SET_neon
#define VEC_LANES 4
#define TILE_ROWS 6
#define TILE_PANELS 1
#else
#define VEC_LANES 4
#define TILE_ROWS 2
#define TILE_PANELS 1
#endif
#define VEC_PER_PANEL (PANEL_WIDTH / VEC_LANES)

typedef float vec __attribute__((vector_size(4 * VEC_LANES)));
typedef int32_t vec_bits __attribute__((vector_size(4 * VEC_LANES)));
/* The same in memory, where it need not be aligned. (memcpy would become a call under _FORTIFY_SOURCE.) */
typedef float vec_memory __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));

K_INLINE vec vec_load(const float *from)
{
	return (vec)(*(const vec_memory *)from);
}

K_INLINE void vec_store(float *to, vec v)
{
	*(vec_memory *)to = (vec_memory)v;
}

/* The first n lanes, n < VEC_LANES; the others are +0. */
K_INLINE vec vec_load_some(const float *from, int64_t n)
{
#if defined KERNELS_SET_avx512
	return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), from);
#else
	vec v = {0};
	for (int64_t i = 0; i < n; i++)
		v[i] = from[i];
	return v;
#endif
}

K_INLINE void vec_store_some(float *to, vec v, int64_t n)
{
#if defined KERNELS_SET_avx512
	_mm512_mask_storeu_ps(to, (__mmask16)((1u << n) - 1), (__m512)v);
#else
	for (int64_t i = 0; i < n; i++)
		to[i] = v[i];
#endif
}

K_INLINE vec vec_all(float x)
{
#if VEC_LANES == 16
	return (vec){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif VEC_LANES == 8
	return (vec){x, x, x, x, x, x, x, x};
#else
	return (vec){x, x, x, x};
#endif
}

K_INLINE vec vec_select(vec_bits mask, vec yes, vec no)
{
	return (vec)((mask & (vec_bits)yes) | (~mask & (vec_bits)no));
}

/* All ones in the lanes of n <= VEC_LANES mask bytes that are not 0. */
K_INLINE vec_bits vec_allowed(const uint8_t *mask, int64_t n)
{
	typedef uint8_t bytes __attribute__((vector_size(VEC_LANES)));
#if defined KERNELS_SET_avx512
	bytes allowed = (bytes)_mm_maskz_loadu_epi8((__mmask16)((1u << n) - 1), mask);
#else
	typedef uint8_t bytes_memory __attribute__((vector_size(VEC_LANES), aligned(1), may_alias));
	bytes allowed = {0};
	if (n == VEC_LANES)
		allowed = (bytes)(*(const bytes_memory *)mask);
	for (int64_t i = 0; n < VEC_LANES && i < n; i++)
		allowed[i] = mask[i];
#endif
	return (vec_bits)(__builtin_convertvector(allowed, vec_bits) != 0);
}

/* NaN lanes become the canonical NaN. */
K_INLINE vec vec_canon(vec v)
{
	const vec_bits canonical = {0};
	return vec_select((vec_bits)(v == v), v, (vec)(canonical + 0x7fc00000));
}

#if !defined KERNELS_SET_avx512 && !defined KERNELS_SET_avx2 && !defined KERNELS_SET_neon
typedef float pair __attribute__((vector_size(8)));
typedef double pair_wide __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

/*
 * a * b + c rounded once, without the instruction. The product is exact in double; the sum is rounded to odd (the last
 * bit is set when something was lost), so that rounding it to float gives what one rounding would have given
 * (Boldo, Melquiond: "Emulation of FMA and correctly rounded sums", 2008). Subnormal results included, since double has
 * exponent to spare. Masks instead of branches: what is lost is as good as random.
 */
K_INLINE pair pair_fma(pair a, pair b, pair c)
{
	const pair_wide zero = {0};
	pair_wide product = __builtin_convertvector(a, pair_wide) * __builtin_convertvector(b, pair_wide);
	pair_wide addend = __builtin_convertvector(c, pair_wide);
	pair_wide sum = product + addend;
	pair_wide back = sum - product;
	pair_wide lost = (product - (sum - back)) + (addend - back); /* Knuth's two-sum: exact */
	/* NaN and Inf make `lost` NaN or 0, which is neither above nor below 0. */
	pair_bits above = (pair_bits)(lost > zero);
	pair_bits inexact = above | (pair_bits)(lost < zero);
	pair_bits odd = -((pair_bits)sum & 1);
	/* away from zero when what was lost has the sum's sign, else towards it */
	pair_bits step = (above ^ (pair_bits)(sum > zero)) | 1;
	sum = (pair_wide)((pair_bits)sum + (step & inexact & ~odd));
	return __builtin_convertvector(sum, pair);
}
#endif

/* a * b + c in each lane, rounded once. */
K_INLINE vec vec_fma(vec a, vec b, vec c)
{
#if defined KERNELS_SET_avx512
	return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined KERNELS_SET_avx2
	return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined KERNELS_SET_neon
	return (vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
	pair low = pair_fma((pair){a[0], a[1]}, (pair){b[0], b[1]}, (pair){c[0], c[1]});
	pair high = pair_fma((pair){a[2], a[3]}, (pair){b[2], b[3]}, (pair){c[2], c[3]});
	return (vec){low[0], low[1], high[0], high[1]};
#endif
}

/* One multiply-add. */
K_INLINE float scalar_fma(float a, float b, float c)
{
#if defined KERNELS_SET_avx512 || defined KERNELS_SET_avx2 || defined KERNELS_SET_neon
	return __builtin_fmaf(a, b, c);
#else
	return pair_fma((pair){a, a}, (pair){b, b}, (pair){c, c})[0];
#endif
}

/*
 * Columns of a product that lie in whole panels: y[m][j] for M rows and `columns` columns, of which the first is column
 * 0 of w[0]. Rows of x are `ldx` floats apart, of y `ldy`. Panels of w are `stride` floats apart. With `more`, y already
 * holds the sums of the k before.
 */
struct k_block {
	float *y;
	int64_t ldy;
	const float *x;
	int64_t ldx;
	const float *w;
	int64_t stride;
	int64_t columns;
	int64_t M;
	int64_t n; /* how many k */
	bool more;
	int64_t ahead;      /* set by k_block: bytes from w to what is fetched into the cache at the first k, */
	int64_t ahead_step; /* and by how many it goes on with each k */
};
void K(k_block)(const struct k_block *block);

/* How many indices of `work` multiply-adds each are worth a thread's waking. */
K_INLINE int64_t k_grain(int64_t work)
{
	return work >= 1 << 20 ? 1 : (1 << 20) / (work < 1 ? 1 : work);
}

void K(k_matmul)(float *y, const float *x, const struct panel *w, const float *bias, int64_t M, struct pool *pool);
void K(k_lookup)(float *y, const struct panel *w, const int32_t *ids, int64_t M, struct pool *pool);
void K(k_layer_norm)(float *y, const float *x, const float *gain, const float *bias, float eps, int64_t H, int64_t rows,
	struct pool *pool);
void K(k_rms_norm)(float *y, const float *x, const float *gain, float eps, int64_t H, int64_t rows, struct pool *pool);
void K(k_softmax)(float *y, float *sums, const float *x, const uint8_t *mask, int64_t mask_rows, int64_t n,
	int64_t rows, struct pool *pool);
/* Row r of x and y is at r * n, its mask (NULL: all allowed) at r * mask_step; sums may be NULL. */
void K(k_softmax_rows)(float *y, float *sums, const float *x, const uint8_t *mask, int64_t n, int64_t rows,
	int64_t mask_step);
void K(k_rope)(float *y, const float *x, const float *cosines, const float *sines, int64_t heads, int64_t D,
	int64_t rows, struct pool *pool);
void K(k_attn_scores)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool);
void K(k_attn_weights)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool);
void K(k_attn_mix)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool);
void K(k_gelu_tanh)(float *y, const float *x, int64_t n, struct pool *pool);
void K(k_gelu_erf)(float *y, const float *x, int64_t n, struct pool *pool);
void K(k_silu)(float *y, const float *x, int64_t n, struct pool *pool);
void K(k_exp)(float *y, const float *x, int64_t n, struct pool *pool);
void K(k_add)(float *y, const float *a, const float *b, int64_t n, struct pool *pool);
void K(k_mul)(float *y, const float *a, const float *b, int64_t n, struct pool *pool);
int64_t K(k_argmax)(const float *x, int64_t n);
void K(k_log_softmax)(float *y, const float *sums, const float *x, const int32_t *ids, int64_t n, int64_t rows,
	struct pool *pool);
void K(k_canon_nan)(float *x, int64_t n);
float K(k_burn)(int64_t steps);

#endif
