/*
 * k_attn.c: attention of rows that each have their own keys, values and mask.
 *
 * The unit of work is (row, key/value head, a few dozen queries). Scores: blocks of keys are transposed into panels, the
 * rest is the matrix product's tile, so that vectors run over keys and every score is one accumulator over d. Blocks
 * that the mask forbids to all queries are skipped; forbidden lanes of others are computed and thrown away by a
 * select. Mix: vectors run over d, and forbidden keys are jumped over.
 */
#include <math.h>

#include "tensor/kernels_set.h"

#define QUERIES 64   /* queries per unit */
#define KEY_PANELS 4 /* keys per block: 64 */
#define KEY_BLOCK (KEY_PANELS * PANEL_WIDTH)
#define DEPTH 64 /* d per block */

static const float zeros[DEPTH];

struct attention {
	const struct attn_shape *shape;
	const struct attn_row *rows;
	int64_t parts; /* units per row and key/value head */
};

/* What a unit has to do. */
struct unit {
	const struct attn_shape *shape;
	const struct attn_row *row;
	int64_t g;
	int64_t group; /* query heads per key/value head */
	int64_t begin; /* queries [begin, end) */
	int64_t end;
};

typedef void unit_fn(const struct unit *unit);

K_INLINE void run_units(const struct attention *a, int64_t begin, int64_t end, unit_fn *fn)
{
	const struct attn_shape *shape = a->shape;
	for (int64_t i = begin; i < end; i++) {
		int64_t part = i % a->parts;
		struct unit unit = {
			.shape = shape,
			.row = &a->rows[i / a->parts / shape->G],
			.g = i / a->parts % shape->G,
			.group = shape->N / shape->G,
			.begin = part * QUERIES,
		};
		unit.end = unit.begin + QUERIES < unit.row->S ? unit.begin + QUERIES : unit.row->S;
		if (unit.begin < unit.end)
			fn(&unit);
	}
}

static void share_out(const struct attn_shape *shape, const struct attn_row *rows, int64_t count, struct pool *pool,
	pool_fn *fn)
{
	struct attention a = {shape, rows, 1};
	int64_t work = 0;
	for (int64_t r = 0; r < count; r++) {
		int64_t parts = (rows[r].S + QUERIES - 1) / QUERIES;
		a.parts = parts > a.parts ? parts : a.parts;
		work += rows[r].S * rows[r].K * shape->N * shape->D;
	}
	int64_t units = count * shape->G * a.parts;
	if (units > 0)
		pool_run(pool, units, k_grain(work / units * 2), fn, &a);
}

/* Whether any of n mask bytes allows. */
static bool any_allowed(const uint8_t *mask, int64_t n)
{
	uint64_t any = 0;
	int64_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t eight;
		memcpy(&eight, mask + i, sizeof eight);
		any |= eight;
	}
	for (; i < n; i++)
		any |= mask[i];
	return any != 0;
}

#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define HAS_SHUFFLE
#endif
#endif

/*
 * out[i][lane] = from[lane][i] for i = 0..3: a vector is put together from the four floats of every fourth key, so that
 * the rest is a 4 x 4 transposition inside each quarter.
 */
#if defined HAS_SHUFFLE
typedef float quad __attribute__((vector_size(16)));
typedef float quad_memory __attribute__((vector_size(16), aligned(4), may_alias));

#if VEC_LANES == 16
#define QUARTERS(F) F(0), F(4), F(8), F(12)
typedef float eight __attribute__((vector_size(32)));
#elif VEC_LANES == 8
#define QUARTERS(F) F(0), F(4)
#else
#define QUARTERS(F) F(0)
#endif
#define LOW(i) i, i + VEC_LANES, i + 1, i + 1 + VEC_LANES
#define HIGH(i) i + 2, i + 2 + VEC_LANES, i + 3, i + 3 + VEC_LANES
#define FIRST(i) i, i + 1, i + VEC_LANES, i + 1 + VEC_LANES
#define SECOND(i) i + 2, i + 3, i + 2 + VEC_LANES, i + 3 + VEC_LANES
#define SHUFFLE(a, b, F) __builtin_shufflevector(a, b, QUARTERS(F))

K_INLINE quad four_of(const float *from)
{
	return (quad)(*(const quad_memory *)from);
}

/* Four floats of each of the keys 0, 4, 8, ... from `from` on. */
K_INLINE vec every_fourth(const float *const *from, int64_t d)
{
#if VEC_LANES == 16
	eight low = __builtin_shufflevector(four_of(from[0] + d), four_of(from[4] + d), 0, 1, 2, 3, 4, 5, 6, 7);
	eight high = __builtin_shufflevector(four_of(from[8] + d), four_of(from[12] + d), 0, 1, 2, 3, 4, 5, 6, 7);
	return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif VEC_LANES == 8
	return __builtin_shufflevector(four_of(from[0] + d), four_of(from[4] + d), 0, 1, 2, 3, 4, 5, 6, 7);
#else
	return four_of(from[0] + d);
#endif
}

