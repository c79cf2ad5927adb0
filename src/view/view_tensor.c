#include "view/plane.h"

#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "draw/number.h"
#include "engine/op.h"
#include "trace/slice.h"
#include "view/list.h"
#include "view/numbers.h"
#include "view/view.h"

/* What is drawn, and where its columns are. */
struct picture {
	const struct scene *scene;
	struct plane map;
	enum dtype dtype;
	struct grid *grid;
	int label_width, column_width;
	int64_t first_line, first_column;
	int lines, columns; /* on this screen */
};

static bool is_number(enum dtype dtype)
{
	return dtype == DTYPE_F32 || dtype == DTYPE_F64 || dtype == DTYPE_F16 || dtype == DTYPE_BF16;
}

/* The label of one leading axis at an index; returns its columns. Drawn when there is a grid. */
static int draw_label_part(const struct picture *picture, const int64_t *index, int axis, struct grid_span at)
{
	const struct scene *scene = picture->scene;
	const struct pass *layout = &scene_pass(scene)->layout;
	struct grid *grid = picture->grid;
	const struct grid_span start = at;
	char letter = picture->map.axes[axis];
	int64_t b = scene_line(scene, scene->pass, picture->map.axes, index);
	int64_t cell = scene_cell(scene, scene->pass, picture->map.axes, index);
	if (letter == 'B' || letter == 'T') {
		int32_t request = scene_request(scene, b);
		const char *id = scene_row_id(scene, request);
		int used = grid_text(grid, at, scene_lane(scene, request), style_lane_mark(request));
		at.x += used;
		at.columns -= used;
		used += grid_foreign(grid, at, scene_lane(scene, request), id, strlen(id));
		if (letter == 'B')
			return used;
		at = grid_at(start.x + used + 1, start.y, start.columns - used - 1);
		return used + 1 + scene_draw_token(scene, grid, at, scene_lane(scene, request), layout->tokens[cell]);
	}
	int used = grid_printf(grid, at, style_of(STYLE_LABEL), "%s%lld",
		letter == 'S'           ? "s"
			: letter == 'N' ? "h"
			: letter == 'G' ? "g"
					: "",
		(long long)index[axis]);
	if (letter != 'S' || cell < 0)
		return used;
	at.x += used + 1;
	at.columns -= used + 1;
	if (layout->pad[cell])
		return used + 1 + grid_text(grid, at, style_of(STYLE_PAD), _("pad"));
	return used + 1 +
		scene_draw_token(scene, grid, at, scene_lane(scene, scene_request(scene, b)), layout->tokens[cell]);
}

static void draw_label(const struct picture *picture, int64_t line, int y)
{
	int64_t index[TENSOR_MAX_RANK];
	plane_index(&picture->map, line, 0, index);
	int x = 0;
	for (int i = 0; i < picture->map.rank && x < picture->label_width; i++) {
		if (i == picture->map.column_axis)
			continue;
		x += draw_label_part(picture, index, i, grid_at(x, y, picture->label_width - x)) + 1;
	}
}

/* Does the value hold token IDs? Then their texts stand beside them. */
static bool holds_tokens(const struct scene *scene)
{
	const char *name = scene_value(scene)->name;
	return strcmp(name, "tokens") == 0 || strcmp(name, "next_tokens") == 0 || strcmp(name, "cache.token") == 0;
}

#define ID_COLUMNS 7

/* A token's text, made visible, at the right of its column like the numbers below it. */
static void draw_token_right(const struct picture *picture, struct grid_span at, struct style style, int32_t token)
{
	struct buf text = BUF_INIT;
	char shown[128];
	scene_token(picture->scene, token, &text);
	utf8_display(buf_text(&text), text.length, shown, sizeof shown, at.columns);
	grid_text_right(picture->grid, at, style, shown);
	buf_free(&text);
}

/* One value in its column. */
static void draw_value(const struct picture *picture, struct grid_span at, struct style style, double value)
{
	if (picture->dtype == DTYPE_BOOL)
		grid_text_right(picture->grid, at, style, value != 0 ? "1" : "·");
	else if (!is_number(picture->dtype))
		grid_printf(picture->grid, at, style, "%*lld", at.columns, (long long)value);
	else
		grid_number(picture->grid, at, style, value, picture->scene->decimals);
}

