/*
 * trace_fixture.h: a small run made by hand, for tests of the recorder and the reader: a plan of ten operations, three
 * requests that come and go, and numbers that follow from pass, value and place alone.
 */
#ifndef TRACE_FIXTURE_H
#define TRACE_FIXTURE_H

#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"
#include "trace/recorder.h"
#include "trace/trace.h"

#define FIXTURE_VOCABULARY 300
#define FIXTURE_ROWS 3

struct fixture {
	struct arena arena;
	struct plan plan;
	struct batch batch;
	struct config config;
	struct recorder_model model;
	struct weight weight;
	int32_t histories[FIXTURE_ROWS][64];
	int64_t computed[FIXTURE_ROWS], known[FIXTURE_ROWS];
	int64_t passes;
	char folder[512];
};

static inline int fixture_add(struct fixture *fixture, enum op_code code, const char *name, enum dtype dtype,
	const char *axes)
{
	struct plan *plan = &fixture->plan;
	struct value *value = &plan->values[plan->value_count];
	*value = (struct value){.name = name,
		.spec = {.dtype = dtype},
		.producer = plan->op_count,
		.is_state = code == OP_cache_write};
	snprintf(value->spec.axes, sizeof value->spec.axes, "%s", axes);
	map_put(&plan->names, name, strlen(name), plan->value_count);
	struct op *op = &plan->ops[plan->op_count++];
	*op = (struct op){.code = code, .name = name, .layer = strncmp(name, "layers.0", 8) == 0 ? 0 : -1};
	op->outputs[op->output_count++] = plan->value_count;
	return plan->value_count++;
}

/* One more output of the operation added last. */
static inline void fixture_also(struct fixture *fixture, const char *name, enum dtype dtype, const char *axes)
{
	struct plan *plan = &fixture->plan;
	int value = fixture_add(fixture, OP_copy, name, dtype, axes);
	plan->op_count--;
	plan->values[value].producer = plan->op_count - 1;
	struct op *op = &plan->ops[plan->op_count - 1];
	op->outputs[op->output_count++] = value;
}

static inline void fixture_input(struct fixture *fixture, int value)
{
	struct op *op = &fixture->plan.ops[fixture->plan.op_count - 1];
	op->inputs[op->input_count++] = value;
}

static inline void fixture_plan(struct fixture *fixture)
{
	struct plan *plan = &fixture->plan;
	plan->arena = &fixture->arena;
	plan->ops = ARENA_ARRAY(&fixture->arena, struct op, 32);
	plan->values = ARENA_ARRAY(&fixture->arena, struct value, 32);
	plan->dims = (struct dims){.H = 4, .N = 2, .G = 2, .D = 2, .F = 8, .V = FIXTURE_VOCABULARY};
	plan->layers = 1;
	int tokens = fixture_add(fixture, OP_input, "tokens", DTYPE_I32, "BS");
	fixture_also(fixture, "positions", DTYPE_I32, "BS");
	fixture_also(fixture, "pad", DTYPE_BOOL, "BS");
	fixture_add(fixture, OP_cache_table, "cache.token", DTYPE_I32, "BK");
	fixture_also(fixture, "cache.row", DTYPE_I32, "BK");
	int mask = fixture_add(fixture, OP_mask_and, "mask", DTYPE_BOOL, "BSK");
	int embed = fixture_add(fixture, OP_lookup, "embed", DTYPE_F32, "BSH");
	fixture_input(fixture, tokens);
	fixture->weight = (struct weight){.name = "embed.token.weight"};
	plan->ops[plan->op_count - 1].weights[0] = &fixture->weight;
	plan->ops[plan->op_count - 1].weight_count = 1;
	int cache = fixture_add(fixture, OP_cache_write, "layers.0.attn.cache", DTYPE_F32, "");
	fixture_input(fixture, embed);
	fixture_add(fixture, OP_attn_scores, "layers.0.attn.scores", DTYPE_F32, "BNSK");
	fixture_input(fixture, embed);
	fixture_input(fixture, cache);
	fixture_input(fixture, mask);
	int last = fixture_add(fixture, OP_last, "final.last", DTYPE_F32, "BH");
	fixture_input(fixture, embed);
	int logits = fixture_add(fixture, OP_linear, "logits", DTYPE_F32, "BV");
	fixture_input(fixture, last);
	int next = fixture_add(fixture, OP_choose, "next_tokens", DTYPE_I32, "B");
	fixture_input(fixture, logits);
	fixture_add(fixture, OP_finish, "finished", DTYPE_BOOL, "B");
	fixture_input(fixture, next);
}

