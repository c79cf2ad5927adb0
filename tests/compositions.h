/*
 * compositions.h: random ragged batches, recorded whole and checked by all proofs.
 *
 * Used by test_compositions.c (some hundred, in every test run) and compositions.c (as many as asked for).
 */
#ifndef COMPOSITIONS_H
#define COMPOSITIONS_H

#include <stdio.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/faults.h"
#include "analysis/isolation.h"
#include "analysis/scramble.h"
#include "app/temporary.h"
#include "tensor/kernels.h"
#include "trace/recorder.h"

#define COMPOSITION_ROWS 33
#define COMPOSITION_LENGTH 64

/* What is the same for all compositions of one model. */
struct compositions {
	struct model *model;
	char folder[TEMPORARY_SIZE];
	int64_t values; /* numbers compared so far */
};

static inline int64_t composition_below(uint64_t *state, int64_t limit)
{
	return (int64_t)(scramble_next(state) % (uint64_t)limit);
}

/* A length that is often short, sometimes as long as it gets. */
static inline int64_t composition_length(uint64_t *state, int64_t most)
{
	static const int64_t limits[] = {1, 3, 8, 16, COMPOSITION_LENGTH};
	int64_t limit = limits[composition_below(state, 5)];
	return 1 + composition_below(state, limit < most ? limit : most);
}

/* A way to run a batch: layout, schedule, chunk, places, pages, arrivals. */
static inline void composition_way(struct batch *batch, uint64_t *state)
{
	batch->layout = (enum layout)composition_below(state, LAYOUT_COUNT);
	batch->schedule = (enum schedule)composition_below(state, SCHEDULE_COUNT);
	batch->chunk = 1 + composition_below(state, 7);
	batch->max_rows = composition_below(state, 2) == 0 ? 0 : 1 + composition_below(state, batch->count);
	batch->page_size = composition_below(state, 2) == 0 ? 0 : 1 + composition_below(state, 9);
	for (int64_t i = 0; i < batch->count; i++)
		batch->requests[i].arrives = batch->schedule != SCHEDULE_STATIC && composition_below(state, 3) == 0
			? composition_below(state, 4)
			: 0;
}

/* Each filter and penalty now and then, and greedy rows between rows that draw. */
static inline struct sampling composition_sampling(uint64_t *state)
{
	struct sampling s = {.seed = (uint64_t)composition_below(state, 3)};
	s.temperature = composition_below(state, 4) == 0 ? 0 : 0.5f + (float)composition_below(state, 8);
	s.top_k = composition_below(state, 2) == 0 ? 0 : 1 + composition_below(state, 9);
	s.top_p = composition_below(state, 2) == 0 ? 0 : 0.1f * (float)(1 + composition_below(state, 9));
	s.min_p = composition_below(state, 3) == 0 ? 0.05f : 0;
	s.repetition_penalty = composition_below(state, 3) == 0 ? 1.3f : 0;
	s.presence_penalty = composition_below(state, 3) == 0 ? 0.4f : 0;
	s.frequency_penalty = composition_below(state, 3) == 0 ? 0.2f : 0;
	return s;
}

/* One batch; every third has a row that is a copy of another. */
static inline struct batch composition_batch(const struct config *config, uint64_t *state, struct arena *arena)
{
	static const int64_t limits[] = {1, 2, 3, 5, 9, COMPOSITION_ROWS};
	struct batch batch = {.count = 1 + composition_below(state, limits[composition_below(state, 6)])};
	batch.requests = ARENA_ARRAY(arena, struct request, batch.count);
	for (int64_t i = 0; i < batch.count; i++) {
		struct request *r = &batch.requests[i];
		r->id = arena_printf(arena, "r%d", (int)i);
		r->prompt_length = composition_length(state, config->context);
		r->prompt = ARENA_ARRAY(arena, int32_t, r->prompt_length);
		for (int64_t t = 0; t < r->prompt_length; t++)
			r->prompt[t] = (int32_t)composition_below(state, config->vocabulary);
		r->max_new_tokens = 1 + composition_below(state, 5);
	}
	if (composition_below(state, 3) == 0) {
		for (int64_t i = 0; i < batch.count; i++)
			batch.requests[i].sampling = composition_sampling(state);
	}
	if (batch.count > 1 && composition_below(state, 3) == 0) {
		batch.requests[batch.count - 1].prompt = batch.requests[0].prompt;
		batch.requests[batch.count - 1].prompt_length = batch.requests[0].prompt_length;
	}
	composition_way(&batch, state);
	return batch;
}

static inline bool composition_record(struct compositions *c, const struct batch *batch, const char *fault,
	const struct run_options *options, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct plan *plan = NULL;
	struct run *run = NULL;
	struct recorder *recorder = NULL;
	struct run_options with_faults = *options;
	const char *const faults[] = {fault};
	int fault_count = fault != NULL;
	bool more = true;
	bool ok = plan_build(&plan, c->model, batch_way(batch), &arena, err) &&
		faults_apply(faults, (size_t)fault_count, plan, &with_faults, err) &&
		run_new(&run, c->model, plan, batch, &with_faults, err) &&
		recorder_new(&recorder,
			&(struct recorder_options){.folder = c->folder,
				.replace = true,
				.scratch = true,
				.capture = "all",
				.model = c->model,
				.plan = plan,
				.batch = batch,
				.faults = faults,
				.fault_count = fault_count},
			err);
	struct probe probe = {0};
	if (ok)
		probe = recorder_probe(recorder);
	while (ok && more)
		ok = run_step(run, &probe, &more, err);
	ok = recorder_finish(recorder, err) && ok;
	run_delete(run);
	plan_free(plan);
	arena_free(&arena);
	return ok;
}

