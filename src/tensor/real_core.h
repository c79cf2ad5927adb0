/*
 * real_core.h: the real functions of real.h on REAL_LANES doubles at once.
 *
 * Inlined into real.c and into the kernels of every instruction set: a lane does the same IEEE operations whatever
 * REAL_LANES is, so they all agree. No fused operations. The polynomials are truncated Taylor series (but for
 * the outer half of erf), with enough terms for a relative error below 2^-40: the rounding to float32 at the end is then
 * the only one that matters.
 */
#ifndef TENSOR_REAL_CORE_H
#define TENSOR_REAL_CORE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef REAL_LANES
#error "define REAL_LANES (a power of two) before this is included"
#endif

#define REAL_INLINE static inline __attribute__((always_inline, unused))

typedef double real_vec __attribute__((vector_size(8 * REAL_LANES)));
typedef int64_t real_ints __attribute__((vector_size(8 * REAL_LANES)));
typedef uint64_t real_bits __attribute__((vector_size(8 * REAL_LANES)));

/* p = c + x * p, the step of Horner's scheme. */
#define REAL_STEP(p, x, c) ((p) = (c) + (x) * (p))

REAL_INLINE real_vec real_all(double x)
{
	real_vec v;
	for (int i = 0; i < REAL_LANES; i++)
		v[i] = x;
	return v;
}

REAL_INLINE real_vec real_select(real_ints mask, real_vec yes, real_vec no)
{
	return (real_vec)((mask & (real_ints)yes) | (~mask & (real_ints)no));
}

REAL_INLINE real_vec real_abs(real_vec x)
{
	return (real_vec)((real_bits)x & 0x7fffffffffffffffu);
}

/* The magnitude of x with the sign of s. */
REAL_INLINE real_vec real_with_sign(real_vec x, real_vec s)
{
	return (real_vec)(((real_bits)x & 0x7fffffffffffffffu) | ((real_bits)s & 0x8000000000000000u));
}

/*
 * e^x; 0 below -700 and +Inf above 700, either of which it is in float32. With n = round(x / ln 2) and r = x - n ln 2,
 * |r| <= 0.347: e^x = 2^n e^r. n is found by adding 1.5 * 2^52, which leaves it in the low bits.
 */
REAL_INLINE real_vec real_core_exp(real_vec x)
{
	const double magic = 0x1.8p52;
	real_vec shifted = x * 0x1.71547652b82fep0 + magic;
	real_vec n = shifted - magic;
	/* The first part of ln 2 has 42 bits: its product with n is exact. */
	real_vec r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
	/* The Taylor series up to r^11, in pairs of pairs (Estrin 1960): a processor can do them side by side. */
	real_vec r2 = r * r;
	real_vec r4 = r2 * r2;
	real_vec p0 = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0));
	real_vec p4 = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0));
	real_vec p8 = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + r2 * (1.0 / 3628800.0 + r * (1.0 / 39916800.0));
	real_vec p = p0 + r4 * (p4 + r4 * p8);
	real_vec result = (real_vec)((real_bits)p + ((real_bits)shifted << 52));
	/* Beyond the range the bits above are meaningless; to look at x last keeps the clamps off the long way. */
	result = (real_vec)((real_ints)result & (real_ints)(x >= real_all(-700.0)));
	result = real_select((real_ints)(x > real_all(700.0)), real_all(INFINITY), result);
	return real_select((real_ints)(x == x), result, x);
}

/* tanh x = (E - 1) / (E + 1), E = e^(2x), and near 0, where that cancels, its Taylor series. */
REAL_INLINE real_vec real_core_tanh(real_vec x)
{
	real_vec a = real_abs(x);
	real_vec e = real_core_exp(real_select((real_ints)(a > real_all(40.0)), real_all(80.0), a + a));
	real_vec far = (e - 1.0) / (e + 1.0);
	real_vec s = a * a;
	real_vec p = real_all(62.0 / 2835.0);
	REAL_STEP(p, s, -17.0 / 315.0);
	REAL_STEP(p, s, 2.0 / 15.0);
	REAL_STEP(p, s, -1.0 / 3.0);
	real_vec near = a + a * s * p;
	real_vec t = real_select((real_ints)(a < real_all(0.03125)), near, far);
	return real_select((real_ints)(x == x), real_with_sign(t, x), x);
}

/*
 * (erf(a) / a) * sqrt(pi) / 2 - 1 with s = a^2, for 0 <= a < 1: the Taylor series, the sum from i = 1 of
 * (-s)^i / (i! (2i + 1)).
 */
