/*
 * bench.h: how fast a model runs on this machine: passes of one shape, with and without recording, and the matrix products
 * in them alone, which are the ceiling of what a pass can reach.
 *
 * Each call is one *round* and gives the median of its passes. Whatever is to be compared is measured in turns, a
 * round of each, so that a busy machine disturbs all alike. The limits of the machine come from tensor/limits.h.
 *
 *     struct bench *bench;
 *     if (!bench_new(&bench, model, NULL, err)) return false;
 *     struct bench_load load = {.decode = true, .rows = 8, .prompt = 8, .passes = 32, .threads = 2};
 *     if (!bench_passes(bench, &load, NULL, &time, err)) ...      // nothing recorded
 *     if (!bench_passes(bench, &load, "all", &time, err)) ...     // everything
 *     bench_delete(bench);
 */
#ifndef APP_BENCH_H
#define APP_BENCH_H

#include "base/err.h"
#include "model/model.h"
#include "tensor/kernels.h"

/* What one round runs. */
struct bench_load {
	bool decode;    /* passes of one token per row, after a prompt; else passes that read `prompt` tokens per row */
	int64_t rows;   /* B */
	int64_t prompt; /* tokens per row */
	int64_t passes; /* measured, after at least one that is not */
	int threads;
};

struct bench_time {
	double seconds;    /* per pass: the median */
	int64_t tokens;    /* that one pass takes in, of all rows */
	uint64_t bytes;    /* recorded per pass; 0 when nothing is */
	bool is_too_large; /* nothing was measured, since the recording would take more than BENCH_MOST_BYTES */
};

#define BENCH_MOST_BYTES ((uint64_t)4 << 30)

struct bench;

/* `kernels` names an instruction set; NULL: the best. Model must outlive it. All weights are loaded. Usage error for an
 * unknown set, input error when the model cannot be run or read. */
bool bench_new(struct bench **bench, struct model *model, const char *kernels, struct err *err);
/* Gives back model, weights and memory of the measurement; NULL is allowed. */
void bench_delete(struct bench *bench);

/* The name of the instruction set in use; constant text. */
const struct kernels *bench_kernels(const struct bench *bench);

/* The most measured passes that the model's context allows for this load, at most load->passes; 0: none. */
int64_t bench_most_passes(const struct bench *bench, const struct bench_load *load);

/* One round of passes. `capture`: NULL for no recording, else a capture set; the trace goes to a temporary folder and is
 * removed. Usage error for a malformed set or a load that does not fit the context. */
bool bench_passes(struct bench *bench, const struct bench_load *load, const char *capture, struct bench_time *time,
	struct err *err);

/* One round of the matrix products of such passes alone, with the model's own weights, in the order of the passes.
 * Fails as run_new does. */
bool bench_products(struct bench *bench, const struct bench_load *load, struct bench_time *time, struct err *err);

/* What one such pass takes: floating-point operations, and bytes of weights that are read once for all rows. */
void bench_cost(const struct bench *bench, const struct bench_load *load, double *flops, double *weight_bytes);

/* Seconds that one product takes, x [rows][in] times w [in][out], weights not in a cache: the median of several. */
double bench_product(const struct kernels *kernels, int64_t rows, int64_t in, int64_t out, struct pool *pool);

/* Bytes per second of writing a new temporary file in pieces of a megabyte, not synced: the limit of recording.
 * System error when the file cannot be written. */
bool bench_write_speed(double *speed, struct err *err);

/* The median of `count` >= 1 numbers, which are sorted by this. */
double bench_median(double *numbers, int64_t count);

#endif
