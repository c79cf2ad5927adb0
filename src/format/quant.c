#include "format/quant.h"

#include <string.h>

#include "tensor/half.h"

static const struct {
	const char *name;
	uint32_t number;
	int values, bytes;
} types[] = {
#define X(name, number, values, bytes) {#name, number, values, bytes},
	QUANT_LIST(X)
#undef X
};

const char *quant_name(enum quant type)
{
	return types[type].name;
}

int quant_values(enum quant type)
{
	return types[type].values;
}

int quant_bytes(enum quant type)
{
	return types[type].bytes;
}

bool quant_find(uint32_t number, enum quant *type)
{
	for (int i = 0; i < QUANT_COUNT; i++) {
		if (types[i].number == number) {
			*type = (enum quant)i;
			return true;
		}
	}
	return false;
}

const char *quant_number_name(uint32_t number)
{
	static const char *const others[] = {[9] = "Q8_1",
		[15] = "Q8_K",
		[16] = "IQ2_XXS",
		[17] = "IQ2_XS",
		[18] = "IQ3_XXS",
		[19] = "IQ1_S",
		[20] = "IQ4_NL",
		[21] = "IQ3_S",
		[22] = "IQ2_S",
		[23] = "IQ4_XS",
		[24] = "I8",
		[25] = "I16",
		[26] = "I32",
		[27] = "I64",
		[28] = "F64",
		[29] = "IQ1_M",
		[34] = "TQ1_0",
		[35] = "TQ2_0",
		[39] = "MXFP4",
		[40] = "NVFP4",
		[41] = "Q1_0",
		[42] = "Q2_0"};
	enum quant type;
	if (quant_find(number, &type))
		return quant_name(type);
	return number < sizeof others / sizeof *others ? others[number] : NULL;
}

/* --- what the blocks are made of --- */

static float half_at(const uint8_t *bytes)
{
	return half_from_f16((uint16_t)(bytes[0] | bytes[1] << 8));
}

/* --- 32 values per block --- */

static void decode_q4_0(const uint8_t *b, float *y)
{
	float d = half_at(b);
	for (int j = 0; j < 16; j++) {
		y[j] = (float)((b[2 + j] & 15) - 8) * d;
		y[j + 16] = (float)((b[2 + j] >> 4) - 8) * d;
	}
}

static void decode_q4_1(const uint8_t *b, float *y)
{
	float d = half_at(b), m = half_at(b + 2);
	for (int j = 0; j < 16; j++) {
		y[j] = (float)(b[4 + j] & 15) * d + m;
		y[j + 16] = (float)(b[4 + j] >> 4) * d + m;
	}
}

