/*
 * numbers.h: material for tests of numeric code: repeatable random floats, hostile floats, comparison by bits.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t numbers_bits(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline float numbers_float(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* The canonical NaN for any NaN. */
static inline float numbers_canon(float x)
{
	return x != x ? numbers_float(0x7fc00000) : x;
}

/* xorshift64*: the next of a sequence that depends on the seed alone. */
static inline uint32_t numbers_next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return (uint32_t)((*seed * 0x2545f4914f6cdd1du) >> 32);
}

/* Between -1 and 1. */
static inline float numbers_unit(uint64_t *seed)
{
	return (float)(int32_t)numbers_next(seed) * 0x1p-31f;
}

static inline void numbers_fill(float *x, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++)
		x[i] = numbers_unit(&seed);
}

/* Like numbers_fill, but every so often zero of either sign, subnormal, huge, infinite or NaN with a payload. */
static inline void numbers_hostile(float *x, int64_t n, uint64_t seed)
{
	static const uint32_t odd[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x7f7fffff, 0xff7fffff,
		0x7f800000, 0xff800000, 0x7fc12345, 0xffc00001, 0x7e967699, 0x00800000};
	for (int64_t i = 0; i < n; i++) {
		uint32_t dice = numbers_next(&seed);
		x[i] = dice % 61 < 12 ? numbers_float(odd[dice % 61]) : numbers_unit(&seed);
	}
}

static inline float *numbers_new(int64_t n)
{
	void *p = NULL;
	if (posix_memalign(&p, 64, ((size_t)n + 16) * sizeof(float)) != 0)
		abort();
	memset(p, 0xa5, ((size_t)n + 16) * sizeof(float));
	return p;
}

/* The first index whose bits differ, or -1. */
static inline int64_t numbers_difference(const float *a, const float *b, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (numbers_bits(a[i]) != numbers_bits(b[i]))
			return i;
	}
	return -1;
}

/* Position of x on the line of floats: neighbours differ by one, both zeros are 0. */
static inline int64_t numbers_rank(float x)
{
	uint32_t bits = numbers_bits(x);
	int64_t magnitude = bits & 0x7fffffff;
	return (bits >> 31) != 0 ? -magnitude : magnitude;
}

/* Distance in units in the last place; 0 for two NaNs, huge for one. */
static inline int64_t numbers_ulps(float a, float b)
{
	if (a != a || b != b)
		return a != a && b != b ? 0 : INT64_MAX;
	return llabs(numbers_rank(a) - numbers_rank(b));
}

#endif
