/* Top-k, top-p and min-p against a slow second writing of their definitions, and the reasons that they give. */
#include <math.h>
#include <string.h>

#include "engine/exec.h"
#include "engine/op_kinds.h"
#include "harness.h"
#include "tensor/real.h"

enum { X, BEFORE, KEPT, VALUES, MOST = 40 };

/* One row of numbers, and which of them an earlier filter has left in. */
struct bench {
	struct arena arena;
	struct request request;
	struct batch batch;
	struct pass pass;
	struct exec exec;
	struct tensor tensors[VALUES];
	float x[MOST];
	uint8_t before[MOST], kept[MOST];
	int32_t row;
	int64_t past, fresh;
};

static void bench_init(struct bench *s, int64_t V)
{
	*s = (struct bench){.arena = ARENA_INIT};
	s->batch = (struct batch){.requests = &s->request, .count = 1};
	s->pass = (struct pass){.B = 1, .rows = &s->row, .past = &s->past, .fresh = &s->fresh};
	s->exec = (struct exec){.pass = &s->pass,
		.tensors = s->tensors,
		.scratch = &s->arena,
		.batch = &s->batch,
		.dims = {.B = 1, .V = V}};
	s->tensors[X] = (struct tensor){.dtype = DTYPE_F32, .rank = 2, .shape = {1, V}, .data = s->x};
	s->tensors[BEFORE] = (struct tensor){.dtype = DTYPE_BOOL, .rank = 2, .shape = {1, V}, .data = s->before};
	s->tensors[KEPT] = (struct tensor){.dtype = DTYPE_BOOL, .rank = 2, .shape = {1, V}, .data = s->kept};
}

static struct op filter_op(enum op_code code)
{
	struct op op = plan_op(code, -1);
	plan_input(&op, X);
	plan_input(&op, BEFORE);
	op.outputs[0] = KEPT;
	op.output_count = 1;
	return op;
}

/* --- the definitions --- */

static bool is_likelier(const float *x, int64_t a, int64_t b)
{
	bool number_a = x[a] == x[a], number_b = x[b] == x[b];
	if (number_a != number_b)
		return number_a;
	if (number_a && x[a] != x[b])
		return x[a] > x[b];
	return a < b;
}

static int64_t rank_of(const struct bench *s, int64_t V, int64_t v)
{
	int64_t rank = 0;
	for (int64_t i = 0; i < V; i++)
		rank += s->before[i] != 0 && is_likelier(s->x, i, v);
	return rank;
}

static float largest(const struct bench *s, int64_t V)
{
	for (int64_t v = 0; v < V; v++) {
		if (s->before[v] != 0 && rank_of(s, V, v) == 0)
			return s->x[v];
	}
	return 0;
}

/* The probabilities of the tokens that are likelier, likeliest first. */
static float likelier_sum(const struct bench *s, int64_t V, int64_t v)
{
	float sum = 0, reached = 0, most = largest(s, V);
	for (int64_t i = 0; i < V; i++)
		sum += s->before[i] != 0 ? real_exp(s->x[i] - most) : 0;
	for (int64_t rank = 0; rank < rank_of(s, V, v); rank++) {
		for (int64_t i = 0; i < V; i++) {
			if (s->before[i] != 0 && rank_of(s, V, i) == rank)
				reached += real_exp(s->x[i] - most) / sum;
		}
	}
	return reached;
}

static bool keeps(const struct bench *s, enum op_code code, int64_t V, int64_t v)
{
	const struct sampling *settings = &s->request.sampling;
	if (s->before[v] == 0)
		return false;
	if (code == OP_keep_top_k)
		return settings->top_k == 0 || rank_of(s, V, v) < settings->top_k;
	if (code == OP_keep_top_p)
		return settings->top_p == 0 || settings->top_p >= 1 || likelier_sum(s, V, v) < settings->top_p;
	return settings->min_p == 0 || real_exp(s->x[v] - largest(s, V)) >= settings->min_p;
}

/* --- */

static uint32_t below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

static void fill(struct bench *s, int64_t V, uint64_t *state)
{
	for (int64_t v = 0; v < V; v++) {
		s->x[v] = (float)below(state, 12) / 2; /* coarse, so that there are ties */
		s->before[v] = below(state, 4) != 0;
		if (below(state, 20) == 0)
			s->x[v] = -INFINITY;
	}
	s->before[below(state, (uint32_t)V)] = 1;
	s->request.sampling = (struct sampling){.temperature = 1,
		.top_k = below(state, (uint32_t)V + 2),
		.top_p = (float)below(state, 11) / 10,
		.min_p = (float)below(state, 8) / 10};
}

/* Row by row as the definition says: 3 x 3,000 random rows with ties, -inf and tokens that are out already. */
START_TEST(keeps_what_the_definition_says)
{
	static const enum op_code codes[] = {OP_keep_top_k, OP_keep_top_p, OP_keep_min_p};
	uint64_t state = (uint64_t)_i + 1;
	struct op op = filter_op(codes[_i]);
	int64_t kept = 0, out = 0;
	for (int round = 0; round < 3000; round++) {
		struct bench s;
		int64_t V = 1 + below(&state, MOST - 1);
		bench_init(&s, V);
		fill(&s, V, &state);
		op_kind(codes[_i])->run(&op, &s.exec);
		for (int64_t v = 0; v < V; v++) {
			bool wanted = keeps(&s, codes[_i], V, v);
			ck_assert_msg((s.kept[v] != 0) == wanted, "round %d, token %d", round, (int)v);
			kept += wanted, out += !wanted && s.before[v] != 0;
		}
		arena_free(&s.arena);
	}
	ck_assert(kept > 1000 && out > 1000);
}
END_TEST

