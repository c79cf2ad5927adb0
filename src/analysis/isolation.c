#include "analysis/isolation.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/faults.h"
#include "analysis/influence.h"
#include "analysis/scramble.h"
#include "base/mem.h"
#include "analysis/stops.h"

/* What the proofs of one check share. */
struct check {
	const struct isolation_options *options;
	struct isolation *result;
	const struct batch *batch; /* of the trace */
	struct arena *arena;
	struct err *err;
};

/* A plan of the recorded run, faults included, with the run options that go with it. */
static bool build(struct check *check, enum layout layout, struct arena *arena, struct plan **plan,
	struct run_options *run)
{
	const char *const *faults = trace_info(check->options->trace)->faults;
	size_t count = 0;
	while (faults[count] != NULL)
		count++;
	*run = check->options->run;
	run->rewrite_count = 0;
	run->stop = stops_rule(check->options->model);
	return plan_build(plan, check->options->model,
		       (struct plan_way){.layout = layout, .sampled = batch_way(check->batch).sampled}, arena,
		       check->err) &&
		faults_apply(faults, count, *plan, run, check->err);
}

static bool go_on(struct check *check)
{
	bool (*is_asked_to_end)(void) = check->options->is_asked_to_end;
	return is_asked_to_end == NULL || !is_asked_to_end() ||
		err_system(check->err, NULL, 0, "stopped before all proofs were done");
}

/* Runs a batch to its end; `most` passes at most, or all for 0. */
static bool run_all(struct check *check, const struct plan *plan, const struct batch *batch,
	const struct run_options *options, const struct probe *probe, int64_t most)
{
	struct run *run;
	bool more = true, ok = true;
	if (!run_new(&run, check->options->model, plan, batch, options, check->err))
		return false;
	while (ok && more && (most == 0 || run_passes(run) < most))
		ok = go_on(check) && run_step(run, probe, &more, check->err);
	run_delete(run);
	return ok;
}

/* Adds what a run found to a proof. */
static void add_counts(struct check *check, enum proof proof, const struct proof_count *counts, const struct leak *leak)
{
	struct isolation_proof *p = &check->result->proofs[proof];
	p->runs++;
	for (int i = 0; i < check->result->value_count; i++) {
		p->counts[i].tensors += counts[i].tensors;
		p->counts[i].values += counts[i].values;
		p->counts[i].bad += counts[i].bad;
		p->tensors += counts[i].tensors;
		p->values += counts[i].values;
		p->bad += counts[i].bad;
	}
	p->ok = p->bad == 0;
	leak_note(&check->result->first, leak);
}

/* --- replay and reach: the batch as it was --- */

/* The structural proof counts by the plan; the trace's list has the same values in the same order. */
static void add_influence(struct check *check, const struct plan *plan, const struct influence *influence)
{
	const struct proof_count *by_plan = influence_counts(influence);
	struct proof_count *counts = ARENA_ARRAY(check->arena, struct proof_count, check->result->value_count);
	struct leak leak = influence_leak(influence);
	for (int i = 0; i < plan->value_count; i++) {
		int value = trace_find_value(check->options->trace, plan->values[i].name);
		if (value >= 0)
			counts[value] = by_plan[i];
	}
	if (leak.found) {
		leak.value = trace_find_value(check->options->trace, plan->values[leak.value].name);
		leak.op = leak.value < 0 ? leak.op : trace_value(check->options->trace, leak.value)->op;
	}
	add_counts(check, PROOF_REACH, counts, &leak);
	for (int64_t i = 0; i < check->batch->count * check->batch->count; i++)
		check->result->between[i] = influence_between(influence, (int32_t)(i / check->batch->count),
			(int32_t)(i % check->batch->count));
}

