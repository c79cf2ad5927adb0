#include "tensor/limits.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

#define TRIES 5
#define BURN_STEPS 200000
#define STREAMS 8
#define BYTES ((size_t)256 << 20)

double limits_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A loop with one index per thread. Results go to `sink` so that the work cannot be left out. */
struct job {
	const struct kernels *kernels;
	const uint64_t *words;
	int64_t words_each; /* per thread */
	uint64_t sink[POOL_MAX_THREADS];
};

static void burn_piece(void *ctx, int64_t begin, int64_t end)
{
	struct job *job = ctx;
	for (int64_t i = begin; i < end; i++)
		job->sink[i] += job->kernels->burn(BURN_STEPS) > 0.0f;
}

static void read_piece(void *ctx, int64_t begin, int64_t end)
{
	struct job *job = ctx;
	const int64_t stream = job->words_each / STREAMS;
	for (int64_t i = begin; i < end; i++) {
		const uint64_t *from = job->words + i * job->words_each;
		uint64_t all[STREAMS] = {0};
		for (int64_t w = 0; w + 8 <= stream; w += 8) {
			/* one word of each cache line is enough to have it brought in */
			for (int s = 0; s < STREAMS; s++)
				all[s] += from[s * stream + w];
		}
		for (int s = 0; s < STREAMS; s++)
			job->sink[i] += all[s];
	}
}

/* The least seconds that one turn of the loop took. */
static double best_time(struct pool *pool, pool_fn *fn, struct job *job)
{
	double best = 1e30;
	for (int i = 0; i < TRIES; i++) {
		double start = limits_clock();
		pool_run(pool, pool_threads(pool), 1, fn, job);
		double seconds = limits_clock() - start;
		best = seconds < best ? seconds : best;
	}
	return best;
}

double limits_fma_peak(const struct kernels *kernels, struct pool *pool)
{
	struct job *job = MEM_NEW(struct job);
	job->kernels = kernels;
	double seconds = best_time(pool, burn_piece, job);
	free(job);
	return 2.0 * KERNELS_BURN * BURN_STEPS * pool_threads(pool) / seconds * 1e-9;
}

double limits_read_bandwidth(struct pool *pool)
{
	struct job *job = MEM_NEW(struct job);
	uint64_t *words = mem_array(BYTES, 1);
	memset(words, 1, BYTES); /* pages that were never written are all the same one */
	job->words = words;
	job->words_each = (int64_t)(BYTES / sizeof(uint64_t)) / pool_threads(pool);
	double seconds = best_time(pool, read_piece, job);
	free(words);
	free(job);
	return (double)BYTES / seconds * 1e-9;
}