/* To reach p is enough, and to be as likely as min_p asks. */
START_TEST(a_bound_that_is_met_exactly_is_met)
{
	struct bench s;
	struct op top_p = filter_op(OP_keep_top_p), min_p = filter_op(OP_keep_min_p);
	bench_init(&s, 2);
	s.request.sampling = (struct sampling){.temperature = 1, .top_p = 0.5f, .min_p = 1};
	memset(s.before, 1, 2);
	op_kind(OP_keep_top_p)->run(&top_p, &s.exec);
	ck_assert_mem_eq(s.kept, ((const uint8_t[2]){1, 0}), 2);
	op_kind(OP_keep_min_p)->run(&min_p, &s.exec);
	ck_assert_mem_eq(s.kept, ((const uint8_t[2]){1, 1}), 2);
	arena_free(&s.arena);
}
END_TEST

/* NaN is least: it is kept only where nothing else is left, and nothing crashes. */
START_TEST(nan_comes_last)
{
	struct bench s;
	struct op op = filter_op(OP_keep_top_k);
	static const uint8_t wanted[4] = {0, 1, 0, 1};
	bench_init(&s, 4);
	s.request.sampling = (struct sampling){.temperature = 1, .top_k = 2};
	memcpy(s.x, (const float[4]){NAN, 1, NAN, -5}, 4 * sizeof(float));
	memset(s.before, 1, 4);
	op_kind(op.code)->run(&op, &s.exec);
	ck_assert_mem_eq(s.kept, wanted, 4);
	memset(s.kept, 0, 4);
	s.x[1] = s.x[3] = NAN;
	op_kind(op.code)->run(&op, &s.exec);
	ck_assert_mem_eq(s.kept, ((const uint8_t[4]){1, 1, 0, 0}), 4);
	arena_free(&s.arena);
}
END_TEST

static bool read_row(void *self, const struct explain_span *span, float *out, struct err *err)
{
	const struct bench *s = self;
	(void)err;
	for (int64_t i = 0; i < span->count; i++)
		out[i] = strcmp(span->name, "x") == 0 ? s->x[i] : (float)s->before[i];
	return true;
}

static const struct {
	enum op_code code;
	int64_t token;
	double value;
	const char *reason;
} reasons[] = {
	{OP_keep_top_k, 0, 1, "true: rank 1 of 4, and top_k is 2"},
	{OP_keep_top_k, 3, 0, "false: rank 3 of 4, and top_k is 2"},
	{OP_keep_top_k, 2, 0, "false: a filter before this one has left the token out"},
	{OP_keep_top_p, 0, 1, "true: the likelier tokens make up 0, and top_p is 0.5"},
	{OP_keep_top_p, 1, 0, "false: the likelier tokens make up 0.643914282, and top_p is 0.5"},
	{OP_keep_min_p, 1, 1, "true: it is 0.36787945 times as likely as the likeliest, and min_p is 0.25"},
	{OP_keep_min_p, 4, 0, "false: it is 0.0497870669 times as likely as the likeliest, and min_p is 0.25"},
};

/* With the row's own numbers: exp of 3, 2, 1 and 0, of which 3 makes up 0.6439. */
START_TEST(says_why)
{
	static const char *const names[VALUES] = {"x", "before", "kept"};
	struct bench s;
	struct value values[VALUES] = {{0}};
	struct err err = ERR_INIT;
	bench_init(&s, 5);
	memcpy(s.x, (const float[5]){3, 2, 9, 1, 0}, 5 * sizeof(float));
	memcpy(s.before, (const uint8_t[5]){1, 1, 0, 1, 1}, 5);
	s.request.sampling = (struct sampling){.temperature = 1, .top_k = 2, .top_p = 0.5f, .min_p = 0.25f};
	for (int i = 0; i < VALUES; i++) {
		values[i].name = names[i];
		strcpy(values[i].spec.axes, "BV");
	}
	struct plan plan = {.values = values, .value_count = VALUES};
	struct op op = filter_op(reasons[_i].code);
	struct explain explain = {.plan = &plan,
		.pass = &s.pass,
		.dims = s.exec.dims,
		.index = {0, reasons[_i].token},
		.reader = {.self = &s, .read = read_row},
		.arena = &s.arena,
		.batch = &s.batch};
	ck_assert_msg(explain_cell(&op, &explain, &err), "%s", err.message);
	ck_assert_str_eq(buf_text(&explain.formula), reasons[_i].reason);
	ck_assert(explain.recomputed == reasons[_i].value);
	buf_free(&explain.formula);
	arena_free(&s.arena);
}
END_TEST

TEST_PROGRAM("filter", {
	tcase_add_loop_test(tests, keeps_what_the_definition_says, 0, 3);
	tcase_add_test(tests, a_bound_that_is_met_exactly_is_met);
	tcase_add_test(tests, nan_comes_last);
	tcase_add_loop_test(tests, says_why, 0, (int)(sizeof reasons / sizeof *reasons));
})
