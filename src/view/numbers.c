#include "view/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "draw/number.h"
#include "draw/show.h"
#include "trace/selector.h"

/* How the part is laid out: columns of the last axis, rows of all others. */
struct shape {
	int64_t rows, columns; /* of the part */
	int64_t shown_rows, shown_columns;
	int row_axes; /* axes that run down the rows */
};

static struct shape shape_of(const struct numbers *n)
{
	const struct tensor *part = n->part;
	struct shape shape = {.columns = part->rank > 0 ? part->shape[part->rank - 1] : 1,
		.row_axes = part->rank > 0 ? part->rank - 1 : 0};
	shape.rows = 1;
	for (int i = 0; i < shape.row_axes; i++)
		shape.rows *= part->shape[i];
	shape.shown_rows = n->most_rows > 0 && n->most_rows < shape.rows ? n->most_rows : shape.rows;
	shape.shown_columns = n->most_columns > 0 && n->most_columns < shape.columns ? n->most_columns : shape.columns;
	if (shape.columns == 0)
		shape.shown_rows = 0;
	return shape;
}

bool numbers_are_cut(const struct numbers *numbers)
{
	struct shape shape = shape_of(numbers);
	return shape.shown_rows < shape.rows || shape.shown_columns < shape.columns;
}

/* The axis of the whole tensor behind axis `axis` of the part, and its first index. */
static int64_t first_index(const struct numbers *n, int axis, int *whole)
{
	*whole = axis;
	if (n->slice == NULL)
		return 0;
	for (int i = 0, kept = 0; i < n->slice->rank; i++) {
		if (!n->slice->dropped[i] && kept++ == axis) {
			*whole = i;
			return n->slice->first[i];
		}
	}
	return 0;
}

static bool is_row_axis(char letter)
{
	return letter == 'B' || letter == 'T';
}

void numbers_name_rows(struct numbers *numbers, const struct trace *trace, int64_t pass, const char *axes,
	struct arena *arena)
{
	const struct pass *layout = &trace_pass(trace, pass)->layout;
	bool by_cell = strchr(axes, 'T') != NULL;
	int64_t count = by_cell ? layout->cells : layout->B;
	const char **ids = ARENA_ARRAY(arena, const char *, count);
	int32_t *lanes = ARENA_ARRAY(arena, int32_t, count);
	for (int64_t i = 0; i < count; i++) {
		lanes[i] = layout->rows[by_cell ? layout->row_of[i] : i];
		ids[i] = trace_batch(trace)->requests[lanes[i]].id;
		if (by_cell)
			ids[i] = arena_printf(arena, "%s:%" PRId64, ids[i], pass_position(layout, i));
	}
	numbers->row_ids = ids;
	numbers->lanes = lanes;
}

/* "A" for a row with an ID, else the index. */
static const char *index_text(const struct numbers *n, int axis, int64_t index, struct arena *arena)
{
	int whole;
	index += first_index(n, axis, &whole);
	if (is_row_axis(n->part->axes[axis]) && n->row_ids != NULL)
		return n->row_ids[index];
	return arena_printf(arena, "%" PRId64, index);
}

/* The lane of row `row` of the layout: that of its batch row. */
static int lane_of(const struct numbers *n, const struct shape *shape, int64_t row)
{
	int64_t index[TENSOR_MAX_RANK] = {0};
	int whole;
	if (n->lanes == NULL)
		return STYLE_NO_LANE;
	for (int i = shape->row_axes - 1; i >= 0; i--) {
		index[i] = row % n->part->shape[i];
		row /= n->part->shape[i];
	}
	for (int i = 0; i < shape->row_axes; i++) {
		if (is_row_axis(n->part->axes[i]))
			return n->lanes[index[i] + first_index(n, i, &whole)];
	}
	return STYLE_NO_LANE;
}

static enum table_kind kind_of(enum dtype dtype)
{
	return dtype == DTYPE_F32     ? TABLE_FLOAT
		: dtype == DTYPE_BOOL ? TABLE_BOOL
		: dtype == DTYPE_F64  ? TABLE_DOUBLE
				      : TABLE_INT;
}

static void set_value(struct table *table, size_t row, int column, const struct tensor *part, int64_t offset)
{
	double value = tensor_value(part, offset);
	switch (kind_of(part->dtype)) {
	case TABLE_FLOAT: table_set_float(table, row, column, (float)value); break;
	case TABLE_DOUBLE: table_set_double(table, row, column, value); break;
	case TABLE_BOOL: table_set_bool(table, row, column, value != 0); break;
	default: table_set_int(table, row, column, (int64_t)value);
	}
}

