/* The sampler: against the logits processors of another library, against its own recorded probabilities, and row by row. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "engine/exec.h"
#include "engine/op_kinds.h"
#include "engine/random.h"
#include "engine/run.h"
#include "harness.h"
#include "trace/sampling_keys.h"

/* --- one row through the operations, as in a plan --- */

enum slot { LOGITS, PENALISED, SCALED, TOP_K, TOP_P, KEPT, PROBS, SLOTS };

/* A pass of one row whose tokens and settings are given. */
struct desk {
	struct arena arena;
	struct request request;
	struct batch batch;
	struct pass pass;
	struct exec exec;
	struct tensor tensors[SLOTS];
	int32_t row, position;
	int64_t past, fresh, counted;
	uint8_t sampled, ended;
	const int32_t *history;
};

static void run_step_of(struct desk *d, enum op_code code, int output, int a, int b)
{
	struct op op = plan_op(code, -1);
	plan_input(&op, a);
	if (b >= 0)
		plan_input(&op, b);
	op.outputs[0] = output;
	op.output_count = 1;
	op_kind(code)->run(&op, &d->exec);
}

static void desk_init(struct desk *d, int64_t V)
{
	static const uint8_t bools[SLOTS] = {[TOP_K] = 1, [TOP_P] = 1, [KEPT] = 1};
	*d = (struct desk){.arena = ARENA_INIT, .fresh = 1, .sampled = 1};
	d->request.id = "A";
	d->batch = (struct batch){.requests = &d->request, .count = 1};
	d->pass = (struct pass){.B = 1,
		.S = 1,
		.cells = 1,
		.rows = &d->row,
		.past = &d->past,
		.fresh = &d->fresh,
		.sampled = &d->sampled,
		.ended = &d->ended,
		.counted_pads = &d->counted,
		.histories = &d->history};
	d->exec = (struct exec){.pass = &d->pass,
		.tensors = d->tensors,
		.kernels = kernels_get(NULL),
		.scratch = &d->arena,
		.batch = &d->batch,
		.dims = {.B = 1, .S = 1, .T = 1, .V = V}};
	for (int i = 0; i < SLOTS; i++) {
		d->tensors[i] =
			(struct tensor){.dtype = bools[i] != 0 ? DTYPE_BOOL : DTYPE_F32, .rank = 2, .shape = {1, V}};
		d->tensors[i].data = ARENA_ARRAY(&d->arena, float, V);
	}
}

static void desk_run(struct desk *d)
{
	run_step_of(d, OP_penalise, PENALISED, LOGITS, -1);
	run_step_of(d, OP_temper, SCALED, PENALISED, -1);
	run_step_of(d, OP_keep_top_k, TOP_K, SCALED, -1);
	run_step_of(d, OP_keep_top_p, TOP_P, SCALED, TOP_K);
	run_step_of(d, OP_keep_min_p, KEPT, SCALED, TOP_P);
	run_step_of(d, OP_softmax_kept, PROBS, SCALED, KEPT);
}

static const struct json *member(const struct json *object, const char *key)
{
	const struct json *found = json_find(object, key);
	ck_assert_ptr_nonnull(found);
	return found;
}

static void compare_case(const struct json *item, int64_t V, size_t number)
{
	struct desk d;
	struct err err = ERR_INIT;
	desk_init(&d, V);
	const struct json *tokens = member(item, "tokens");
	int32_t *history = ARENA_ARRAY(&d.arena, int32_t, tokens->count);
	for (size_t t = 0; t < tokens->count; t++)
		history[t] = (int32_t)tokens->items[t]->number;
	d.history = history;
	d.past = (int64_t)tokens->count - 1;
	ck_assert_msg(sampling_read(member(item, "settings"), &d.request.sampling, &err), "%s", err.message);
	for (int64_t v = 0; v < V; v++)
		((float *)d.tensors[LOGITS].data)[v] = (float)member(item, "logits")->items[v]->number;
	desk_run(&d);
	for (int64_t v = 0; v < V; v++) {
		double x = member(item, "penalised")->items[v]->number, p = member(item, "probs")->items[v]->number;
		bool kept = member(item, "kept")->items[v]->type == JSON_TRUE;
		ck_assert_msg(fabs((double)((float *)d.tensors[PENALISED].data)[v] - x) <= 1e-6 * fabs(x) + 1e-7,
			"case %zu", number);
		ck_assert_msg((((uint8_t *)d.tensors[KEPT].data)[v] != 0) == kept, "case %zu, token %d", number,
			(int)v);
		ck_assert_msg(fabs((double)((float *)d.tensors[PROBS].data)[v] - p) <= 2e-6, "case %zu", number);
	}
	arena_free(&d.arena);
}

