#include "draw/grid.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "draw/number.h"

static const struct grid_cell grid_blank = {.glyph = " ", .width = 1};

static int clamp(int value, int low, int high)
{
	if (value < low)
		return low;
	return value < high ? value : high;
}

static struct grid_cell *cell_at(const struct grid *grid, int x, int y)
{
	return grid->cells + (ptrdiff_t)y * grid->stride + x;
}

static bool is_inside(const struct grid *grid, int x, int y)
{
	return x >= 0 && y >= 0 && x < grid->width && y < grid->height;
}

struct grid grid_new(struct arena *arena, int width, int height)
{
	struct grid grid = {.width = clamp(width, 0, GRID_MAX), .height = clamp(height, 0, GRID_MAX)};
	grid.stride = grid.width;
	grid.cells = arena_raw(arena, (size_t)grid.width * (size_t)grid.height, sizeof *grid.cells);
	for (int i = 0; i < grid.width * grid.height; i++)
		grid.cells[i] = grid_blank;
	return grid;
}

struct grid grid_sub(const struct grid *grid, int x, int y, int width, int height)
{
	int left = clamp(x, 0, grid->width);
	int top = clamp(y, 0, grid->height);
	int64_t right = (int64_t)x + (width > 0 ? width : 0);
	int64_t bottom = (int64_t)y + (height > 0 ? height : 0);
	struct grid sub = *grid;
	sub.width = clamp(right > GRID_MAX ? GRID_MAX : (int)right, left, grid->width) - left;
	sub.height = clamp(bottom > GRID_MAX ? GRID_MAX : (int)bottom, top, grid->height) - top;
	if (sub.width == 0 || sub.height == 0)
		sub.width = sub.height = 0;
	else
		sub.cells = cell_at(grid, left, top);
	sub.left = grid->left + left;
	return sub;
}

const struct grid_cell *grid_cell(const struct grid *grid, int x, int y)
{
	return is_inside(grid, x, y) ? cell_at(grid, x, y) : NULL;
}

static void blank_glyph(struct grid_cell *cell)
{
	cell->glyph[0] = ' ';
	cell->glyph[1] = '\0';
	cell->width = 1;
}

/* Frees one cell of its glyph, and the neighbour that holds the other half of a wide one: that may lie outside
 * of this view, but inside the whole grid. */
static void release(struct grid *grid, int x, int y)
{
	struct grid_cell *cell = cell_at(grid, x, y);
	int column = grid->left + x;
	if (cell->width == 2 && column + 1 < grid->stride)
		blank_glyph(cell + 1);
	else if (cell->width == 0 && column > 0)
		blank_glyph(cell - 1);
	blank_glyph(cell);
}

static void put(struct grid *grid, int x, int y, const struct grid_cell *glyph)
{
	release(grid, x, y);
	if (glyph->width == 2)
		release(grid, x + 1, y);
	*cell_at(grid, x, y) = *glyph;
	if (glyph->width == 2)
		*cell_at(grid, x + 1, y) = (struct grid_cell){.width = 0, .style = glyph->style};
}

static struct grid_span clip(const struct grid *grid, struct grid_span at)
{
	int64_t end = (int64_t)at.x + at.columns;
	int x = clamp(at.x, 0, grid->width);
	int stop = end > grid->width ? grid->width : (int)(end > x ? end : x);
	bool is_line = at.y >= 0 && at.y < grid->height;
	return (struct grid_span){x, at.y, is_line ? stop - x : 0};
}

void grid_fill(struct grid *grid, struct style style)
{
	struct grid_cell blank = grid_blank;
	blank.style = style;
	for (int y = 0; y < grid->height; y++)
		for (int x = 0; x < grid->width; x++)
			put(grid, x, y, &blank);
}

void grid_restyle(struct grid *grid, struct grid_span at, struct style style)
{
	struct grid_span span = clip(grid, at);
	for (int i = 0; i < span.columns; i++)
		cell_at(grid, span.x + i, span.y)->style = style;
}

void grid_flag(struct grid *grid, struct grid_span at, unsigned flags)
{
	struct grid_span span = clip(grid, at);
	for (int i = 0; i < span.columns; i++) {
		struct grid_cell *cell = cell_at(grid, span.x + i, span.y);
		cell->style = style_with(cell->style, flags);
	}
}

/* Columns of one code point; -1 for controls. */
static int code_point_width(uint32_t code_point)
{
	char bytes[5] = "";
	if (code_point >= 0x20 && code_point < 0x7f)
		return 1;
	if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0))
		return -1;
	utf8_encode(code_point, bytes);
	return utf8_width(bytes);
}

/* Takes the next glyph (a character and the marks on it) off `text` into `cell`; false at the end. What has no
 * width of its own or is no UTF-8 never reaches a cell as it is. */