REAL_INLINE real_vec real_core_erf_near(real_vec s)
{
	real_vec p = real_all(-1.0 / 40537905408000.0);
	REAL_STEP(p, s, 1.0 / 2528170444800.0);
	REAL_STEP(p, s, -1.0 / 168129561600.0);
	REAL_STEP(p, s, 1.0 / 11975040000.0);
	REAL_STEP(p, s, -1.0 / 918086400.0);
	REAL_STEP(p, s, 1.0 / 76204800.0);
	REAL_STEP(p, s, -1.0 / 6894720.0);
	REAL_STEP(p, s, 1.0 / 685440.0);
	REAL_STEP(p, s, -1.0 / 75600.0);
	REAL_STEP(p, s, 1.0 / 9360.0);
	REAL_STEP(p, s, -1.0 / 1320.0);
	REAL_STEP(p, s, 1.0 / 216.0);
	REAL_STEP(p, s, -1.0 / 42.0);
	REAL_STEP(p, s, 0.1);
	REAL_STEP(p, s, -1.0 / 3.0);
	return s * p;
}

/*
 * erfc(a) = 1 - erf(a) for a >= 1: e^(-a^2) P(t), where t falls from 1 to -1 as a rises to 10.5, beyond which the result
 * is 0 in float32. P by Chebyshev interpolation (tests/fit_erf.py; error 2e-14).
 */
REAL_INLINE real_vec real_core_erfc_far(real_vec a)
{
	real_vec bounded = real_select((real_ints)(a > real_all(10.5)), real_all(10.5), a);
	real_vec t = 0x1.6bca1af286bcap+3 / (bounded + 3.0) - 0x1.d79435e50d794p+0;
	real_vec p = real_all(-0x1.2d86485472172p-31);
	REAL_STEP(p, t, -0x1.8b71dd5e0b4b2p-29);
	REAL_STEP(p, t, 0x1.cfbfd3bec8335p-27);
	REAL_STEP(p, t, 0x1.aba6bd1cb1c83p-24);
	REAL_STEP(p, t, -0x1.aa0d567a46c1bp-23);
	REAL_STEP(p, t, -0x1.d77ae3a186440p-19);
	REAL_STEP(p, t, -0x1.b94b264b6d09ap-18);
	REAL_STEP(p, t, 0x1.8e4f284bf3e2dp-14);
	REAL_STEP(p, t, 0x1.fc31209b7f228p-11);
	REAL_STEP(p, t, 0x1.5b712e2583984p-8);
	REAL_STEP(p, t, 0x1.56d873f488ab4p-6);
	REAL_STEP(p, t, 0x1.0a51932dd8af9p-4);
	REAL_STEP(p, t, 0x1.523e2f4a96ac1p-3);
	REAL_STEP(p, t, 0x1.5c6aba430a3c4p-3);
	return real_core_exp(-(a * a)) * p;
}

/* The magnitude of erf(a), a >= 0, below 1. */
REAL_INLINE real_vec real_core_erf_inner(real_vec a)
{
	return (a + a * real_core_erf_near(a * a)) * 0x1.20dd750429b6dp0; /* 2 / sqrt(pi) */
}

REAL_INLINE real_vec real_core_erf(real_vec x)
{
	real_vec a = real_abs(x);
	real_vec r = real_select((real_ints)(a < real_all(1.0)), real_core_erf_inner(a), 1.0 - real_core_erfc_far(a));
	return real_select((real_ints)(x == x), real_with_sign(r, x), x);
}

/* 0.5 x (1 + tanh u) = x / (1 + e^(-2u)), which loses nothing below zero. */
REAL_INLINE real_vec real_core_gelu_tanh(real_vec x)
{
	const double root_two_by_pi = 0x1.9884533d43651p-1;
	real_vec u = root_two_by_pi * (x + 0.044715 * (x * x * x));
	return x / (1.0 + real_core_exp(-(u + u)));
}

/* 0.5 x erfc(-x / sqrt(2)). */
REAL_INLINE real_vec real_core_gelu_erf(real_vec x)
{
	real_vec a = real_abs(x) * 0x1.6a09e667f3bcdp-1;
	real_vec c = real_select((real_ints)(a < real_all(1.0)), 1.0 - real_core_erf_inner(a), real_core_erfc_far(a));
	c = real_select((real_ints)(x < real_all(0.0)), c, 2.0 - c);
	return 0.5 * x * c;
}

REAL_INLINE real_vec real_core_silu(real_vec x)
{
	return x / (1.0 + real_core_exp(-x));
}

#endif