static void add_columns(struct table *table, const struct numbers *n, const struct shape *shape, struct arena *arena)
{
	for (int i = 0; i < shape->row_axes; i++)
		table_add_column(table, selector_axis_word(n->part->axes[i]), TABLE_TEXT);
	for (int64_t c = 0; c < shape->shown_columns; c++) {
		const char *key = n->part->rank == 0
			? "value"
			: arena_printf(arena, "%s %s", selector_axis_word(n->part->axes[n->part->rank - 1]),
				  index_text(n, n->part->rank - 1, c, arena));
		table_add_column(table, key, kind_of(n->part->dtype));
	}
}

struct table *numbers_table(const struct numbers *n, struct arena *arena)
{
	struct table *table = table_new(arena, "numbers");
	struct shape shape = shape_of(n);
	table_set_title(table, n->title);
	add_columns(table, n, &shape, arena);
	for (int64_t r = 0; r < shape.shown_rows; r++) {
		size_t row = table_add_row(table, lane_of(n, &shape, r));
		int64_t rest = r;
		for (int i = shape.row_axes - 1; i >= 0; i--) {
			table_set_string(table, row, i, index_text(n, i, rest % n->part->shape[i], arena));
			rest /= n->part->shape[i];
		}
		for (int64_t c = 0; c < shape.shown_columns; c++)
			set_value(table, row, shape.row_axes + (int)c, n->part, r * shape.columns + c);
	}
	table->omitted = shape.rows - shape.shown_rows;
	if (shape.shown_columns < shape.columns)
		table_set_caption(table,
			arena_printf(arena, _("%" PRId64 " of %" PRId64 " columns are shown"), shape.shown_columns,
				shape.columns));
	return table;
}

/* --- the heat map --- */

#define HEAT_HEAD 2     /* lines above the cells: title, axes */
#define HEAT_FOOT 2     /* lines below them: a blank one, the scale */
#define HEAT_SAMPLES 15 /* cells of the scale */

/* Where the indices of the rows stand, and how wide everything is. */
struct heat_layout {
	struct shape shape;
	int x[TENSOR_MAX_RANK]; /* of each axis that runs down the rows */
	int cells;              /* where the cells begin */
	const char *title;
	const char *axes;     /* "key 0 to 3": what the columns are */
	const char *scale[2]; /* lowest and highest value of it */
	const char *cut;      /* "40 of 2064 columns are shown", "" */
};

static int64_t row_index(const struct numbers *n, int64_t row, int axis)
{
	for (int i = n->part->rank - 2; i > axis; i--)
		row /= n->part->shape[i];
	return row % n->part->shape[axis];
}

static void lay_labels(const struct numbers *n, struct heat_layout *layout, struct arena *arena)
{
	for (int axis = 0; axis < layout->shape.row_axes; axis++) {
		int width = utf8_width(selector_axis_word(n->part->axes[axis]));
		for (int64_t r = 0; r < layout->shape.shown_rows; r++) {
			int own = utf8_width(index_text(n, axis, row_index(n, r, axis), arena));
			width = own > width ? own : width;
		}
		layout->x[axis] = layout->cells;
		layout->cells += width + 1;
	}
}

static const char *cut_text(const struct shape *shape, struct arena *arena)
{
	const char *columns = "", *rows = "";
	if (shape->shown_columns < shape->columns)
		columns = arena_printf(arena, _("%" PRId64 " of %" PRId64 " columns are shown"), shape->shown_columns,
			shape->columns);
	if (shape->shown_rows < shape->rows)
		rows = arena_printf(arena, _("%" PRId64 " of %" PRId64 " lines are shown"), shape->shown_rows,
			shape->rows);
	return arena_printf(arena, "%s%s%s", columns, columns[0] != '\0' && rows[0] != '\0' ? "; " : "", rows);
}

