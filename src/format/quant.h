/*
 * quant.h: the element types of weights in files, and their values as float32: plain floats, halves, and ggml's blocks of quantised
 * numbers. Values are those of ggml's reference code, bit for bit: each step one float32 operation in its order.
 *
 * Source of the layouts: ggml-common.h and ggml-quants.c of github.com/ggml-org/ggml.
 */
#ifndef FORMAT_QUANT_H
#define FORMAT_QUANT_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, number in GGUF, values per block, bytes per block) */
/* clang-format off */
#define QUANT_LIST(X)                                                                                            \
	X(F32, 0, 1, 4) X(F16, 1, 1, 2) X(BF16, 30, 1, 2) X(Q4_0, 2, 32, 18) X(Q4_1, 3, 32, 20) X(Q5_0, 6, 32, 22)  \
	X(Q5_1, 7, 32, 24) X(Q8_0, 8, 32, 34) X(Q2_K, 10, 256, 84) X(Q3_K, 11, 256, 110) X(Q4_K, 12, 256, 144)      \
	X(Q5_K, 13, 256, 176) X(Q6_K, 14, 256, 210)
/* clang-format on */

enum quant {
#define X(name, number, values, bytes) QUANT_##name,
	QUANT_LIST(X)
#undef X
		QUANT_COUNT
};

const char *quant_name(enum quant type);
int quant_values(enum quant type); /* per block */
int quant_bytes(enum quant type);  /* per block */
/* The type with that number in GGUF; false when it is none of these. */
bool quant_find(uint32_t number, enum quant *type);
/* The name of any type that ggml has or had, for messages; NULL when there is none. */
const char *quant_number_name(uint32_t number);

/* `blocks` whole blocks of `bytes` into floats. */
void quant_decode(enum quant type, const uint8_t *bytes, int64_t blocks, float *floats);

#endif
