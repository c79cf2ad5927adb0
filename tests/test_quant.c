/* Quantised blocks: every type against the reference values, bit for bit; all halves. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "format/quant.h"
#include "format/safetensors.h"
#include "harness.h"
#include "tensor/half.h"

/* By tests/golden/quants.py. */
START_TEST(blocks_have_the_values_of_the_reference)
{
	struct safetensors file;
	struct err err = ERR_INIT;
	char name[32];
	enum quant type = (enum quant)_i;
	ck_assert_msg(safetensors_open(&file, "tests/golden/quants.safetensors", &err), "%s", err.message);
	snprintf(name, sizeof name, "%s.blocks", quant_name(type));
	const struct safetensors_entry *blocks = safetensors_find(&file, name);
	snprintf(name, sizeof name, "%s.values", quant_name(type));
	const struct safetensors_entry *values = safetensors_find(&file, name);
	ck_assert(blocks != NULL && values != NULL);
	int64_t bytes = blocks->tensor.shape[0], count = values->tensor.shape[0];
	uint8_t *raw = mem_array((size_t)bytes, 1);
	float *expected = MEM_ARRAY(float, count), *got = MEM_ARRAY(float, count);
	ck_assert(safetensors_read(&file, blocks, 0, bytes, raw, &err) &&
		safetensors_read(&file, values, 0, count, expected, &err));
	ck_assert_int_eq(bytes / quant_bytes(type) * quant_values(type), count);
	quant_decode(type, raw, bytes / quant_bytes(type), got);
	for (int64_t i = 0; i < count; i++)
		ck_assert_msg(memcmp(&expected[i], &got[i], sizeof(float)) == 0, "%s, value %d: %g, not %g",
			quant_name(type), (int)i, (double)got[i], (double)expected[i]);
	free(raw);
	free(expected);
	free(got);
	safetensors_close(&file);
}
END_TEST

/* The same against blocks of ggml's own C code, where that material is at hand. */
START_TEST(blocks_have_the_values_of_ggml)
{
	static const enum quant given[] = {QUANT_Q4_0, QUANT_Q4_1, QUANT_Q8_0, QUANT_Q4_K, QUANT_Q6_K};
	uint8_t raw[4 * 256];
	float expected[4 * 256], got[4 * 256];
	char path[512];
	enum quant type = given[_i];
	if (harness_testdata() == NULL)
		return;
	for (int part = 0; part < 2; part++) {
		snprintf(path, sizeof path, "%s/quant/%s.%s.bin", harness_testdata(), quant_name(type),
			part == 0 ? "blocks" : "f32");
		FILE *file = fopen(path, "rb");
		ck_assert_ptr_nonnull(file);
		size_t size =
			part == 0 ? 4 * (size_t)quant_bytes(type) : 4 * sizeof(float) * (size_t)quant_values(type);
		ck_assert_uint_eq(fread(part == 0 ? (void *)raw : (void *)expected, 1, size, file), size);
		fclose(file);
	}
	quant_decode(type, raw, 4, got);
	ck_assert_mem_eq(expected, got, 4 * sizeof(float) * (size_t)quant_values(type));
}
END_TEST

START_TEST(all_halves_are_exact)
{
	for (uint32_t h = 0; h < 65536; h++) {
		uint16_t half = (uint16_t)h;
		float one, other;
		quant_decode(QUANT_F16, (const uint8_t *)&half, 1, &one);
		other = half_from_f16(half);
		ck_assert_mem_eq(&one, &other, sizeof one);
	}
}
END_TEST

START_TEST(types_are_found_by_number)
{
	enum quant type;
	ck_assert(quant_find(14, &type) && type == QUANT_Q6_K);
	ck_assert(!quant_find(4, &type) && quant_number_name(4) == NULL); /* removed from ggml */
	ck_assert_str_eq(quant_number_name(20), "IQ4_NL");
	ck_assert_ptr_null(quant_number_name(255));
}
END_TEST

TEST_PROGRAM("quant", {
	tcase_add_loop_test(tests, blocks_have_the_values_of_the_reference, QUANT_Q4_0, QUANT_COUNT);
	tcase_add_loop_test(tests, blocks_have_the_values_of_ggml, 0, 5);
	tcase_add_test(tests, all_halves_are_exact);
	tcase_add_test(tests, types_are_found_by_number);
})
