/* The views `tokens` and `cache`: a matrix of rows by places, with several lines of facts in each cell. */
#include <string.h>

#include "base/i18n.h"
#include "view/view.h"

#define LABEL_COLUMNS 14
#define PLACE_COLUMNS 8

/* One matrix [B, places] of token IDs, with further whole numbers about each place. */
struct matrix {
	const struct scene *scene;
	int64_t B, places;
	const char *place; /* "s" or "k" */
	const int32_t *tokens;
	const int32_t *facts[3];
	const char *names[3]; /* of the facts */
	int fact_count;
	const uint8_t *pad;        /* NULL: a place without token holds nothing */
	const struct pass *layout; /* NULL: rows of equal length, one after the other */
};

/* Where the facts about a place are; -1 where a packed row has no such place. */
static int64_t place_at(const struct matrix *matrix, int64_t b, int64_t i)
{
	if (matrix->layout == NULL)
		return b * matrix->places + i;
	return i < pass_row_width(matrix->layout, b) ? pass_row_begin(matrix->layout, b) + i : -1;
}

static bool is_empty(const struct matrix *matrix, int64_t b, int64_t i)
{
	int64_t at = place_at(matrix, b, i);
	return matrix->pad != NULL ? matrix->pad[at] != 0 : matrix->facts[0][at] < 0;
}

static void draw_place(const struct matrix *matrix, struct grid *grid, int x, int y, int64_t b, int64_t i)
{
	const struct scene *scene = matrix->scene;
	int64_t at = place_at(matrix, b, i);
	if (at < 0)
		return;
	bool empty = is_empty(matrix, b, i);
	struct style style = empty ? style_of(STYLE_PAD) : scene_lane(scene, scene_request(scene, b));
	struct grid_span span = grid_at(x, y, PLACE_COLUMNS - 1);
	if (scene->is_hidden) {
		grid_text(grid, span, style_of(STYLE_HIDDEN), "▒▒");
		return;
	}
	if (empty)
		grid_text(grid, span, style, matrix->pad != NULL ? _("pad") : "·");
	else
		scene_draw_token(scene, grid, span, style_with(style, STYLE_STRONG), matrix->tokens[at]);
	if (empty && matrix->pad == NULL)
		return;
	span.y++;
	grid_printf(grid, span, style, "%d", (int)matrix->tokens[at]);
	for (int f = 0; f < matrix->fact_count; f++) {
		span.y++;
		grid_printf(grid, span, style_of(empty ? STYLE_PAD : STYLE_DIM), "%d", (int)matrix->facts[f][at]);
	}
}

static void draw_label(const struct matrix *matrix, struct grid *grid, int y, int64_t b)
{
	const struct scene *scene = matrix->scene;
	int32_t request = scene_request(scene, b);
	const char *id = scene_row_id(scene, request);
	struct style style = style_with(scene_lane(scene, request), STYLE_STRONG);
	int used = grid_text(grid, grid_at(0, y, 1), style, style_lane_mark(request));
	grid_foreign(grid, grid_at(used, y, LABEL_COLUMNS - 2), style, id, strlen(id));
	grid_text(grid, grid_at(2, y + 1, LABEL_COLUMNS - 3), style_of(STYLE_LABEL), _("token ID"));
	for (int f = 0; f < matrix->fact_count; f++)
		grid_text(grid, grid_at(2, y + 2 + f, LABEL_COLUMNS - 3), style_of(STYLE_LABEL), _(matrix->names[f]));
}

/* Rows from the scene's first one on; of the places the last ones that fit, where the newest tokens are. A blank line is
 * left below the heading. */
static void draw_matrix(const struct matrix *matrix, struct grid *grid)
{
	int y = 1;
	int room = (grid->width - LABEL_COLUMNS) / PLACE_COLUMNS;
	room = room < 1 ? 1 : room;
	int64_t first = matrix->places > room ? matrix->places - room : 0;
	int step = matrix->fact_count + 3;
	for (int64_t i = first; i < matrix->places; i++)
		grid_printf(grid, grid_at(LABEL_COLUMNS + (int)(i - first) * PLACE_COLUMNS, y, PLACE_COLUMNS - 1),
			style_of(STYLE_LABEL), "%s%lld", matrix->place, (long long)i);
	if (first > 0)
		grid_printf(grid, grid_at(0, y, LABEL_COLUMNS), style_of(STYLE_DIM), _("… %lld before"),
			(long long)first);
	y++;
	int64_t b = view_first(matrix->scene);
	for (; b < matrix->B && y + step - 1 <= grid->height; b++, y += step) {
		draw_label(matrix, grid, y, b);
		for (int64_t i = first; i < matrix->places; i++)
			draw_place(matrix, grid, LABEL_COLUMNS + (int)(i - first) * PLACE_COLUMNS, y, b, i);
	}
	view_draw_more(grid, matrix->B - b);
}