static bool replay(struct check *check)
{
	struct arena arena = ARENA_INIT;
	struct plan *plan = NULL;
	struct run_options run;
	int32_t *all = ARENA_ARRAY(&arena, int32_t, check->batch->count);
	for (int64_t i = 0; i < check->batch->count; i++)
		all[i] = (int32_t)i;
	bool ok = build(check, check->batch->layout, &arena, &plan, &run);
	if (ok) {
		struct influence *influence = influence_new(plan, check->batch->count);
		struct comparison *comparison =
			comparison_new(check->options->trace, plan, all, check->batch->count, PROOF_REPLAY);
		struct probe_pair both = {comparison_probe(comparison), influence_probe(influence)};
		struct probe probe = probe_join(&both);
		ok = run_all(check, plan, check->batch, &run, &probe, trace_pass_count(check->options->trace));
		struct leak leak = comparison_leak(comparison);
		add_counts(check, PROOF_REPLAY, comparison_counts(comparison), &leak);
		add_influence(check, plan, influence);
		comparison_delete(comparison);
		influence_delete(influence);
	}
	plan_free(plan);
	arena_free(&arena);
	return ok;
}

/* --- alone and scrambled: the batch as it was not --- */

/* A batch run otherwise than it was recorded. */
struct trial {
	enum proof proof;
	struct plan *plan;
	struct run_options run;
	struct batch batch;
	const int32_t *requests; /* [batch.count]: of the trace, or -1 */
	int32_t from;            /* the only row that was changed, or unknown */
};

static bool compare_trial(struct check *check, const struct trial *trial)
{
	struct comparison *comparison =
		comparison_new(check->options->trace, trial->plan, trial->requests, trial->batch.count, trial->proof);
	struct probe probe = comparison_probe(comparison);
	bool ok = run_all(check, trial->plan, &trial->batch, &trial->run, &probe, 0);
	struct leak leak = comparison_leak(comparison);
	leak.from = trial->from;
	add_counts(check, trial->proof, comparison_counts(comparison), &leak);
	comparison_delete(comparison);
	return ok;
}

/* The row by itself, in one piece and with a contiguous cache, however the batch was run. */
static bool one_alone(struct check *check, int32_t request)
{
	struct arena arena = ARENA_INIT;
	struct request row = check->batch->requests[request];
	struct trial trial = {.proof = PROOF_ALONE,
		.batch = {.requests = &row, .count = 1},
		.requests = &request,
		.from = LEAK_FROM_UNKNOWN};

	row.arrives = 0;
	bool ok = build(check, LAYOUT_LEFT, &arena, &trial.plan, &trial.run) && compare_trial(check, &trial);
	plan_free(trial.plan);
	arena_free(&arena);
	return ok;
}

/* The one scrambled row, or unknown when there are several. */
static int32_t only_scrambled(const uint8_t *scrambled, int64_t count)
{
	int32_t only = LEAK_FROM_UNKNOWN, found = 0;
	for (int32_t i = 0; i < count; i++) {
		if (scrambled[i] != 0) {
			only = i;
			found++;
		}
	}
	return found == 1 ? only : LEAK_FROM_UNKNOWN;
}

/* Rows whose index has `value` in bit `bit` are scrambled. */
static bool scrambled_once(struct check *check, int bit, int value)
{
	struct arena arena = ARENA_INIT;
	int64_t count = check->batch->count;
	uint64_t seed = check->options->seed + (uint64_t)(2 * bit + value) * 1000003u;
	uint8_t *scrambled = ARENA_ARRAY(&arena, uint8_t, count);
	int32_t *requests = ARENA_ARRAY(&arena, int32_t, count);
	for (int64_t i = 0; i < count; i++) {
		scrambled[i] = (i >> bit & 1) == value;
		requests[i] = scrambled[i] != 0 ? -1 : (int32_t)i;
	}
	struct trial trial = {.proof = PROOF_SCRAMBLED, .requests = requests, .from = only_scrambled(scrambled, count)};
	trial.batch = scramble_batch(check->batch, scrambled, model_config(check->options->model), seed, &arena);
	bool ok = build(check, check->batch->layout, &arena, &trial.plan, &trial.run) &&
		scramble_plan(trial.plan, scrambled, count, seed, check->err) && compare_trial(check, &trial);
	plan_free(trial.plan);
	arena_free(&arena);
	return ok;
}

