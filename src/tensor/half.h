/*
 * half.h: 16-bit floating-point numbers as float32. Every value of both formats is a float32, so nothing is
 * rounded; NaN stays NaN with its payload, made quiet by nobody.
 *
 *     float one = half_from_f16(0x3c00), two = half_from_bf16(0x4000);
 */
#ifndef TENSOR_HALF_H
#define TENSOR_HALF_H

#include <stdint.h>
#include <string.h>

/* IEEE 754 binary16. */
static inline float half_from_f16(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
	uint32_t magnitude = half & 0x7fffu;
	uint32_t bits;
	float value;
	if (magnitude < 0x400u) { /* zero or subnormal: a multiple of 2^-24 */
		value = (float)magnitude * 0x1p-24f;
		return sign != 0 ? -value : value;
	}
	bits = sign | (magnitude << 13);
	bits += magnitude >= 0x7c00u ? (255u - 31u) << 23 : (127u - 15u) << 23;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* bfloat16: the upper half of a float32. */
static inline float half_from_bf16(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

#endif