K_INLINE void transpose(vec out[4], const float *const *from, int64_t d)
{
	vec a = every_fourth(from, d);
	vec b = every_fourth(from + 1, d);
	vec c = every_fourth(from + 2, d);
	vec e = every_fourth(from + 3, d);
	vec ab_low = SHUFFLE(a, b, LOW);
	vec ab_high = SHUFFLE(a, b, HIGH);
	vec ce_low = SHUFFLE(c, e, LOW);
	vec ce_high = SHUFFLE(c, e, HIGH);
	out[0] = SHUFFLE(ab_low, ce_low, FIRST);
	out[1] = SHUFFLE(ab_low, ce_low, SECOND);
	out[2] = SHUFFLE(ab_high, ce_high, FIRST);
	out[3] = SHUFFLE(ab_high, ce_high, SECOND);
}
#else
K_INLINE void transpose(vec out[4], const float *const *from, int64_t d)
{
	for (int i = 0; i < 4; i++) {
		for (int lane = 0; lane < VEC_LANES; lane++)
			out[i][lane] = from[lane][d + i];
	}
}
#endif

/* panel[d][lane] = from[lane][d] for VEC_LANES keys and n values of d; rows of a panel are 16 floats apart. */
static void pack_vector(float *panel, const float *const *from, int64_t n)
{
	int64_t d = 0;
	for (; d + 4 <= n; d += 4) {
		vec out[4];
		transpose(out, from, d);
		K_UNROLL
		for (int i = 0; i < 4; i++)
			vec_store(panel + (d + i) * PANEL_WIDTH, out[i]);
	}
	for (; d < n; d++) {
		for (int lane = 0; lane < VEC_LANES; lane++)
			panel[d * PANEL_WIDTH + lane] = from[lane][d];
	}
}

/* Keys lie far apart, so the processor does not foresee them. */
static void prefetch_keys(const struct attn_row *row, int64_t first, int64_t offset, int64_t n)
{
	for (int64_t j = first; j < first + VEC_LANES && j < row->K; j++) {
		for (int64_t d = 0; row->keys[j] != NULL && d < n; d += 16)
			__builtin_prefetch(row->keys[j] + offset + d);
	}
}

/* Keys [first, first + count) of one key/value head, d in [d, d + n), as panels [n][16]. */
static void pack_keys(float *panels, const struct unit *u, int64_t first, int64_t count, int64_t d, int64_t n)
{
	const float *const *keys = u->row->keys + first;
	const int64_t offset = u->g * u->shape->D + d;
	for (int64_t j = 0; j < count; j += VEC_LANES) {
		const float *from[VEC_LANES];
		prefetch_keys(u->row, first + j + KEY_BLOCK, offset, n);
		for (int64_t i = 0; i < VEC_LANES; i++)
			from[i] = j + i < count && keys[j + i] != NULL ? keys[j + i] + offset : zeros;
		pack_vector(panels + j / PANEL_WIDTH * n * PANEL_WIDTH + j % PANEL_WIDTH, from, n);
	}
}

/* Unscaled scores of queries [begin, end) with keys [first, first + count), all heads of the group. */
static void dot_products(const struct unit *u, int64_t begin, int64_t end, int64_t first, int64_t count)
{
	const struct attn_row *row = u->row;
	const int64_t D = u->shape->D;
	float panels[KEY_BLOCK * DEPTH] __attribute__((aligned(64)));
	for (int64_t d = 0; d < D; d += DEPTH) {
		int64_t n = D - d < DEPTH ? D - d : DEPTH;
		pack_keys(panels, u, first, count, d, n);
		int64_t head = u->g * u->group;
		struct k_block block = {
			.y = row->scores + head * row->head_stride + begin * row->K + first,
			.ldy = row->K,
			.x = row->q + begin * row->q_stride + head * D + d,
			.ldx = row->q_stride,
			.w = panels,
			.stride = n * PANEL_WIDTH,
			.columns = count,
			.M = end - begin,
			.n = n,
			.more = d > 0,
		};
		if (end - begin == 1) {
			/* One query: the heads of the group are the rows. */
			block.ldy = row->head_stride;
			block.ldx = D;
			block.M = u->group;
			K(k_block)(&block);
			continue;
		}
		for (int64_t h = 0; h < u->group; h++) {
			K(k_block)(&block);
			block.y += row->head_stride;
			block.x += D;
		}
	}
}

