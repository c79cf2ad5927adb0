#include "tensor/real.h"

#include <stdbool.h>

#define REAL_LANES 2
#include "tensor/real_core.h"

/* sqrt(1/2) <= m < sqrt(2) and e with x = m * 2^e, for a positive normal double. */
static double split(double x, double *exponent)
{
	const uint64_t root_half = 0x3fe6a09e667f3bcd;
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	uint64_t steps = (bits - root_half) >> 52; /* wraps for x < sqrt(1/2): 12 bits, two's complement */
	int e = (int)(steps & 0xfff);
	*exponent = e >= 2048 ? e - 4096 : e;
	bits -= steps << 52;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Natural logarithm of x >= 0: e ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), |s| <= 0.172. */
static double core_log(double x)
{
	if (x == 0.0)
		return -INFINITY;
	if (x > 0x1p1023)
		return INFINITY;
	double e;
	double m = split(x, &e);
	double s = (m - 1.0) / (m + 1.0);
	double z = s * s;
	double p = 1.0 / 19.0;
	REAL_STEP(p, z, 1.0 / 17.0);
	REAL_STEP(p, z, 1.0 / 15.0);
	REAL_STEP(p, z, 1.0 / 13.0);
	REAL_STEP(p, z, 1.0 / 11.0);
	REAL_STEP(p, z, 1.0 / 9.0);
	REAL_STEP(p, z, 1.0 / 7.0);
	REAL_STEP(p, z, 0.2);
	REAL_STEP(p, z, 1.0 / 3.0);
	return e * 0x1.62e42fefa39efp-1 + (2.0 * s + 2.0 * s * (z * p));
}

static float canonical(double x)
{
	const uint32_t bits = 0x7fc00000;
	float value = (float)x;
	if (value != value)
		memcpy(&value, &bits, sizeof value);
	return value;
}

static double core_exp(double x)
{
	return real_core_exp(real_all(x))[0];
}

float real_exp(float x)
{
	return canonical(core_exp((double)x));
}

float real_log(float x)
{
	return canonical(x < 0.0f || x != x ? (double)NAN : core_log((double)x));
}

float real_tanh(float x)
{
	return canonical(real_core_tanh(real_all((double)x))[0]);
}

float real_erf(float x)
{
	return canonical(real_core_erf(real_all((double)x))[0]);
}

float real_gelu_tanh(float x)
{
	return canonical(real_core_gelu_tanh(real_all((double)x))[0]);
}

float real_gelu_erf(float x)
{
	return canonical(real_core_gelu_erf(real_all((double)x))[0]);
}

float real_silu(float x)
{
	return canonical(real_core_silu(real_all((double)x))[0]);
}

/*
 * |x| >= 2^20 (Payne, Hanek 1983): x = m * 2^e; the bits of 2/pi whose product with x is a multiple of four quarter
 * turns are left out, 96 bits after them are enough. The result is the rest in quarter turns, -1/2 <= rest < 1/2.
 */
static double reduce_large(float x, unsigned *quadrant)
{
	static const uint32_t two_by_pi[] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
		0xfe5163ab};
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	uint64_t m = (bits & 0x7fffff) | 0x800000;
	unsigned skip = (bits >> 23) - 150 - 2 + 32;
	uint32_t window[3];
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t *at = two_by_pi + skip / 32 + i;
		window[i] = (uint32_t)((((uint64_t)at[0] << 32 | at[1]) << skip % 32) >> 32);
	}
	uint64_t low = m * window[2];
	uint64_t middle = m * window[1] + (low >> 32);
	uint64_t high = m * window[0] + (middle >> 32);
	uint64_t product = high << 32 | (middle & 0xffffffff); /* in units of 2^-62 quarter turns, modulo 4 */
	uint64_t rounded = product + ((uint64_t)1 << 61);
	*quadrant = (unsigned)(rounded >> 62);
	uint64_t rest = product << 2 | (low & 0xffffffff) >> 30;
	return (rest >> 63 != 0 ? -(double)(~rest + 1) : (double)rest) * 0x1p-64;
}

/* x = quadrant * pi/2 + r with |r| <= pi/4 or a hair more; x >= 0 and finite. */
static double reduce(float x, unsigned *quadrant)
{
	if (x >= 0x1p20f)
		return reduce_large(x, quadrant) * 0x1.921fb54442d18p0;
	const double magic = 0x1.8p52;
	double n = ((double)x * 0x1.45f306dc9c883p-1 + magic) - magic;
	*quadrant = (unsigned)n & 3;
	/* Parts of pi/2 of 33 bits: products with n < 2^20 are exact (Cody, Waite 1980). */
	return (((double)x - n * 0x1.921fb544p0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
}

static double sine(double r)
{
	double z = r * r;
	double p = -1.0 / 1307674368000.0;
	REAL_STEP(p, z, 1.0 / 6227020800.0);
	REAL_STEP(p, z, -1.0 / 39916800.0);
	REAL_STEP(p, z, 1.0 / 362880.0);
	REAL_STEP(p, z, -1.0 / 5040.0);
	REAL_STEP(p, z, 1.0 / 120.0);
	REAL_STEP(p, z, -1.0 / 6.0);
	return r + r * (z * p);
}

static double cosine(double r)
{
	double z = r * r;
	double p = 1.0 / 20922789888000.0;
	REAL_STEP(p, z, -1.0 / 87178291200.0);
	REAL_STEP(p, z, 1.0 / 479001600.0);
	REAL_STEP(p, z, -1.0 / 3628800.0);
	REAL_STEP(p, z, 1.0 / 40320.0);
	REAL_STEP(p, z, -1.0 / 720.0);
	REAL_STEP(p, z, 1.0 / 24.0);
	REAL_STEP(p, z, -0.5);
	return 1.0 + z * p;
}

float real_sin(float x)
{
	if (!isfinite(x))
		return canonical((double)NAN);
	if (x == 0.0f)
		return x;
	unsigned quadrant;
	double r = reduce(fabsf(x), &quadrant);
	double value = (quadrant & 1) != 0 ? cosine(r) : sine(r);
	bool negative = ((quadrant & 2) != 0) != (x < 0.0f);
	return (float)(negative ? -value : value);
}

float real_cos(float x)
{
	if (!isfinite(x))
		return canonical((double)NAN);
	unsigned quadrant;
	double r = reduce(fabsf(x), &quadrant);
	double value = (quadrant & 1) != 0 ? sine(r) : cosine(r);
	return (float)(((quadrant + 1) & 2) != 0 ? -value : value);
}

static bool is_whole(float y)
{
	return fabsf(y) >= 0x1p23f || (float)(int32_t)y == y;
}

static bool is_odd(float y)
{
	return fabsf(y) < 0x1p24f && (float)(int32_t)y == y && ((int32_t)y & 1) != 0;
}

float real_pow(float x, float y)
{
	if (x == 1.0f || y == 0.0f)
		return 1.0f;
	if (x != x || y != y || (x < 0.0f && isfinite(x) && !is_whole(y)))
		return canonical((double)NAN);
	float a = fabsf(x);
	double size = a == 1.0f ? 1.0 : core_exp((double)y * core_log((double)a));
	return (float)(signbit(x) && is_odd(y) ? -size : size);
}
