/*
 * k_softmax.c: softmax, its logarithm, and the largest element.
 *
 * Exponentials run in vectors. Their sum is one scalar chain in ascending index, which runs while the next exponentials are
 * computed; a few rows go side by side, each with its own chain. What the mask forbids is zero before it is summed: adding
 * +0 to a sum of exponentials, which is never negative, changes no bit, so this is the same as leaving it out, and
 * saves a branch per element.
 */
#include <math.h>

#include "tensor/kernels_set.h"
#include "tensor/real.h"

#define REAL_LANES (VEC_LANES / 2)
#include "tensor/real_core.h"

#define SIDE_BY_SIDE 4
#define BLOCK 1024

typedef float real_floats __attribute__((vector_size(4 * REAL_LANES)));
typedef float real_memory __attribute__((vector_size(4 * REAL_LANES), aligned(4), may_alias));

/*
 * The largest allowed value, mask NULL allowing all; -Inf when there is none but NaN. The order does not matter to a
 * maximum. No branch looks at a value, here and below: tests/taint_kernels.c follows what depends on what.
 */
static float largest(const float *x, const uint8_t *mask, int64_t n)
{
	const vec least = vec_all(-INFINITY);
	vec best = least;
	int64_t i = 0;
	for (; i + VEC_LANES <= n; i += VEC_LANES) {
		vec v = vec_load(x + i);
		if (mask != NULL)
			v = vec_select(vec_allowed(mask + i, VEC_LANES), v, least);
		best = vec_select((vec_bits)(v > best), v, best);
	}
	float most = -INFINITY;
	for (; i < n; i++) {
		float v = mask == NULL || mask[i] != 0 ? x[i] : -INFINITY;
		most = v > most ? v : most;
	}
	for (int lane = 0; lane < VEC_LANES; lane++)
		most = best[lane] > most ? best[lane] : most;
	return most;
}

/* One row on its way; [begin, end) is the least range that holds everything allowed. */
struct row {
	float *y; /* NULL: only the sum is wanted */
	const float *x;
	const uint8_t *mask; /* NULL: there is nothing forbidden inside the range */
	int64_t begin;
	int64_t end;
	float most;
	float sum; /* of the exponentials so far */
};

/* exp(x[i] - most) of n <= REAL_LANES elements from i on; a NaN is whatever NaN. */
K_INLINE real_floats exponentials(const struct row *row, int64_t i, const int64_t n)
{
	real_floats x = {0};
	if (n == REAL_LANES)
		x = (real_floats)(*(const real_memory *)(row->x + i));
	for (int64_t j = 0; n < REAL_LANES && j < n; j++)
		x[j] = row->x[i + j];
	real_vec wide = __builtin_convertvector(x - row->most, real_vec);
	return __builtin_convertvector(real_core_exp(wide), real_floats);
}

/* Writes and sums the exponentials of [begin, end), where nothing is forbidden to any of the rows. */
K_INLINE void sum_exponentials(struct row *row, const int count, int64_t begin, int64_t end)
{
	int64_t i = begin;
	float sums[SIDE_BY_SIDE];
	K_UNROLL
	for (int r = 0; r < count; r++)
		sums[r] = row[r].sum;
	for (; i + REAL_LANES <= end; i += REAL_LANES) {
		real_floats e[SIDE_BY_SIDE];
		K_UNROLL
		for (int r = 0; r < count; r++) {
			e[r] = exponentials(&row[r], i, REAL_LANES);
			if (row[r].y != NULL)
				*(real_memory *)(row[r].y + i) = (real_memory)e[r];
		}
		K_UNROLL
		for (int lane = 0; lane < REAL_LANES; lane++) {
			K_UNROLL
			for (int r = 0; r < count; r++)
				sums[r] += e[r][lane];
		}
	}
	for (int r = 0; r < count; r++) {
		row[r].sum = sums[r];
		if (i >= end)
			continue;
		real_floats e = exponentials(&row[r], i, end - i);
		for (int64_t j = i; j < end; j++) {
			if (row[r].y != NULL)
				row[r].y[j] = e[j - i];
			row[r].sum += e[j - i];
		}
	}
}

