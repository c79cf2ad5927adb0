/*
 * pool.h: a fixed team of threads that shares out loops.
 *
 * Each index of a loop is given to exactly one thread, so a loop whose body writes only what belongs to its
 * index gives the same bits with any number of threads. Threads sleep on a condition variable between loops:
 * nothing spins, a busy machine is no worse than an idle one.
 *
 *     struct pool *pool;
 *     if (!pool_new(&pool, 4, &err)) return false;
 *     pool_run(pool, rows, 1, normalise_rows, &job);   // returns when every row is done
 *     pool_delete(pool);
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define POOL_MAX_THREADS 256

struct pool;

/* Does the indices [begin, end) of a loop. Must not call pool_run() on the same pool. */
typedef void pool_fn(void *ctx, int64_t begin, int64_t end);

/*
 * Makes a pool in which `threads` threads work, the calling one included, 1 <= threads <= POOL_MAX_THREADS.
 * The caller owns *out. Fails (system) when the threads cannot be started, and (usage) when the number is out
 * of range; *out is then NULL.
 */
bool pool_new(struct pool **out, int threads, struct err *err);

/* Ends the threads and frees the pool. NULL is allowed. */
void pool_delete(struct pool *pool);

/* How many threads work, the calling one included; 1 for NULL. */
int pool_threads(const struct pool *pool);

/* How many processors this program may use, at least 1. */
int pool_processors(void);

/*
 * Calls fn for pieces of [0, n) that do not overlap and together are all of it, and returns when all are done.
 * Every piece but the last has a multiple of `grain` (>= 1) indices. With n <= grain, one thread or a NULL pool
 * the caller does everything in one piece. Only one thread at a time may call this on one pool.
 */
void pool_run(struct pool *pool, int64_t n, int64_t grain, pool_fn *fn, void *ctx);

#endif
