#include "app/bench.h"

#include <stdlib.h>
#include <string.h>

#include "app/temporary.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "engine/run.h"
#include "tensor/limits.h"
#include "trace/recorder.h"

struct bench {
	struct model *model;
	struct arena arena;
	struct plan *plan;
	const struct kernels *kernels;
};

/* --- beginning and end --- */

static bool load_all(struct model *model, struct err *err)
{
	for (size_t i = 0; i < model_weight_count(model); i++) {
		if (!weight_load(model_weight_at(model, i), err))
			return false;
	}
	return true;
}

bool bench_new(struct bench **result, struct model *model, const char *kernels, struct err *err)
{
	struct bench *bench = MEM_NEW(struct bench);
	bench->model = model;
	bench->kernels = kernels_get(kernels);
	bool ok = bench->kernels != NULL ||
		err_usage(err, "--kernels", _("this processor has no instruction set \"%.60s\""), kernels);
	ok = ok && plan_build(&bench->plan, model, (struct plan_way){0}, &bench->arena, err) && load_all(model, err);
	if (ok)
		*result = bench;
	else
		bench_delete(bench);
	return ok;
}

void bench_delete(struct bench *bench)
{
	if (bench == NULL)
		return;
	plan_free(bench->plan);
	arena_free(&bench->arena);
	free(bench);
}

const struct kernels *bench_kernels(const struct bench *bench)
{
	return bench->kernels;
}

/* --- loads --- */

/* One decode pass goes before the measured ones: its buffers have other sizes than the prompt's. */
int64_t bench_most_passes(const struct bench *bench, const struct bench_load *load)
{
	int64_t room = model_config(bench->model)->context - load->prompt;
	if (!load->decode)
		return room >= 0 ? load->passes : 0;
	room -= 1;
	return room < 0 ? 0 : room < load->passes ? room : load->passes;
}

/* Tokens that are neither all the same nor in order. */
static int32_t some_token(int64_t i, int64_t vocabulary)
{
	return (int32_t)((uint64_t)i * 2654435761u % 1000003 % (uint64_t)vocabulary);
}

/* Decode: one group of rows that goes on. Prompts: a group of rows per pass, each of which ends with its first token. */
static struct batch make_batch(const struct bench *bench, const struct bench_load *load, struct arena *arena)
{
	int64_t groups = load->decode ? 1 : load->passes + 1;
	struct batch batch = {.count = load->rows * groups, .max_rows = load->rows};
	int64_t vocabulary = model_config(bench->model)->vocabulary;
	batch.requests = ARENA_ARRAY(arena, struct request, batch.count);
	for (int64_t i = 0; i < batch.count; i++) {
		struct request *request = &batch.requests[i];
		request->id = arena_printf(arena, "r%lld", (long long)i);
		request->prompt = ARENA_ARRAY(arena, int32_t, load->prompt);
		request->prompt_length = load->prompt;
		request->max_new_tokens = load->decode ? load->passes + 2 : 1;
		for (int64_t t = 0; t < load->prompt; t++)
			request->prompt[t] = some_token(i * load->prompt + t + 1, vocabulary);
	}
	return batch;
}

/* Sizes of the typical measured pass. */
static struct dims dims_of(const struct bench *bench, const struct bench_load *load)
{
	struct dims dims = bench->plan->dims;
	dims.B = load->rows;
	dims.S = load->decode ? 1 : load->prompt;
	dims.T = dims.B * dims.S;
	dims.K = load->prompt + (load->decode ? load->passes / 2 + 1 : 0);
	return dims;
}

