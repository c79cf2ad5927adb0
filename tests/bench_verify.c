/*
 * What the proofs cost beside the runs that they make: `rowscope verify` on a recorded batch, and the same runs (the batch again,
 * each row alone, neighbours scrambled) with nobody looking, in turns; medians, and medians of the ratios. Not a test: make bench-verify.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/isolation.h"
#include "analysis/scramble.h"
#include "app/bench_shape.h"
#include "app/live.h"

#define MOST_ROWS 16
#define MOST_LENGTH 256
#define ROUNDS 7

struct load {
	const char *model; /* a bundled one, or the shape of a random one */
	bool random;
	int64_t rows, prompt, fresh;
};

static const struct load loads[] = {
	{"glass", false, 3, 4, 4},
	{"three-requests", false, 3, 4, 4},
	{"three-requests", false, 8, 16, 16},
	{"tiny-stories", false, 8, 32, 16},
	{"15M", true, 8, 32, 8},
	{"110M", true, 4, 32, 4},
};

struct bench {
	struct model *model;
	struct batch batch;
	struct request requests[MOST_ROWS];
	int32_t prompts[MOST_ROWS][MOST_LENGTH];
	char ids[MOST_ROWS][8];
	struct trace *trace;
	struct live *live;
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Rows of lengths from half the prompt to all of it. */
static void fill(struct bench *bench, const struct load *load)
{
	int64_t vocabulary = model_config(bench->model)->vocabulary;
	for (int64_t i = 0; i < load->rows; i++) {
		snprintf(bench->ids[i], sizeof bench->ids[i], "r%d", (int)i);
		for (int64_t t = 0; t < load->prompt; t++)
			bench->prompts[i][t] = (int32_t)((i * 31 + t * 7 + 5) % vocabulary);
		bench->requests[i] = (struct request){.id = bench->ids[i],
			.prompt = bench->prompts[i],
			.prompt_length = load->prompt - i * load->prompt / (2 * load->rows),
			.max_new_tokens = load->fresh};
	}
	bench->batch = (struct batch){.requests = bench->requests, .count = load->rows};
}

static bool open_model(struct bench *bench, const struct load *load, struct err *err)
{
	struct config config;
	char path[128];
	snprintf(path, sizeof path, "tiny_models/%s", load->model);
	if (!load->random)
		return model_open(&bench->model, path, err);
	return bench_shape_read(&config, load->model, err) && model_random(&bench->model, &config, load->model, err);
}

static bool record(struct bench *bench, struct plan *plan, struct err *err)
{
	bool more = true;
	struct live_options options = {.model = bench->model,
		.plan = plan,
		.batch = &bench->batch,
		.capture = "all",
		.run = {.threads = 1}};
	bool ok = live_new(&bench->live, &options, err);
	while (ok && more)
		ok = live_step(bench->live, &more, err);
	return ok && trace_open(&bench->trace, live_folder(bench->live), err);
}

static bool run_all(struct bench *bench, const struct plan *plan, const struct batch *batch, struct err *err)
{
	struct run *run;
	struct run_options options = {.threads = 1};
	bool more = true, ok = run_new(&run, bench->model, plan, batch, &options, err);
	while (ok && more)
		ok = run_step(run, NULL, &more, err);
	if (ok)
		run_delete(run);
	return ok;
}

/* The runs of isolation_check(), and nothing else. */
static bool only_runs(struct bench *bench, struct plan *plan, struct err *err)
{
	bool ok = run_all(bench, plan, &bench->batch, err);
	for (int64_t i = 0; ok && i < bench->batch.count; i++) {
		struct batch one = {.requests = &bench->requests[i], .count = 1};
		ok = run_all(bench, plan, &one, err);
	}
	for (int bit = 0; ok && (int64_t)1 << bit < bench->batch.count; bit++) {
		for (int value = 0; ok && value < 2; value++) {
			struct arena arena = ARENA_INIT;
			uint8_t scrambled[MOST_ROWS];
			for (int64_t i = 0; i < bench->batch.count; i++)
				scrambled[i] = (i >> bit & 1) == value;
			uint64_t seed = 1 + (uint64_t)(2 * bit + value) * 1000003u;
			struct plan *other = NULL;
			struct batch batch =
				scramble_batch(&bench->batch, scrambled, model_config(bench->model), seed, &arena);
			ok = plan_build(&other, bench->model, batch_way(&batch), &arena, err) &&
				scramble_plan(other, scrambled, batch.count, seed, err) &&
				run_all(bench, other, &batch, err);
			plan_free(other);
			arena_free(&arena);
		}
	}
	return ok;
}

/* The proofs, with `cells` of each value audited. */
static bool proofs(struct bench *bench, int64_t cells, struct err *err)
{
	struct isolation result;
	struct arena arena = ARENA_INIT;
	struct isolation_options options = {.trace = bench->trace,
		.model = bench->model,
		.run = {.threads = 1},
		.seed = 1,
		.cells_per_value = cells};
	bool ok = isolation_check(&result, &options, &arena, err) &&
		(result.ok || err_input(err, NULL, NULL, "the batch is not isolated"));
	arena_free(&arena);
	return ok;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double median(double *numbers)
{
	qsort(numbers, ROUNDS, sizeof *numbers, by_size);
	return numbers[ROUNDS / 2];
}

/* The three in turns. */
static bool take_turns(struct bench *bench, struct plan *plan, const struct load *load, struct err *err)
{
	double runs[ROUNDS], proven[ROUNDS], audited[ROUNDS], of_proofs[ROUNDS], of_all[ROUNDS];
	bool ok = proofs(bench, ISOLATION_DEFAULT_CELLS, err); /* once before: weights are packed, files are read */
	for (int i = 0; ok && i < ROUNDS; i++) {
		double start = now();
		ok = only_runs(bench, plan, err);
		double ran = now();
		ok = ok && proofs(bench, 0, err);
		double proved = now();
		ok = ok && proofs(bench, ISOLATION_DEFAULT_CELLS, err);
		runs[i] = ran - start;
		proven[i] = proved - ran;
		audited[i] = now() - proved;
		of_proofs[i] = proven[i] / runs[i];
		of_all[i] = audited[i] / runs[i];
	}
	if (ok)
		printf("%-16s %4d %7d %4d %10.1f %10.1f %10.1f %10.2f %10.2f\n", load->model, (int)load->rows,
			(int)load->prompt, (int)load->fresh, 1e3 * median(runs), 1e3 * median(proven),
			1e3 * median(audited), median(of_proofs), median(of_all));
	return ok;
}

static bool measure(const struct load *load, struct err *err)
{
	struct bench *bench = calloc(1, sizeof *bench);
	struct arena arena = ARENA_INIT;
	struct plan *plan = NULL;
	bool ok = bench != NULL && open_model(bench, load, err);
	if (ok)
		fill(bench, load);
	ok = ok && plan_build(&plan, bench->model, batch_way(&bench->batch), &arena, err) && record(bench, plan, err) &&
		take_turns(bench, plan, load, err);
	if (bench != NULL) {
		trace_close(bench->trace);
		live_delete(bench->live);
		plan_free(plan);
		model_delete(bench->model);
	}
	arena_free(&arena);
	free(bench);
	return ok;
}

int main(void)
{
	struct err err = ERR_INIT;
	printf("%-16s %4s %7s %4s %10s %10s %10s %10s %10s\n", "model", "rows", "prompt", "new", "runs ms", "proofs ms",
		"verify ms", "proofs", "verify");
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
		if (!measure(&loads[i], &err)) {
			err_print(&err, stderr);
			return 1;
		}
	}
	return 0;
}
