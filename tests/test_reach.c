/*
 * Reach against brute force: one input token is changed at a time, the prompts are run again, and whatever cell then holds
 * other bits must have that position among what reaches it, followed through every operation, pass and cache slot.
 */
#include "analysis/faults.h"
#include "harness.h"
#include "model/model.h"
#include "seen.h"

#define ROWS 4

/* --- batches --- */

struct setting {
	struct request rows[ROWS];
	int32_t prompts[ROWS][8];
	struct batch batch;
};

/* Prompts of four lengths, read in pieces of two tokens under `chunked`; nothing of it depends on what is chosen. */
static void set(struct setting *s, enum layout layout, enum schedule schedule)
{
	static const char *const ids[] = {"A", "B", "C", "D"};
	static const int64_t lengths[] = {5, 1, 3, 4};
	for (int i = 0; i < ROWS; i++) {
		for (int t = 0; t < lengths[i]; t++)
			s->prompts[i][t] = (int32_t)(2 + (3 * i + 5 * t) % 13);
		s->rows[i] = (struct request){.id = ids[i],
			.prompt = s->prompts[i],
			.prompt_length = lengths[i],
			.max_new_tokens = 1};
	}
	s->batch = (struct batch){.requests = s->rows, .count = ROWS, .layout = layout, .schedule = schedule};
	if (schedule == SCHEDULE_CHUNKED)
		s->batch.chunk = 2, s->batch.page_size = 2;
}

static struct model *open_model(const char *name)
{
	char path[128];
	struct err err = ERR_INIT;
	struct model *model = NULL;
	snprintf(path, sizeof path, "tiny_models/%s", name);
	ck_assert_msg(model_open(&model, path, &err), "%s", err.message);
	return model;
}

/* --- following reach --- */

typedef void reach_fn(const struct op *op, struct reach *reach);

static void honest(const struct op *op, struct reach *reach)
{
	op_kind(op->code)->reach(op, reach);
}

/* The sets of all cells of a run: bit i for source i, a position of a request. */
struct followed {
	struct seen *seen;
	uint64_t **sets[SEEN_PASSES]; /* [values] of [cells] */
	int64_t pass, row;
	uint64_t *target;
	struct arena arena;
};

static int source_bit(int32_t request, int64_t position)
{
	static const int first[ROWS] = {0, 5, 6, 9};
	return first[request] + (int)position;
}

static void followed_from(void *self, int value, int64_t cell)
{
	struct followed *f = self;
	const struct plan *plan = f->seen->plan;
	const struct seen_pass *pass = &f->seen->passes[f->pass];
	if (!plan->values[value].is_state) {
		*f->target |= f->sets[f->pass][value][cell];
		return;
	}
	const struct op *writer = &plan->ops[plan->values[value].producer];
	for (int64_t i = f->row * pass->layout.K; i < (f->row + 1) * pass->layout.K; i++) {
		struct seen_cell at = pass->keys[i];
		if (pass->layout.key_origin[i] == cell && at.pass >= 0)
			*f->target |= f->sets[at.pass][writer->inputs[0]][at.cell] |
				f->sets[at.pass][writer->inputs[1]][at.cell];
	}
}

static void follow_value(struct followed *f, int value, reach_fn *reach)
{
	const struct plan *plan = f->seen->plan;
	const struct pass *pass = &f->seen->passes[f->pass].layout;
	const struct op *op = &plan->ops[plan->values[value].producer];
	const char *axes = plan->values[value].spec.axes;
	int64_t cells = seen_cells(axes, pass);
	uint64_t *sets = f->sets[f->pass][value] = ARENA_ARRAY(&f->arena, uint64_t, cells + 1);
	struct reach query = {.plan = plan,
		.pass = pass,
		.self = f,
		.from = followed_from,
		.mask = op->input_count == 0 ? NULL
					     : f->seen->passes[f->pass].values[op->inputs[op->input_count - 1]].data};
	while (op->outputs[query.output] != value)
		query.output++;
	for (int64_t cell = 0; cell < cells; cell++) {
		int64_t position = op->code == OP_input ? pass_position(pass, cell) : -1;
		f->row = strpbrk(axes, "ST") != NULL ? pass->row_of[cell] : cell;
		f->target = &sets[cell];
		query.cell = cell;
		if (position >= 0)
			sets[cell] = UINT64_C(1) << source_bit(pass->rows[f->row], position);
		else if (op->code != OP_input)
			reach(op, &query);
	}
}