/* What a cell is: padding, forbidden by the mask, not a number, or its row's. */
static struct style cell_style(const struct picture *picture, const int64_t *index, double value)
{
	const struct scene *scene = picture->scene;
	const struct pass *layout = &scene_pass(scene)->layout;
	const char *axes = picture->map.axes;
	int64_t row = scene_line(scene, scene->pass, axes, index), cell = scene_cell(scene, scene->pass, axes, index);
	const char *special = number_special(value);
	if (special != NULL)
		return style_of(special[0] == '-' ? STYLE_MASKED : STYLE_NONFINITE);
	if (row < 0)
		return style_of(STYLE_NORMAL);
	if (cell >= 0 && layout->pad[cell] != 0)
		return style_of(STYLE_PAD);
	bool is_faint = scene->row != SCENE_ALL && scene->row != scene_request(scene, row);
	return style_with(style_of(STYLE_NORMAL), is_faint ? STYLE_FAINT : 0);
}

static void draw_cell(const struct picture *picture, const int64_t *index, struct grid_span at, double value)
{
	const struct scene *scene = picture->scene;
	bool is_cursor = memcmp(index, scene->index, (size_t)picture->map.rank * sizeof *index) == 0;
	if (scene->is_hidden) {
		grid_text_right(picture->grid, at, style_of(STYLE_HIDDEN), scene->heat ? "▒▒" : "▒▒▒▒");
	} else if (scene->heat) {
		const struct heat *heat = &look_statistics(scene->look)->heat;
		grid_heat(picture->grid, at.x, at.y, heat, value);
	} else if (holds_tokens(scene) && value >= 0) {
		struct style style = cell_style(picture, index, value);
		draw_token_right(picture, grid_at(at.x, at.y, at.columns - ID_COLUMNS), style, (int32_t)value);
		draw_value(picture, grid_at(at.x + at.columns - ID_COLUMNS, at.y, ID_COLUMNS), style, value);
	} else {
		draw_value(picture, at, cell_style(picture, index, value), value);
	}
	if (is_cursor)
		grid_flag(picture->grid, at, STYLE_CURSOR);
}

static bool draw_line(const struct picture *picture, int y, int64_t line, struct err *err)
{
	double values[GRID_MAX / 2];
	int64_t index[TENSOR_MAX_RANK] = {0};
	plane_index(&picture->map, line, picture->first_column, index);
	int64_t first = tensor_offset(look_tensor(picture->scene->look), index);
	if (!look_read(picture->scene->look, first, picture->columns, values, err))
		return false;
	draw_label(picture, line, y);
	int gap = picture->scene->heat ? 0 : 1;
	for (int i = 0; i < picture->columns; i++) {
		plane_index(&picture->map, line, picture->first_column + i, index);
		int x = picture->label_width + i * picture->column_width;
		draw_cell(picture, index, grid_at(x + gap, y, picture->column_width - gap), values[i]);
	}
	return true;
}

/* The token below the index of a column: of a key, in the cursor's row; of the vocabulary. */
static void draw_column_token(const struct picture *picture, int64_t column, struct grid_span at)
{
	const struct scene *scene = picture->scene;
	const struct pass *layout = &scene_pass(scene)->layout;
	char letter = picture->map.axes[picture->map.column_axis];
	if (letter == 'V') {
		draw_token_right(picture, at, style_of(STYLE_DIM), (int32_t)column);
		return;
	}
	int64_t row = scene_line(scene, scene->pass, picture->map.axes, scene->index);
	if (letter != 'K' || row < 0)
		return;
	int32_t request = scene_request(scene, row);
	int32_t position = layout->key_position[row * layout->K + column];
	struct style lane = scene_lane(scene, request);
	if (position < 0)
		grid_text_right(picture->grid, at, style_of(STYLE_PAD), _("pad"));
	else
		draw_token_right(picture, at, lane, scene_token_at(scene, request, position));
}