static bool alone_and_scrambled(struct check *check)
{
	for (int32_t i = 0; i < check->batch->count; i++) {
		if (!one_alone(check, i))
			return false;
	}
	for (int bit = 0; (int64_t)1 << bit < check->batch->count; bit++) {
		if (!scrambled_once(check, bit, 0) || !scrambled_once(check, bit, 1))
			return false;
	}
	return true;
}

/* --- audit --- */

/* The place of a cell that is not what its operation gives; nothing when it belongs to no row. */
static void note_audit(struct check *check, const struct explained *cell, const struct trace_tensor *t)
{
	const struct pass *layout = &trace_pass(check->options->trace, cell->pass)->layout;
	const char *axes = t->tensor.axes, *s = strchr(axes, 'S'), *b = strchr(axes, 'B'), *token = strchr(axes, 'T');
	if (b == NULL && token == NULL)
		return;
	int64_t at = token != NULL ? cell->index[token - axes]
		: s != NULL        ? cell->index[b - axes] * layout->S + cell->index[s - axes]
				   : -1;
	int64_t row = at >= 0 ? layout->row_of[at] : cell->index[b - axes];
	struct leak leak = {.found = true,
		.proof = PROOF_AUDIT,
		.pass = cell->pass,
		.value = t->value,
		.op = trace_value(check->options->trace, t->value)->op,
		.request = layout->rows[row],
		.position = at >= 0 ? pass_position(layout, at) : layout->past[row] + layout->fresh[row] - 1,
		.rank = t->tensor.rank,
		.from = LEAK_FROM_UNKNOWN,
		.expected = cell->bits,
		.got = cell->recomputed_bits};
	memcpy(leak.index, cell->index, sizeof leak.index);
	leak_note(&check->result->first, &leak);
}

/* Whether a cell stands before another: by pass, then by the list of operations, then by its place. */
static bool comes_before(const struct trace *trace, const struct explained *cell, const struct explained *other)
{
	int value = trace_find_value(trace, cell->name), other_value = trace_find_value(trace, other->name), axis = 0;
	if (cell->pass != other->pass)
		return cell->pass < other->pass;
	if (value != other_value)
		return value < other_value;
	while (axis + 1 < cell->rank && cell->index[axis] == other->index[axis])
		axis++;
	return cell->index[axis] < other->index[axis];
}

static bool audit_cell(struct check *check, struct explainer *explainer, const struct trace_tensor *t, int64_t element)
{
	struct isolation_audit *audit = &check->result->audit;
	struct arena arena = ARENA_INIT;
	struct explained cell = {.name = t->name, .pass = t->pass, .only_value = true};
	tensor_index(&t->tensor, element, cell.index);
	bool ok = explainer_cell(explainer, &cell, &arena, check->err);
	if (ok) {
		audit->cells++;
		if (!cell.same) {
			note_audit(check, &cell, t);
			if (audit->bad++ == 0 || comes_before(check->options->trace, &cell, &audit->first)) {
				audit->first = cell;
				audit->first.formula = arena_strdup(check->arena, cell.formula);
				audit->first.terms = NULL, audit->first.term_count = 0;
			}
		}
	}
	arena_free(&arena);
	return ok;
}

/* A cell that will be audited. Cells are drawn value by value, but asked pass by pass, since a pass is a file. */
struct drawn {
	int64_t pass, element;
	int value;
};

struct draw {
	struct check *check;
	struct explainer *explainer;
	struct drawn *cells; /* [AUDIT_AT_ONCE] */
	int64_t count;
};

#define AUDIT_AT_ONCE 65536

static int by_pass(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;
	if (x->pass != y->pass)
		return x->pass < y->pass ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->element < y->element ? -1 : x->element > y->element;
}

static bool audit_drawn(struct draw *draw)
{
	struct trace *trace = draw->check->options->trace;
	qsort(draw->cells, (size_t)draw->count, sizeof *draw->cells, by_pass);
	for (int64_t i = 0; i < draw->count; i++) {
		const struct drawn *cell = &draw->cells[i];
		struct trace_tensor t;
		if (!trace_find(trace, cell->pass, trace_value(trace, cell->value)->name, &t, draw->check->err) ||
			!audit_cell(draw->check, draw->explainer, &t, cell->element))
			return false;
	}
	draw->count = 0;
	return true;
}

