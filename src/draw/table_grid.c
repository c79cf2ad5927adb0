#include "draw/table_grid.h"

#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "draw/show.h"

#define TABLE_NARROWEST 8 /* columns that a cut text column keeps */
#define TABLE_HEAD_LINES 2

static void show_number(double value, int decimals, bool is_single, struct buf *out)
{
	char text[NUMBER_SIZE];
	if (decimals != NUMBER_EXACT)
		number_fixed(text, value, decimals, 0);
	else if (is_single)
		number_exact(text, (float)value);
	else
		number_exact_double(text, value);
	buf_add_text(out, text);
}

void table_show(const struct table *table, size_t row, int column, struct buf *out)
{
	const struct table_cell *cell = table_cell(table, row, column);
	const struct table_column *head = &table->columns[column];
	char text[NUMBER_SIZE];
	if (!cell->is_set)
		return;
	switch (head->kind) {
	case TABLE_TEXT: show_foreign(out, cell->value.text.bytes, cell->value.text.length); break;
	case TABLE_INT: buf_printf(out, "%lld", (long long)cell->value.integer); break;
	case TABLE_FLOAT: show_number((double)cell->value.number, head->decimals, true, out); break;
	case TABLE_DOUBLE: show_number(cell->value.real, head->decimals, false, out); break;
	case TABLE_BOOL: buf_add_text(out, cell->value.truth ? _("yes") : _("no")); break;
	case TABLE_BITS:
		number_bits(text, cell->value.bits);
		buf_add_text(out, text);
		break;
	}
}

void table_show_head(const struct table_column *column, struct buf *out)
{
	show_text(out, column->label);
	if (column->unit[0] != '\0') {
		buf_add_text(out, " (");
		show_text(out, column->unit);
		buf_add_char(out, ')');
	}
}

void table_show_omitted(int64_t count, struct buf *out)
{
	unsigned long plural = count > 1000 ? 1000 : (unsigned long)count; /* all it decides is the word's form */
	buf_printf(out, P_("… %lld more row", "… %lld more rows", plural), (long long)count);
}

static int widest(const struct table *table, int column, struct buf *scratch)
{
	buf_clear(scratch);
	table_show_head(&table->columns[column], scratch);
	int width = utf8_width(buf_text(scratch));
	for (size_t row = 0; row < table->row_count; row++) {
		buf_clear(scratch);
		table_show(table, row, column, scratch);
		int columns = utf8_width(buf_text(scratch));
		if (columns > width)
			width = columns;
	}
	return width > 0 ? width : 1;
}

static void add_up(struct table_layout *layout, int count)
{
	int64_t width = 0;
	layout->hidden = 0;
	for (int i = 0; i < count; i++) {
		if (layout->widths[i] == 0)
			layout->hidden++;
		else
			width += layout->widths[i] + (width > 0 ? TABLE_GAP : 0);
	}
	layout->width = width < GRID_MAX ? (int)width : GRID_MAX;
}

struct table_layout table_measure(const struct table *table, int most, struct arena *arena)
{
	struct table_layout layout = {.widths = ARENA_ARRAY(arena, int, table->column_count)};
	struct buf scratch = BUF_INIT;
	int limit = most > 0 && most < GRID_MAX ? most : GRID_MAX;
	for (int i = 0; i < table->column_count; i++) {
		int width = widest(table, i, &scratch);
		/* a number that is cut would be another number */
		layout.widths[i] = width < limit || table->columns[i].kind != TABLE_TEXT ? width : limit;
	}
	buf_free(&scratch);
	add_up(&layout, table->column_count);
	return layout;
}

static int widest_text(const struct table_layout *layout, const struct table *table)
{
	int found = -1;
	for (int i = 0; i < table->column_count; i++)
		if (table->columns[i].kind == TABLE_TEXT && layout->widths[i] > TABLE_NARROWEST &&
			(found < 0 || layout->widths[i] > layout->widths[found]))
			found = i;
	return found;
}

void table_layout_fit(struct table_layout *layout, const struct table *table, int columns)
{
	int column;
	while (layout->width > columns && (column = widest_text(layout, table)) >= 0) {
		int spare = layout->widths[column] - TABLE_NARROWEST;
		int excess = layout->width - columns;
		/* one text column after the other, not all from the first */
		int cut = excess < 4 ? excess : (excess + 3) / 4;
		layout->widths[column] -= cut < spare ? cut : spare;
		add_up(layout, table->column_count);
	}
	for (int i = table->column_count - 1; i > 0 && layout->width > columns; i--) {
		layout->widths[i] = 0;
		add_up(layout, table->column_count);
	}
}

