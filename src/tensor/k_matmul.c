/*
 * k_matmul.c: the matrix product, y[m][j] = sum over k of x[m][k] * w[k][j].
 *
 * A tile is a few rows times a few panels with all its accumulators in registers; every k costs one load of the
 * panels' weights and one broadcast per row. Rows share the loaded weights and never an accumulator, so a row's sums do
 * not know how many rows there are. k is cut into blocks so that the weights of a panel stay in the first-level
 * cache while the rows go by; between blocks the accumulators rest in y, which is exact.
 */
#include "tensor/kernels_set.h"

#define BLOCK_K 128
#define BLOCK_ROWS (TILE_ROWS * 8)
/* Floats ahead of the present weights to fetch when they are used once only: 4 KiB. */
#define PREFETCH 1024
/* With few rows more panels are worked on at once: more independent sums, more streams from memory. */
#define MOST_PANELS 4
#define MOST_VECS (MOST_PANELS * VEC_PER_PANEL)

typedef void tile_fn(const struct k_block *b);

K_INLINE vec weights_at(const struct k_block *t, int64_t k, int v)
{
	return vec_load(t->w + v / VEC_PER_PANEL * t->stride + k * PANEL_WIDTH + v % VEC_PER_PANEL * VEC_LANES);
}

/* One k of a tile. What there is less of, rows or vectors, stays in registers while the other streams by. */
K_INLINE void step(vec acc[TILE_ROWS][MOST_VECS], const struct k_block *t, int64_t k, const int rows, const int vecs)
{
	vec weights[MOST_VECS];
	vec inputs[TILE_ROWS];
	if (rows < vecs) {
		K_UNROLL
		for (int r = 0; r < rows; r++)
			inputs[r] = vec_all(t->x[r * t->ldx + k]);
		K_UNROLL
		for (int v = 0; v < vecs; v++) {
			vec weight = weights_at(t, k, v);
			K_UNROLL
			for (int r = 0; r < rows; r++)
				acc[r][v] = vec_fma(inputs[r], weight, acc[r][v]);
		}
		return;
	}
	K_UNROLL
	for (int v = 0; v < vecs; v++)
		weights[v] = weights_at(t, k, v);
	K_UNROLL
	for (int r = 0; r < rows; r++) {
		vec input = vec_all(t->x[r * t->ldx + k]);
		K_UNROLL
		for (int v = 0; v < vecs; v++)
			acc[r][v] = vec_fma(input, weights[v], acc[r][v]);
	}
}

/* `rows` and `panels` are constants wherever this is inlined; b->M and b->columns are not looked at. */
K_INLINE void tile(const struct k_block *b, const int rows, const int panels)
{
	const int vecs = panels * VEC_PER_PANEL;
	const struct k_block t = *b;
	const char *ahead = (const char *)t.w + t.ahead;
	vec acc[TILE_ROWS][MOST_VECS];
	K_UNROLL
	for (int r = 0; r < rows; r++) {
		K_UNROLL
		for (int v = 0; v < vecs; v++)
			acc[r][v] = t.more ? vec_load(t.y + r * t.ldy + v * VEC_LANES) : vec_all(0.0f);
	}
	for (int64_t k = 0; k < t.n; k++) {
		K_UNROLL
		for (int p = 0; p < panels; p++)
			__builtin_prefetch(ahead + p * t.stride * (int64_t)sizeof(float));
		ahead += t.ahead_step;
		step(acc, &t, k, rows, vecs);
	}
	K_UNROLL
	for (int r = 0; r < rows; r++) {
		K_UNROLL
		for (int v = 0; v < vecs; v++)
			vec_store(t.y + r * t.ldy + v * VEC_LANES, acc[r][v]);
	}
}

/* clang-format off */

/* One function per size. */
#define TILE(rows, panels) \
	static void tile_##rows##x##panels(const struct k_block *b) \
	{ \
		tile(b, rows, panels); \
	}