/* Token 100 is a character, 101 a part of one, from 250 on none has a text. */
static inline bool fixture_token_bytes(void *self, int32_t token, struct buf *out)
{
	(void)self;
	if (token == 100)
		buf_add_text(out, "很");
	else if (token == 101)
		buf_add(out, "\xe5\xbe", 2);
	else if (token < 250)
		buf_printf(out, "t%d", token);
	return token < 250;
}

static inline void fixture_requests(struct fixture *fixture)
{
	static int32_t prompts[FIXTURE_ROWS][3] = {{5, 6, 101}, {7, 0, 0}, {0, 9, 0}};
	static struct request requests[FIXTURE_ROWS] =
		{{.id = "A", .text = "我今天", .prompt = prompts[0], .prompt_length = 3, .max_new_tokens = 4},
			{.id = "B", .prompt = prompts[1], .prompt_length = 1, .max_new_tokens = 30},
			{.id = "7", .prompt = prompts[2], .prompt_length = 2, .max_new_tokens = 30, .arrives = 1}};
	fixture->batch = (struct batch){.requests = requests, .count = FIXTURE_ROWS, .max_rows = 0};
	for (int i = 0; i < FIXTURE_ROWS; i++) {
		memcpy(fixture->histories[i], prompts[i], sizeof prompts[i]);
		fixture->known[i] = requests[i].prompt_length;
	}
}

/* `folder` is the name of the trace inside a fresh temporary folder. */
static inline void fixture_init(struct fixture *fixture)
{
	static const char *const notes[] = {"matrices transposed", NULL};
	*fixture = (struct fixture){.arena = ARENA_INIT};
	fixture->config = (struct config){.family = "gpt2",
		.vocabulary = FIXTURE_VOCABULARY,
		.context = 64,
		.hidden = 4,
		.layers = 1,
		.heads = 2,
		.kv_heads = 2,
		.head_width = 2,
		.mlp = 8,
		.norm_eps = 1e-5f,
		.bos = -1,
		.pad = 1,
		.end_tokens = {2},
		.end_token_count = 1};
	fixture->model = (struct recorder_model){"hand", &fixture->config, "0123456789abcdef", "", notes, NULL,
		fixture_token_bytes};
	fixture_plan(fixture);
	fixture_requests(fixture);
	const char *base = getenv("TMPDIR");
	char pattern[480];
	snprintf(pattern, sizeof pattern, "%s/rowscope-trace-XXXXXX", base != NULL ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(pattern));
	snprintf(fixture->folder, sizeof fixture->folder, "%s/trace", pattern);
}

static inline void fixture_free(struct fixture *fixture)
{
	fixture->folder[strlen(fixture->folder) - strlen("/trace")] = '\0';
	file_remove_folder(fixture->folder);
	map_free(&fixture->plan.names);
	arena_free(&fixture->arena);
}

/* The file of that name in the trace. */
static inline const char *fixture_path(struct fixture *fixture, const char *name)
{
	return arena_printf(&fixture->arena, "%s/%s", fixture->folder, name);
}

static inline struct recorder_options fixture_options(const struct fixture *fixture, const char *capture)
{
	return (struct recorder_options){.folder = fixture->folder,
		.capture = capture,
		.plan = &fixture->plan,
		.batch = &fixture->batch,
		.scratch = true};
}

