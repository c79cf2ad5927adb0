#include "engine/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/exec.h"
#include "engine/store.h"

#define MAX_THREADS 256

struct run {
	struct model *model;
	const struct config *config;
	const struct plan *plan;
	const struct batch *batch;
	struct run_options options;
	struct row *rows; /* [requests] */
	struct kvcache cache;
	struct schedule_state schedule;
	struct store store;
	struct exec exec;
	struct pool *pool;
	struct arena pass_arena, scratch;
	int64_t passes; /* run so far */
};

/* --- beginning and end --- */

static bool check_request(const struct request *request, int64_t i, const struct config *config, enum schedule schedule,
	struct err *err)
{
	char where[64];
	snprintf(where, sizeof where, "rows[%lld]", (long long)i);
	if (request->prompt_length < 1)
		return err_usage(err, where, "row %s has an empty prompt; give it at least one token", request->id);
	if (request->prompt_length > config->context)
		return err_usage(err, where, "the prompt of row %s has %lld tokens; the model's context is %lld",
			request->id, (long long)request->prompt_length, (long long)config->context);
	if (request->max_new_tokens < 1)
		return err_usage(err, where, "row %s must produce at least 1 token", request->id);
	if (schedule == SCHEDULE_STATIC && request->arrives > 0)
		return err_usage(err, where,
			"row %s arrives at pass %lld, but in schedule static all rows are there from the start",
			request->id, (long long)request->arrives);
	for (int64_t t = 0; t < request->prompt_length; t++) {
		if (request->prompt[t] < 0 || request->prompt[t] >= config->vocabulary)
			return err_usage(err, where, "token %d of row %s is not in the vocabulary of %lld tokens",
				request->prompt[t], request->id, (long long)config->vocabulary);
	}
	return true;
}

/* Positions that a request may reach: its prompt and `new` tokens but the last, which is never fed back. */
static int64_t most_positions(const struct request *request, int64_t new, const struct config *config)
{
	int64_t room = config->context - request->prompt_length, fed = new - 1;
	return request->prompt_length + (fed < room ? fed : room);
}

/* Positions of the longest row. Rows that go on after their end reach what the longest generation gives them. */
static int64_t longest_row(const struct run *run)
{
	int64_t most_new = 1, longest = 1;
	for (int64_t i = 0; run->options.finished_go_on && i < run->batch->count; i++)
		most_new = run->batch->requests[i].max_new_tokens > most_new ? run->batch->requests[i].max_new_tokens
									     : most_new;
	for (int64_t i = 0; i < run->batch->count; i++) {
		const struct request *request = &run->batch->requests[i];
		int64_t new = run->options.finished_go_on ? most_new : request->max_new_tokens;
		int64_t positions = most_positions(request, new, run->config);
		longest = positions > longest ? positions : longest;
	}
	return longest;
}

static void init_rows(struct run *run)
{
	const struct batch *batch = run->batch;
	int64_t longest = longest_row(run);
	run->rows = MEM_ARRAY(struct row, batch->count);
	for (int64_t i = 0; i < batch->count; i++) {
		const struct request *request = &batch->requests[i];
		run->rows[i].tokens = MEM_ARRAY(int32_t, longest + 1);
		run->rows[i].logprobs = MEM_ARRAY(float, longest + 1);
		memcpy(run->rows[i].tokens, request->prompt, (size_t)request->prompt_length * sizeof(int32_t));
		run->rows[i].count = request->prompt_length;
	}
	kvcache_init(&run->cache,
		&(struct kvcache_options){
			.layers = run->config->layers,
			.width = run->config->kv_heads * run->config->head_width,
			.lanes = batch_lanes(batch),
			.positions = longest,
			.page_size = batch->page_size,
			.requests = batch->count,
		});
	run->schedule = (struct schedule_state){.batch = batch,
		.rows = run->rows,
		.cache = &run->cache,
		.longest = longest,
		.go_on = run->options.finished_go_on,
		.cuts = run->options.cuts};
}