void bench_cost(const struct bench *bench, const struct bench_load *load, double *flops, double *weight_bytes)
{
	struct dims dims = dims_of(bench, load);
	*flops = *weight_bytes = 0;
	for (int i = 0; i < bench->plan->op_count; i++) {
		struct cost cost;
		op_kind(bench->plan->ops[i].code)->cost(&bench->plan->ops[i], &dims, &cost);
		*flops += cost.flops;
		*weight_bytes += cost.weight_bytes;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double bench_median(double *numbers, int64_t count)
{
	qsort(numbers, (size_t)count, sizeof *numbers, compare);
	return count % 2 != 0 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* --- whole passes --- */

/* One round under way. */
struct round {
	struct arena arena;
	struct batch batch;
	struct run *run;
	struct recorder *recorder; /* NULL: nothing is recorded */
	char folder[TEMPORARY_SIZE];
	double *seconds; /* [passes] */
};

static bool start_recorder(struct round *round, const struct bench *bench, const struct bench_load *load,
	const char *capture, struct bench_time *time, struct err *err)
{
	struct dims dims = dims_of(bench, load);
	if (!temporary_make(round->folder, err)) {
		round->folder[0] = '\0';
		return false;
	}
	struct recorder_options options = {.folder = round->folder,
		.replace = true,
		.scratch = true,
		.capture = capture,
		.model = bench->model,
		.plan = bench->plan,
		.batch = &round->batch};
	if (!recorder_new(&round->recorder, &options, err))
		return false;
	time->bytes = recorder_pass_bytes(round->recorder, &dims);
	time->is_too_large = time->bytes * (uint64_t)(load->passes + 2) > BENCH_MOST_BYTES;
	return true;
}

/* Times load->passes passes after the first, or after the first two where those read the prompt. */
static bool time_passes(struct round *round, const struct bench_load *load, struct err *err)
{
	struct probe probe = {0};
	int64_t before = load->decode ? 2 : 1;
	bool more = true;
	if (round->recorder != NULL)
		probe = recorder_probe(round->recorder);
	for (int64_t i = -before; i < load->passes; i++) {
		double start = limits_clock();
		if (!run_step(round->run, &probe, &more, err))
			return false;
		if (i >= 0)
			round->seconds[i] = limits_clock() - start;
	}
	return true;
}

static void end_round(struct round *round)
{
	struct err ignored = ERR_INIT; /* a scratch trace: it goes anyway */
	recorder_finish(round->recorder, &ignored);
	run_delete(round->run);
	if (round->folder[0] != '\0')
		temporary_remove(round->folder);
	arena_free(&round->arena);
}

bool bench_passes(struct bench *bench, const struct bench_load *load, const char *capture, struct bench_time *time,
	struct err *err)
{
	struct round round = {0};
	struct run_options options = {.threads = load->threads, .kernels = bench->kernels->name, .ignore_eos = true};
	*time = (struct bench_time){.tokens = load->rows * (load->decode ? 1 : load->prompt)};
	if (load->passes < 1 || bench_most_passes(bench, load) < load->passes)
		return err_usage(err, NULL, _("%lld tokens and %lld passes do not fit the model's context of %lld"),
			(long long)load->prompt, (long long)load->passes,
			(long long)model_config(bench->model)->context);
	round.batch = make_batch(bench, load, &round.arena);
	round.seconds = ARENA_ARRAY(&round.arena, double, load->passes);
	bool ok = run_new(&round.run, bench->model, bench->plan, &round.batch, &options, err) &&
		(capture == NULL || start_recorder(&round, bench, load, capture, time, err));
	if (ok && !time->is_too_large) {
		ok = time_passes(&round, load, err);
		time->seconds = bench_median(round.seconds, load->passes);
	}
	end_round(&round);
	return ok;
}

/* --- products --- */

/* Small numbers, none of them zero or subnormal. */
static void fill(float *x, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		x[i] = (float)(i % 13 - 6) * 0.125f + 0.01f;
}

/* Room for the largest input and output of the products of a pass, input first. */
static float *make_buffers(const struct bench *bench, int64_t positions, int64_t *outputs)
{
	int64_t in = 1, out = 1;
	for (int i = 0; i < bench->plan->op_count; i++) {
		const struct op *op = &bench->plan->ops[i];
		if (op->code != OP_linear)
			continue;
		in = op->weights[0]->shape[1] > in ? op->weights[0]->shape[1] : in;
		out = op->weights[0]->shape[0] > out ? op->weights[0]->shape[0] : out;
	}
	float *buffers = mem_array((size_t)((in + out) * positions), sizeof *buffers);
	fill(buffers, (in + out) * positions);
	*outputs = in * positions;
	return buffers;
}

bool bench_products(struct bench *bench, const struct bench_load *load, struct bench_time *time, struct err *err)
{
	struct pool *pool;
	int64_t outputs;
	if (!pool_new(&pool, load->threads, err))
		return false;
	*time = (struct bench_time){.tokens = load->rows * (load->decode ? 1 : load->prompt)};
	float *buffers = make_buffers(bench, time->tokens, &outputs);
	double *seconds = MEM_ARRAY(double, load->passes);
	for (int64_t pass = -1; pass < load->passes; pass++) {
		double start = limits_clock();
		for (int i = 0; i < bench->plan->op_count; i++) {
			const struct op *op = &bench->plan->ops[i];
			if (op->code == OP_linear)
				bench->kernels->matmul(buffers + outputs, buffers, &op->weights[0]->panel,
					op->weight_count > 1 ? op->weights[1]->data : NULL,
					op->per_row ? load->rows : time->tokens, pool);
		}
		if (pass >= 0)
			seconds[pass] = limits_clock() - start;
	}
	time->seconds = bench_median(seconds, load->passes);
	free(seconds);
	free(buffers);
	pool_delete(pool);
	return true;
}

#define PRODUCT_FLOATS 16000000 /* of weights: more than a cache holds */
#define PRODUCT_ROUNDS 7
#define PRODUCT_SECONDS 0.02

double bench_product(const struct kernels *kernels, int64_t rows, int64_t in, int64_t out, struct pool *pool)
{
	size_t floats = panel_floats(in, out);
	int copies = (int)(PRODUCT_FLOATS / floats) + 1;
	float *x = mem_array((size_t)(rows * in), sizeof *x), *y = mem_array((size_t)(rows * out), sizeof *y);
	struct arena arena = ARENA_INIT;
	float *weights = arena_raw(&arena, floats * (size_t)copies, sizeof *weights);
	double each[PRODUCT_ROUNDS];
	fill(x, rows * in);
	fill(weights, (int64_t)floats * copies);
	for (int round = 0; round < PRODUCT_ROUNDS; round++) {
		double start = limits_clock(), seconds = 0;
		int count = 0;
		while (seconds < PRODUCT_SECONDS || count < copies) {
			struct panel w = {in, out, weights + (size_t)(count % copies) * floats};
			kernels->matmul(y, x, &w, NULL, rows, pool);
			count++;
			seconds = limits_clock() - start;
		}
		each[round] = seconds / count;
	}
	arena_free(&arena);
	free(x);
	free(y);
	return bench_median(each, PRODUCT_ROUNDS);
}

/* --- the disk --- */

#define WRITE_PIECE ((size_t)1 << 20)
#define WRITE_PIECES 128
#define WRITE_TRIES 3

static bool write_once(const char *path, const char *piece, double *seconds, struct err *err)
{
	struct file_writer writer;
	double start = limits_clock();
	if (!file_writer_open(&writer, path, err))
		return false;
	bool ok = true;
	for (int i = 0; ok && i < WRITE_PIECES; i++)
		ok = file_writer_add(&writer, piece, WRITE_PIECE, err);
	*seconds = limits_clock() - start;
	file_writer_abandon(&writer);
	return ok;
}

bool bench_write_speed(double *speed, struct err *err)
{
	char folder[TEMPORARY_SIZE], path[TEMPORARY_SIZE + 16];
	if (!temporary_make(folder, err))
		return false;
	char *piece = mem_array(WRITE_PIECE, 1);
	double best = 0;
	bool ok = file_join(path, sizeof path, folder, "file", err);
	memset(piece, 'x', WRITE_PIECE);
	for (int i = 0; ok && i < WRITE_TRIES; i++) {
		double seconds = 0;
		ok = write_once(path, piece, &seconds, err);
		double now = (double)(WRITE_PIECE * WRITE_PIECES) / seconds;
		best = now > best ? now : best;
	}
	free(piece);
	temporary_remove(folder);
	*speed = best;
	return ok;
}