K_INLINE vec scaled(vec score, vec_bits allowed, vec scale)
{
	return vec_select(allowed, vec_canon(score * scale), vec_all(-INFINITY));
}

/* score = allowed ? score * scale : -Inf. */
static void scale_scores(float *scores, const uint8_t *mask, int64_t n, float scale)
{
	const vec factor = vec_all(scale);
	int64_t j = 0;
	for (; j + VEC_LANES <= n; j += VEC_LANES)
		vec_store(scores + j, scaled(vec_load(scores + j), vec_allowed(mask + j, VEC_LANES), factor));
	if (j < n) {
		vec v = scaled(vec_load_some(scores + j, n - j), vec_allowed(mask + j, n - j), factor);
		vec_store_some(scores + j, v, n - j);
	}
}

static void forbid(float *scores, int64_t n)
{
	for (int64_t j = 0; j < n; j++)
		scores[j] = -INFINITY;
}

/* The least range of queries, inside the unit's, that may attend to some key of [first, first + count). */
static void attending(const struct unit *u, int64_t first, int64_t count, int64_t *begin, int64_t *end)
{
	const uint8_t *mask = u->row->mask + first;
	*begin = u->begin;
	*end = u->end;
	while (*begin < *end && !any_allowed(mask + *begin * u->row->K, count))
		++*begin;
	while (*end > *begin && !any_allowed(mask + (*end - 1) * u->row->K, count))
		--*end;
}

static void scores_unit(const struct unit *u)
{
	const struct attn_row *row = u->row;
	for (int64_t first = 0; first < row->K; first += KEY_BLOCK) {
		int64_t count = row->K - first < KEY_BLOCK ? row->K - first : KEY_BLOCK;
		int64_t begin, end;
		attending(u, first, count, &begin, &end);
		if (begin < end)
			dot_products(u, begin, end, first, count);
		for (int64_t h = u->g * u->group; h < (u->g + 1) * u->group; h++) {
			for (int64_t s = u->begin; s < u->end; s++) {
				float *scores = row->scores + h * row->head_stride + s * row->K + first;
				if (s < begin || s >= end)
					forbid(scores, count);
				else
					scale_scores(scores, row->mask + s * row->K + first, count, u->shape->scale);
			}
		}
	}
}

static void weights_unit(const struct unit *u)
{
	const struct attn_row *row = u->row;
	const uint8_t *mask = row->mask + u->begin * row->K;
	int64_t head = u->g * u->group;
	int64_t at = head * row->head_stride + u->begin * row->K;
	if (row->head_stride == row->K) { /* the heads of the group follow each other and share a mask */
		K(k_softmax_rows)(row->weights + at, NULL, row->scores + at, mask, row->K, u->group, 0);
		return;
	}
	for (; head < (u->g + 1) * u->group; head++) {
		K(k_softmax_rows)(row->weights + at, NULL, row->scores + at, mask, row->K, u->end - u->begin, row->K);
		at += row->head_stride;
	}
}

/* Queries (with their head) that are mixed side by side, so that they share the loaded values. */
#define MIX_ROWS 4
#if defined KERNELS_SET_avx512
#define MIX_SUMS 16
#else
#define MIX_SUMS 8
#endif
#define MIX_KEYS 256

struct mix {
	const struct unit *unit;
	const float *weights[MIX_ROWS]; /* [K] */
	const uint8_t *masks[MIX_ROWS]; /* [K] */
	float *out[MIX_ROWS];           /* [D] */
};

/* allowed[j] has bit r set where row r may attend to key first + j. */
K_INLINE void gather_masks(const struct mix *m, const int rows, int64_t first, int64_t count, uint8_t *allowed)
{
	for (int64_t j = 0; j < count; j++) {
		unsigned bits = 0;
		K_UNROLL
		for (int r = 0; r < rows; r++)
			bits |= (m->masks[r][first + j] != 0 ? 1u : 0u) << r;
		allowed[j] = (uint8_t)bits;
	}
}

K_INLINE void add_value(vec acc[MIX_SUMS], float weight, const vec value[MIX_SUMS], const int vecs)
{
	const vec factor = vec_all(weight);
	K_UNROLL
	for (int v = 0; v < vecs; v++)
		acc[v] = vec_fma(factor, value[v], acc[v]);
}