static void sum_four(struct row *row, int64_t begin, int64_t end)
{
	sum_exponentials(row, SIDE_BY_SIDE, begin, end);
}

static void sum_one(struct row *row, int64_t begin, int64_t end)
{
	sum_exponentials(row, 1, begin, end);
}

/* Whether any of eight mask bytes allows. */
static bool eight_allow(const uint8_t *mask)
{
	uint64_t all;
	memcpy(&all, mask, sizeof all);
	return all != 0;
}

/* Narrows the row's range to what its mask allows. */
static void find_range(struct row *row, const uint8_t *mask)
{
	while (row->begin + 8 <= row->end && !eight_allow(mask + row->begin))
		row->begin += 8;
	while (row->begin < row->end && mask[row->begin] == 0)
		row->begin++;
	while (row->end - 8 >= row->begin && !eight_allow(mask + row->end - 8))
		row->end -= 8;
	while (row->end > row->begin && mask[row->end - 1] == 0)
		row->end--;
	uint8_t holes = 0;
	for (int64_t i = row->begin; i < row->end; i++)
		holes = (uint8_t)(holes | (mask[i] == 0 ? 1 : 0));
	row->mask = holes != 0 ? mask : NULL;
}

static struct row start_row(float *y, const float *x, const uint8_t *mask, int64_t n)
{
	struct row row = {.y = y, .x = x, .end = n};
	if (mask != NULL)
		find_range(&row, mask);
	row.most = largest(x + row.begin, row.mask != NULL ? mask + row.begin : NULL, row.end - row.begin);
	return row;
}

static void clear_forbidden(const struct row *row)
{
	const vec none = {0};
	int64_t i = row->begin;
	for (; i + VEC_LANES <= row->end; i += VEC_LANES) {
		vec v = vec_load(row->y + i);
		vec_store(row->y + i, vec_select(vec_allowed(row->mask + i, VEC_LANES), v, none));
	}
	for (; i < row->end; i++)
		row->y[i] = row->mask[i] != 0 ? row->y[i] : 0.0f;
}

/* All of a row. */
static void sum_row(struct row *row)
{
	sum_one(row, row->begin, row->end);
	if (row->mask == NULL)
		return;
	clear_forbidden(row);
	row->sum = 0.0f;
	for (int64_t i = row->begin; i < row->end; i++)
		row->sum += row->y[i];
}

/* Side by side where all rows have something, one by one before and behind. */
static void sum_rows(struct row *row, int count)
{
	int64_t begin = row[0].begin, end = row[0].end;
	bool holes = false;
	for (int r = 0; r < count; r++) {
		begin = row[r].begin > begin ? row[r].begin : begin;
		end = row[r].end < end ? row[r].end : end;
		holes |= row[r].mask != NULL;
	}
	if (count < SIDE_BY_SIDE || holes || begin >= end) {
		for (int r = 0; r < count; r++)
			sum_row(row + r);
		return;
	}
	for (int r = 0; r < count; r++)
		sum_one(row + r, row[r].begin, begin);
	sum_four(row, begin, end);
	for (int r = 0; r < count; r++)
		sum_one(row + r, end, row[r].end);
}

/* y = y / sum inside the range, zeros outside. */
static void finish_row(const struct row *row, int64_t n)
{
	const vec divisor = vec_all(row->sum);
	int64_t i = row->begin;
	memset(row->y, 0, (size_t)row->begin * sizeof(float));
	for (; i + VEC_LANES <= row->end; i += VEC_LANES)
		vec_store(row->y + i, vec_canon(vec_load(row->y + i) / divisor));
	if (i < row->end) {
		vec v = vec_load_some(row->y + i, row->end - i) / divisor;
		vec_store_some(row->y + i, vec_canon(v), row->end - i);
	}
	memset(row->y + row->end, 0, (size_t)(n - row->end) * sizeof(float));
	if (row->mask != NULL) /* 0 / NaN is NaN, but what is forbidden stays 0 */
		clear_forbidden(row);
}