static void draw_heads(const struct picture *picture, int y)
{
	static const char *const signs[] = {"K", "k", "S", "s", "V", "", "N", "h", "G", "g"};
	if (picture->map.column_axis < 0)
		return;
	char letter = picture->map.axes[picture->map.column_axis];
	const char *sign = "";
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i += 2)
		if (signs[i][0] == letter)
			sign = signs[i + 1];
	int step = picture->scene->heat ? 5 : 1;
	for (int i = 0; i < picture->columns; i++) {
		int64_t column = picture->first_column + i;
		if (column % step != 0)
			continue;
		int x = picture->label_width + i * picture->column_width;
		struct grid_span at = grid_at(x + 1, y, picture->column_width * step - 1);
		char text[32];
		snprintf(text, sizeof text, "%s%lld", sign, (long long)column);
		if (step == 1)
			grid_text_right(picture->grid, at, style_of(STYLE_LABEL), text);
		else
			grid_text(picture->grid, grid_at(x, y, 10), style_of(STYLE_LABEL), text);
		at.y++;
		if (step == 1)
			draw_column_token(picture, column, at);
	}
}

/* The widest label of the lines on the screen, drawn on a scrap of paper. */
static int measure_labels(const struct picture *picture, struct arena *arena)
{
	struct grid scrap = grid_new(arena, 64, 1);
	struct picture trial = *picture;
	trial.grid = &scrap;
	trial.label_width = 64;
	int widest = 0;
	for (int i = 0; i < picture->lines; i++) {
		grid_fill(&scrap, style_of(STYLE_NORMAL));
		draw_label(&trial, picture->first_line + i, 0);
		for (int x = widest; x < 64; x++)
			if (grid_cell(&scrap, x, 0)->glyph[0] != ' ')
				widest = x + 1;
	}
	int most = picture->grid->width / 3;
	return widest > most ? most : widest;
}

static int column_width(const struct picture *picture)
{
	const struct scene *scene = picture->scene;
	int spacing = scene->is_large ? 3 : 0;
	if (scene->heat)
		return HEAT_COLUMNS;
	if (picture->dtype == DTYPE_BOOL)
		return (picture->map.column_axis >= 0 && picture->map.axes[picture->map.column_axis] == 'K' ? 6 : 4) +
			spacing;
	if (holds_tokens(scene))
		return ID_COLUMNS + 9 + spacing;
	if (!is_number(picture->dtype))
		return 8 + spacing;
	int places = scene->decimals == NUMBER_EXACT ? 10 : scene->decimals;
	return places + 5 + spacing;
}

/* Pages: the one with the cursor is shown, so nothing scrolls under a reader's eye until the edge is crossed. */
static void choose_page(struct picture *picture, int height, struct arena *arena)
{
	const struct scene *scene = picture->scene;
	int64_t line = plane_line(&picture->map, scene->index);
	int64_t column = plane_column(&picture->map, scene->index);
	picture->first_line = height > 0 ? line / height * height : 0;
	int64_t left = picture->map.lines - picture->first_line;
	picture->lines = left < height ? (int)left : height;
	picture->label_width = measure_labels(picture, arena);
	picture->column_width = column_width(picture);
	int64_t room = (picture->grid->width - picture->label_width) / picture->column_width;
	room = room < 1 ? 1 : room;
	picture->first_column = column / room * room;
	left = picture->map.columns - picture->first_column;
	picture->columns = (int)(left < room ? left : room);
}

static void add_place(const struct scene *scene, const struct plane *map, int64_t offset, struct buf *out)
{
	int64_t index[TENSOR_MAX_RANK];
	if (offset < 0)
		return;
	tensor_index(look_tensor(scene->look), offset, index);
	plane_index_text(scene, scene->pass, map->axes, map->rank, index, out);
}