/* out[r][d ...] for `rows` rows and `vecs` vectors of d; of the last vector only `lanes` lanes exist. */
K_INLINE void mix_tile(const struct mix *m, const int rows, const int vecs, int64_t d, const int64_t lanes)
{
	const struct attn_row *row = m->unit->row;
	const int64_t offset = m->unit->g * m->unit->shape->D + d;
	vec acc[MIX_ROWS][MIX_SUMS];
	K_UNROLL
	for (int r = 0; r < rows; r++) {
		K_UNROLL
		for (int v = 0; v < vecs; v++)
			acc[r][v] = vec_all(0.0f);
	}
	for (int64_t first = 0; first < row->K; first += MIX_KEYS) {
		int64_t count = row->K - first < MIX_KEYS ? row->K - first : MIX_KEYS;
		uint8_t allowed[MIX_KEYS];
		gather_masks(m, rows, first, count, allowed);
		for (int64_t j = 0; j < count; j++) {
			if (allowed[j] == 0)
				continue;
			const float *key = row->values[first + j];
			vec value[MIX_SUMS];
			K_UNROLL
			for (int v = 0; v < vecs; v++) {
				value[v] = vec_all(0.0f);
				if (key != NULL && lanes == VEC_LANES)
					value[v] = vec_load(key + offset + v * VEC_LANES);
				else if (key != NULL)
					value[v] = vec_load_some(key + offset, lanes);
			}
			if (allowed[j] == (1u << rows) - 1) {
				K_UNROLL
				for (int r = 0; r < rows; r++)
					add_value(acc[r], m->weights[r][first + j], value, vecs);
				continue;
			}
			K_UNROLL
			for (int r = 0; r < rows; r++) {
				if ((allowed[j] >> r & 1) != 0)
					add_value(acc[r], m->weights[r][first + j], value, vecs);
			}
		}
	}
	K_UNROLL
	for (int r = 0; r < rows; r++) {
		K_UNROLL
		for (int v = 0; v < vecs; v++) {
			float *out = m->out[r] + d + v * VEC_LANES;
			if (lanes == VEC_LANES)
				vec_store(out, vec_canon(acc[r][v]));
			else
				vec_store_some(out, vec_canon(acc[r][v]), lanes);
		}
	}
}

/* The widest tile that fits, then narrower ones for the rest of D. */
K_INLINE void mix_rows(const struct mix *m, const int rows)
{
	const int64_t D = m->unit->shape->D;
	int64_t d = 0;
	for (; rows * 4 <= MIX_SUMS && d + 4 * VEC_LANES <= D; d += 4 * VEC_LANES)
		mix_tile(m, rows, 4, d, VEC_LANES);
	for (; rows * 3 <= MIX_SUMS && d + 3 * VEC_LANES <= D; d += 3 * VEC_LANES)
		mix_tile(m, rows, 3, d, VEC_LANES);
	for (; d + 2 * VEC_LANES <= D; d += 2 * VEC_LANES)
		mix_tile(m, rows, 2, d, VEC_LANES);
	for (; d + VEC_LANES <= D; d += VEC_LANES)
		mix_tile(m, rows, 1, d, VEC_LANES);
	if (d < D)
		mix_tile(m, rows, 1, d, D - d);
}

static void mix_four(const struct mix *m)
{
	mix_rows(m, MIX_ROWS);
}

static void mix_one(const struct mix *m)
{
	mix_rows(m, 1);
}

/* Points row r of the mix at the unit's pair number i of (query, head). */
static void aim(struct mix *m, int r, int64_t i)
{
	const struct unit *u = m->unit;
	const struct attn_row *row = u->row;
	int64_t s = u->begin + i / u->group;
	int64_t head = u->g * u->group + i % u->group;
	m->weights[r] = row->weights + head * row->head_stride + s * row->K;
	m->masks[r] = row->mask + s * row->K;
	m->out[r] = row->out + (s * u->shape->N + head) * u->shape->D;
}

static void mix_unit(const struct unit *u)
{
	struct mix m = {.unit = u};
	const int64_t pairs = (u->end - u->begin) * u->group;
	int64_t i = 0;
	for (; i + MIX_ROWS <= pairs; i += MIX_ROWS) {
		for (int r = 0; r < MIX_ROWS; r++)
			aim(&m, r, i + r);
		mix_four(&m);
	}
	for (; i < pairs; i++) {
		aim(&m, 0, i);
		mix_one(&m);
	}
}

static void scores_piece(void *ctx, int64_t begin, int64_t end)
{
	run_units(ctx, begin, end, scores_unit);
}

static void weights_piece(void *ctx, int64_t begin, int64_t end)
{
	run_units(ctx, begin, end, weights_unit);
}

static void mix_piece(void *ctx, int64_t begin, int64_t end)
{
	run_units(ctx, begin, end, mix_unit);
}

void K(k_attn_scores)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool)
{
	share_out(shape, row, rows, pool, scores_piece);
}

void K(k_attn_weights)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool)
{
	share_out(shape, row, rows, pool, weights_piece);
}

void K(k_attn_mix)(const struct attn_shape *shape, const struct attn_row *row, int64_t rows, struct pool *pool)
{
	share_out(shape, row, rows, pool, mix_piece);
}