static int processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

bool run_new(struct run **result, struct model *model, const struct plan *plan, const struct batch *batch,
	const struct run_options *options, struct err *err)
{
	const struct kernels *kernels = kernels_get(options->kernels);
	if (kernels == NULL)
		return err_usage(err, "kernels", "this processor has no instruction set \"%s\"", options->kernels);
	if (batch->count < 1)
		return err_usage(err, "rows", "a batch needs at least one row");
	if (plan->dims.packed != (batch->layout == LAYOUT_PACKED) || (batch_way(batch).sampled && !plan->way.sampled))
		return err_usage(err, "plan",
			"the list of operations was built for another layout, or for greedy rows");
	for (int64_t i = 0; i < batch->count; i++) {
		if (!check_request(&batch->requests[i], i, model_config(model), batch->schedule, err))
			return false;
	}
	struct run *run = MEM_NEW(struct run);
	run->model = model;
	run->config = model_config(model);
	run->plan = plan;
	run->batch = batch;
	run->options = *options;
	if (!pool_new(&run->pool, options->threads > 0 ? options->threads : processors(), err)) {
		free(run);
		return false;
	}
	init_rows(run);
	run->exec = (struct exec){.plan = plan,
		.cache = &run->cache,
		.kernels = kernels,
		.pool = run->pool,
		.scratch = &run->scratch,
		.memory = &run->pass_arena,
		.batch = batch,
		.finish = {
			.end_tokens = run->config->end_tokens,
			.end_token_count = options->ignore_eos ? 0 : run->config->end_token_count,
			.context = run->config->context,
			.stop = options->stop,
		}};
	run->exec.tensors = MEM_ARRAY(struct tensor, plan->value_count);
	*result = run;
	return true;
}

void run_delete(struct run *run)
{
	if (run == NULL)
		return;
	for (int64_t i = 0; i < run->batch->count; i++) {
		free(run->rows[i].tokens);
		free(run->rows[i].logprobs);
	}
	free(run->rows);
	free(run->exec.tensors);
	kvcache_free(&run->cache);
	store_free(&run->store);
	pool_delete(run->pool);
	arena_free(&run->pass_arena);
	arena_free(&run->scratch);
	free(run);
}

/* --- laying a pass --- */

/* By the rows that have new tokens. */
static enum pass_kind kind_of(const struct run *run, const struct pass *pass)
{
	int64_t prompts = 0, active = 0;
	for (int64_t b = 0; b < pass->B; b++) {
		active += pass->fresh[b] > 0;
		prompts += pass->fresh[b] > 0 && pass->past[b] < run->batch->requests[pass->rows[b]].prompt_length;
	}
	return prompts == active ? PASS_PREFILL : prompts == 0 ? PASS_DECODE : PASS_MIXED;
}

static struct pass *new_pass(struct run *run, int64_t B)
{
	struct arena *arena = &run->pass_arena;
	struct pass *pass = ARENA_NEW(arena, struct pass);
	pass->index = run->passes;
	pass->layout = run->batch->layout;
	pass->B = B;
	pass->rows = ARENA_ARRAY(arena, int32_t, B);
	pass->past = ARENA_ARRAY(arena, int64_t, B);
	pass->fresh = ARENA_ARRAY(arena, int64_t, B);
	pass->ended = ARENA_ARRAY(arena, uint8_t, B);
	pass->sampled = ARENA_ARRAY(arena, uint8_t, B);
	pass->histories = ARENA_ARRAY(arena, const int32_t *, B);
	pass->counted_pads = ARENA_ARRAY(arena, int64_t, B);
	pass->draws = ARENA_ARRAY(arena, struct pass_draw, B);
	pass->finish = ARENA_ARRAY(arena, uint8_t, B);
	return pass;
}