#if TILE_PANELS == 2
#define TILE_BOTH(rows) TILE(rows, 1) TILE(rows, 2)
TILE_BOTH(1) TILE_BOTH(2) TILE_BOTH(3) TILE_BOTH(4) TILE_BOTH(5) TILE_BOTH(6)
TILE_BOTH(7) TILE_BOTH(8) TILE_BOTH(9) TILE_BOTH(10) TILE_BOTH(11) TILE_BOTH(12)
TILE(1, 4) TILE(2, 4) TILE(3, 4) TILE(4, 4)
#else
TILE(1, 1) TILE(2, 1) TILE(1, 2) TILE(2, 2) TILE(1, 4)
#if TILE_ROWS == 6
TILE(3, 1) TILE(4, 1) TILE(5, 1) TILE(6, 1) TILE(3, 2)
#endif
#endif

/* tiles[rows - 1][i] works on 2^i panels; NULL where that would be too many sums. */
static tile_fn *const tiles[TILE_ROWS][3] = {
#if TILE_PANELS == 2
	{tile_1x1, tile_1x2, tile_1x4},
	{tile_2x1, tile_2x2, tile_2x4},
	{tile_3x1, tile_3x2, tile_3x4},
	{tile_4x1, tile_4x2, tile_4x4},
	{tile_5x1, tile_5x2}, {tile_6x1, tile_6x2}, {tile_7x1, tile_7x2}, {tile_8x1, tile_8x2},
	{tile_9x1, tile_9x2}, {tile_10x1, tile_10x2}, {tile_11x1, tile_11x2}, {tile_12x1, tile_12x2},
#else
	{tile_1x1, tile_1x2, tile_1x4},
	{tile_2x1, tile_2x2},
#if TILE_ROWS == 6
	{tile_3x1, tile_3x2}, {tile_4x1}, {tile_5x1}, {tile_6x1},
#endif
#endif
};

/* clang-format on */

/* The widest tile of `rows` rows that has at most `panels` panels; *width says how many it has. */
static tile_fn *tile_for(int64_t rows, int64_t panels, int64_t *width)
{
	int i = 2;
	while (i > 0 && (tiles[rows - 1][i] == NULL || (int64_t)1 << i > panels))
		i--;
	*width = (int64_t)1 << i;
	return tiles[rows - 1][i];
}

/* A tile whose last panel has fewer than 16 columns: works in a buffer of whole panels. */
static void ragged_tile(const struct k_block *b, tile_fn *fn, int64_t rows, int64_t columns)
{
	float buffer[TILE_ROWS][MOST_PANELS * PANEL_WIDTH];
	struct k_block whole = *b;
	size_t bytes = (size_t)columns * sizeof(float);
	whole.y = buffer[0];
	whole.ldy = MOST_PANELS * PANEL_WIDTH;
	memset(buffer, 0, sizeof buffer);
	for (int64_t r = 0; b->more && r < rows; r++)
		memcpy(buffer[r], b->y + r * b->ldy, bytes);
	fn(&whole);
	for (int64_t r = 0; r < rows; r++)
		memcpy(b->y + r * b->ldy, buffer[r], bytes);
}

/* At most TILE_ROWS rows, all columns. */
static void rows_block(const struct k_block *b, int64_t rows)
{
	struct k_block part = *b;
	int64_t left = b->columns;
	while (left > 0) {
		int64_t width;
		tile_fn *fn = tile_for(rows, (left + PANEL_WIDTH - 1) / PANEL_WIDTH, &width);
		int64_t columns = width * PANEL_WIDTH;
		if (left >= columns)
			fn(&part);
		else
			ragged_tile(&part, fn, rows, left);
		left -= columns;
		part.y += columns;
		part.w += width * part.stride;
	}
}

void K(k_block)(const struct k_block *block)
{
	struct k_block part = *block;
	const int64_t count = (block->M + TILE_ROWS - 1) / TILE_ROWS;
	part.ahead = PREFETCH * (int64_t)sizeof(float);
	part.ahead_step = PANEL_WIDTH * (int64_t)sizeof(float);
	for (int64_t i = 0, m = 0; i < count; i++) {
		/* Rows are dealt out evenly: two tiles of 7 rather than 12 and 2. */
		int64_t rows = (block->M - m) / (count - i);
		part.y = block->y + m * block->ldy;
		part.x = block->x + m * block->ldx;
		if (count > 1) {
			/* The tiles use the same weights: each fetches its share of the block after this one. */
			part.ahead_step = PANEL_WIDTH * (int64_t)sizeof(float) / count;
			part.ahead = (block->n * PANEL_WIDTH * (int64_t)sizeof(float)) + i * block->n * part.ahead_step;
		}
		rows_block(&part, rows);
		m += rows;
	}
}

