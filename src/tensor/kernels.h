/*
 * kernels.h: the numeric loops, in one table per instruction set.
 *
 * The sets ("scalar", "avx2", "avx512", "neon") are compiled from one source and give the same bits, with any
 * number of threads and any number of rows. What makes that so:
 *   - every sum is one accumulator that starts at +0 and takes its terms in ascending index; a product is added by
 *     one fused multiply-add; vectors run over independent outputs, never along a sum;
 *   - no C library functions: see real.h;
 *   - what a mask forbids is never added, not even as zero; a query that may attend to nothing gives zeros;
 *   - a NaN result is always the canonical NaN, bits 0x7fc00000.
 * Kernels cannot fail, allocate nothing, and do not print. `pool` may be NULL (one thread). Arrays are float32,
 * row-major and contiguous unless a stride is named; outputs must not overlap inputs except where it is said.
 *
 *     const struct kernels *k = kernels_get(NULL);
 *     k->matmul(y, x, &w, bias, rows, pool);
 */
#ifndef TENSOR_KERNELS_H
#define TENSOR_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "tensor/panel.h"

/* The attention of one row: S queries look at K keys. Allowed keys are met in ascending index. */
struct attn_row {
	const float *q;             /* [S][N][D], query s at q + s * q_stride */
	int64_t q_stride;           /* floats; N * D when contiguous */
	const float *const *keys;   /* K pointers to [G][D]; NULL stands for a vector of zeros */
	const float *const *values; /* K pointers to [G][D]; the same */
	const uint8_t *mask;        /* [S][K]; not 0 = may attend */
	int64_t S;
	int64_t K;
	int64_t head_stride; /* floats from one head to the next in scores and weights; S * K when contiguous */
	float *scores;       /* [N][S][K]: attn_scores writes, attn_weights reads */
	float *weights;      /* [N][S][K]: attn_weights writes, attn_mix reads; may be the same as scores */
	float *out;          /* [S][N][D], contiguous: attn_mix writes */
};

/* What all rows share. Query head n reads key/value head n / (N / G). */
struct attn_shape {
	int64_t N; /* query heads, a multiple of G */
	int64_t G; /* key/value heads */
	int64_t D; /* head width */
	float scale;
};

#define KERNELS_BURN 192

struct kernels {
	const char *name;

	/* y[m][j] = (sum over k of x[m][k] * w[k][j]) + bias[j]; bias may be NULL. x [M][in], y [M][out]. */
	void (*matmul)(float *y, const float *x, const struct panel *w, const float *bias, int64_t M,
		struct pool *pool);

	/* y[m] = the weights of output unit ids[m]: the embedding look-up. y [M][w->in]; 0 <= ids[m] < w->out. */
	void (*lookup)(float *y, const struct panel *w, const int32_t *ids, int64_t M, struct pool *pool);

	/*
	 * Layer normalisation (Ba, Kiros, Hinton 2016) of each row of x [rows][H]; y may be x.
	 *     mean = (sum of x) / H;  d = x - mean;  var = (sum of d * d, by fma) / H;  r = 1 / sqrt(var + eps)
	 *     y = d * r * gain + bias       each step one operation, in this order; bias may be NULL
	 */
	void (*layer_norm)(float *y, const float *x, const float *gain, const float *bias, float eps, int64_t H,
		int64_t rows, struct pool *pool);

	/*
	 * Root-mean-square normalisation (Zhang, Sennrich 2019) of each row of x [rows][H]; y may be x.
	 *     r = 1 / sqrt((sum of x * x, by fma) / H + eps);  y = x * r * gain
	 */
	void (*rms_norm)(float *y, const float *x, const float *gain, float eps, int64_t H, int64_t rows,
		struct pool *pool);

