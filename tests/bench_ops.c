/*
 * Where the time of a pass goes: microseconds and share of each kind of operation, medians over passes, and the least (on a busy machine). Not a test:
 *
 *     build/tests/bench_ops 110M decode 8 1        // shape, decode or prefill, rows (or length of the prompt), threads
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "app/bench_shape.h"
#include "base/mem.h"
#include "engine/run.h"
#include "tensor/limits.h"

#define PASSES 33
#define PROMPT 8
#define ROUNDS_AT_MOST 64

struct times {
	double seconds[OP_COUNT + 1][ROUNDS_AT_MOST]; /* the last: outside of operations */
	int pass;
	double last;
};

static void credit(struct times *times, int kind)
{
	double now = limits_clock();
	times->seconds[kind][times->pass] += now - times->last;
	times->last = now;
}

static bool begin(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	(void)plan, (void)pass, (void)err;
	credit(self, OP_COUNT);
	return true;
}

static bool value(void *self, const struct plan *plan, const struct pass *pass, int number, const struct tensor *tensor,
	struct err *err)
{
	(void)pass, (void)tensor, (void)err;
	credit(self, plan->ops[plan->values[number].producer].code);
	return true;
}

static struct batch make_batch(const struct model *model, bool decode, int64_t size, struct arena *arena)
{
	struct batch batch = {.count = decode ? size : PASSES + 1, .max_rows = decode ? size : 1};
	batch.requests = ARENA_ARRAY(arena, struct request, batch.count);
	for (int64_t i = 0; i < batch.count; i++) {
		int64_t length = decode ? PROMPT : size;
		int32_t *prompt = ARENA_ARRAY(arena, int32_t, length);
		for (int64_t t = 0; t < length; t++)
			prompt[t] = (int32_t)((i * 31 + t * 7 + 5) % model_config(model)->vocabulary);
		batch.requests[i] = (struct request){.id = arena_printf(arena, "r%d", (int)i),
			.prompt = prompt,
			.prompt_length = length,
			.max_new_tokens = decode ? PASSES + 2 : 1};
	}
	return batch;
}

static void report(struct times *times, int passes)
{
	double each[OP_COUNT + 1], all = 0, least = 0;
	for (int kind = 0; kind <= OP_COUNT; kind++) {
		each[kind] = bench_median(times->seconds[kind], passes); /* sorts */
		all += each[kind];
		least += times->seconds[kind][0];
	}
	for (int kind = 0; kind <= OP_COUNT; kind++) {
		if (each[kind] > 0)
			printf("%-14s %10.1f us %5.1f %%  least %10.1f us\n",
				kind == OP_COUNT ? "outside" : op_kind((enum op_code)kind)->name, 1e6 * each[kind],
				100 * each[kind] / all, 1e6 * times->seconds[kind][0]);
	}
	printf("%-14s %10.1f us          least %10.1f us\n", "all", 1e6 * all, 1e6 * least);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct config config;
	struct model *model = NULL;
	struct plan *plan = NULL;
	struct run *run = NULL;
	static struct times times;
	if (argc != 5) {
		fprintf(stderr, "usage: %s SHAPE decode|prefill SIZE THREADS\n", argv[0]);
		return 2;
	}
	bool decode = strcmp(argv[2], "decode") == 0, more = true;
	bool ok = bench_shape_read(&config, argv[1], &err) && model_random(&model, &config, argv[1], &err) &&
		plan_build(&plan, model, (struct plan_way){0}, &arena, &err);
	if (ok) {
		struct batch batch = make_batch(model, decode, atoi(argv[3]), &arena);
		struct run_options options = {.threads = atoi(argv[4]), .ignore_eos = true};
		struct probe probe = {.self = &times, .begin = begin, .value = value};
		ok = run_new(&run, model, plan, &batch, &options, &err) && run_step(run, NULL, &more, &err);
		for (; ok && more && times.pass < PASSES; times.pass++) {
			times.last = limits_clock();
			ok = run_step(run, &probe, &more, &err);
			credit(&times, OP_COUNT);
		}
		report(&times, times.pass);
		run_delete(run);
	}
	if (!ok)
		fprintf(stderr, "%s\n", err.message);
	plan_free(plan);
	model_delete(model);
	arena_free(&arena);
	return ok ? 0 : 1;
}