/* Two lines about the whole tensor, whatever part is on the screen. */
static void draw_statistics(const struct picture *picture, struct grid grid)
{
	const struct scene *scene = picture->scene;
	const struct look_statistics *whole = look_statistics(scene->look);
	char low[NUMBER_SIZE], high[NUMBER_SIZE], mean[NUMBER_SIZE], spread[NUMBER_SIZE];
	struct buf text = BUF_INIT;
	number_fixed(low, whole->heat.low, is_number(picture->dtype) ? 4 : 0, 12);
	number_fixed(high, whole->heat.high, is_number(picture->dtype) ? 4 : 0, 12);
	number_fixed(mean, whole->mean, 4, 12);
	number_fixed(spread, whole->deviation, 4, 12);
	buf_printf(&text, _("min %s "), low);
	add_place(scene, &picture->map, whole->low_at, &text);
	buf_printf(&text, _("  max %s "), high);
	add_place(scene, &picture->map, whole->high_at, &text);
	int y = scene_draw_text(&grid, 0, style_of(STYLE_DIM), buf_text(&text));
	buf_clear(&text);
	buf_printf(&text, _("%lld values  mean %s  deviation %s"), (long long)whole->count, mean, spread);
	if (whole->heat.minus_inf > 0)
		buf_printf(&text, _("  -inf %lld"), (long long)whole->heat.minus_inf);
	struct style style = style_of(STYLE_DIM);
	if (whole->heat.nan + whole->heat.plus_inf > 0) {
		style = style_of(STYLE_WARN);
		buf_printf(&text, _("  NaN %lld  +inf %lld"), (long long)whole->heat.nan,
			(long long)whole->heat.plus_inf);
	}
	scene_draw_text(&grid, y, style, buf_text(&text));
	buf_free(&text);
}

/* The cell under the cursor, exactly. */
static bool draw_cursor(const struct picture *picture, int y, struct err *err)
{
	const struct scene *scene = picture->scene;
	double value = 0;
	struct buf text = BUF_INIT;
	if (!look_read(scene->look, tensor_offset(look_tensor(scene->look), scene->index), 1, &value, err))
		return false;
	if (scene->is_hidden) {
		buf_add_text(&text, "▒▒▒▒  ");
	} else if (picture->dtype == DTYPE_F32) {
		char exact[NUMBER_SIZE], bits[NUMBER_SIZE];
		float number = (float)value;
		uint32_t pattern;
		memcpy(&pattern, &number, sizeof pattern);
		number_exact(exact, number);
		number_bits(bits, pattern);
		buf_printf(&text, "%s  %s  ", exact, bits);
	} else {
		buf_printf(&text, "%lld  ", (long long)value);
	}
	plane_index_text(scene, scene->pass, picture->map.axes, picture->map.rank, scene->index, &text);
	grid_foreign(picture->grid, grid_at(0, y, GRID_REST), style_with(style_of(STYLE_NORMAL), STYLE_STRONG),
		buf_text(&text), text.length);
	buf_free(&text);
	return true;
}

static void shape_text(const struct scene *scene, const struct plane *map, enum dtype dtype, struct buf *out)
{
	buf_add_char(out, '(');
	for (int i = 0; i < map->rank; i++) {
		buf_printf(out, "%s%c", i > 0 ? ", " : "", map->axes[i]);
		if (!scene->is_hidden)
			buf_printf(out, "=%lld", (long long)map->shape[i]);
	}
	buf_printf(out, ")  %s", dtype_name(dtype));
	for (int i = 0; i < map->rank; i++) {
		if (map->only[i] == SCENE_ALL)
			continue;
		if (map->axes[i] == 'B')
			buf_printf(out, _("  row %s only"), scene_row_id(scene, scene_request(scene, map->only[i])));
		else
			buf_printf(out, _("  %s %lld only"), scene_axis_name(map->axes[i]), (long long)map->only[i]);
	}
}

static void draw_title(const struct picture *picture)
{
	struct buf text = BUF_INIT;
	shape_text(picture->scene, &picture->map, picture->dtype, &text);
	grid_foreign(picture->grid, grid_at(0, 0, GRID_REST), style_of(STYLE_TITLE), buf_text(&text), text.length);
	const char *formula = list_formula(scene_op(picture->scene)->kind);
	grid_printf(picture->grid, grid_at(0, 1, GRID_REST), style_of(STYLE_DIM), "%s", formula);
	buf_free(&text);
}