static inline struct recorder *fixture_recorder(struct fixture *fixture, const char *capture)
{
	struct err err = ERR_INIT;
	struct recorder *recorder = NULL;
	struct recorder_options options = fixture_options(fixture, capture);
	ck_assert_msg(recorder_new_described(&recorder, &options, &fixture->model, &err), "%s", err.message);
	return recorder;
}

/* Who takes part in the next pass: all that have arrived and are not at their end. */
static inline struct pass *fixture_lay(struct fixture *fixture, struct arena *arena)
{
	struct pass *pass = ARENA_NEW(arena, struct pass);
	const int32_t *histories[FIXTURE_ROWS];
	*pass = (struct pass){.index = fixture->passes, .kind = fixture->passes == 0 ? PASS_PREFILL : PASS_DECODE};
	pass->rows = ARENA_ARRAY(arena, int32_t, FIXTURE_ROWS);
	pass->past = ARENA_ARRAY(arena, int64_t, FIXTURE_ROWS);
	pass->fresh = ARENA_ARRAY(arena, int64_t, FIXTURE_ROWS);
	pass->ended = ARENA_ARRAY(arena, uint8_t, FIXTURE_ROWS);
	pass->sampled = ARENA_ARRAY(arena, uint8_t, FIXTURE_ROWS);
	pass->finish = ARENA_ARRAY(arena, uint8_t, FIXTURE_ROWS);
	for (int32_t i = 0; i < FIXTURE_ROWS; i++) {
		const struct request *request = &fixture->batch.requests[i];
		int64_t generated = fixture->known[i] - request->prompt_length;
		if (request->arrives > fixture->passes || generated >= request->max_new_tokens)
			continue;
		pass->rows[pass->B] = i;
		pass->past[pass->B] = fixture->computed[i];
		pass->fresh[pass->B] = fixture->known[i] - fixture->computed[i];
		pass->sampled[pass->B] = 1;
		pass->finish[pass->B] = generated + 1 == request->max_new_tokens ? FINISH_LENGTH : FINISH_NONE;
		if (pass->fresh[pass->B] > 1 && fixture->passes > 0)
			pass->kind = PASS_MIXED;
		histories[pass->B++] = fixture->histories[i];
	}
	pass_lay(pass, histories, 1, arena);
	return pass;
}

static inline int32_t fixture_next(const struct fixture *fixture, int64_t row)
{
	return fixture->passes == 0 && row == 0 ? 100 : (int32_t)(10 + fixture->passes * 7 + row) % 60;
}

/* The numbers of a value, the same at every call; some floats are -inf and NaN of several kinds. */
static inline void fixture_fill(const struct fixture *fixture, const struct pass *pass, int value,
	struct tensor *tensor)
{
	const struct value *v = &fixture->plan.values[value];
	int64_t count = tensor_count(tensor);
	for (int64_t i = 0; i < count; i++) {
		uint32_t bits = (uint32_t)(pass->index * 1000003 + value * 10007 + i) * 2654435761u;
		if (v->spec.dtype == DTYPE_BOOL)
			((uint8_t *)tensor->data)[i] = bits >> 31 != 0;
		else if (v->spec.dtype == DTYPE_I32)
			((int32_t *)tensor->data)[i] = (int32_t)bits;
		else
			((uint32_t *)tensor->data)[i] = i % 11 == 3 ? 0xff800000u
				: i % 11 == 5                       ? 0xffc00123u
								    : bits & 0xbfffffffu;
	}
	if (strcmp(v->name, "tokens") == 0)
		memcpy(tensor->data, pass->tokens, tensor_bytes(tensor));
	for (int64_t b = 0; b < pass->B; b++) {
		if (strcmp(v->name, "next_tokens") == 0)
			((int32_t *)tensor->data)[b] = fixture_next(fixture, pass->rows[b]);
		if (strcmp(v->name, "finished") == 0)
			((uint8_t *)tensor->data)[b] = pass->finish[b] != FINISH_NONE;
	}
}

