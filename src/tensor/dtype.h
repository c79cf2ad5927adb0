/*
 * dtype.h: the element types of tensors, by the names and order of the safetensors specification.
 */
#ifndef TENSOR_DTYPE_H
#define TENSOR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* X(name, bits) in the specification's order */
/* clang-format off */
#define DTYPE_LIST(X) \
	X(BOOL, 8) X(F4, 4) X(F6_E2M3, 6) X(F6_E3M2, 6) X(U8, 8) X(I8, 8) X(F8_E5M2, 8) X(F8_E4M3, 8) \
	X(F8_E8M0, 8) X(F8_E4M3FNUZ, 8) X(F8_E5M2FNUZ, 8) X(I16, 16) X(U16, 16) X(F16, 16) X(BF16, 16) \
	X(I32, 32) X(U32, 32) X(F32, 32) X(C64, 64) X(F64, 64) X(I64, 64) X(U64, 64)
/* clang-format on */

enum dtype {
#define X(name, bits) DTYPE_##name,
	DTYPE_LIST(X)
#undef X
		DTYPE_COUNT
};

const char *dtype_name(enum dtype dtype);
int dtype_bits(enum dtype dtype);
/* Bytes of one element; only for types of whole bytes. */
size_t dtype_size(enum dtype dtype);
/* Finds a type by its exact name; false when there is none. */
bool dtype_parse(const char *name, size_t length, enum dtype *dtype);

#endif
