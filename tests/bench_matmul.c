/*
 * Speed of the matrix product at the shapes of the design's table, as GFLOP/s and as a share of what the machine can do.
 * Not a test: `make bench-matmul`, then build/tests/bench_matmul [SET].
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "tensor/kernels.h"
#include "tensor/limits.h"

struct shape {
	int64_t M, in, out;
};

static const struct shape shapes[] = {
	{1, 576, 1536},
	{2, 576, 1536},
	{3, 576, 1536},
	{4, 576, 1536},
	{6, 576, 1536},
	{8, 576, 1536},
	{12, 576, 1536},
	{16, 576, 1536},
	{128, 576, 1536},
	{512, 768, 3072},
	{1, 768, 3072},
	{1, 768, 32000},
	{8, 768, 32000},
	{512, 3072, 768},
	{3, 64, 2064},
	{1, 288, 768},
	{128, 1024, 1024},
};

static double seconds_each(const struct kernels *k, const struct shape *s, struct pool *pool)
{
	/* As many weight matrices as fill 64 MB: a pass never meets the same weights twice in a row. */
	size_t floats = panel_floats(s->in, s->out);
	int copies = (int)(16000000 / floats) + 1;
	float *x = numbers_new(s->M * s->in), *y = numbers_new(s->M * s->out);
	float *data = numbers_new((int64_t)floats * copies);
	numbers_fill(x, s->M * s->in, 1);
	numbers_fill(data, (int64_t)floats * copies, 2);
	double best = 1e30;
	for (int round = 0; round < 7; round++) {
		double start = limits_clock();
		int count = 0;
		do {
			struct panel w = {s->in, s->out, data + (size_t)(count % copies) * floats};
			k->matmul(y, x, &w, NULL, s->M, pool);
			count++;
		} while (limits_clock() - start < 0.03 || count < copies);
		double each = (limits_clock() - start) / count;
		best = each < best ? each : best;
	}
	free(x);
	free(y);
	free(data);
	return best;
}

int main(int argc, char **argv)
{
	const struct kernels *k = kernels_get(argc > 1 ? argv[1] : NULL);
	if (k == NULL)
		return 2;
	for (int threads = 1; threads <= pool_processors() && threads <= 2; threads++) {
		struct err err = ERR_INIT;
		struct pool *pool;
		if (!pool_new(&pool, threads, &err))
			return 4;
		double peak = limits_fma_peak(k, pool);
		double bandwidth = limits_read_bandwidth(pool);
		printf("%s, %d threads: peak %.1f GFLOP/s, read %.1f GB/s\n", k->name, threads, peak, bandwidth);
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
			const struct shape *s = &shapes[i];
			double each = seconds_each(k, s, pool);
			double flops = 2.0 * (double)(s->M * s->in * s->out);
			double bytes = 4.0 * (double)panel_floats(s->in, s->out);
			printf("%4d %5d %6d  %7.1f GFLOP/s  %5.1f%% of peak  %6.1f GB/s  %5.1f%% of bandwidth\n",
				(int)s->M, (int)s->in, (int)s->out, flops / each * 1e-9, flops / each * 1e-7 / peak,
				bytes / each * 1e-9, bytes / each * 1e-7 / bandwidth);
		}
		pool_delete(pool);
	}
	return 0;
}