	/*
	 * Softmax over the allowed entries of each row of x [rows][n]; y may be x. mask [mask_rows][n], row r uses mask
	 * row r % mask_rows; NULL allows all. m = largest allowed (NaN is never the largest); e = exp(x - m);
	 * s = sum of e, ascending; y = e / s. Forbidden entries and rows without an allowed one are exactly +0. sums [rows]
	 * takes each row's s; may be NULL.
	 */
	void (*softmax)(float *y, float *sums, const float *x, const uint8_t *mask, int64_t mask_rows, int64_t n,
		int64_t rows, struct pool *pool);

	/*
	 * Rotary positions (Su et al. 2021) in half-split order: x [rows][heads][D], row m turned by angles[m][D / 2]
	 * of which cosines and sines [rows][D / 2] are given; D even; y may be x. With h = D / 2:
	 *     y[i] = x[i] * c[i] - x[i + h] * s[i];  y[i + h] = x[i + h] * c[i] + x[i] * s[i]     (products rounded)
	 */
	void (*rope)(float *y, const float *x, const float *cosines, const float *sines, int64_t heads, int64_t D,
		int64_t rows, struct pool *pool);

	/* Scaled scores: (sum over d of q[d] * k[d]) * scale where the mask allows, else -Inf. For `rows` rows. */
	void (*attn_scores)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows,
		struct pool *pool);
	/* Their softmax over the allowed keys. */
	void (*attn_weights)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows,
		struct pool *pool);
	/* out[s][n][d] = sum over allowed keys j of weights[n][s][j] * values[j][g][d]. */
	void (*attn_mix)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool);

	/*
	 * Activations, y may be x; computed in double and rounded once.
	 *     gelu_tanh: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))    (Hendrycks, Gimpel 2016; "gelu_new")
	 *     gelu_erf:  0.5 x (1 + erf(x / sqrt(2)))                         (the same; "gelu")
	 *     silu:      x / (1 + exp(-x))                                    (the same; "swish")
	 */
	void (*gelu_tanh)(float *y, const float *x, int64_t n, struct pool *pool);
	void (*gelu_erf)(float *y, const float *x, int64_t n, struct pool *pool);
	void (*silu)(float *y, const float *x, int64_t n, struct pool *pool);
	/* y = exp(x), element by element: real_exp(). y may be x. */
	void (*exp)(float *y, const float *x, int64_t n, struct pool *pool);

	/* y = a + b and y = a * b, element by element; y may be a or b. */
	void (*add)(float *y, const float *a, const float *b, int64_t n, struct pool *pool);
	void (*mul)(float *y, const float *a, const float *b, int64_t n, struct pool *pool);

	/* Index of the largest of n >= 1 values; the lowest on a tie; NaN never wins; 0 when all are NaN. */
	int64_t (*argmax)(const float *x, int64_t n);

	/* y[r] = log softmax(x[r])[ids[r]], which is (x[r][id] - m) - log(s) with m and s as in softmax; 0 where the ID is
	 * negative. x [rows][n], ids and y [rows]; sums are what softmax gave for x, or NULL. */
	void (*log_softmax)(float *y, const float *sums, const float *x, const int32_t *ids, int64_t n, int64_t rows,
		struct pool *pool);

	/* Makes every NaN of x [n] the canonical one. */
	void (*canon_nan)(float *x, int64_t n);

	/* Does KERNELS_BURN * steps multiply-adds in registers, as fast as the processor can; for limits.h. */
	float (*burn)(int64_t steps);
};

/*
 * The table of a set by name, or the fastest that this processor can run for NULL. NULL when the name is unknown
 * or the processor cannot run it.
 */
const struct kernels *kernels_get(const char *name);

/* The set number i = 0, 1, ... that this processor can run, slowest first; NULL after the last. */
const struct kernels *kernels_at(int i);

/*
 * True when float arithmetic is as the bit promise needs it: no extra precision, round to nearest, subnormals
 * kept. To be checked once at the start; `why` is set to a sentence when false.
 */
bool kernels_check(const char **why);

#endif
