/*
 * The real functions against the C library in long double, on a sample of all floats (tests/exhaustive_real.c takes them
 * all): at most 1 ulp from the correctly rounded value. The half formats against a slow definition, all 2^16.
 */
#include <float.h>
#include <stdbool.h>

#include "harness.h"
#include "numbers.h"
#include "tensor/half.h"
#include "tensor/kernels.h"
#include "tensor/real.h"

typedef float real_fn(float x);
typedef long double wide_fn(long double x);

static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0x1p-149f, -0x1p-149f, 0x1p-126f, 88.72283f, 88.72284f,
	-103.972f, -103.98f, 0.03125f, 0.031249f, 4.5f, 3.9999f, 1.0f, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY};

static void check_value(const char *name, real_fn *real, wide_fn *wide, float x)
{
	float got = real(x);
	float right = (float)wide((long double)x);
	bool good = numbers_ulps(got, right) <= 1;
	if (got != got)
		good = good && numbers_bits(got) == 0x7fc00000;
	else if (got == 0.0f)
		good = good && numbers_bits(got) == numbers_bits(right);
	if (!good) /* an assertion of Check's for each value would take longer than the values */
		ck_abort_msg("%s(%a) is %a, expected %a", name, (double)x, (double)got, (double)right);
}

/* Every 4099th float of magnitude up to `limit`, both signs, and the special values. */
static void check_function(const char *name, real_fn *real, wide_fn *wide, float limit)
{
	for (uint32_t bits = 0; bits <= numbers_bits(limit); bits += 4099) {
		check_value(name, real, wide, numbers_float(bits));
		check_value(name, real, wide, -numbers_float(bits));
	}
	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		if (fabsf(special[i]) <= limit)
			check_value(name, real, wide, special[i]);
	}
	ck_assert_uint_eq(numbers_bits(real(numbers_float(0xffc12345))), 0x7fc00000);
}

START_TEST(exponential)
{
	check_function("exp", real_exp, expl, INFINITY);
}
END_TEST

START_TEST(logarithm)
{
	check_function("log", real_log, logl, INFINITY);
}
END_TEST

START_TEST(hyperbolic_tangent)
{
	check_function("tanh", real_tanh, tanhl, INFINITY);
}
END_TEST

START_TEST(error_function)
{
	check_function("erf", real_erf, erfl, INFINITY);
}
END_TEST

START_TEST(sine_and_cosine)
{
	check_function("sin", real_sin, sinl, INFINITY);
	check_function("cos", real_cos, cosl, INFINITY);
}
END_TEST

static void check_pow(float x, float y)
{
	float got = real_pow(x, y);
	float right = (float)powl((long double)x, (long double)y);
	bool good = numbers_ulps(got, right) <= 1 && (got != 0.0f || numbers_bits(got) == numbers_bits(right));
	if (!good)
		ck_abort_msg("pow(%a, %a) is %a, expected %a", (double)x, (double)y, (double)got, (double)right);
}

START_TEST(power)
{
	/* valgrind computes long double in 64 bits, so that a subnormal exponent passes for an odd number there */
	const char *runner = getenv("RUNNER");
	if (runner != NULL && strcmp(runner, "valgrind") == 0)
		return;
	static const float more[] = {2.0f, 3.0f, -2.0f, -3.0f, 0.5f, -0.5f, 0x1p24f, 16777215.0f, -2147483648.0f, NAN};
	float all[sizeof special / sizeof *special + sizeof more / sizeof *more];
	size_t n = 0;
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		all[n++] = special[i];
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		all[n++] = more[i];
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++)
			check_pow(all[i], all[j]);
	}
	uint64_t seed = 5;
	for (int i = 0; i < 200000; i++)
		check_pow(numbers_float(numbers_next(&seed)), numbers_unit(&seed) * 16.0f);
	/* the frequencies of rotary positions */
	for (int d = 2; d <= 256; d *= 2) {
		for (int i = 0; i < d; i += 2) {
			check_pow(10000.0f, (float)i / (float)d);
			check_pow(500000.0f, (float)i / (float)d);
		}
	}
}
END_TEST