static void fill_table(const struct matrix *matrix, struct table *table)
{
	struct buf text = BUF_INIT;
	table_add_column(table, "row", TABLE_TEXT);
	table_add_column(table, matrix->place, TABLE_INT);
	table_add_column(table, "token", TABLE_INT);
	table_add_column(table, "text", TABLE_TEXT);
	for (int f = 0; f < matrix->fact_count; f++)
		table_add_column(table, matrix->names[f], TABLE_INT);
	table_add_column(table, matrix->pad != NULL ? "pad" : "empty", TABLE_BOOL);
	for (int64_t place = 0; place < matrix->B * matrix->places; place++) {
		int64_t b = place / matrix->places, i = place % matrix->places, at = place_at(matrix, b, i);
		if (at < 0)
			continue;
		size_t row = table_add_row(table, scene_request(matrix->scene, b));
		buf_clear(&text);
		if (matrix->tokens[at] >= 0)
			scene_token(matrix->scene, matrix->tokens[at], &text);
		table_set_string(table, row, 0, scene_row_id(matrix->scene, scene_request(matrix->scene, b)));
		table_set_int(table, row, 1, i);
		table_set_int(table, row, 2, matrix->tokens[at]);
		table_set_text(table, row, 3, buf_text(&text), text.length);
		for (int f = 0; f < matrix->fact_count; f++)
			table_set_int(table, row, 4 + f, matrix->facts[f][at]);
		table_set_bool(table, row, 4 + matrix->fact_count, is_empty(matrix, b, i));
	}
	buf_free(&text);
}

/* The token matrix needs no recorded tensor: the pass itself says it. */
static struct matrix tokens_matrix(const struct scene *scene)
{
	const struct pass *layout = &scene_pass(scene)->layout;
	return (struct matrix){.scene = scene,
		.B = layout->B,
		.places = layout->S,
		.place = "s",
		.tokens = layout->tokens,
		.facts = {layout->positions},
		.names = {N_("position")},
		.fact_count = 1,
		.pad = layout->pad,
		.layout = layout};
}

bool view_tokens_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	(void)err;
	if (!scene_has_pass(scene)) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing is open, so no tokens go in. Type  :open three-requests  for the "
			  "worked example."));
		return true;
	}
	struct matrix matrix = tokens_matrix(scene);
	struct grid body;
	if (matrix.layout->layout == LAYOUT_PACKED)
		body = view_draw_heading(grid, style_of(STYLE_TITLE),
			_("What goes into pass %lld: (T=%lld) token IDs, one row after the other"),
			(long long)scene->pass, (long long)matrix.layout->cells);
	else
		body = view_draw_heading(grid, style_of(STYLE_TITLE),
			_("What goes into pass %lld: (B=%lld, S=%lld) token IDs"), (long long)scene->pass,
			(long long)matrix.B, (long long)matrix.places);
	draw_matrix(&matrix, &body);
	return true;
}

bool view_tokens_table(const struct scene *scene, struct arena *arena, struct table **table, struct err *err)
{
	(void)err;
	*table = table_new(arena, "tokens");
	if (scene_has_pass(scene)) {
		struct matrix matrix = tokens_matrix(scene);
		fill_table(&matrix, *table);
	}
	return true;
}

static bool cache_matrix(const struct scene *scene, struct arena *arena, struct matrix *matrix, struct err *err)
{
	struct tensor token, position, written, slot;
	bool has_slots = trace_find_value(scene->trace, "cache.slot") >= 0; /* early traces have none */
	if (!scene_read(scene, "cache.token", arena, &token, err) ||
		!scene_read(scene, "cache.position", arena, &position, err) ||
		!scene_read(scene, "cache.written", arena, &written, err) ||
		(has_slots && !scene_read(scene, "cache.slot", arena, &slot, err)))
		return false;
	const struct pass *layout = &scene_pass(scene)->layout;
	*matrix = (struct matrix){.scene = scene,
		.B = layout->B,
		.places = layout->K,
		.place = "k",
		.tokens = token.data,
		.facts = {position.data, written.data, has_slots ? slot.data : NULL},
		.names = {N_("position"), N_("from pass"), N_("slot")},
		.fact_count = has_slots ? 3 : 2};
	return true;
}

bool view_cache_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct matrix matrix;
	if (!scene_has_pass(scene)) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing is open, so nothing is remembered. Type  :open three-requests  for the "
			  "worked example."));
		return true;
	}
	bool ok = cache_matrix(scene, &arena, &matrix, err);
	if (ok) {
		struct grid body = view_draw_heading(grid, style_of(STYLE_TITLE),
			_("What each row can look back at in pass %lld: K=%lld keys and values per layer"),
			(long long)scene->pass, (long long)matrix.places);
		draw_matrix(&matrix, &body);
	}
	arena_free(&arena);
	return ok;
}

bool view_cache_table(const struct scene *scene, struct arena *arena, struct table **table, struct err *err)
{
	struct matrix matrix;
	*table = table_new(arena, "cache");
	if (!scene_has_pass(scene))
		return true;
	if (!cache_matrix(scene, arena, &matrix, err))
		return false;
	fill_table(&matrix, *table);
	return true;
}
