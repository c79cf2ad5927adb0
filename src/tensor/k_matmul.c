/*
 * k_matmul.c: the matrix product, y[m][j] = sum over k of x[m][k] * w[k][j].
 *
 * A tile is a few rows times a few panels with all its accumulators in registers; every k costs one load of the
 * panels' weights and one broadcast per row. Rows share the loaded weights and never an accumulator, so a row's sums do
 * not know how many rows there are. k is cut into blocks so that the weights of a panel stay in the first-level
 * cache while the rows go by; between blocks the accumulators rest in y, which is exact.
 */
#include "tensor/kernels_set.h"

#define BLOCK_K 256
/* Floats ahead of the present weights to fetch: 4 KiB. */
#define PREFETCH 1024
/* With one or two rows more panels are worked on at once: more independent sums, more streams from memory. */
#define MOST_PANELS (TILE_PANELS * 4)
#define MOST_VECS (MOST_PANELS * VEC_PER_PANEL)

typedef void tile_fn(const struct k_block *b);

/* `rows` and `panels` are constants wherever this is inlined; b->M and b->columns are not looked at. */
K_INLINE void tile(const struct k_block *b, const int rows, const int panels)
{
	const int vecs = panels * VEC_PER_PANEL;
	const struct k_block t = *b;
	vec acc[TILE_ROWS][MOST_VECS];
	K_UNROLL
	for (int r = 0; r < rows; r++) {
		K_UNROLL
		for (int v = 0; v < vecs; v++)
			acc[r][v] = t.more ? vec_load(t.y + r * t.ldy + v * VEC_LANES) : vec_all(0.0f);
	}
	for (int64_t k = 0; k < t.n; k++) {
		vec weights[MOST_VECS];
		K_UNROLL
		for (int v = 0; v < vecs; v++) {
			const float *from = t.w + v / VEC_PER_PANEL * t.stride + k * PANEL_WIDTH;
			if (v % VEC_PER_PANEL == 0)
				__builtin_prefetch(from + PREFETCH);
			weights[v] = vec_load(from + v % VEC_PER_PANEL * VEC_LANES);
		}
		K_UNROLL
		for (int r = 0; r < rows; r++) {
			vec input = vec_all(t.x[r * t.ldx + k]);
			K_UNROLL
			for (int v = 0; v < vecs; v++)
				acc[r][v] = vec_fma(input, weights[v], acc[r][v]);
		}
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

/* TILES(X) lists the rows beyond two; every one of them comes with TILE_PANELS panels and, if that is 2, with one. */
#if TILE_ROWS == 12
#define TILES(X) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#elif TILE_ROWS == 6
#define TILES(X) X(3) X(4) X(5) X(6)
#else
#define TILES(X)
#endif

#if TILE_PANELS == 2
#define TILE_DEFINE(rows) TILE(rows, 1) TILE(rows, 2)
#define TILE_ENTRY(rows) [rows - 1] = {tile_##rows##x1, tile_##rows##x2},
TILE(1, 1) TILE(1, 2) TILE(1, 4) TILE(1, 8)
TILE(2, 1) TILE(2, 2) TILE(2, 4)
#else
#define TILE_DEFINE(rows) TILE(rows, 1)
#define TILE_ENTRY(rows) [rows - 1] = {tile_##rows##x1},
TILE(1, 1) TILE(1, 2) TILE(1, 4)
TILE(2, 1) TILE(2, 2)
#endif
TILES(TILE_DEFINE)

/* tiles[rows - 1][i] works on 2^i panels; NULL where that would be too many sums. */
static tile_fn *const tiles[TILE_ROWS][4] = {
#if TILE_PANELS == 2
	{tile_1x1, tile_1x2, tile_1x4, tile_1x8},
	{tile_2x1, tile_2x2, tile_2x4},
#else
	{tile_1x1, tile_1x2, tile_1x4},
	{tile_2x1, tile_2x2},
#endif
	TILES(TILE_ENTRY)
};

/* clang-format on */

/* The widest tile of `rows` rows that has at most `panels` panels; *width says how many it has. */
static tile_fn *tile_for(int64_t rows, int64_t panels, int64_t *width)
{
	int i = 3;
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
	int64_t tiles_left = (block->M + TILE_ROWS - 1) / TILE_ROWS;
	for (int64_t m = 0; m < block->M; tiles_left--) {
		/* Rows are dealt out evenly: two tiles of 7 rather than 12 and 2. */
		int64_t rows = (block->M - m + tiles_left - 1) / tiles_left;
		part.y = block->y + m * block->ldy;
		part.x = block->x + m * block->ldx;
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

/* Bias and canonical NaN, while the columns are still in the cache. */
static void finish(const struct product *p, int64_t first, int64_t columns)
{
	const int64_t out = p->w->out;
	for (int64_t m = 0; m < p->M; m++) {
		float *y = p->y + m * out + first;
		int64_t j = 0;
		for (; j + VEC_LANES <= columns; j += VEC_LANES) {
			vec v = vec_load(y + j);
			if (p->bias != NULL)
				v += vec_load(p->bias + first + j);
			vec_store(y + j, vec_canon(v));
		}
		if (j < columns) {
			vec v = vec_load_some(y + j, columns - j);
			if (p->bias != NULL)
				v += vec_load_some(p->bias + first + j, columns - j);
			vec_store_some(y + j, vec_canon(v), columns - j);
		}
	}
}

/* Panels [begin, end). */
static void panels_piece(void *ctx, int64_t begin, int64_t end)
{
	const struct product *p = ctx;
	const int64_t in = p->w->in;
	const int64_t group = p->M <= TILE_ROWS ? MOST_PANELS : TILE_PANELS;
	const int64_t step = p->M <= TILE_ROWS ? in : BLOCK_K;
	for (int64_t panel = begin; panel < end; panel += group) {
		int64_t first = panel * PANEL_WIDTH;
		int64_t last = (panel + group < end ? panel + group : end) * PANEL_WIDTH;
		int64_t columns = (last < p->w->out ? last : p->w->out) - first;
		int64_t k = 0;
		do {
			struct k_block block = {
				.y = p->y + first,
				.ldy = p->w->out,
				.x = p->x + k,
				.ldx = in,
				.w = p->w->data + (panel * in + k) * PANEL_WIDTH,
				.stride = in * PANEL_WIDTH,
				.columns = columns,
				.M = p->M,
				.n = in - k < step ? in - k : step,
				.more = k > 0,
			};
			K(k_block)(&block);
			k += step;
		} while (k < in);
		finish(p, first, columns);
	}
}

void K(k_matmul)(float *y, const float *x, const struct panel *w, const float *bias, int64_t M, struct pool *pool)
{
	struct product product = {y, x, w, bias, M};
	int64_t panels = (w->out + PANEL_WIDTH - 1) / PANEL_WIDTH;
	int64_t grain = k_grain(w->in * PANEL_WIDTH * M);
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
