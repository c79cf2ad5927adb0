/*
 * real_core.h: the real functions of real.h on REAL_LANES doubles at once.
 *
 * Inlined into real.c and into the kernels of every instruction set: a lane does the same IEEE operations whatever
 * REAL_LANES is, so they all agree. No fused operations. The polynomials are truncated Taylor series (but for
 * the outer half of erf), with enough terms for a relative error below 2^-48: the rounding to float32 at the end is then
 * the only one that matters.
 */
#ifndef TENSOR_REAL_CORE_H
#define TENSOR_REAL_CORE_H

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
 * e^x for |x| <= 700, the nearest end beyond that; +Inf from 700 on only for x = +Inf. With n = round(x / ln 2) and
 * r = x - n ln 2, |r| <= 0.347: e^x = 2^n e^r. n is found by adding 1.5 * 2^52, which leaves it in the low bits.
 */
REAL_INLINE real_vec real_core_exp(real_vec x)
{
	const double magic = 0x1.8p52;
	real_vec low = real_all(-700.0);
	real_vec high = real_all(700.0);
	real_vec z = real_select((real_ints)(x < low), low, x);
	z = real_select((real_ints)(z > high), high, z);
	real_vec shifted = z * 0x1.71547652b82fep0 + magic;
	real_vec n = shifted - magic;
	/* The first part of ln 2 has 42 bits: its product with n is exact. */
	real_vec r = (z - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
	real_vec p = real_all(1.0 / 39916800.0);
	REAL_STEP(p, r, 1.0 / 3628800.0);
	REAL_STEP(p, r, 1.0 / 362880.0);
	REAL_STEP(p, r, 1.0 / 40320.0);
	REAL_STEP(p, r, 1.0 / 5040.0);
	REAL_STEP(p, r, 1.0 / 720.0);
	REAL_STEP(p, r, 1.0 / 120.0);
	REAL_STEP(p, r, 1.0 / 24.0);
	REAL_STEP(p, r, 1.0 / 6.0);
	REAL_STEP(p, r, 0.5);
	REAL_STEP(p, r, 1.0);
	REAL_STEP(p, r, 1.0);
	real_vec result = (real_vec)((real_bits)p + ((real_bits)shifted << 52));
	result = real_select((real_ints)(x > real_all(0x1p1023)), x, result);
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
 * erf x. Up to 1 its Taylor series, (2 / sqrt pi) * sum of (-1)^i x^(2i+1) / (i! (2i+1)); from 1 to 4
 * 1 - e^(-x^2) P(t), t = (56 / (x + 3) - 11) / 3, P by Chebyshev interpolation (error 6e-15; tests/fit_erf.py); beyond 4
 * it is 1 in float32.
 */
REAL_INLINE real_vec real_erf_near(real_vec s)
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
	return p;
}

REAL_INLINE real_vec real_core_erf(real_vec x)
{
	const double two_by_root_pi = 0x1.20dd750429b6dp0;
	real_vec a = real_abs(x);
	a = real_select((real_ints)(a > real_all(4.5)), real_all(4.5), a);
	real_vec s = a * a;
	real_vec near = (a + a * (s * real_erf_near(s))) * two_by_root_pi;
	real_vec t = (56.0 / (a + 3.0) - 11.0) / 3.0;
	real_vec p = real_all(-0x1.a50957afe1396p-36);
	REAL_STEP(p, t, 0x1.b66bb73664c48p-31);
	REAL_STEP(p, t, 0x1.95adaccd83778p-29);
	REAL_STEP(p, t, -0x1.16df5ca8755f3p-24);
	REAL_STEP(p, t, -0x1.29fc6c64bbe77p-21);
	REAL_STEP(p, t, 0x1.a4feb8aa703a5p-19);
	REAL_STEP(p, t, 0x1.97401d7966246p-14);
	REAL_STEP(p, t, 0x1.0aacee9cb85f9p-10);
	REAL_STEP(p, t, 0x1.c808ea9c180a9p-8);
	REAL_STEP(p, t, 0x1.20c4ab2a5145bp-5);
	REAL_STEP(p, t, 0x1.1b1bfcd940a59p-3);
	REAL_STEP(p, t, 0x1.f7d9ecfcea3e5p-3);
	real_vec far = 1.0 - real_core_exp(-s) * p;
	real_vec r = real_select((real_ints)(a < real_all(1.0)), near, far);
	return real_select((real_ints)(x == x), real_with_sign(r, x), x);
}

REAL_INLINE real_vec real_core_gelu_tanh(real_vec x)
{
	const double root_two_by_pi = 0x1.9884533d43651p-1;
	real_vec inner = root_two_by_pi * (x + 0.044715 * (x * x * x));
	return 0.5 * x * (1.0 + real_core_tanh(inner));
}

REAL_INLINE real_vec real_core_gelu_erf(real_vec x)
{
	return 0.5 * x * (1.0 + real_core_erf(x * 0x1.6a09e667f3bcdp-1));
}

REAL_INLINE real_vec real_core_silu(real_vec x)
{
	return x / (1.0 + real_core_exp(-x));
}

#endif