static void draw_cell(struct grid *grid, struct grid_span at, struct style style, const char *shown, bool is_right)
{
	if (utf8_width(shown) > at.columns) {
		int used = 0;
		grid_text(grid, grid_at(at.x, at.y, at.columns - 1), style, shown);
		utf8_fit(shown, at.columns - 1, &used);
		grid_text(grid, grid_at(at.x + used, at.y, 1), style, "…");
	} else if (is_right) {
		grid_text_right(grid, at, style, shown);
	} else {
		grid_text(grid, at, style, shown);
	}
}

void table_draw_head(const struct table *table, const struct table_layout *layout, struct grid *grid)
{
	struct buf shown = BUF_INIT;
	int x = 0;
	for (int i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];
		int width = layout->widths[i];
		if (width == 0)
			continue;
		buf_clear(&shown);
		table_show_head(column, &shown);
		draw_cell(grid, grid_at(x, 0, width), style_of(STYLE_LABEL), buf_text(&shown), table_is_right(column));
		grid_hline(grid, x, 1, width, style_of(STYLE_BORDER));
		x += width + TABLE_GAP;
	}
	buf_free(&shown);
}

static void draw_row(const struct table *table, const struct table_layout *layout, struct grid *grid, int y, size_t row)
{
	struct buf shown = BUF_INIT;
	int x = 0;
	for (int i = 0; i < table->column_count; i++) {
		int width = layout->widths[i];
		if (width == 0)
			continue;
		buf_clear(&shown);
		table_show(table, row, i, &shown);
		draw_cell(grid, grid_at(x, y, width), table_style(table, row, i), buf_text(&shown),
			table_is_right(&table->columns[i]));
		x += width + TABLE_GAP;
	}
	buf_free(&shown);
}

void table_draw_rows(const struct table *table, const struct table_layout *layout, struct grid *grid, int y,
	size_t first, size_t count)
{
	for (size_t i = 0; i < count && first + i < table->row_count && y + (int64_t)i < grid->height; i++)
		draw_row(table, layout, grid, y + (int)i, first + i);
}

/* Texts around the rows: how many lines each takes (0 or 1), title first. */
static int title_lines(const struct table *table)
{
	return table->title[0] != '\0';
}

static void draw_foot(const struct table *table, const struct table_layout *layout, struct grid *grid, int y,
	int64_t omitted)
{
	struct style dim = style_of(STYLE_DIM);
	if (omitted > 0) {
		struct buf note = BUF_INIT;
		table_show_omitted(omitted, &note);
		grid_text(grid, grid_at(0, y++, GRID_REST), dim, buf_text(&note));
		buf_free(&note);
	}
	if (layout->hidden > 0)
		grid_printf(grid, grid_at(0, y++, GRID_REST), dim,
			P_("… %d more column", "… %d more columns", (unsigned long)layout->hidden), layout->hidden);
	grid_foreign(grid, grid_at(0, y, GRID_REST), dim, table->caption, strlen(table->caption));
}

static int text_width(const char *text)
{
	struct buf shown = BUF_INIT;
	show_text(&shown, text);
	int width = utf8_width(buf_text(&shown));
	buf_free(&shown);
	return width;
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

struct grid table_grid(const struct table *table, const struct table_layout *layout, size_t first, size_t count,
	struct arena *arena)
{
	size_t rest = first < table->row_count ? table->row_count - first : 0;
	size_t room = GRID_MAX - TABLE_HEAD_LINES - 4;
	if (count > rest)
		count = rest;
	if (count > room)
		count = room;
	int64_t omitted = table->omitted + (int64_t)(table->row_count - count);
	int head = title_lines(table);
	int foot = (omitted > 0) + (layout->hidden > 0) + (table->caption[0] != '\0');
	int width = max(layout->width, max(text_width(table->title), text_width(table->caption)));
	if (omitted > 0 || layout->hidden > 0)
		width = max(width, 40);
	struct grid grid = grid_new(arena, width, head + TABLE_HEAD_LINES + (int)count + foot);
	grid_foreign(&grid, grid_at(0, 0, head * GRID_REST), style_of(STYLE_TITLE), table->title, strlen(table->title));
	struct grid body = grid_sub(&grid, 0, head, grid.width, grid.height - head);
	table_draw_head(table, layout, &body);
	table_draw_rows(table, layout, &body, TABLE_HEAD_LINES, first, count);
	draw_foot(table, layout, &body, TABLE_HEAD_LINES + (int)count, omitted);
	return grid;
}
