#include <string.h>

#include "base/pool.h"
#include "harness.h"

#define MOST 1000

struct marks {
	int count[MOST];
	int64_t grain;
	int64_t n;
	int bad_pieces;
};

static void mark(void *ctx, int64_t begin, int64_t end)
{
	struct marks *m = ctx;
	for (int64_t i = begin; i < end; i++)
		m->count[i]++;
	if (begin % m->grain != 0 || (end % m->grain != 0 && end != m->n))
		m->bad_pieces = 1; /* every writer writes the same */
}

static void check_once(const struct marks *m)
{
	int wrong = 0;
	for (int64_t i = 0; i < MOST; i++)
		wrong += m->count[i] != (i < m->n ? 1 : 0);
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_eq(m->bad_pieces, 0);
}

START_TEST(does_every_index_once)
{
	for (int threads = 1; threads <= 5; threads++) {
		struct err err = ERR_INIT;
		struct pool *pool;
		ck_assert(pool_new(&pool, threads, &err));
		ck_assert_int_eq(pool_threads(pool), threads);
		for (int64_t n = 0; n <= MOST; n += n < 70 ? 1 : 93) {
			for (int64_t grain = 1; grain <= 64; grain = grain * 3 + 1) {
				struct marks m = {.grain = grain, .n = n};
				pool_run(pool, n, grain, mark, &m);
				check_once(&m);
			}
		}
		pool_delete(pool);
	}
}
END_TEST

START_TEST(runs_inline_without_pool)
{
	struct marks m = {.grain = 7, .n = 100};
	pool_run(NULL, 100, 7, mark, &m);
	check_once(&m);
	ck_assert_int_eq(pool_threads(NULL), 1);
	ck_assert_int_ge(pool_processors(), 1);
	pool_delete(NULL);
}
END_TEST

START_TEST(refuses_a_bad_number_of_threads)
{
	static const int bad[] = {0, -1, POOL_MAX_THREADS + 1};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = ERR_INIT;
		struct pool *pool;
		ck_assert(!pool_new(&pool, bad[i], &err));
		ck_assert_ptr_null(pool);
		ck_assert_int_eq(err.kind, ERR_USAGE);
		ck_assert_ptr_nonnull(strstr(err.message, "256"));
	}
}
END_TEST

TEST_PROGRAM("pool", {
	tcase_add_test(tests, does_every_index_once);
	tcase_add_test(tests, runs_inline_without_pool);
	tcase_add_test(tests, refuses_a_bad_number_of_threads);
})
