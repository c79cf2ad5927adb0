#include "app/again.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/faults.h"
#include "analysis/stops.h"

static bool check_model(const struct trace *trace, struct model *model, struct err *err)
{
	const struct trace_info *info = trace_info(trace);
	char digest[17];
	if (!model_weights_digest(model, digest, err))
		return false;
	return strcmp(digest, info->weights_digest) == 0 ||
		err_usage(err, trace_folder(trace),
			"the trace was made with weights %.16s of \"%.100s\", and this model has %s; give the model "
			"that it was made with",
			info->weights_digest, info->model, digest);
}

bool again_open(struct again *again, struct trace *trace, const struct batch *batch, struct model *model,
	struct err *err)
{
	*again = (struct again){.arena = ARENA_INIT,
		.trace = trace,
		.batch = *batch,
		.faults = trace_info(trace)->faults};
	while (again->faults[again->fault_count] != NULL)
		again->fault_count++;
	again->run.stop = stops_rule(model);
	if (check_model(trace, model, err) &&
		plan_build(&again->plan, model, batch_way(&again->batch), &again->arena, err) &&
		faults_apply(again->faults, (size_t)again->fault_count, again->plan, &again->run, err))
		return true;
	again_close(again);
	return false;
}

void again_close(struct again *again)
{
	plan_free(again->plan);
	arena_free(&again->arena);
	*again = (struct again){0};
}

/* --- running passes again --- */

static bool differs(const struct trace *trace, int64_t pass, const char *what, struct err *err)
{
	return err_input(err, trace_folder(trace), NULL,
		"%.100s of pass %" PRId64 " is not what was recorded when the pass is run again: the trace was "
		"changed, or another program made it",
		what, pass);
}

/* Does the pass stand as it was recorded? */
static bool on_begin(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	const struct trace *trace = self;
	const struct pass *recorded = &trace_pass(trace, pass->index)->layout;
	(void)plan;
	bool same = pass->B == recorded->B;
	for (int64_t b = 0; same && b < pass->B; b++)
		same = pass->rows[b] == recorded->rows[b] && pass->past[b] == recorded->past[b] &&
			pass->fresh[b] == recorded->fresh[b];
	return same || differs(trace, pass->index, "the layout", err);
}

static bool on_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	const struct trace *trace = self;
	if (strcmp(plan->values[value].name, "next_tokens") != 0)
		return true;
	return memcmp(tensor->data, trace_pass(trace, pass->index)->next, (size_t)pass->B * sizeof(int32_t)) == 0 ||
		differs(trace, pass->index, "next_tokens", err);
}

static bool run_all(const struct trace *trace, struct run *run, int64_t passes, const struct probe *probe, bool *more,
	struct err *err)
{
	for (*more = true; *more && run_passes(run) < passes;) {
		if (!run_step(run, probe, more, err))
			return false;
	}
	return run_passes(run) == passes || differs(trace, run_passes(run), "the layout", err);
}

bool again_replay(struct again *again, struct run *run, int64_t passes, const struct probe *probe, bool *more,
	struct err *err)
{
	int32_t *all = ARENA_ARRAY(&again->arena, int32_t, again->batch.count);
	for (int32_t i = 0; i < again->batch.count; i++)
		all[i] = i;
	struct comparison *comparison =
		comparison_new(again->trace, again->plan, all, again->batch.count, PROOF_REPLAY);
	struct probe_pair checks = {{.self = again->trace, .begin = on_begin, .value = on_value},
		comparison_probe(comparison)};
	struct probe_pair both = {probe_join(&checks), *probe};
	struct probe joined = probe_join(&both);
	bool ok = run_all(again->trace, run, passes, &joined, more, err);
	struct leak leak = comparison_leak(comparison);
	comparison_delete(comparison);
	return ok &&
		(!leak.found || differs(again->trace, leak.pass, trace_value(again->trace, leak.value)->name, err));
}
