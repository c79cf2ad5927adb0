/*
 * The real functions over all 2^32 floats (for sine and cosine well beyond the promised |x| <= 2^20) against the
 * C library's double functions, rounded. Not part of `make test`: `make check-real`, some minutes per function.
 * Prints, for each function, the largest distance in ulps and how many inputs are not correctly rounded; ends with status 1
 * when a distance is above 1.
 *
 *     exhaustive_real [FUNCTION [STEP]]     STEP 1 takes every float, 1009 every 1009th
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "tensor/real.h"

static const struct {
	const char *name;
	float (*real)(float);
	double (*wide)(double);
} functions[] = {
	{"exp", real_exp, exp},
	{"log", real_log, log},
	{"tanh", real_tanh, tanh},
	{"erf", real_erf, erf},
	{"sin", real_sin, sin},
	{"cos", real_cos, cos},
};

struct result {
	int64_t worst;
	float worst_at;
	int64_t wrong_rounding;
	int64_t inputs;
};

static void compare(struct result *result, float x, float got, float right)
{
	int64_t ulps = numbers_ulps(got, right);
	if (got != got && numbers_bits(got) != 0x7fc00000)
		ulps = INT64_MAX;
	result->inputs++;
	result->wrong_rounding += ulps != 0;
	if (ulps > result->worst) {
		result->worst = ulps;
		result->worst_at = x;
	}
}

int main(int argc, char **argv)
{
	uint64_t step = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int status = EXIT_SUCCESS;
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
		struct result result = {0};
		if (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], functions[f].name) != 0)
			continue;
		for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
			float x = numbers_float((uint32_t)bits);
			compare(&result, x, functions[f].real(x), (float)functions[f].wide((double)x));
		}
		printf("%-5s %lld inputs, largest distance %lld ulp (at %a), %lld not correctly rounded\n",
			functions[f].name, (long long)result.inputs, (long long)result.worst, (double)result.worst_at,
			(long long)result.wrong_rounding);
		fflush(stdout);
		if (result.worst > 1)
			status = EXIT_FAILURE;
	}
	return status;
}