static bool next_glyph(const char **text, struct grid_cell *cell)
{
	const unsigned char *at = (const unsigned char *)*text;
	if (at[0] >= 0x20 && at[0] < 0x7f && at[1] < 0x7f) { /* what a screen of numbers is made of */
		cell->glyph[0] = (*text)++[0];
		cell->glyph[1] = '\0';
		cell->width = 1;
		return true;
	}
	size_t length = strnlen(*text, 2 * GRID_GLYPH_SIZE);
	uint32_t code_point;
	size_t size = utf8_decode(*text, length, &code_point);
	if (length == 0)
		return false;
	if (size == 0 || code_point_width(code_point) < 1) {
		strcpy(cell->glyph, "\xef\xbf\xbd");
		cell->width = 1;
		*text += size == 0 ? 1 : size;
		return true;
	}
	cell->width = code_point_width(code_point) > 1 ? 2 : 1;
	size_t used = size;
	size_t mark;
	while ((mark = utf8_decode(*text + used, length - used, &code_point)) != 0 &&
		code_point_width(code_point) == 0 && used + mark < sizeof cell->glyph)
		used += mark;
	memcpy(cell->glyph, *text, used);
	cell->glyph[used] = '\0';
	*text += used;
	return true;
}

int grid_text(struct grid *grid, struct grid_span at, struct style style, const char *text)
{
	struct grid_span span = clip(grid, at);
	int64_t x = at.x;
	int64_t stop = span.x + span.columns;
	struct grid_cell cell = {.style = style};
	int used = 0;
	while (x < stop && next_glyph(&text, &cell)) {
		if (x >= span.x && x + cell.width <= stop)
			put(grid, (int)x, at.y, &cell);
		else if (x + cell.width > stop)
			break;
		x += cell.width;
		used += cell.width;
	}
	return used;
}

static struct grid_span shifted(struct grid_span at, int columns)
{
	if (columns <= 0)
		return at;
	return (struct grid_span){at.x + columns, at.y, at.columns - columns};
}

int grid_text_right(struct grid *grid, struct grid_span at, struct style style, const char *text)
{
	return grid_text(grid, shifted(at, at.columns - utf8_width(text)), style, text);
}

int grid_text_centre(struct grid *grid, struct grid_span at, struct style style, const char *text)
{
	return grid_text(grid, shifted(at, (at.columns - utf8_width(text)) / 2), style, text);
}

int grid_printf(struct grid *grid, struct grid_span at, struct style style, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return grid_foreign(grid, at, style, text, strlen(text));
}

int grid_foreign(struct grid *grid, struct grid_span at, struct style style, const char *bytes, size_t length)
{
	char shown[4096];
	struct grid_span span = clip(grid, at);
	if (span.columns == 0)
		return 0;
	utf8_display(bytes, length, shown, sizeof shown, span.columns);
	return grid_text(grid, span, style, shown);
}

/* The first glyph of a display string: its bytes, and its columns. */
static size_t first_glyph(const char *text, int *columns)
{
	size_t bytes = utf8_fit(text, 1, columns);
	if (bytes == 0)
		bytes = utf8_fit(text, 2, columns);
	return bytes > 0 ? bytes : 1;
}

#define END_BYTES 1000 /* more never fit in a line */

int grid_foreign_end(struct grid *grid, struct grid_span at, struct style style, const char *bytes, size_t length)
{
	char shown[4 * END_BYTES + 8];
	struct grid_span span = clip(grid, at);
	size_t skip = length > END_BYTES ? length - END_BYTES : 0;
	if (span.columns == 0)
		return 0;
	while (skip < length && ((unsigned char)bytes[skip] & 0xC0) == 0x80)
		skip++;
	int columns = utf8_display(bytes + skip, length - skip, shown, sizeof shown, -1), first;
	const char *from = shown;
	if (columns <= span.columns)
		return grid_text(grid, span, style, shown);
	for (; columns > span.columns - 1 && from[0] != '\0'; columns -= first)
		from += first_glyph(from, &first);
	int mark = grid_text(grid, span, style_of(STYLE_DIM), "…");
	return mark + grid_text(grid, grid_at(at.x + mark, at.y, span.columns - mark), style, from);
}

int grid_number(struct grid *grid, struct grid_span at, struct style style, double value, int decimals)
{
	char text[NUMBER_SIZE];
	if (decimals == NUMBER_EXACT) {
		number_exact(text, (float)value);
		if (strlen(text) > (size_t)(at.columns > 0 ? at.columns : 0))
			number_fixed(text, value, 9, at.columns);
	} else {
		number_fixed(text, value, decimals, at.columns);
	}
	return grid_text_right(grid, at, style, text);
}

int grid_heat(struct grid *grid, int x, int y, const struct heat *heat, double value)
{
	struct heat_cell cell = heat_cell(heat, value);
	return grid_text(grid, grid_at(x, y, HEAT_COLUMNS), cell.style, cell.glyph);
}