START_TEST(agrees_with_the_processors_of_transformers)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct json *root;
	ck_assert_msg(json_load("tests/golden/sampler.json", 1 << 20, &arena, &root, &err), "%s", err.message);
	const struct json *cases = member(root, "cases");
	for (size_t i = 0; i < cases->count; i++)
		compare_case(cases->items[i], (int64_t)member(root, "vocabulary")->number, i);
	ck_assert_uint_eq(cases->count, 36);
	arena_free(&arena);
}
END_TEST

/* Ties go to the lowest ID, in the choice and in every filter. */
START_TEST(ties_go_to_the_lowest_id)
{
	struct desk d;
	static const float logits[6] = {1, 3, 3, 3, 3, 1};
	static const uint8_t two[6] = {0, 1, 1, 0, 0, 0};
	desk_init(&d, 6);
	memcpy(d.tensors[LOGITS].data, logits, sizeof logits);
	static const int32_t history[1] = {0};
	d.history = history;
	d.request.sampling = (struct sampling){.temperature = 1, .top_k = 2};
	desk_run(&d);
	ck_assert_mem_eq(d.tensors[KEPT].data, two, 6);
	d.request.sampling = (struct sampling){.temperature = 1, .top_p = 0.4f};
	desk_run(&d);
	ck_assert_mem_eq(d.tensors[KEPT].data, two, 6);
	arena_free(&d.arena);
}
END_TEST

/* Known answers of Philox 4x32-10, from the file kat_vectors of Random123 1.09 (Salmon et al.). */
START_TEST(philox_gives_the_published_words)
{
	static const struct {
		uint64_t key;
		uint32_t counter[4], words[4];
	} known[] = {
		{0, {0, 0, 0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{UINT64_MAX, {~0u, ~0u, ~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint32_t words[4];
		random_philox(known[i].key, known[i].counter, words);
		ck_assert_mem_eq(words, known[i].words, sizeof words);
	}
	ck_assert(random_unit(0xffffffffu) < 1.0f && random_unit(0) == 0.0f && random_unit(0x80000000u) == 0.5f);
}
END_TEST

/* --- draws --- */

#define ROWS 1000
#define ROUNDS 200
#define MOST 16

/* Hot: the model is sure of itself. */
static const struct sampling drawn[] = {
	{.temperature = 8},
	{.temperature = 20},
	{.temperature = 12, .top_k = 5},
	{.temperature = 15, .top_p = 0.8f},
	{.temperature = 12, .min_p = 0.05f},
	{.temperature = 10, .repetition_penalty = 1.5f, .presence_penalty = 0.5f, .frequency_penalty = 0.25f},
};

/* What a run of one pass told. */
struct told {
	float probs[ROWS][MOST];
	int32_t next[ROWS];
	int64_t V;
};

static bool on_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct told *told = self;
	const char *name = plan->values[value].name;
	(void)err;
	if (strcmp(name, "next_tokens") == 0)
		memcpy(told->next, tensor->data, (size_t)pass->B * sizeof *told->next);
	if (strcmp(name, "probs") != 0)
		return true;
	told->V = tensor->shape[1];
	for (int64_t b = 0; b < pass->B; b++)
		memcpy(told->probs[b], (const float *)tensor->data + b * told->V, (size_t)told->V * sizeof(float));
	return true;
}

struct crowd {
	struct arena arena;
	struct model *model;
	struct request requests[ROWS];
	struct batch batch;
	struct told told;
};

static void crowd_init(struct crowd *c, const struct sampling *sampling)
{
	static int32_t prompt[] = {3, 4};
	struct err err = ERR_INIT;
	c->arena = ARENA_INIT;
	c->batch = (struct batch){.requests = c->requests, .count = ROWS};
	ck_assert_msg(model_open(&c->model, "tiny_models/glass", &err), "%s", err.message);
	for (int i = 0; i < ROWS; i++)
		c->requests[i] = (struct request){.id = arena_printf(&c->arena, "row %d", i),
			.prompt = prompt,
			.prompt_length = 2,
			.max_new_tokens = 1,
			.sampling = *sampling};
}

static void crowd_run(struct crowd *c, uint64_t seed)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct plan *plan;
	struct run *run;
	struct run_options options = {.threads = 1};
	bool more;
	for (int i = 0; i < ROWS; i++)
		c->requests[i].sampling.seed = seed;
	ck_assert(plan_build(&plan, c->model, batch_way(&c->batch), &arena, &err));
	ck_assert(run_new(&run, c->model, plan, &c->batch, &options, &err));
	struct probe probe = {.self = &c->told, .value = on_value};
	ck_assert(run_step(run, &probe, &more, &err));
	run_delete(run);
	plan_free(plan);
	arena_free(&arena);
}

static void crowd_free(struct crowd *c)
{
	model_delete(c->model);
	arena_free(&c->arena);
}

/* The 99.99 % point of chi-square with `degrees` degrees of freedom (Wilson and Hilferty, 1931). */
static double chi_square_limit(int degrees)
{
	double a = 2.0 / (9.0 * degrees), t = 1 - a + 3.719 * sqrt(a);
	return degrees * t * t * t;
}

/* 200,000 draws of each setting against the recorded probabilities; tokens that are expected less than 10 times are one class. */
START_TEST(draws_follow_the_recorded_probabilities)
{
	static struct crowd c;
	double counts[MOST] = {0}, chi = 0, rest = 0, rest_expected = 0;
	int degrees = -1;
	crowd_init(&c, &drawn[_i]);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		crowd_run(&c, round);
		for (int b = 0; b < ROWS; b++)
			counts[c.told.next[b]]++;
	}
	for (int64_t v = 0; v < c.told.V; v++) {
		double expected = (double)c.told.probs[0][v] * ROWS * ROUNDS;
		if (expected == 0) /* filtered out: it must never be drawn */
			ck_assert(counts[v] == 0);
		if (expected < 10) {
			rest += counts[v], rest_expected += expected;
			continue;
		}
		chi += (counts[v] - expected) * (counts[v] - expected) / expected;
		degrees++;
	}
	if (rest_expected >= 10) {
		chi += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
		degrees++;
	}
	ck_assert_int_gt(degrees, 1);
	ck_assert_msg(chi < chi_square_limit(degrees), "setting %d: chi-square %g with %d degrees of freedom", _i, chi,
		degrees);
	crowd_free(&c);
}
END_TEST

/* The same statistic finds draws that follow other probabilities. */
START_TEST(a_wrong_temperature_would_be_noticed)
{
	static struct crowd c, other;
	double chi = 0;
	int degrees = -1;
	double counts[MOST] = {0};
	struct sampling warmer = {.temperature = 8.2f};
	crowd_init(&c, &drawn[0]);
	crowd_init(&other, &warmer);
	crowd_run(&c, 0);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		crowd_run(&other, round);
		for (int b = 0; b < ROWS; b++)
			counts[other.told.next[b]]++;
	}
	for (int64_t v = 0; v < c.told.V; v++) {
		double expected = (double)c.told.probs[0][v] * ROWS * ROUNDS;
		if (expected >= 10) {
			chi += (counts[v] - expected) * (counts[v] - expected) / expected;
			degrees++;
		}
	}
	ck_assert_msg(chi > chi_square_limit(degrees), "chi-square %g", chi);
	crowd_free(&c);
	crowd_free(&other);
}
END_TEST