/* The fifth bits: bit j for value j. */
static uint32_t high_bits(const uint8_t *b)
{
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int five_bits(uint32_t high, int nibble, int j)
{
	return nibble | (int)(high >> j & 1) << 4;
}

static void decode_q5_0(const uint8_t *b, float *y)
{
	float d = half_at(b);
	uint32_t high = high_bits(b + 2);
	for (int j = 0; j < 16; j++) {
		y[j] = (float)(five_bits(high, b[6 + j] & 15, j) - 16) * d;
		y[j + 16] = (float)(five_bits(high, b[6 + j] >> 4, j + 16) - 16) * d;
	}
}

static void decode_q5_1(const uint8_t *b, float *y)
{
	float d = half_at(b), m = half_at(b + 2);
	uint32_t high = high_bits(b + 4);
	for (int j = 0; j < 16; j++) {
		y[j] = (float)five_bits(high, b[8 + j] & 15, j) * d + m;
		y[j + 16] = (float)five_bits(high, b[8 + j] >> 4, j + 16) * d + m;
	}
}

static void decode_q8_0(const uint8_t *b, float *y)
{
	float d = half_at(b);
	for (int j = 0; j < 32; j++)
		y[j] = (float)(int8_t)b[2 + j] * d;
}

/* --- 256 values per block --- */

static void decode_q2_k(const uint8_t *b, float *y)
{
	const uint8_t *scales = b, *q = b + 16;
	float d = half_at(b + 80), least = half_at(b + 82);
	for (int half = 0; half < 2; half++, q += 32) {
		for (int shift = 0; shift < 8; shift += 2) {
			for (int part = 0; part < 2; part++) { /* 16 values share a scale */
				uint8_t scale = *scales++;
				float factor = d * (float)(scale & 15), offset = least * (float)(scale >> 4);
				for (int l = 0; l < 16; l++)
					*y++ = factor * (float)(q[16 * part + l] >> shift & 3) - offset;
			}
		}
	}
}

/* The 16 six-bit scales of a Q3_K block, less 32: four low bits in bytes 0-7, two high bits in bytes 8-11. */
static int q3_scale(const uint8_t *packed, int i)
{
	int low = i < 8 ? packed[i] & 15 : packed[i - 8] >> 4;
	int high = packed[8 + i % 4] >> (2 * (i / 4)) & 3;
	return (low | high << 4) - 32;
}

static void decode_q3_k(const uint8_t *b, float *y)
{
	const uint8_t *mask = b, *q = b + 32, *scales = b + 96;
	float d = half_at(b + 108);
	int scale = 0;
	for (int half = 0; half < 2; half++, q += 32) {
		for (int shift = 0; shift < 8; shift += 2) {
			int bit = 1 << (half * 4 + shift / 2);
			for (int part = 0; part < 2; part++) {
				float factor = d * (float)q3_scale(scales, scale++);
				for (int l = 16 * part; l < 16 * part + 16; l++)
					*y++ = factor * (float)((q[l] >> shift & 3) - ((mask[l] & bit) != 0 ? 0 : 4));
			}
		}
	}
}

/* Scale and least value number j of the eight of a Q4_K or Q5_K block: six bits each in 12 bytes. */
static void scale_and_least(const uint8_t *q, int j, int *scale, int *least)
{
	if (j < 4) {
		*scale = q[j] & 63;
		*least = q[j + 4] & 63;
	} else {
		*scale = (q[j + 4] & 15) | (q[j - 4] >> 6) << 4;
		*least = (q[j + 4] >> 4) | (q[j] >> 6) << 4;
	}
}

/* 64 values from 32 bytes: the low nibbles, then the high ones; `high` is NULL or holds bit 4, at bits `group` and `group` + 1. */
static void decode_nibbles(const uint8_t *b, const uint8_t *q, const uint8_t *high, int group, float *y)
{
	float d = half_at(b), minimum = half_at(b + 2);
	for (int part = 0; part < 2; part++) {
		int scale, least;
		scale_and_least(b + 4, group + part, &scale, &least);
		float factor = d * (float)scale, offset = minimum * (float)least;
		for (int l = 0; l < 32; l++) {
			int value = part == 0 ? q[l] & 15 : q[l] >> 4;
			if (high != NULL && (high[l] >> (group + part) & 1) != 0)
				value += 16;
			*y++ = factor * (float)value - offset;
		}
	}
}

static void decode_q4_k(const uint8_t *b, float *y)
{
	for (int group = 0; group < 8; group += 2)
		decode_nibbles(b, b + 16 + 16 * group, NULL, group, y + 32 * group);
}

static void decode_q5_k(const uint8_t *b, float *y)
{
	for (int group = 0; group < 8; group += 2)
		decode_nibbles(b, b + 48 + 16 * group, b + 16, group, y + 32 * group);
}

static void decode_q6_k(const uint8_t *b, float *y)
{
	float d = half_at(b + 208);
	for (int half = 0; half < 2; half++, y += 128) {
		const uint8_t *low = b + 64 * half, *high = b + 128 + 32 * half;
		const int8_t *scales = (const int8_t *)(b + 192 + 8 * half);
		for (int l = 0; l < 32; l++) {
			for (int part = 0; part < 4; part++) {
				int nibble = part < 2 ? low[l + 32 * part] & 15 : low[l + 32 * (part - 2)] >> 4;
				int value = (nibble | (high[l] >> (2 * part) & 3) << 4) - 32;
				y[l + 32 * part] = d * (float)scales[l / 16 + 2 * part] * (float)value;
			}
		}
	}
}

static void decode_block(enum quant type, const uint8_t *b, float *y)
{
	uint16_t half;
	switch (type) {
	case QUANT_F32: memcpy(y, b, sizeof *y); return;
	case QUANT_F16: memcpy(&half, b, sizeof half), *y = half_from_f16(half); return;
	case QUANT_BF16: memcpy(&half, b, sizeof half), *y = half_from_bf16(half); return;
	case QUANT_Q4_0: decode_q4_0(b, y); return;
	case QUANT_Q4_1: decode_q4_1(b, y); return;
	case QUANT_Q5_0: decode_q5_0(b, y); return;
	case QUANT_Q5_1: decode_q5_1(b, y); return;
	case QUANT_Q8_0: decode_q8_0(b, y); return;
	case QUANT_Q2_K: decode_q2_k(b, y); return;
	case QUANT_Q3_K: decode_q3_k(b, y); return;
	case QUANT_Q4_K: decode_q4_k(b, y); return;
	case QUANT_Q5_K: decode_q5_k(b, y); return;
	case QUANT_Q6_K: decode_q6_k(b, y); return;
	case QUANT_COUNT: return;
	}
}

void quant_decode(enum quant type, const uint8_t *bytes, int64_t blocks, float *floats)
{
	int values = quant_values(type), size = quant_bytes(type);
	if (type == QUANT_F32) {
		memcpy(floats, bytes, (size_t)blocks * sizeof *floats);
		return;
	}
	for (int64_t i = 0; i < blocks; i++)
		decode_block(type, bytes + i * size, floats + i * values);
}
