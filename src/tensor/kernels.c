#include "tensor/kernels.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

extern const struct kernels kernels_table_scalar;
#if defined __x86_64__
extern const struct kernels kernels_table_avx2;
extern const struct kernels kernels_table_avx512;
#elif defined __aarch64__
extern const struct kernels kernels_table_neon;
#endif

#if defined __x86_64__
static bool has_avx2(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
		__builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl");
}
#endif

const struct kernels *kernels_at(int i)
{
	if (i == 0)
		return &kernels_table_scalar;
#if defined __x86_64__
	if (i == 1 && has_avx2())
		return &kernels_table_avx2;
	if (i == 2 && has_avx512())
		return &kernels_table_avx512;
#elif defined __aarch64__
	if (i == 1)
		return &kernels_table_neon;
#endif
	return NULL;
}

const struct kernels *kernels_get(const char *name)
{
	const struct kernels *found = NULL;
	for (int i = 0; kernels_at(i) != NULL; i++) {
		if (name == NULL || strcmp(kernels_at(i)->name, name) == 0)
			found = kernels_at(i);
	}
	return found;
}

bool kernels_check(const char **why)
{
	/* volatile: computed when the program runs, under the rounding mode it runs under */
	volatile float one = 1.0f;
	volatile float half_step = 0x1p-24f;
	volatile float smallest = 0x1p-126f;
	volatile float half = 0.5f;
	if (FLT_EVAL_METHOD != 0)
		*why = "float arithmetic keeps extra precision";
	else if (one + half_step != one || one + half_step * 1.5f == one || -one - half_step != -one)
		*why = "floats are not rounded to nearest";
	else if (smallest * half == 0.0f || (smallest * half) * 2.0f != smallest)
		*why = "subnormal floats are flushed to zero";
	else
		return true;
	return false;
}