static void follow(struct followed *f, struct seen *seen, reach_fn *reach)
{
	*f = (struct followed){.seen = seen, .arena = ARENA_INIT};
	for (f->pass = 0; f->pass < seen->count; f->pass++) {
		f->sets[f->pass] = ARENA_ARRAY(&f->arena, uint64_t *, seen->plan->value_count);
		for (int i = 0; i < seen->plan->op_count; i++) {
			const struct op *op = &seen->plan->ops[i];
			for (int j = 0; op->code != OP_cache_write && j < op->output_count; j++)
				follow_value(f, op->outputs[j], reach);
		}
	}
}

/* --- brute force --- */

struct verdict {
	int64_t changed, outside; /* cells */
	char first[128];
};

/* Does the cell hold other bits in the second run? */
static bool differs(const struct tensor *a, const struct tensor *b, const struct pass *pass, int64_t cell)
{
	size_t size = dtype_size(a->dtype);
	for (int64_t i = 0; i < tensor_count(a); i++) {
		int64_t index[TENSOR_MAX_RANK];
		if (memcmp((const char *)a->data + (size_t)i * size, (const char *)b->data + (size_t)i * size, size) ==
			0)
			continue;
		tensor_index(a, i, index);
		if (seen_cell_of(a->axes, index, pass->S) == cell)
			return true;
	}
	return false;
}

/* Cells that changed, and of those the ones that the source does not reach. */
static void compare(const struct followed *f, const struct seen *other, int bit, struct verdict *verdict)
{
	const struct plan *plan = f->seen->plan;
	for (int64_t p = 0; p < f->seen->count; p++) {
		const struct pass *pass = &f->seen->passes[p].layout;
		for (int v = 0; v < plan->value_count; v++) {
			const struct tensor *a = &f->seen->passes[p].values[v], *b = &other->passes[p].values[v];
			const char *name = plan->values[v].name;
			if (plan->values[v].is_state || strncmp(name, "cache.", 6) == 0 ||
				strcmp(name, "finished") == 0)
				continue; /* physical, or a matter of lengths */
			for (int64_t cell = 0; cell < seen_cells(plan->values[v].spec.axes, pass); cell++) {
				if (!differs(a, b, pass, cell))
					continue;
				verdict->changed++;
				if (f->sets[p][v] != NULL && (f->sets[p][v][cell] >> bit & 1) != 0)
					continue;
				if (verdict->outside++ == 0)
					snprintf(verdict->first, sizeof verdict->first,
						"source %d changes pass %lld %s cell %lld", bit, (long long)p, name,
						(long long)cell);
			}
		}
	}
}

/* Follows reach in the batch as it is, then runs it once for every source with another token there, with the fault. */
static void brute_force(struct model *model, struct setting *s, const char *fault, reach_fn *reach,
	struct verdict *verdict)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct plan *plan = NULL, *faulty = NULL;
	struct run_options options = {.threads = 1}, with_fault = options;
	struct seen seen, base, other;
	struct followed followed;
	*verdict = (struct verdict){0};
	ck_assert(plan_build(&plan, model, batch_way(&s->batch), &arena, &err));
	ck_assert(plan_build(&faulty, model, batch_way(&s->batch), &arena, &err));
	ck_assert(fault == NULL || faults_apply(&fault, 1, faulty, &with_fault, &err));
	ck_assert(seen_run(&seen, model, plan, &s->batch, &options));
	ck_assert(seen_run(&base, model, faulty, &s->batch, &with_fault));
	follow(&followed, &seen, reach);
	for (int r = 0; r < ROWS; r++) {
		for (int64_t t = 0; t < s->rows[r].prompt_length; t++) {
			int32_t kept = s->prompts[r][t];
			s->prompts[r][t] = kept == 2 ? 3 : kept - 1;
			ck_assert(seen_run(&other, model, faulty, &s->batch, &with_fault));
			s->prompts[r][t] = kept;
			ck_assert_int_eq(other.count, base.count);
			struct seen *sound = followed.seen;
			followed.seen = &base; /* the same places, the numbers of the run that is compared with */
			compare(&followed, &other, source_bit(r, t), verdict);
			followed.seen = sound;
			seen_free(&other);
		}
	}
	arena_free(&followed.arena);
	seen_free(&seen);
	seen_free(&base);
	plan_free(plan);
	plan_free(faulty);
	arena_free(&arena);
}

