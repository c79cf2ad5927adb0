/*
 * k_softmax.c: softmax, its logarithm, and the largest element.
 *
 * Exponentials run in vectors. Their sum is one scalar chain in ascending index; a few rows go side by side, each with its
 * own chain. What the mask forbids is zero before it is summed: adding +0 to a sum of exponentials, which is never
 * negative, changes no bit, so this is the same as leaving it out, and saves a branch per element.
 */
#include <math.h>

#include "tensor/kernels_set.h"
#include "tensor/real.h"

#define REAL_LANES (VEC_LANES / 2)
#include "tensor/real_core.h"

#define SIDE_BY_SIDE 4
#define BLOCK 256

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

/* e[i] = exp(x[i] - most); a NaN is whatever NaN. */
static void exponentials(float *e, const float *x, float most, int64_t n)
{
	int64_t i = 0;
	for (; i + REAL_LANES <= n; i += REAL_LANES) {
		real_floats d = (real_floats)(*(const real_memory *)(x + i)) - most;
		real_vec r = real_core_exp(__builtin_convertvector(d, real_vec));
		*(real_memory *)(e + i) = (real_memory) __builtin_convertvector(r, real_floats);
	}
	if (i < n) {
		real_floats d = {0};
		for (int64_t j = i; j < n; j++)
			d[j - i] = x[j] - most;
		real_vec r = real_core_exp(__builtin_convertvector(d, real_vec));
		d = __builtin_convertvector(r, real_floats);
		for (int64_t j = i; j < n; j++)
			e[j] = d[j - i];
	}
}

/* One row on its way; [begin, end) is the least range that holds everything allowed. */
struct row {
	float *y;
	const uint8_t *mask; /* NULL: there is nothing forbidden inside the range */
	int64_t begin;
	int64_t end;
};

/* Whether any of eight mask bytes allows. */
static bool eight_allow(const uint8_t *mask)
{
	uint64_t all;
	memcpy(&all, mask, sizeof all);
	return all != 0;
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

/* Finds the range, and writes exponentials inside and zeros outside. */
static struct row start_row(float *y, const float *x, const uint8_t *mask, int64_t n)
{
	struct row row = {y, NULL, 0, n};
	if (mask != NULL) {
		while (row.begin + 8 <= n && !eight_allow(mask + row.begin))
			row.begin += 8;
		while (row.begin < n && mask[row.begin] == 0)
			row.begin++;
		while (row.end - 8 >= row.begin && !eight_allow(mask + row.end - 8))
			row.end -= 8;
		while (row.end > row.begin && mask[row.end - 1] == 0)
			row.end--;
		bool holes = false;
		for (int64_t i = row.begin; i < row.end; i++)
			holes |= mask[i] == 0;
		row.mask = holes ? mask : NULL;
	}
	const int64_t count = row.end - row.begin;
	const float most = largest(x + row.begin, row.mask != NULL ? mask + row.begin : NULL, count);
	memset(y, 0, (size_t)row.begin * sizeof(float));
	exponentials(y + row.begin, x + row.begin, most, count);
	memset(y + row.end, 0, (size_t)(n - row.end) * sizeof(float));
	if (row.mask != NULL)
		clear_forbidden(&row);
	return row;
}

/* y = y / sum inside the range. */
static void finish_row(const struct row *row, float sum)
{
	const vec divisor = vec_all(sum);
	int64_t i = row->begin;
	for (; i + VEC_LANES <= row->end; i += VEC_LANES)
		vec_store(row->y + i, vec_canon(vec_load(row->y + i) / divisor));
	if (i < row->end) {
		vec v = vec_load_some(row->y + i, row->end - i) / divisor;
		vec_store_some(row->y + i, vec_canon(v), row->end - i);
	}
	if (row->mask != NULL) /* 0 / NaN is NaN, but what is forbidden stays 0 */
		clear_forbidden(row);
}

K_INLINE void sum_rows(const struct row *row, const int count, float *sums)
{
	int64_t begin = row[0].begin;
	int64_t end = row[0].end;
	float acc[SIDE_BY_SIDE];
	for (int r = 1; r < count; r++) {
		begin = row[r].begin < begin ? row[r].begin : begin;
		end = row[r].end > end ? row[r].end : end;
	}
	K_UNROLL
	for (int r = 0; r < count; r++)
		acc[r] = 0.0f;
	for (int64_t i = begin; i < end; i++) {
		K_UNROLL
		for (int r = 0; r < count; r++)
			acc[r] += row[r].y[i];
	}
	K_UNROLL
	for (int r = 0; r < count; r++)
		sums[r] = acc[r];
}

void K(k_softmax_rows)(float *y, const float *x, const uint8_t *mask, int64_t n, int64_t rows, int64_t mask_step)
{
	for (int64_t first = 0; first < rows; first += SIDE_BY_SIDE) {
		int count = rows - first < SIDE_BY_SIDE ? (int)(rows - first) : SIDE_BY_SIDE;
		struct row row[SIDE_BY_SIDE];
		float sums[SIDE_BY_SIDE];
		for (int r = 0; r < count; r++) {
			int64_t at = first + r;
			row[r] = start_row(y + at * n, x + at * n, mask != NULL ? mask + at * mask_step : NULL, n);
		}
		if (count == SIDE_BY_SIDE) {
			sum_rows(row, SIDE_BY_SIDE, sums);
		} else {
			for (int r = 0; r < count; r++)
				sum_rows(row + r, 1, sums + r);
		}
		for (int r = 0; r < count; r++)
			finish_row(&row[r], sums[r]);
	}
}

struct softmax {
	float *y;
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
		K(k_softmax_rows)(s->y + begin * n, s->x + begin * n, mask, n, rows, n);
		begin += rows;
	}
}

void K(k_softmax)(
	float *y, const float *x, const uint8_t *mask, int64_t mask_rows, int64_t n, int64_t rows, struct pool *pool)
{
	struct softmax softmax = {y, x, mask, mask_rows, n};
	pool_run(pool, rows, k_grain(n * 32), softmax_piece, &softmax);
}

int64_t K(k_argmax)(const float *x, int64_t n)
{
	float most = largest(x, NULL, n);
	for (int64_t i = 0; i < n; i++) {
		if (x[i] == most)
			return i;
	}
	return 0;
}

float K(k_log_softmax_at)(const float *x, int64_t n, int64_t index)
{
	float most = largest(x, NULL, n);
	float sum = 0.0f;
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t count = n - i < BLOCK ? n - i : BLOCK;
		float e[BLOCK];
		exponentials(e, x + i, most, count);
		for (int64_t j = 0; j < count; j++)
			sum += e[j];
	}
	float result = (x[index] - most) - real_log(sum);
	K(k_canon_nan)(&result, 1);
	return result;
}
