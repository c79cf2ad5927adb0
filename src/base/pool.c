#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* Pieces per thread: enough that a thread which the system delays does not hold up the others for long. */
#define PIECES_PER_THREAD 4

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t start; /* a loop was posted, or the pool ends */
	pthread_cond_t done;  /* the last working thread left the loop */
	pthread_t *workers;
	int threads; /* the caller included */
	bool ending;
	uint64_t loops; /* loops posted so far: tells a worker that there is a new one */
	int working;    /* workers inside the present loop */
	/* the present loop, all under the lock */
	pool_fn *fn;
	void *ctx;
	int64_t n;
	int64_t next; /* first index that nobody has taken yet */
	int64_t piece;
};

/* Takes and does pieces until none is left. Called and returns with the lock held. */
static void work(struct pool *pool)
{
	while (pool->next < pool->n) {
		int64_t begin = pool->next;
		int64_t end = pool->n - begin > pool->piece ? begin + pool->piece : pool->n;
		pool->next = end;
		pthread_mutex_unlock(&pool->lock);
		pool->fn(pool->ctx, begin, end);
		pthread_mutex_lock(&pool->lock);
	}
}

static void *worker(void *arg)
{
	struct pool *pool = arg;
	uint64_t seen = 0;
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->ending && pool->loops == seen)
			pthread_cond_wait(&pool->start, &pool->lock);
		if (pool->ending)
			break;
		seen = pool->loops;
		pool->working++;
		work(pool);
		if (--pool->working == 0)
			pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static bool start_workers(struct pool *pool, int threads, struct err *err)
{
	for (; pool->threads < threads; pool->threads++) {
		int failure = pthread_create(&pool->workers[pool->threads - 1], NULL, worker, pool);
		if (failure != 0)
			return err_system(err, NULL, failure, "cannot start thread %d of %d; ask for fewer threads",
				pool->threads + 1, threads);
	}
	return true;
}

bool pool_new(struct pool **out, int threads, struct err *err)
{
	*out = NULL;
	if (threads < 1 || threads > POOL_MAX_THREADS)
		return err_usage(err, "--threads", "%d threads were asked for; give a number from 1 to %d", threads,
			POOL_MAX_THREADS);
	struct pool *pool = MEM_NEW(struct pool);
	pool->workers = MEM_ARRAY(pthread_t, threads);
	pool->threads = 1;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->start, NULL);
	pthread_cond_init(&pool->done, NULL);
	if (!start_workers(pool, threads, err)) {
		pool_delete(pool);
		return false;
	}
	*out = pool;
	return true;
}

void pool_delete(struct pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->start);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->threads - 1; i++)
		pthread_join(pool->workers[i], NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->start);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}

int pool_threads(const struct pool *pool)
{
	return pool == NULL ? 1 : pool->threads;
}

int pool_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	if (count < 1)
		return 1;
	return count > POOL_MAX_THREADS ? POOL_MAX_THREADS : (int)count;
}

/* Indices per piece: a multiple of grain that makes PIECES_PER_THREAD pieces for each thread, or fewer. */
static int64_t piece_size(int64_t n, int64_t grain, int threads)
{
	int64_t pieces = (int64_t)threads * PIECES_PER_THREAD;
	int64_t grains = (n - 1) / grain + 1;
	return ((grains - 1) / pieces + 1) * grain;
}

void pool_run(struct pool *pool, int64_t n, int64_t grain, pool_fn *fn, void *ctx)
{
	if (n <= 0)
		return;
	if (pool == NULL || pool->threads == 1 || n <= grain) {
		fn(ctx, 0, n);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	pool->fn = fn;
	pool->ctx = ctx;
	pool->n = n;
	pool->next = 0;
	pool->piece = piece_size(n, grain, pool->threads);
	pool->loops++;
	pthread_cond_broadcast(&pool->start);
	work(pool);
	/* A worker that wakes late finds nothing left, and `next` stays at n until the next loop. */
	while (pool->working > 0)
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}