START_TEST(what_changes_is_within_reach)
{
	static const char *const models[] = {"glass", "three-requests", "tiny-stories",
		"../tests/golden/families/mistral", "../tests/golden/families/qwen2", "../tests/golden/families/gemma2",
		"../tests/golden/families/gemma3"};
	static const enum schedule schedules[] = {SCHEDULE_CONTINUOUS, SCHEDULE_CHUNKED};
	struct model *model = open_model(models[_i / 6]);
	struct setting s = {0};
	struct verdict verdict;
	set(&s, (enum layout)(_i % 3), schedules[_i / 3 % 2]);
	brute_force(model, &s, NULL, honest, &verdict);
	ck_assert_int_gt(verdict.changed, 200);
	ck_assert_msg(verdict.outside == 0, "%lld cells: %s", (long long)verdict.outside, verdict.first);
	model_delete(model);
}
END_TEST

/* --- it can fail --- */

/* Says that attention reads nothing of the cache. */
static void forgets_the_cache(const struct op *op, struct reach *reach)
{
	if (op->code == OP_attn_mix || op->code == OP_attn_scores)
		reach_from(reach, op->inputs[0], reach->cell);
	else
		honest(op, reach);
}

/* Says that a row's last position is its first. */
static void takes_the_first(const struct op *op, struct reach *reach)
{
	if (op->code == OP_last)
		reach_from(reach, op->inputs[0], reach->pass->first[reach->cell]);
	else
		honest(op, reach);
}

START_TEST(a_lying_reach_is_caught)
{
	static reach_fn *const liars[] = {forgets_the_cache, takes_the_first};
	struct model *model = open_model("glass");
	struct setting s = {0};
	struct verdict verdict;
	set(&s, LAYOUT_LEFT, SCHEDULE_CONTINUOUS);
	brute_force(model, &s, NULL, liars[_i], &verdict);
	ck_assert_int_gt(verdict.outside, 0);
	model_delete(model);
}
END_TEST

START_TEST(an_engine_that_mixes_rows_is_caught)
{
	static const char *const faults[] = {"batch-norm", "softmax-over-rows", "shared-cache-slot"};
	struct model *model = open_model("glass");
	struct setting s = {0};
	struct verdict verdict;
	set(&s, LAYOUT_LEFT, SCHEDULE_CONTINUOUS);
	brute_force(model, &s, faults[_i], honest, &verdict);
	ck_assert_int_gt(verdict.outside, 0);
	model_delete(model);
}
END_TEST

/* --- the number of rows reaches nothing --- */

/* How many numbers of the first row change when the last row is taken away. */
static int64_t changed_by_leaving(struct model *model, const char *fault)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct setting s = {0};
	struct plan *plan = NULL;
	struct run_options options = {.threads = 1};
	struct seen all, fewer;
	int64_t changed = 0;
	set(&s, LAYOUT_LEFT, SCHEDULE_CONTINUOUS);
	ck_assert(plan_build(&plan, model, batch_way(&s.batch), &arena, &err));
	ck_assert(fault == NULL || faults_apply(&fault, 1, plan, &options, &err));
	ck_assert(seen_run(&all, model, plan, &s.batch, &options));
	s.batch.count--;
	ck_assert(seen_run(&fewer, model, plan, &s.batch, &options));
	const struct tensor *a = &all.passes[0].values[plan_value(plan, "logits")];
	const struct tensor *b = &fewer.passes[0].values[plan_value(plan, "logits")];
	for (int64_t i = 0; i < a->shape[1]; i++)
		changed += memcmp((const float *)a->data + i, (const float *)b->data + i, sizeof(float)) != 0;
	seen_free(&all);
	seen_free(&fewer);
	plan_free(plan);
	arena_free(&arena);
	return changed;
}

START_TEST(a_kernel_that_depends_on_the_number_of_rows_is_caught)
{
	struct model *model = open_model("three-requests");
	ck_assert_int_eq(changed_by_leaving(model, NULL), 0);
	ck_assert_int_gt(changed_by_leaving(model, "batch-dependent-sum"), 0);
	model_delete(model);
}
END_TEST

TEST_PROGRAM("reach", {
	tcase_add_loop_test(tests, what_changes_is_within_reach, 0, 7 * 6);
	tcase_add_loop_test(tests, a_lying_reach_is_caught, 0, 2);
	tcase_add_loop_test(tests, an_engine_that_mixes_rows_is_caught, 0, 3);
	tcase_add_test(tests, a_kernel_that_depends_on_the_number_of_rows_is_caught);
})