static inline struct tensor fixture_tensor(const struct fixture *fixture, const struct pass *pass, int value,
	struct arena *arena)
{
	const struct spec *spec = &fixture->plan.values[value].spec;
	struct dims dims = fixture->plan.dims;
	dims.B = pass->B, dims.S = pass->S, dims.K = pass->K;
	struct tensor tensor = {.dtype = spec->dtype, .rank = (int)strlen(spec->axes)};
	memcpy(tensor.axes, spec->axes, sizeof tensor.axes);
	for (int i = 0; i < tensor.rank; i++)
		tensor.shape[i] = dims_size(&dims, spec->axes[i]);
	tensor.data = arena_raw(arena, tensor_bytes(&tensor) + 1, 1);
	fixture_fill(fixture, pass, value, &tensor);
	return tensor;
}

/* Runs and tells one pass; false, with the error, when the probe refuses. */
static inline bool fixture_step(struct fixture *fixture, struct recorder *recorder, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct probe probe = recorder_probe(recorder);
	struct pass *pass = fixture_lay(fixture, &arena);
	bool ok = probe.begin(probe.self, &fixture->plan, pass, err);
	for (int i = 0; ok && i < fixture->plan.value_count; i++) {
		struct tensor tensor = fixture_tensor(fixture, pass, i, &arena);
		if (!fixture->plan.values[i].is_state)
			ok = probe.value(probe.self, &fixture->plan, pass, i, &tensor, err);
	}
	ok = ok && probe.end(probe.self, &fixture->plan, pass, err);
	for (int64_t b = 0; ok && b < pass->B; b++) {
		int32_t row = pass->rows[b];
		fixture->computed[row] = fixture->known[row];
		fixture->histories[row][fixture->known[row]++] = fixture_next(fixture, row);
	}
	fixture->passes += ok;
	arena_free(&arena);
	return ok;
}

/* Goes back to the beginning of the run. */
static inline void fixture_rewind(struct fixture *fixture)
{
	for (int i = 0; i < FIXTURE_ROWS; i++) {
		fixture->computed[i] = 0;
		fixture->known[i] = fixture->batch.requests[i].prompt_length;
	}
	fixture->passes = 0;
}

/* Records `passes` passes from the beginning. */
static inline void fixture_record(struct fixture *fixture, const char *capture, int passes)
{
	struct err err = ERR_INIT;
	fixture_rewind(fixture);
	struct recorder *recorder = fixture_recorder(fixture, capture);
	for (int i = 0; i < passes; i++)
		ck_assert_msg(fixture_step(fixture, recorder, &err), "%s", err.message);
	ck_assert_msg(recorder_finish(recorder, &err), "%s", err.message);
}

static inline struct trace *fixture_open(struct fixture *fixture)
{
	struct err err = ERR_INIT;
	struct trace *trace = NULL;
	ck_assert_msg(trace_open(&trace, fixture->folder, &err), "%s: %s: %s", err.file, err.where, err.message);
	return trace;
}

/* Replaces a file of the trace by these bytes. */
static inline void fixture_write(struct fixture *fixture, const char *name, const char *bytes, size_t length)
{
	unlink(fixture_path(fixture, name)); /* ext4 waits for the disk when a file is cut to nothing and written */
	FILE *file = fopen(fixture_path(fixture, name), "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
	ck_assert_int_eq(fclose(file), 0);
}

static inline char *fixture_read(struct fixture *fixture, const char *name, size_t *length)
{
	struct err err = ERR_INIT;
	char *bytes = NULL;
	ck_assert_msg(file_load(fixture_path(fixture, name), 1 << 24, &fixture->arena, &bytes, length, &err), "%s",
		err.message);
	return bytes;
}

#endif