/* What is left of the tensor outside this page. */
static void draw_extent(const struct picture *picture, int y)
{
	int64_t last_line = picture->first_line + picture->lines,
		last_column = picture->first_column + picture->columns;
	if (picture->lines == picture->map.lines && picture->columns == picture->map.columns)
		return;
	grid_printf(picture->grid, grid_at(0, y, GRID_REST), style_of(STYLE_DIM),
		_("lines %lld-%lld of %lld, columns %lld-%lld of %lld"), (long long)picture->first_line + 1,
		(long long)last_line, (long long)picture->map.lines, (long long)picture->first_column + 1,
		(long long)last_column, (long long)picture->map.columns);
}

#define TITLE_LINES 2
#define HEAD_LINES 2
#define FOOT_LINES 5 /* extent, two of statistics that may wrap, the cell */

static bool draw_picture(struct picture *picture, struct err *err)
{
	struct arena arena = ARENA_INIT;
	bool is_short = picture->grid->height < 14; /* then the numbers come first */
	int foot_lines = !is_short ? FOOT_LINES : picture->grid->height < 7 ? 1 : 2;
	int height = picture->grid->height - TITLE_LINES - HEAD_LINES - foot_lines;
	choose_page(picture, height < 1 ? 1 : height, &arena);
	arena_free(&arena);
	draw_title(picture);
	draw_heads(picture, TITLE_LINES);
	for (int i = 0; i < picture->lines; i++)
		if (!draw_line(picture, TITLE_LINES + HEAD_LINES + i, picture->first_line + i, err))
			return false;
	int foot = picture->grid->height - foot_lines;
	if (!picture->scene->is_hidden && foot_lines > 1)
		draw_extent(picture, foot);
	if (!picture->scene->is_hidden && !is_short)
		draw_statistics(picture, grid_sub(picture->grid, 0, foot + 1, picture->grid->width, FOOT_LINES - 2));
	return draw_cursor(picture, picture->grid->height - 1, err);
}

bool view_tensor_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	if (!scene_has_pass(scene)) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing is open. Type  :open three-requests  for the worked "
			  "example, or  :open MODEL PROMPT...  to run your own batch."));
		return true;
	}
	if (!look_at(scene->look, scene->trace, scene->pass, scene->value, err))
		return false;
	struct picture picture = {.scene = scene,
		.map = plane_of(scene),
		.dtype = scene_value(scene)->dtype,
		.grid = grid};
	if (picture.map.lines == 0 || picture.map.columns == 0) {
		view_draw_notice(grid, style_of(STYLE_NORMAL), _("This tensor is empty in this pass."));
		return true;
	}
	return draw_picture(&picture, err);
}

/* What of the tensor is shown: all of it, or the slices that are set. */
static struct slice shown_slice(const struct plane *map, const struct tensor *tensor)
{
	struct slice slice = slice_whole(tensor);
	for (int i = 0; i < map->rank; i++) {
		if (map->only[i] == SCENE_ALL)
			continue;
		slice.first[i] = map->only[i];
		slice.count[i] = 1;
	}
	return slice;
}

#define MOST_COLUMNS 4096
#define MOST_ROWS 100000

bool view_tensor_table(const struct scene *scene, struct arena *arena, struct table **table, struct err *err)
{
	struct trace_tensor source;
	struct tensor part;
	if (!scene_has_pass(scene)) {
		*table = table_new(arena, "tensor");
		return true;
	}
	if (!trace_find(scene->trace, scene->pass, scene_value(scene)->name, &source, err))
		return false;
	struct plane map = plane_of(scene);
	struct slice slice = shown_slice(&map, &source.tensor);
	if (!trace_slice(scene->trace, &source, &slice, arena, &part, err))
		return false;
	struct numbers numbers = {.title = arena_printf(arena, "pass=%lld %s", (long long)scene->pass, source.name),
		.part = &part,
		.slice = &slice,
		.most_columns = MOST_COLUMNS,
		.most_rows = MOST_ROWS};
	numbers_name_rows(&numbers, scene->trace, scene->pass, source.tensor.axes, arena);
	*table = numbers_table(&numbers, arena);
	return true;
}