static struct heat_layout heat_layout_of(const struct numbers *n, const struct heat *heat, struct arena *arena)
{
	struct heat_layout layout = {.shape = shape_of(n), .axes = ""};
	int last = n->part->rank - 1;
	double high = heat->high, low = heat->low;
	char text[NUMBER_SIZE];
	struct buf title = BUF_INIT;
	show_text(&title, n->title);
	layout.title = arena_strdup(arena, buf_text(&title));
	buf_free(&title);
	lay_labels(n, &layout, arena);
	if (last >= 0 && layout.shape.shown_columns > 0)
		layout.axes = arena_printf(arena, layout.shape.shown_columns > 1 ? _("%s %s to %s") : "%s %s",
			selector_axis_word(n->part->axes[last]), index_text(n, last, 0, arena),
			index_text(n, last, layout.shape.shown_columns - 1, arena));
	if (heat->is_signed) {
		high = fmax(-low, high);
		low = -high;
	}
	number_exact(text, (float)low);
	layout.scale[0] = arena_strdup(arena, text);
	number_exact(text, (float)high);
	layout.scale[1] = arena_strdup(arena, text);
	layout.cut = cut_text(&layout.shape, arena);
	return layout;
}

/* "-2.5 .:-=+*#%@ 2.5  of the whole tensor": what the colours mean, on a slide too. */
static void draw_scale(const struct heat_layout *layout, const struct heat *heat, struct grid *grid, int y)
{
	double high = heat->is_signed ? fmax(-heat->low, heat->high) : heat->high;
	double low = heat->is_signed ? -high : heat->low;
	int x = grid_text(grid, grid_at(0, y, GRID_REST), style_of(STYLE_DIM), layout->scale[0]) + 1;
	for (int i = 0; i < HEAT_SAMPLES; i++, x += HEAT_COLUMNS)
		grid_heat(grid, x, y, heat, low + (high - low) * i / (HEAT_SAMPLES - 1));
	x += 1 + grid_text(grid, grid_at(x + 1, y, GRID_REST), style_of(STYLE_DIM), layout->scale[1]);
	grid_text(grid, grid_at(x + 2, y, GRID_REST), style_of(STYLE_DIM), _("scale of the whole tensor"));
}

static int widest_line(const struct heat_layout *layout)
{
	int scale = utf8_width(layout->scale[0]) + HEAT_SAMPLES * HEAT_COLUMNS + utf8_width(layout->scale[1]) + 4 +
		utf8_width(_("scale of the whole tensor"));
	const int widths[] = {utf8_width(layout->title),
		layout->cells + (int)layout->shape.shown_columns * HEAT_COLUMNS,
		layout->cells + utf8_width(layout->axes), scale, utf8_width(layout->cut)};
	int widest = 0;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
		widest = widths[i] > widest ? widths[i] : widest;
	return widest;
}

static void draw_heat_row(const struct numbers *n, const struct heat_layout *layout, const struct heat *heat,
	struct grid *grid, int64_t row)
{
	struct arena arena = ARENA_INIT;
	int y = (int)row + HEAT_HEAD;
	for (int axis = 0; axis < layout->shape.row_axes; axis++) {
		const char *text = index_text(n, axis, row_index(n, row, axis), &arena);
		grid_foreign(grid, grid_at(layout->x[axis], y, layout->cells - layout->x[axis] - 1),
			style_lane(lane_of(n, &layout->shape, row)), text, strlen(text));
	}
	for (int64_t c = 0; c < layout->shape.shown_columns; c++)
		grid_heat(grid, layout->cells + (int)c * HEAT_COLUMNS, y, heat,
			tensor_value(n->part, row * layout->shape.columns + c));
	arena_free(&arena);
}

struct grid numbers_heat(const struct numbers *n, const struct heat *heat, struct arena *arena)
{
	struct heat_layout layout = heat_layout_of(n, heat, arena);
	int rows = (int)layout.shape.shown_rows, cut = layout.cut[0] != '\0';
	struct grid grid = grid_new(arena, widest_line(&layout), rows + HEAT_HEAD + HEAT_FOOT + cut);
	grid_text(&grid, grid_at(0, 0, grid.width), style_of(STYLE_TITLE), layout.title);
	for (int axis = 0; axis < layout.shape.row_axes; axis++)
		grid_text(&grid, grid_at(layout.x[axis], 1, GRID_REST), style_of(STYLE_LABEL),
			selector_axis_word(n->part->axes[axis]));
	grid_text(&grid, grid_at(layout.cells, 1, GRID_REST), style_of(STYLE_LABEL), layout.axes);
	for (int64_t r = 0; r < rows; r++)
		draw_heat_row(n, &layout, heat, &grid, r);
	draw_scale(&layout, heat, &grid, rows + HEAT_HEAD + 1);
	if (cut)
		grid_text(&grid, grid_at(0, grid.height - 1, GRID_REST), style_of(STYLE_DIM), layout.cut);
	return grid;
}