/* Over 10,000 positions the streams of rows with one seed are uncorrelated: |r| below 4 standard deviations. */
START_TEST(streams_of_rows_are_uncorrelated)
{
	enum { POSITIONS = 10000, STREAMS = 8 };
	static double u[STREAMS][POSITIONS];
	for (int r = 0; r < STREAMS; r++) {
		char id[8];
		snprintf(id, sizeof id, "%c", 'A' + r);
		struct request request = {.id = id, .sampling = {.seed = 7}};
		for (int p = 0; p < POSITIONS; p++) {
			struct pass_draw draw = request_draw(&request, p);
			uint32_t words[4];
			random_philox(draw.key, draw.counter, words);
			u[r][p] = (double)random_unit(words[0]) - 0.5;
		}
	}
	for (int a = 0; a < STREAMS; a++) {
		for (int b = 0; b < a; b++) {
			double sum = 0;
			for (int p = 0; p < POSITIONS; p++)
				sum += u[a][p] * u[b][p];
			double r = sum / POSITIONS * 12; /* the variance of a uniform number is 1/12 */
			ck_assert_msg(fabs(r) < 4 / sqrt(POSITIONS), "rows %d and %d: %g", a, b, r);
		}
	}
}
END_TEST

/* --- named after the public reports (cases.md of the design; see docs/FAULTS.md) --- */