/* Records the batch with a fault (or NULL) and proves it; the result lies in the arena. */
static inline bool composition_check(struct compositions *c, const struct batch *batch, const char *fault,
	uint64_t seed, struct isolation *result, struct arena *arena)
{
	/* the scalar set multiplies in software on some processors: now and then is enough */
	static const char *const sets[] = {"avx2", NULL, "avx512", "neon"};
	struct err err = ERR_INIT;
	struct trace *trace = NULL;
	struct run_options recorded = {.threads = 1 + (int)(seed % 4), .kernels = sets[seed / 4 % 4]};
	struct run_options proved = {.threads = 1 + (int)(seed / 3 % 4), .kernels = sets[seed / 7 % 4]};
	if (seed % 25 == 0 && batch->count <= 3)
		proved.kernels = "scalar";
	if (kernels_get(recorded.kernels) == NULL)
		recorded.kernels = NULL;
	if (kernels_get(proved.kernels) == NULL)
		proved.kernels = NULL;
	bool ok = composition_record(c, batch, fault, &recorded, &err) && trace_open(&trace, c->folder, &err);
	struct isolation_options options = {.trace = trace,
		.model = c->model,
		.run = proved,
		.seed = seed,
		.cells_per_value = 2};
	ok = ok && isolation_check(result, &options, arena, &err);
	trace_close(trace);
	if (!ok)
		err_print(&err, stderr);
	for (int i = 0; ok && i < PROOF_COUNT; i++)
		c->values += result->proofs[i].values;
	return ok;
}

/* Runs the recorded batch again in another way and order and compares every tensor, bit for bit, with what was recorded. */
static inline bool composition_again(struct compositions *c, const struct batch *batch, uint64_t seed,
	struct leak *leak)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct trace *trace = NULL;
	struct plan *plan = NULL;
	struct run *run = NULL;
	struct comparison *comparison = NULL;
	struct batch other = *batch;
	uint64_t state = seed;
	bool more = true;
	int32_t *requests = ARENA_ARRAY(&arena, int32_t, batch->count);
	other.requests = ARENA_ARRAY(&arena, struct request, batch->count);
	int64_t turn = composition_below(&state, batch->count);
	for (int64_t i = 0; i < batch->count; i++) { /* turned round, and every other time back to front */
		requests[i] = (int32_t)((turn + (seed % 2 == 0 ? i : batch->count - 1 - i)) % batch->count);
		other.requests[i] = batch->requests[requests[i]];
	}
	composition_way(&other, &state);
	struct run_options options = {.threads = 1 + (int)(seed % 4)};
	bool ok = trace_open(&trace, c->folder, &err) && plan_build(&plan, c->model, batch_way(&other), &arena, &err) &&
		run_new(&run, c->model, plan, &other, &options, &err);
	if (ok)
		comparison = comparison_new(trace, plan, requests, other.count, PROOF_ALONE);
	struct probe probe = {0};
	if (ok)
		probe = comparison_probe(comparison);
	while (ok && more)
		ok = run_step(run, &probe, &more, &err);
	for (int i = 0; ok && i < trace_value_count(trace); i++)
		c->values += comparison_counts(comparison)[i].values;
	if (ok)
		*leak = comparison_leak(comparison);
	else
		err_print(&err, stderr);
	comparison_delete(comparison);
	run_delete(run);
	plan_free(plan);
	trace_close(trace);
	arena_free(&arena);
	return ok;
}

/* Small enough for thousands of batches, with room for long rows. */
static inline bool composition_random(struct model **model, struct err *err)
{
	struct config config = {.family = "gpt2",
		.vocabulary = 24,
		.context = 96,
		.hidden = 8,
		.layers = 2,
		.heads = 2,
		.kv_heads = 2,
		.head_width = 4,
		.mlp = 12,
		.norm_eps = 1e-5f,
		.scale_scores = true,
		.tied = true,
		.bos = -1,
		.pad = 3,
		.end_tokens = {7},
		.end_token_count = 1};
	return model_random(model, &config, "random", err);
}

static inline bool compositions_open(struct compositions *c, const char *model)
{
	struct err err = ERR_INIT;
	char path[256];
	*c = (struct compositions){0};
	snprintf(path, sizeof path, "%s%s", strchr(model, '/') != NULL ? "" : "tiny_models/", model);
	bool is_random = strcmp(model, "random") == 0;
	bool ok = (is_random ? composition_random(&c->model, &err) : model_open(&c->model, path, &err)) &&
		temporary_make(c->folder, &err);
	if (!ok)
		err_print(&err, stderr);
	return ok;
}

static inline void compositions_close(struct compositions *c)
{
	model_delete(c->model);
	temporary_remove(c->folder);
}

#endif
