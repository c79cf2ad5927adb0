/*
 * limits.h: what this machine can do at best, measured: the roofs that `rowscope bench` compares the kernels with.
 *
 *     double roof = limits_fma_peak(kernels_get(NULL), pool);   // GFLOP/s
 */
#ifndef TENSOR_LIMITS_H
#define TENSOR_LIMITS_H

#include "base/pool.h"
#include "tensor/kernels.h"

/* Seconds from some fixed moment, by a clock that is never set back. */
double limits_clock(void);

/*
 * GFLOP/s (10^9 operations a second, a multiply-add counting as two) of float32 multiply-adds in registers, by all
 * threads of the pool together; the best of several tries, about 50 ms.
 */
double limits_fma_peak(const struct kernels *kernels, struct pool *pool);

/*
 * GB/s (10^9 bytes a second) of reading memory that is in no cache, 8 streams per thread, by all threads of the pool
 * together; the best of several tries. Takes 256 MiB and about 200 ms.
 */
double limits_read_bandwidth(struct pool *pool);

#endif