/* The vector versions are the scalar ones. */
START_TEST(vectors_agree)
{
	enum { COUNT = 10007 };
	float *x = numbers_new(COUNT), *y = numbers_new(COUNT);
	numbers_hostile(x, COUNT, 11);
	uint64_t seed = 12;
	for (int i = 0; i < COUNT; i += 2)
		x[i] = numbers_float(numbers_next(&seed));
	for (int i = 1; i < COUNT; i += 3)
		x[i] *= 12.0f;
	const struct kernels *k;
	for (int i = 0; (k = kernels_at(i)) != NULL; i++) {
		void (*const kernel[])(float *, const float *, int64_t, struct pool *) = {k->gelu_tanh, k->gelu_erf,
			k->silu, k->exp};
		real_fn *const real[] = {real_gelu_tanh, real_gelu_erf, real_silu, real_exp};
		for (int f = 0; f < 4; f++) {
			kernel[f](y, x, COUNT, NULL);
			for (int j = 0; j < COUNT; j++)
				if (numbers_bits(y[j]) != numbers_bits(real[f](x[j])))
					ck_abort_msg("%s %d: at %a", k->name, f, (double)x[j]);
		}
	}
	free(x);
	free(y);
}
END_TEST

static long double wide_gelu_tanh(long double x)
{
	/* 1 + tanh u = 2 / (1 + exp(-2u)): the definition cancels below zero even in long double */
	return x / (1.0L + expl(-2.0L * sqrtl(2.0L / acosl(-1.0L)) * (x + 0.044715L * x * x * x)));
}

static long double wide_gelu_erf(long double x)
{
	return 0.5L * x * erfcl(-x * sqrtl(0.5L));
}

static long double wide_silu(long double x)
{
	return x / (1.0L + expl(-x));
}

static void check_activation(const char *name, real_fn *real, wide_fn *wide)
{
	for (float x = -120.0f; x <= 30.0f; x += 0.0013f)
		check_value(name, real, wide, x);
	check_value(name, real, wide, FLT_MAX);
	check_value(name, real, wide, INFINITY);
	ck_assert(real(-FLT_MAX) == 0.0f);
	ck_assert_uint_eq(numbers_bits(real(numbers_float(0xffc12345))), 0x7fc00000);
}

START_TEST(activations)
{
	check_activation("gelu_tanh", real_gelu_tanh, wide_gelu_tanh);
	check_activation("gelu_erf", real_gelu_erf, wide_gelu_erf);
	check_activation("silu", real_silu, wide_silu);
}
END_TEST

START_TEST(half_formats)
{
	for (uint32_t h = 0; h < 65536; h++) {
		int exponent = (int)(h >> 10 & 31);
		float size = exponent == 0 ? ldexpf((float)(h & 1023), -24)
					   : ldexpf((float)(1024 + (h & 1023)), exponent - 25);
		float right = (h & 0x8000) != 0 ? -size : size;
		float got = half_from_f16((uint16_t)h);
		uint32_t bits = numbers_bits(right);
		if (exponent == 31)
			bits = (h & 0x8000) << 16 | 0x7f800000u | (h & 1023) << 13;
		if (numbers_bits(got) != bits || numbers_bits(half_from_bf16((uint16_t)h)) != h << 16)
			ck_abort_msg("half 0x%04x", h);
	}
}
END_TEST

TEST_PROGRAM("real", {
	tcase_add_test(tests, exponential);
	tcase_add_test(tests, logarithm);
	tcase_add_test(tests, hyperbolic_tangent);
	tcase_add_test(tests, error_function);
	tcase_add_test(tests, sine_and_cosine);
	tcase_add_test(tests, power);
	tcase_add_test(tests, vectors_agree);
	tcase_add_test(tests, activations);
	tcase_add_test(tests, half_formats);
})
