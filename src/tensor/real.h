/*
 * real.h: real functions that give the same bits on every machine.
 *
 * The C library's expf, sinf and so on differ between libraries, versions and even processors. These are made
 * of + - * / and square root on doubles, each one IEEE operation in a fixed order, and are rounded to float32
 * once, at the end. The error against the correctly rounded result is at most 1 ulp, over all 2^32 inputs
 * (tests/exhaustive_real.c). A NaN result is always the canonical one, bits 0x7fc00000.
 *
 *     float p = real_exp(score - largest);
 */
#ifndef TENSOR_REAL_H
#define TENSOR_REAL_H

#include <math.h>

/* e^x. Overflows to +Inf above 88.72, reaches 0 below -103.97. */
float real_exp(float x);

/* Natural logarithm. log(0) = -Inf, of a negative number NaN. */
float real_log(float x);

/* Hyperbolic tangent; keeps the sign of zero. */
float real_tanh(float x);

/* Error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x; keeps the sign of zero. */
float real_erf(float x);

/* Sine and cosine of x radians, for every finite x; NaN of an infinity. */
float real_sin(float x);
float real_cos(float x);

/* x^y with the special cases of the C standard (annex F.10.4.4). */
float real_pow(float x, float y);

/* The activations of kernels.h (formulas there), one value at a time: the same bits. */
float real_gelu_tanh(float x);
float real_gelu_erf(float x);
float real_silu(float x);

/* 1 / sqrt(x), two IEEE operations on float32. */
static inline float real_rsqrt(float x)
{
	return 1.0f / sqrtf(x);
}

#endif