/* Who takes part, with which tokens. */
static void enter_rows(struct run *run, struct pass *pass)
{
	int64_t b = 0;
	for (int32_t i = 0; i < run->batch->count; i++) {
		const struct row *row = &run->rows[i];
		if (!schedule_takes_part(&run->schedule, i))
			continue;
		pass->rows[b] = i;
		pass->past[b] = row->computed;
		pass->ended[b] = row->finish != FINISH_NONE;
		pass->fresh[b] = schedule_fresh(&run->schedule, i);
		pass->sampled[b] = pass->fresh[b] > 0 && row->computed + pass->fresh[b] == row->count;
		pass->draws[b] = request_draw(&run->batch->requests[i], pass->past[b] + pass->fresh[b]);
		pass->histories[b++] = row->tokens;
	}
}

static void list_waiting(struct run *run, struct pass *pass)
{
	pass->lanes = batch_lanes(run->batch);
	pass->waiting = ARENA_ARRAY(&run->pass_arena, int32_t, run->batch->count);
	for (int32_t i = 0; i < run->batch->count; i++) {
		if (schedule_waits(&run->schedule, i))
			pass->waiting[pass->waiting_count++] = i;
	}
}

static struct pass *lay_pass(struct run *run, int64_t B)
{
	struct arena *arena = &run->pass_arena;
	arena_reset(arena);
	struct pass *pass = new_pass(run, B);
	enter_rows(run, pass);
	list_waiting(run, pass);
	pass->kind = kind_of(run, pass);
	pass_lay(pass, pass->histories, run->config->pad < 0 ? 0 : run->config->pad, arena);
	kvcache_assign(&run->cache, pass, arena);
	struct kvcache_use use = kvcache_use(&run->cache, pass);
	pass->cache_held = use.held, pass->cache_used = use.used, pass->cache_saved = use.saved;
	for (int i = 0; i < run->options.rewrite_count; i++)
		run->options.rewrites[i].apply(run->options.rewrites[i].self, pass, &run->cache);
	kvcache_enter(&run->cache, pass);
	return pass;
}

/* --- one pass --- */

static void set_dims(struct exec *exec, const struct pass *pass)
{
	exec->pass = pass;
	exec->turns = NULL;
	exec->summed = PLAN_NONE;
	exec->dims = exec->plan->dims;
	dims_set_pass(&exec->dims, pass);
}

static void make_tensor(struct run *run, int value)
{
	const struct value *v = &run->plan->values[value];
	struct tensor *tensor = &run->exec.tensors[value];
	if (v->is_state) {
		*tensor = (struct tensor){.dtype = v->spec.dtype};
		return;
	}
	*tensor = (struct tensor){.dtype = v->spec.dtype, .rank = (int)strlen(v->spec.axes)};
	memcpy(tensor->axes, v->spec.axes, sizeof tensor->axes);
	for (int i = 0; i < tensor->rank; i++)
		tensor->shape[i] = dims_size(&run->exec.dims, v->spec.axes[i]);
	tensor->data = store_take(&run->store, tensor_bytes(tensor));
}

/* Gives back the buffers of values that nobody reads after operation `i`. */
static void drop_used(struct run *run, int i)
{
	const struct op *op = &run->plan->ops[i];
	for (int j = 0; j < op->input_count + op->output_count; j++) {
		int value = j < op->input_count ? op->inputs[j] : op->outputs[j - op->input_count];
		if (run->plan->values[value].last_use != i || run->exec.tensors[value].data == NULL)
			continue;
		store_give(&run->store, run->exec.tensors[value].data);
		run->exec.tensors[value].data = NULL;
	}
}

static bool load_weights(const struct op *op, struct err *err)
{
	for (int i = 0; i < op->weight_count; i++) {
		if (!weight_load(op->weights[i], err))
			return false;
	}
	return true;
}

/* What the run itself must know of a pass: kept beside the tensors, which are reused. */
struct outcome {
	int32_t *next;
	float *logprobs;
};

