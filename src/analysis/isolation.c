#include "analysis/isolation.h"

#include <string.h>

#include "analysis/comparison.h"
#include "analysis/faults.h"
#include "analysis/influence.h"
#include "analysis/scramble.h"

/* What the proofs of one check share. */
struct check {
	const struct isolation_options *options;
	struct isolation *result;
	const struct batch *batch; /* of the trace */
	struct arena *arena;
	struct err *err;
};

/* A plan of the recorded run, faults included, with the run options that go with it. */
static bool build(struct check *check, struct arena *arena, struct plan **plan, struct run_options *run)
{
	const char *const *faults = trace_info(check->options->trace)->faults;
	size_t count = 0;
	while (faults[count] != NULL)
		count++;
	*run = check->options->run;
	run->rewrite_count = 0;
	return plan_build(plan, check->options->model, check->batch->layout, arena, check->err) &&
		faults_apply(faults, count, *plan, run, check->err);
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
		ok = run_step(run, probe, &more, check->err);
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
	bool ok = build(check, &arena, &plan, &run);
	if (ok) {
		struct influence *influence = influence_new(plan, check->batch->count);
		struct comparison *comparison = comparison_new(check->options->trace, plan, all, check->batch->count,
			PROOF_REPLAY);
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
	struct comparison *comparison = comparison_new(check->options->trace, trial->plan, trial->requests,
		trial->batch.count, trial->proof);
	struct probe probe = comparison_probe(comparison);
	bool ok = run_all(check, trial->plan, &trial->batch, &trial->run, &probe, 0);
	struct leak leak = comparison_leak(comparison);
	leak.from = trial->from;
	add_counts(check, trial->proof, comparison_counts(comparison), &leak);
	comparison_delete(comparison);
	return ok;
}

static bool one_alone(struct check *check, int32_t request)
{
	struct arena arena = ARENA_INIT;
	struct request row = check->batch->requests[request];
	struct trial trial = {.proof = PROOF_ALONE, .batch = *check->batch, .requests = &request,
		.from = LEAK_FROM_UNKNOWN};
	trial.batch.requests = &row;
	trial.batch.count = 1;
	trial.batch.max_rows = 0;
	row.arrives = 0;
	bool ok = build(check, &arena, &trial.plan, &trial.run) && compare_trial(check, &trial);
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
	bool ok = build(check, &arena, &trial.plan, &trial.run) &&
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

static bool audit_cell(struct check *check, struct explainer *explainer, const char *name, uint64_t *state)
{
	struct isolation_audit *audit = &check->result->audit;
	struct trace *trace = check->options->trace;
	struct arena arena = ARENA_INIT;
	struct trace_tensor t;
	struct explained cell = {.name = name};
	cell.pass = (int64_t)(scramble_next(state) % (uint64_t)trace_pass_count(trace));
	if (!trace_find(trace, cell.pass, name, &t, check->err))
		return false;
	tensor_index(&t.tensor, (int64_t)(scramble_next(state) % (uint64_t)tensor_count(&t.tensor)), cell.index);
	bool ok = explainer_cell(explainer, &cell, &arena, check->err);
	if (ok) {
		audit->cells++;
		if (!cell.same && audit->bad++ == 0) {
			audit->first = cell;
			audit->first.formula = arena_strdup(check->arena, cell.formula);
			audit->first.terms = NULL, audit->first.term_count = 0;
		}
	}
	arena_free(&arena);
	return ok;
}

static bool audit(struct check *check)
{
	struct explainer *explainer;
	struct trace *trace = check->options->trace;
	uint64_t state = check->options->seed;
	bool ok = true;
	if (!explainer_new(&explainer, trace, check->options->model, check->err))
		return false;
	for (int v = 0; ok && v < trace_value_count(trace); v++) {
		const char *name = trace_value(trace, v)->name;
		if (!explainer_can(explainer, name))
			continue;
		check->result->audit.values++;
		for (int64_t i = 0; ok && i < check->options->cells_per_value; i++)
			ok = audit_cell(check, explainer, name, &state);
	}
	explainer_delete(explainer);
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
