#include "view/numbers.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "trace/selector.h"

/* How the part is laid out: columns of the last axis, rows of all others. */
struct shape {
	int64_t rows, columns;         /* of the part */
	int64_t shown_rows, shown_columns;
	int row_axes;                  /* axes that run down the rows */
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
	return dtype == DTYPE_F32 ? TABLE_FLOAT : dtype == DTYPE_BOOL ? TABLE_BOOL : dtype == DTYPE_F64 ? TABLE_DOUBLE : TABLE_INT;
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
		const char *key = n->part->rank == 0 ? "value" : arena_printf(arena, "%s %s",
			selector_axis_word(n->part->axes[n->part->rank - 1]), index_text(n, n->part->rank - 1, c, arena));
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
		table_set_caption(table, arena_printf(arena, _("%" PRId64 " of %" PRId64 " columns are shown"),
			shape.shown_columns, shape.columns));
	return table;
}

/* "A 0 3 ": the indices down the rows. */
static const char *row_label(const struct numbers *n, const struct shape *shape, int64_t row, struct arena *arena)
{
	const char *label = "";
	for (int i = shape->row_axes - 1; i >= 0; i--) {
		label = arena_printf(arena, "%s %s", index_text(n, i, row % n->part->shape[i], arena), label);
		row /= n->part->shape[i];
	}
	return label;
}

struct grid numbers_heat(const struct numbers *n, const struct heat *heat, struct arena *arena)
{
	struct shape shape = shape_of(n);
	const char **labels = ARENA_ARRAY(arena, const char *, shape.shown_rows);
	int label = 0;
	for (int64_t r = 0; r < shape.shown_rows; r++) {
		labels[r] = row_label(n, &shape, r, arena);
		label = utf8_width(labels[r]) > label ? utf8_width(labels[r]) : label;
	}
	int width = label + (int)shape.shown_columns * HEAT_COLUMNS, title = utf8_width(n->title);
	struct grid grid = grid_new(arena, width > title ? width : title, (int)shape.shown_rows + 1);
	grid_text(&grid, grid_at(0, 0, grid.width), style_of(STYLE_TITLE), n->title);
	for (int64_t r = 0; r < shape.shown_rows; r++) {
		int y = (int)r + 1;
		grid_foreign(&grid, grid_at(0, y, label), style_lane(lane_of(n, &shape, r)), labels[r], strlen(labels[r]));
		for (int64_t c = 0; c < shape.shown_columns; c++)
			grid_heat(&grid, label + (int)c * HEAT_COLUMNS, y, heat, tensor_value(n->part, r * shape.columns + c));
	}
	return grid;
}
