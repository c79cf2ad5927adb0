/* Isolation by taint: no other row's memory flows into a row. Built with MemorySanitizer (`make taint`). After the
 * embedding, every value of all rows but one is marked as undefined; the pass goes on, caches and later passes
 * included; then every value of that one row must still be fully defined. Each row in turn, each instruction set,
 * with and without threads. A planted leak (a key read from another row's slot) must be seen.
 *
 * With the argument `plain` nothing is marked: the same runs, for the sanitizer itself to find fault with.
 *
 * This follows data, not branches: the sanitizer reports branches on undefined values of the other rows (a maximum, a
 * choice) and goes on; those reports are expected and not shown. No Check here: the library is not instrumented. */
#include <sanitizer/msan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/run.h"
#include "tensor/kernels.h"

#define ROWS 3

struct taint {
	int row;          /* the request that stays defined */
	bool plain;       /* nothing is marked */
	int64_t values;   /* elements of it that were looked at */
	const char *leak; /* the first value with an undefined element, or NULL */
	int64_t leak_pass;
};

static int64_t taint_inner(const struct tensor *tensor)
{
	return tensor_count(tensor) / tensor->shape[0];
}

static size_t taint_size(const struct tensor *tensor)
{
	return (size_t)dtype_bits(tensor->dtype) / 8;
}

static void taint_others(const struct taint *taint, const struct pass *pass, const struct tensor *tensor)
{
	size_t bytes = (size_t)taint_inner(tensor) * taint_size(tensor);
	for (int64_t b = 0; b < pass->B; b++)
		if (pass->rows[b] != taint->row)
			__msan_poison((char *)tensor->data + (size_t)b * bytes, bytes);
}

/* Is element `i` at a real position of the row? Padding is outside the promise. */
static bool taint_is_real(const struct pass *pass, const struct tensor *tensor, int64_t i)
{
	int64_t index[TENSOR_MAX_RANK];
	int s = tensor_axis(tensor, 'S'), k = tensor_axis(tensor, 'K');
	tensor_index(tensor, i, index);
	if (s >= 0 && pass->pad[index[0] * pass->S + index[s]] != 0)
		return false;
	return k < 0 || pass->key_position[index[0] * pass->K + index[k]] >= 0;
}

static void taint_check(struct taint *taint, const struct pass *pass, const char *name, const struct tensor *tensor)
{
	int64_t b = pass_row(pass, taint->row), inner = taint_inner(tensor);
	size_t size = taint_size(tensor);
	for (int64_t i = b * inner; b >= 0 && i < (b + 1) * inner; i++) {
		if (!taint_is_real(pass, tensor, i))
			continue;
		taint->values++;
		if (__msan_test_shadow((const char *)tensor->data + (size_t)i * size, size) >= 0 &&
			taint->leak == NULL) {
			taint->leak = name;
			taint->leak_pass = pass->index;
		}
	}
}

static bool taint_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct taint *taint = self;
	const char *name = plan->values[value].name;
	(void)err;
	if (strncmp(name, "cache.", 6) == 0)
		return true;
	taint_check(taint, pass, name, tensor);
	if (strcmp(name, "embed") == 0 && !taint->plain)
		taint_others(taint, pass, tensor);
	/* What the other rows chose is only their next token: defined, so that the run can go on. */
	if (strcmp(name, "next_tokens") == 0 || strcmp(name, "finished") == 0 || strcmp(name, "logprobs") == 0)
		__msan_unpoison(tensor->data, (size_t)tensor_count(tensor) * taint_size(tensor));
	return true;
}

/* The planted leak: the last row reads its first key from where the first row keeps its own. */
static void taint_plant(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self;
	(void)cache;
	if (pass->index == 1 && pass->B == ROWS)
		pass->key_slot[(ROWS - 1) * pass->K + pass->K - pass->past[ROWS - 1] - 1] =
			pass->key_slot[pass->K - pass->past[0] - 1];
}

static bool taint_run(struct taint *taint, struct model *model, const struct plan *plan, struct run_options options)
{
	int32_t prompts[ROWS][5] = {{3, 4, 5, 6, 7}, {2, 9}, {8, 9, 10}};
	struct request requests[ROWS] = {
		{.id = "A", .prompt = prompts[0], .prompt_length = 5, .max_new_tokens = 4},
		{.id = "B", .prompt = prompts[1], .prompt_length = 2, .max_new_tokens = 4},
		{.id = "C", .prompt = prompts[2], .prompt_length = 3, .max_new_tokens = 4},
	};
	struct batch batch = {.requests = requests, .count = ROWS};
	struct probe probe = {.self = taint, .value = taint_value};
	struct err err = ERR_INIT;
	struct run *run = NULL;
	bool more = true, done = run_new(&run, model, plan, &batch, &options, &err);
	while (done && more)
		done = run_step(run, &probe, &more, &err);
	if (!done)
		printf("%s\n", err.message);
	run_delete(run);
	return done;
}

static int failures, passes;

static void result(bool good, const char *set, int threads, const struct taint *taint, const char *what)
{
	if (good)
		passes++;
	else
		failures++;
	printf("%s %s, %d threads, row %d: %s (%lld values%s%s)\n", good ? "ok" : "FAIL", set, threads, taint->row,
		what, (long long)taint->values, taint->leak != NULL ? ", undefined: " : "",
		taint->leak != NULL ? taint->leak : "");
}

static void taint_set(struct model *model, const struct plan *plan, struct run_options options, bool plain)
{
	const char *set = options.kernels;
	int threads = options.threads;
	for (int row = 0; row < ROWS; row++) {
		struct taint taint = {.row = row, .plain = plain};
		bool done = taint_run(&taint, model, plan, options);
		result(done && taint.leak == NULL && taint.values > 0, set, threads, &taint,
			plain ? "everything is defined" : "nothing flows in");
	}
	if (plain)
		return;
	struct taint leaked = {.row = ROWS - 1};
	options.rewrites[0].apply = taint_plant;
	options.rewrite_count = 1;
	bool done = taint_run(&leaked, model, plan, options);
	bool seen = leaked.leak != NULL && leaked.leak_pass == 1 && strcmp(leaked.leak, "layers.0.attn.scores") == 0;
	result(done && seen, set, threads, &leaked, "the planted leak is seen where it starts");
}

int main(int argc, char **argv)
{
	static const char *const sets[] = {"scalar", "avx2", "avx512", "neon"};
	struct config config = {.family = "gpt2",
		.vocabulary = 40,
		.context = 32,
		.hidden = 24,
		.layers = 2,
		.heads = 3,
		.kv_heads = 3,
		.head_width = 8,
		.mlp = 50,
		.norm_eps = 1e-5f,
		.activation = ACTIVATION_GELU_TANH,
		.scale_scores = true,
		.tied = true,
		.bos = -1,
		.pad = -1};
	struct arena arena = ARENA_INIT;
	struct model *model = NULL;
	struct plan *plan = NULL;
	struct err err = ERR_INIT;
	if (!model_random(&model, &config, "random", &err) ||
		!plan_build(&plan, model, (struct plan_way){0}, &arena, &err)) {
		printf("FAIL %s\n0 passed, 1 failed\n", err.message);
		return EXIT_FAILURE;
	}
	bool plain = argc > 1 && strcmp(argv[1], "plain") == 0;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		for (int threads = 1; threads <= 3 && kernels_get(sets[i]) != NULL; threads += 2)
			taint_set(model, plan, (struct run_options){.threads = threads, .kernels = sets[i]}, plain);
	plan_free(plan);
	model_delete(model);
	arena_free(&arena);
	printf("%d passed, %d failed\n", passes, failures);
	return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