static bool draw_cell(struct draw *draw, int value, int64_t pass, int64_t element)
{
	if (draw->count == AUDIT_AT_ONCE && !audit_drawn(draw))
		return false;
	draw->cells[draw->count++] = (struct drawn){pass, element, value};
	return true;
}

/* Elements of a value in a pass, by its sizes. */
static int64_t element_count(const struct check *check, int value, int64_t pass)
{
	struct trace *trace = check->options->trace;
	const struct trace_info *info = trace_info(trace);
	struct dims dims = {.H = info->H, .N = info->N, .G = info->G, .D = info->D, .F = info->F, .V = info->V};
	dims_set_pass(&dims, &trace_pass(trace, pass)->layout);
	return dims_count(&dims, trace_value(trace, value)->axes);
}

/* IDs, positions and masks decide everything and are cheap: every cell of a tensor of at most that many times the sample. */
#define AUDIT_WHOLE 32

/* Cells drawn at random from all passes, and every cell of small whole numbers. */
static bool draw_value(struct draw *draw, int value, uint64_t *state)
{
	int64_t passes = trace_pass_count(draw->check->options->trace), wanted = draw->check->options->cells_per_value;
	bool whole = trace_value(draw->check->options->trace, value)->dtype != DTYPE_F32;
	for (int64_t i = 0; i < wanted; i++) {
		int64_t pass = (int64_t)(scramble_next(state) % (uint64_t)passes);
		uint64_t count = (uint64_t)element_count(draw->check, value, pass);
		if (!draw_cell(draw, value, pass, (int64_t)(scramble_next(state) % count)))
			return false;
	}
	for (int64_t pass = 0; whole && pass < passes; pass++) {
		int64_t count = element_count(draw->check, value, pass);
		for (int64_t i = 0; count <= AUDIT_WHOLE * wanted && i < count; i++) {
			if (!draw_cell(draw, value, pass, i))
				return false;
		}
	}
	return true;
}

static bool audit(struct check *check)
{
	struct trace *trace = check->options->trace;
	struct draw draw = {.check = check};
	uint64_t state = check->options->seed;
	bool ok = true;
	if (!explainer_new(&draw.explainer, trace, check->options->model, check->err))
		return false;
	draw.cells = MEM_ARRAY(struct drawn, AUDIT_AT_ONCE);
	for (int v = 0; ok && v < trace_value_count(trace); v++) {
		if (!explainer_can(draw.explainer, trace_value(trace, v)->name))
			continue;
		check->result->audit.values++;
		ok = draw_value(&draw, v, &state);
	}
	ok = ok && audit_drawn(&draw);
	free(draw.cells);
	explainer_delete(draw.explainer);
	check->result->audit.ok = check->result->audit.bad == 0;
	return ok;
}

bool isolation_check(struct isolation *result, const struct isolation_options *options, struct arena *arena,
	struct err *err)
{
	struct check check = {options, result, trace_batch(options->trace), arena, err};
	int64_t requests = check.batch->count;
	*result = (struct isolation){.value_count = trace_value_count(options->trace), .requests = requests};
	result->between = ARENA_ARRAY(arena, uint8_t, requests * requests);
	for (int i = 0; i < PROOF_COUNT; i++) {
		result->proofs[i].counts = ARENA_ARRAY(arena, struct proof_count, result->value_count);
		result->proofs[i].ok = true;
	}
	if (trace_pass_count(options->trace) == 0)
		return err_input(err, trace_folder(options->trace), NULL, "the trace has no finished pass to check");
	if (!audit(&check) || !replay(&check) || !alone_and_scrambled(&check))
		return false;
	result->ok = result->audit.ok;
	for (int i = 0; i < PROOF_COUNT; i++)
		result->ok = result->ok && result->proofs[i].ok;
	return true;
}