struct product {
	float *y;
	const float *x;
	const struct panel *w;
	const float *bias;
	int64_t M;
};

/* y = sums + bias with canonical NaN, for one row. */
static void finish_row(float *y, const float *sums, const float *bias, int64_t columns)
{
	int64_t j = 0;
	for (; j + VEC_LANES <= columns; j += VEC_LANES) {
		vec v = vec_load(sums + j);
		if (bias != NULL)
			v += vec_load(bias + j);
		vec_store(y + j, vec_canon(v));
	}
	if (j < columns) {
		vec v = vec_load_some(sums + j, columns - j);
		if (bias != NULL)
			v += vec_load_some(bias + j, columns - j);
		vec_store_some(y + j, vec_canon(v), columns - j);
	}
}

/* Rows [m, m + rows), panels [panel, panel + count). The sums rest in a buffer whose rows are close together. */
static void product_block(const struct product *p, int64_t m, int64_t rows, int64_t panel, int64_t count)
{
	/* Either few rows and many panels or the other way round. */
	float sums[BLOCK_ROWS * TILE_PANELS * PANEL_WIDTH] __attribute__((aligned(64)));
	const int64_t in = p->w->in;
	const int64_t first = panel * PANEL_WIDTH;
	const int64_t parts = rows <= TILE_ROWS ? 1 : (in + BLOCK_K - 1) / BLOCK_K; /* of k, dealt out evenly too */
	const int64_t step = parts > 0 ? (in + parts - 1) / parts : 0;
	struct k_block block = {
		.y = sums,
		.ldy = count * PANEL_WIDTH,
		.ldx = in,
		.stride = in * PANEL_WIDTH,
		.columns = count * PANEL_WIDTH,
		.M = rows,
	};
	int64_t k = 0;
	do {
		block.x = p->x + m * in + k;
		block.w = p->w->data + (panel * in + k) * PANEL_WIDTH;
		block.n = in - k < step ? in - k : step;
		block.more = k > 0;
		K(k_block)(&block);
		k += step;
	} while (k < in);
	int64_t columns = p->w->out - first < block.columns ? p->w->out - first : block.columns;
	for (int64_t r = 0; r < rows; r++)
		finish_row(p->y + (m + r) * p->w->out + first, sums + r * block.ldy,
			p->bias != NULL ? p->bias + first : NULL, columns);
}

/* Panels [begin, end). */
static void panels_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct product *p = ctx;
	const int64_t group = p->M <= TILE_ROWS ? MOST_PANELS : TILE_PANELS;
	for (int64_t panel = begin; panel < end; panel += group) {
		int64_t count = end - panel < group ? end - panel : group;
		for (int64_t m = 0; m < p->M; m += BLOCK_ROWS)
			product_block(p, m, p->M - m < BLOCK_ROWS ? p->M - m : BLOCK_ROWS, panel, count);
	}
}

void K(k_matmul)(float *y, const float *x, const struct panel *w, const float *bias, int64_t M, struct pool *pool)
{
	struct product product = {y, x, w, bias, M};
	int64_t panels = (w->out + PANEL_WIDTH - 1) / PANEL_WIDTH;
	/* Weights that come from memory cost about as much as four rows' multiply-adds with them. */
	int64_t grain = k_grain(w->in * PANEL_WIDTH * (M + 4));
	grain = (grain + MOST_PANELS - 1) / MOST_PANELS * MOST_PANELS;
	pool_run(pool, panels, grain, panels_piece, &product);
}

struct look_up {
	float *y;
	const struct panel *w;
	const int32_t *ids;
};

static void lookup_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct look_up *l = ctx;
	for (int64_t m = begin; m < end; m++) {
		float *y = l->y + m * l->w->in;
		panel_column(l->w, l->ids[m], y);
		K(k_canon_nan)(y, l->w->in);
	}
}

void K(k_lookup)(float *y, const struct panel *w, const int32_t *ids, int64_t M, struct pool *pool)
{
	struct look_up look_up = {y, w, ids};
	pool_run(pool, M, k_grain(w->in * 16), lookup_piece, &look_up);
}