/* Rows of a batch, each with its own setting; what each generates must not depend on the others. */
static void generate(struct model *model, struct request *requests, int64_t count, int32_t out[][8])
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct batch batch = {.requests = requests, .count = count};
	struct plan *plan;
	struct run *run;
	struct run_options options = {.threads = 1};
	bool more = true;
	ck_assert(plan_build(&plan, model, batch_way(&batch), &arena, &err));
	ck_assert(run_new(&run, model, plan, &batch, &options, &err));
	while (more)
		ck_assert(run_step(run, NULL, &more, &err));
	for (int64_t i = 0; i < count; i++) {
		const struct row *row = run_row(run, i);
		for (int t = 0; t < 8; t++)
			out[i][t] = row->count > requests[i].prompt_length + t
				? row->tokens[requests[i].prompt_length + t]
				: -1;
	}
	run_delete(run);
	plan_free(plan);
	arena_free(&arena);
}

struct pair {
	struct model *model;
	int32_t prompts[3][3];
	struct request requests[3];
};

static void pair_init(struct pair *p)
{
	struct err err = ERR_INIT;
	static const int32_t prompts[3][3] = {{3, 4, 5}, {3, 0, 0}, {3, 4, 0}};
	static const int64_t lengths[3] = {3, 1, 2};
	static const char *const ids[3] = {"A", "B", "C"};
	memcpy(p->prompts, prompts, sizeof prompts);
	ck_assert(model_open(&p->model, "tiny_models/glass", &err));
	for (int i = 0; i < 3; i++)
		p->requests[i] = (struct request){.id = ids[i],
			.prompt = p->prompts[i],
			.prompt_length = lengths[i],
			.max_new_tokens = 8,
			.sampling = {.temperature = 4, .seed = 11}};
}

START_TEST(case_24_another_rows_seed_changes_nothing)
{
	struct pair p;
	int32_t before[3][8], after[3][8];
	pair_init(&p);
	generate(p.model, p.requests, 3, before);
	p.requests[1].sampling.seed = 99;
	p.requests[2].sampling.temperature = 0; /* without a draw of its own */
	generate(p.model, p.requests, 3, after);
	ck_assert_mem_eq(before[0], after[0], sizeof before[0]);
	ck_assert_mem_ne(before[1], after[1], sizeof before[1]);
	model_delete(p.model);
}
END_TEST

START_TEST(case_25_rows_with_one_seed_and_prompt_differ)
{
	struct pair p;
	int32_t out[3][8];
	pair_init(&p);
	p.requests[1].prompt = p.requests[0].prompt;
	p.requests[1].prompt_length = p.requests[0].prompt_length;
	generate(p.model, p.requests, 2, out);
	ck_assert_mem_ne(out[0], out[1], sizeof out[0]);
	model_delete(p.model);
}
END_TEST

START_TEST(case_26_permuting_rows_permutes_what_they_draw)
{
	struct pair p;
	int32_t out[3][8], turned[3][8];
	pair_init(&p);
	generate(p.model, p.requests, 3, out);
	struct request other[3] = {p.requests[2], p.requests[0], p.requests[1]};
	generate(p.model, other, 3, turned);
	for (int i = 0; i < 3; i++)
		ck_assert_mem_eq(out[(i + 2) % 3], turned[i], sizeof out[0]);
	model_delete(p.model);
}
END_TEST

START_TEST(case_27_penalties_do_not_count_padding)
{
	struct pair p;
	int32_t batch[3][8], alone[3][8];
	pair_init(&p);
	for (int i = 0; i < 3; i++)
		p.requests[i].sampling = (struct sampling){.repetition_penalty = 1.5f, .frequency_penalty = 0.5f};
	generate(p.model, p.requests, 3, batch);
	for (int i = 0; i < 3; i++) {
		generate(p.model, &p.requests[i], 1, alone);
		ck_assert_mem_eq(batch[i], alone[0], sizeof batch[i]);
	}
	model_delete(p.model);
}
END_TEST

TEST_PROGRAM("sample", {
	tcase_add_test(tests, agrees_with_the_processors_of_transformers);
	tcase_add_test(tests, ties_go_to_the_lowest_id);
	tcase_add_test(tests, philox_gives_the_published_words);
	tcase_add_loop_test(tests, draws_follow_the_recorded_probabilities, 0, (int)(sizeof drawn / sizeof *drawn));
	tcase_add_test(tests, a_wrong_temperature_would_be_noticed);
	tcase_add_test(tests, streams_of_rows_are_uncorrelated);
	tcase_add_test(tests, case_24_another_rows_seed_changes_nothing);
	tcase_add_test(tests, case_25_rows_with_one_seed_and_prompt_differ);
	tcase_add_test(tests, case_26_permuting_rows_permutes_what_they_draw);
	tcase_add_test(tests, case_27_penalties_do_not_count_padding);
})