void K(k_softmax_rows)(float *y, float *sums, const float *x, const uint8_t *mask, int64_t n, int64_t rows,
	int64_t mask_step)
{
	for (int64_t first = 0; first < rows; first += SIDE_BY_SIDE) {
		int count = rows - first < SIDE_BY_SIDE ? (int)(rows - first) : SIDE_BY_SIDE;
		struct row row[SIDE_BY_SIDE];
		for (int r = 0; r < count; r++) {
			int64_t at = first + r;
			row[r] = start_row(y + at * n, x + at * n, mask != NULL ? mask + at * mask_step : NULL, n);
		}
		sum_rows(row, count);
		for (int r = 0; r < count; r++)
			finish_row(&row[r], n);
		for (int r = 0; sums != NULL && r < count; r++)
			sums[first + r] = row[r].sum;
	}
}

struct softmax {
	float *y;
	float *sums;
	const float *x;
	const uint8_t *mask;
	int64_t mask_rows;
	int64_t n;
};

/* Rows that follow each other have masks that follow each other, until the masks begin again. */
static void softmax_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct softmax *s = ctx;
	const int64_t n = s->n;
	while (begin < end) {
		const uint8_t *mask = NULL;
		int64_t rows = end - begin;
		if (s->mask != NULL) {
			int64_t mask_row = begin % s->mask_rows;
			mask = s->mask + mask_row * n;
			rows = s->mask_rows - mask_row < rows ? s->mask_rows - mask_row : rows;
		}
		float *sums = s->sums != NULL ? s->sums + begin : NULL;
		K(k_softmax_rows)(s->y + begin * n, sums, s->x + begin * n, mask, n, rows, n);
		begin += rows;
	}
}

void K(k_softmax)(float *y, float *sums, const float *x, const uint8_t *mask, int64_t mask_rows, int64_t n,
	int64_t rows, struct pool *pool)
{
	struct softmax softmax = {y, sums, x, mask, mask_rows, n};
	pool_run(pool, rows, k_grain(n * 32), softmax_piece, &softmax);
}

int64_t K(k_argmax)(const float *x, int64_t n)
{
	float most = -INFINITY;
	int64_t at = 0; /* the first block that holds the largest */
	for (int64_t i = 0; i < n; i += BLOCK) {
		float here = largest(x + i, NULL, n - i < BLOCK ? n - i : BLOCK);
		at = here > most ? i : at;
		most = here > most ? here : most;
	}
	for (; at < n; at++) {
		if (x[at] == most)
			return at;
	}
	return 0;
}

struct log_softmax {
	float *y;
	const float *sums;
	const float *x;
	const int32_t *ids;
	int64_t n;
};

static void log_softmax_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct log_softmax *l = ctx;
	for (int64_t first = begin; first < end; first += SIDE_BY_SIDE) {
		int count = end - first < SIDE_BY_SIDE ? (int)(end - first) : SIDE_BY_SIDE;
		struct row row[SIDE_BY_SIDE];
		for (int r = 0; r < count; r++)
			row[r] = start_row(NULL, l->x + (first + r) * l->n, NULL, l->n);
		if (l->sums == NULL)
			sum_rows(row, count);
		for (int r = 0; r < count; r++) {
			int32_t id = l->ids[first + r];
			float sum = l->sums != NULL ? l->sums[first + r] : row[r].sum;
			l->y[first + r] = id < 0 ? 0.0f : (row[r].x[id] - row[r].most) - real_log(sum);
		}
	}
	K(k_canon_nan)(l->y + begin, end - begin);
}

void K(k_log_softmax)(float *y, const float *sums, const float *x, const int32_t *ids, int64_t n, int64_t rows,
	struct pool *pool)
{
	struct log_softmax l = {y, sums, x, ids, n};
	pool_run(pool, rows, k_grain(n * 32), log_softmax_piece, &l);
}
