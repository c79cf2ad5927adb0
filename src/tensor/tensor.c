#include "tensor/tensor.h"

#include <string.h>

static const struct {
	const char *name;
	int bits;
} dtypes[DTYPE_COUNT] = {
#define X(name, bits) {#name, bits},
	DTYPE_LIST(X)
#undef X
};

const char *dtype_name(enum dtype dtype)
{
	return dtypes[dtype].name;
}

int dtype_bits(enum dtype dtype)
{
	return dtypes[dtype].bits;
}

size_t dtype_size(enum dtype dtype)
{
	return (size_t)dtypes[dtype].bits / 8;
}

bool dtype_parse(const char *name, size_t length, enum dtype *dtype)
{
	for (int i = 0; i < DTYPE_COUNT; i++) {
		if (strlen(dtypes[i].name) == length && memcmp(dtypes[i].name, name, length) == 0) {
			*dtype = (enum dtype)i;
			return true;
		}
	}
	return false;
}

int64_t tensor_count(const struct tensor *tensor)
{
	int64_t count = 1;
	for (int i = 0; i < tensor->rank; i++)
		count *= tensor->shape[i];
	return count;
}

size_t tensor_bytes(const struct tensor *tensor)
{
	return (size_t)tensor_count(tensor) * dtype_size(tensor->dtype);
}

int64_t tensor_offset(const struct tensor *tensor, const int64_t *index)
{
	int64_t offset = 0;
	for (int i = 0; i < tensor->rank; i++)
		offset = offset * tensor->shape[i] + index[i];
	return offset;
}

void tensor_index(const struct tensor *tensor, int64_t offset, int64_t *index)
{
	for (int i = tensor->rank - 1; i >= 0; i--) {
		index[i] = offset % tensor->shape[i];
		offset /= tensor->shape[i];
	}
}

int tensor_axis(const struct tensor *tensor, char letter)
{
	for (int i = 0; i < tensor->rank; i++) {
		if (tensor->axes[i] == letter)
			return i;
	}
	return -1;
}

void tensor_axes_text(const struct tensor *tensor, char *text)
{
	for (int i = 0; i < tensor->rank && tensor->axes[i] != '\0'; i++) {
		if (i > 0)
			*text++ = ',';
		*text++ = tensor->axes[i];
	}
	*text = '\0';
}

static double half_value(uint16_t half)
{
	int exponent = (half >> 10) & 31;
	double fraction = half & 1023;
	double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
	if (exponent == 31) {
		uint32_t bits = (uint32_t)(half & 0x8000) << 16 | 0x7f800000u | (uint32_t)(half & 1023) << 13;
		float value;
		memcpy(&value, &bits, sizeof value);
		return value;
	}
	if (exponent == 0)
		return sign * fraction / 16777216.0;
	double value = sign * (1.0 + fraction / 1024.0);
	for (; exponent > 15; exponent--)
		value *= 2.0;
	for (; exponent < 15; exponent++)
		value /= 2.0;
	return value;
}

static double bfloat_value(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

double tensor_value(const struct tensor *tensor, int64_t offset)
{
	const char *at = (const char *)tensor->data + (size_t)offset * dtype_size(tensor->dtype);
#define VALUE(type) \
	do { \
		type value; \
		memcpy(&value, at, sizeof value); \
		return (double)value; \
	} while (0)
	switch (tensor->dtype) {
	case DTYPE_BOOL:
	case DTYPE_U8: VALUE(uint8_t);
	case DTYPE_I8: VALUE(int8_t);
	case DTYPE_I16: VALUE(int16_t);
	case DTYPE_U16: VALUE(uint16_t);
	case DTYPE_I32: VALUE(int32_t);
	case DTYPE_U32: VALUE(uint32_t);
	case DTYPE_F32: VALUE(float);
	case DTYPE_F64: VALUE(double);
	case DTYPE_I64: VALUE(int64_t);
	case DTYPE_U64: VALUE(uint64_t);
	case DTYPE_F16: {
		uint16_t half;
		memcpy(&half, at, sizeof half);
		return half_value(half);
	}
	case DTYPE_BF16: {
		uint16_t half;
		memcpy(&half, at, sizeof half);
		return bfloat_value(half);
	}
	default: return 0.0;
	}
#undef VALUE
}