static void note(struct run *run, int value, struct outcome *outcome)
{
	const char *name = run->plan->values[value].name;
	const struct tensor *tensor = &run->exec.tensors[value];
	void *copy;
	if (strcmp(name, "next_tokens") != 0 && strcmp(name, "logprobs") != 0)
		return;
	copy = arena_raw(&run->pass_arena, tensor_bytes(tensor), 1);
	memcpy(copy, tensor->data, tensor_bytes(tensor));
	if (name[0] == 'n')
		outcome->next = copy;
	else
		outcome->logprobs = copy;
}

static bool run_op(struct run *run, int i, const struct probe *probe, struct outcome *outcome, struct err *err)
{
	const struct op *op = &run->plan->ops[i];
	if (!load_weights(op, err))
		return false;
	arena_reset(&run->scratch);
	for (int j = 0; j < op->output_count; j++)
		make_tensor(run, op->outputs[j]);
	op_kind(op->code)->run(op, &run->exec);
	for (int j = 0; j < op->output_count; j++) {
		int value = op->outputs[j];
		note(run, value, outcome);
		if (probe != NULL && probe->value != NULL && !run->plan->values[value].is_state &&
			!probe->value(probe->self, run->plan, run->exec.pass, value, &run->exec.tensors[value], err))
			return false;
	}
	drop_used(run, i);
	return true;
}

/* Enters the pass's choices in the rows' state. */
static void advance(struct run *run, const struct pass *pass, const struct outcome *outcome)
{
	for (int64_t b = 0; b < pass->B; b++) {
		struct row *row = &run->rows[pass->rows[b]];
		const struct request *request = &run->batch->requests[pass->rows[b]];
		row->computed += pass->fresh[b];
		if (outcome->next[b] < 0)
			continue;
		int32_t token = request_token(request, row->count, outcome->next[b]);
		row->logprobs[row->count - request->prompt_length] =
			token == outcome->next[b] ? outcome->logprobs[b] : NAN;
		row->tokens[row->count++] = token;
		if (row->finish == FINISH_NONE)
			row->finish = (enum finish_reason)pass->finish[b];
	}
	schedule_leave(&run->schedule);
	kvcache_share(&run->cache, pass);
	run->passes++;
	run->schedule.clock++;
}

/* Why rows end with their choice. */
static void settle(struct run *run, struct pass *pass, const struct outcome *outcome)
{
	for (int64_t b = 0; b < pass->B; b++) {
		const struct row *row = &run->rows[pass->rows[b]];
		if (outcome->next[b] < 0 || pass->ended[b] != 0)
			continue;
		row->tokens[row->count] = outcome->next[b]; /* there is room: the row has not ended */
		pass->finish[b] = (uint8_t)request_finish(&run->batch->requests[pass->rows[b]], &run->exec.finish,
			row->tokens, row->count + 1);
	}
}

static bool run_pass(struct run *run, struct pass *pass, const struct probe *probe, struct err *err)
{
	struct outcome outcome = {0};
	bool ok = probe == NULL || probe->begin == NULL || probe->begin(probe->self, run->plan, pass, err);
	set_dims(&run->exec, pass);
	for (int i = 0; ok && i < run->plan->op_count; i++)
		ok = run_op(run, i, probe, &outcome, err);
	store_give_all(&run->store);
	if (ok)
		settle(run, pass, &outcome);
	ok = ok && (probe == NULL || probe->end == NULL || probe->end(probe->self, run->plan, pass, err));
	if (ok)
		advance(run, pass, &outcome);
	return ok;
}

bool run_step(struct run *run, const struct probe *probe, bool *more, struct err *err)
{
	int64_t B = schedule_next(&run->schedule);
	if (B > 0 && !run_pass(run, lay_pass(run, B), probe, err))
		return false;
	*more = schedule_goes_on(&run->schedule);
	return true;
}

int64_t run_passes(const struct run *run)
{
	return run->passes;
}

const struct row *run_row(const struct run *run, int64_t i)
{
	return &run->rows[i];
}

const struct batch *run_batch(const struct run *run)
{
	return run->batch;
}
