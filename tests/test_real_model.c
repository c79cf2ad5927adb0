/*
 * A real model, where ROWSCOPE_SMOLLM2 names the GGUF file of SmolLM2-135M-Instruct: greedy tokens and the largest logits are those
 * of Hugging Face transformers (tests/golden/make_real_goldens.py), as one ragged batch and each row alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/run.h"
#include "harness.h"

#define ROWS 5
#define TOP 10
#define TOLERANCE 1e-4 /* of the largest logit: docs, numbers; real models */

struct real {
	struct arena arena;
	struct json *golden;
	struct model *model;
	struct plan *plan;
	struct request requests[ROWS];
	int compared;
	double distance; /* of the largest logits, of the largest of all */
	bool other_order;
};

static int64_t integer(const struct json *node)
{
	int64_t value = 0;
	struct err err = ERR_INIT;
	ck_assert(json_int(node, 0, INT32_MAX, &value, &err));
	return value;
}

static const struct json *row_of(const struct real *real, int64_t request)
{
	return json_find(real->golden, "rows")->items[request];
}

static void open_real(struct real *real, const char *path)
{
	struct err err = ERR_INIT;
	*real = (struct real){.arena = ARENA_INIT};
	ck_assert(json_load("tests/golden/real_smollm2.json", 1 << 20, &real->arena, &real->golden, &err));
	ck_assert_msg(model_open(&real->model, path, &err), "%s", err.message);
	ck_assert(plan_build(&real->plan, real->model, (struct plan_way){0}, &real->arena, &err));
	for (int64_t i = 0; i < ROWS; i++) {
		const struct json *row = row_of(real, i), *prompt = json_find(row, "prompt_tokens");
		int32_t *tokens = ARENA_ARRAY(&real->arena, int32_t, prompt->count);
		for (size_t t = 0; t < prompt->count; t++)
			tokens[t] = (int32_t)integer(prompt->items[t]);
		real->requests[i] = (struct request){.id = json_find(row, "id")->text,
			.prompt = tokens,
			.prompt_length = (int64_t)prompt->count,
			.max_new_tokens = (int64_t)json_find(row, "greedy")->count};
	}
}

/* How many logits are larger than that of token `id`. */
static int64_t rank_of(const float *logits, int64_t count, int64_t id)
{
	int64_t rank = 0;
	for (int64_t v = 0; v < count; v++)
		rank += logits[v] > logits[id];
	return rank;
}

static void compare_row(struct real *real, const struct json *row, const float *logits, int64_t count)
{
	const struct json *top = json_find(row, "top"), *values = json_find(row, "top_logits");
	double largest = json_find(row, "largest")->number;
	for (int64_t i = 0; i < TOP; i++) {
		int64_t id = integer(top->items[i]);
		double wanted = values->items[i]->number, distance = fabs(logits[id] - wanted) / largest;
		/* what lies nearer to its neighbour than twice the tolerance may change places with it */
		bool tied = i > 0 && values->items[i - 1]->number - wanted < 2 * TOLERANCE * largest;
		bool ties = i + 1 < TOP && wanted - values->items[i + 1]->number < 2 * TOLERANCE * largest;
		real->distance = distance > real->distance ? distance : real->distance;
		real->other_order = real->other_order || (rank_of(logits, count, id) != i && !tied && !ties);
	}
	real->compared++;
}

static bool on_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct real *real = self;
	(void)err;
	if (strcmp(plan->values[value].name, "logits") != 0)
		return true;
	for (int64_t b = 0; b < pass->B; b++) {
		const struct json *row = row_of(real, pass->rows[b]);
		if (pass->past[b] == 0)
			compare_row(real, row, (const float *)tensor->data + b * tensor->shape[1], tensor->shape[1]);
	}
	return true;
}

/* Runs `count` of the requests as one batch; each must go on as the golden says. */
static void run_rows(struct real *real, struct request *requests, int64_t count, const struct probe *probe)
{
	struct batch batch = {.requests = requests, .count = count};
	struct run_options options = {.threads = 2};
	struct err err = ERR_INIT;
	struct run *run = NULL;
	ck_assert_msg(run_new(&run, real->model, real->plan, &batch, &options, &err), "%s", err.message);
	for (bool more = true; more;)
		ck_assert_msg(run_step(run, probe, &more, &err), "%s", err.message);
	for (int64_t i = 0; i < count; i++) {
		const struct json *wanted = json_find(row_of(real, requests - real->requests + i), "greedy");
		const struct row *row = run_row(run, i);
		for (int64_t t = 0; t < (int64_t)wanted->count; t++)
			ck_assert_int_eq(row->tokens[requests[i].prompt_length + t], integer(wanted->items[t]));
	}
	run_delete(run);
}

START_TEST(smollm2_says_what_transformers_says)
{
	const char *path = getenv("ROWSCOPE_SMOLLM2");
	struct real real;
	if (path == NULL)
		return; /* 98 MB: not in the repository */
	open_real(&real, path);
	run_rows(&real, real.requests, ROWS, &(struct probe){.self = &real, .value = on_value});
	ck_assert_int_eq(real.compared, ROWS);
	ck_assert_msg(real.distance <= TOLERANCE, "a logit is %g of the largest away", real.distance);
	ck_assert(!real.other_order);
	for (int64_t i = 0; i < ROWS; i++)
		run_rows(&real, &real.requests[i], 1, NULL);
	plan_free(real.plan);
	model_delete(real.model);
	arena_free(&real.arena);
}
END_TEST

TEST_PROGRAM("real_model", {
	tcase_set_timeout(tests, 600);
	tcase_add_test(tests, smollm2_says_what_transformers_says);
})
