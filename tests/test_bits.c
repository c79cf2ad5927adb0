/* One hash per bundled model over every value of a fixed batch, the same for every compiler, optimisation level,
 * instruction set and number of threads. tests/levels.sh builds this program in many ways. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "engine/run.h"
#include "harness.h"
#include "tensor/kernels.h"

#define ROWS 4

/* A probe that hashes, per request, every recorded value at the request's real positions. What depends on the layout
 * (padding, columns of padding, the slot table) stays out. */
struct golden {
	struct hash *rows[ROWS];
};

static bool golden_is_real(const struct pass *pass, const struct tensor *tensor, const int64_t *index)
{
	int64_t b = index[tensor_axis(tensor, 'B')];
	int s = tensor_axis(tensor, 'S'), k = tensor_axis(tensor, 'K');
	if (s >= 0 && pass->pad[b * pass->S + index[s]] != 0)
		return false;
	return k < 0 || pass->key_position[b * pass->K + index[k]] >= 0;
}

static bool golden_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct golden *golden = self;
	const char *name = plan->values[value].name;
	(void)err;
	if (strncmp(name, "cache.", 6) == 0)
		return true;
	int b = tensor_axis(tensor, 'B');
	size_t size = (size_t)dtype_bits(tensor->dtype) / 8;
	for (int64_t i = 0; i < tensor_count(tensor); i++) {
		int64_t index[TENSOR_MAX_RANK];
		tensor_index(tensor, i, index);
		if (golden_is_real(pass, tensor, index))
			hash_add(golden->rows[pass->rows[index[b]]], (const char *)tensor->data + (size_t)i * size,
				size);
	}
	return true;
}

/* Three rows of different lengths, one that arrives later, one that waits for a free place. */
static uint64_t golden_run(struct model *model, const struct plan *plan, const char *set, int threads)
{
	int32_t prompts[ROWS][5] = {{3, 4, 5, 6, 7}, {2}, {8, 9, 10}, {0, 2}};
	struct request requests[ROWS] = {
		{.id = "A", .prompt = prompts[0], .prompt_length = 5, .max_new_tokens = 4},
		{.id = "B", .prompt = prompts[1], .prompt_length = 1, .max_new_tokens = 3},
		{.id = "C", .prompt = prompts[2], .prompt_length = 3, .max_new_tokens = 4, .arrives = 1},
		{.id = "D", .prompt = prompts[3], .prompt_length = 2, .max_new_tokens = 2},
	};
	struct batch batch = {.requests = requests, .count = ROWS, .max_rows = 3};
	struct run_options options = {.threads = threads, .kernels = set};
	struct golden golden;
	struct probe probe = {.self = &golden, .value = golden_value};
	struct err err = ERR_INIT;
	struct run *run = NULL;
	uint64_t digests[ROWS];
	bool more = true;
	for (int i = 0; i < ROWS; i++)
		golden.rows[i] = hash_new();
	ck_assert_msg(run_new(&run, model, plan, &batch, &options, &err), "%s", err.message);
	while (more)
		ck_assert_msg(run_step(run, &probe, &more, &err), "%s", err.message);
	run_delete(run);
	for (int i = 0; i < ROWS; i++) {
		digests[i] = hash_value(golden.rows[i]);
		hash_delete(golden.rows[i]);
	}
	return hash_bytes(digests, sizeof digests);
}

/* Every instruction set of this processor, and several numbers of threads. */
static void golden_model(const char *path, uint64_t expected)
{
	static const char *const sets[] = {"scalar", "avx2", "avx512", "neon"};
	static const int threads[] = {1, 2, 3, 8};
	struct arena arena = ARENA_INIT;
	struct model *model = NULL;
	struct plan *plan = NULL;
	struct err err = ERR_INIT;
	ck_assert_msg(model_open(&model, path, &err), "%s", err.message);
	ck_assert_msg(plan_build(&plan, model, (struct plan_way){0}, &arena, &err), "%s", err.message);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		if (kernels_get(sets[s]) == NULL)
			continue;
		for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
			uint64_t found = golden_run(model, plan, sets[s], threads[t]);
			ck_assert_msg(found == expected,
				"%s, %s, %d threads: hash 0x%016" PRIx64 ", expected 0x%016" PRIx64
				"; if bits were meant to change, write the new one into this test",
				path, sets[s], threads[t], found, expected);
		}
	}
	plan_free(plan);
	model_delete(model);
	arena_free(&arena);
}

START_TEST(glass_has_the_same_bits_everywhere)
{
	golden_model("tiny_models/glass", UINT64_C(0x5aafb280c92753a3));
}
END_TEST

START_TEST(three_requests_has_the_same_bits_everywhere)
{
	golden_model("tiny_models/three-requests", UINT64_C(0xf717a78d79b40992));
}
END_TEST

START_TEST(tiny_stories_has_the_same_bits_everywhere)
{
	golden_model("tiny_models/tiny-stories", UINT64_C(0xb931cce53297669b));
}
END_TEST

START_TEST(tiny_llama_has_the_same_bits_everywhere)
{
	golden_model("tiny_models/tiny-llama", UINT64_C(0x6112494464b654b5));
}
END_TEST

/* The small random models of tests/golden/families: rotary positions, windows, caps. */
START_TEST(families_have_the_same_bits_everywhere)
{
	static const struct {
		const char *name;
		uint64_t expected;
	} families[] = {
		{"llama", UINT64_C(0x9b9217341bc94bd2)},
		{"llama3", UINT64_C(0x8ae74e5e39b62d0f)},
		{"linear", UINT64_C(0x3e09039160d9426e)},
		{"mistral", UINT64_C(0xbeb2678cafce1645)},
		{"qwen2", UINT64_C(0x10b382bf7403ea67)},
		{"qwen3", UINT64_C(0x7e2a32fc929f2e78)},
		{"gemma", UINT64_C(0x99e7ff73be13fd4d)},
		{"gemma2", UINT64_C(0x47c10420096edc7f)},
		{"gemma3", UINT64_C(0x6585582ceaf52aad)},
	};
	char path[64];
	snprintf(path, sizeof path, "tests/golden/families/%s", families[_i].name);
	golden_model(path, families[_i].expected);
}
END_TEST

TEST_PROGRAM("bits", {
	tcase_add_loop_test(tests, families_have_the_same_bits_everywhere, 0, 9);
	tcase_add_test(tests, tiny_llama_has_the_same_bits_everywhere);
	tcase_add_test(tests, tiny_stories_has_the_same_bits_everywhere);
	tcase_add_test(tests, glass_has_the_same_bits_everywhere);
	tcase_add_test(tests, three_requests_has_the_same_bits_everywhere);
})
