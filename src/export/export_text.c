#include "export/writers.h"

#include <string.h>

#include "base/utf8.h"
#include "draw/show.h"
#include "draw/table_grid.h"

#define TEXT_SLAB 256 /* rows of a table that are laid out at a time */

/* --- grids --- */

static void add_colour(int32_t colour, enum theme_depth depth, int base, struct buf *out)
{
	if (colour == THEME_DEFAULT)
		return;
	if (depth == THEME_RGB)
		buf_printf(out, ";%d;2;%d;%d;%d", base + 8, colour >> 16 & 0xff, colour >> 8 & 0xff, colour & 0xff);
	else if (depth == THEME_256)
		buf_printf(out, ";%d;5;%d", base + 8, colour);
	else
		buf_printf(out, ";%d", base + colour);
}

/* ECMA-48 SGR: everything off, then what is on. */
static void add_paint(struct theme_paint paint, enum theme_depth depth, struct buf *out)
{
	static const struct {
		unsigned attribute;
		const char *code;
	} codes[] = {{THEME_BOLD, ";1"}, {THEME_DIM, ";2"}, {THEME_UNDERLINE, ";4"}, {THEME_REVERSE, ";7"}};
	buf_add_text(out, "\x1b[0");
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (paint.attributes & codes[i].attribute)
			buf_add_text(out, codes[i].code);
	add_colour(paint.fg, depth, 30, out);
	add_colour(paint.bg, depth, 40, out);
	buf_add_char(out, 'm');
}

static bool is_same(struct theme_paint a, struct theme_paint b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

static const struct theme_paint plain = {THEME_DEFAULT, THEME_DEFAULT, 0};

static struct theme_paint paint_of(const struct grid_cell *cell, const struct export_options *options)
{
	return options->depth == THEME_MONO ? plain : theme_paint(options->theme, cell->style, options->depth);
}

/* Columns up to the last cell that shows something. */
static int used_columns(const struct grid *grid, int y, const struct export_options *options)
{
	int used = grid->width;
	while (used > 0) {
		const struct grid_cell *cell = grid_cell(grid, used - 1, y);
		struct theme_paint paint = paint_of(cell, options);
		if (strcmp(cell->glyph, " ") != 0 || paint.bg != THEME_DEFAULT ||
			(paint.attributes & (THEME_REVERSE | THEME_UNDERLINE)))
			break;
		used--;
	}
	return used;
}

static void add_line(const struct grid *grid, int y, const struct export_options *options, struct buf *out)
{
	struct theme_paint last = plain;
	int used = used_columns(grid, y, options);
	for (int x = 0; x < used; x++) {
		const struct grid_cell *cell = grid_cell(grid, x, y);
		struct theme_paint paint = paint_of(cell, options);
		if (!is_same(paint, last))
			add_paint(paint, options->depth, out);
		last = paint;
		buf_add_text(out, cell->glyph);
	}
	if (!is_same(last, plain))
		buf_add_text(out, "\x1b[0m");
	buf_add_char(out, '\n');
}

bool export_text_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err)
{
	(void)err;
	for (int y = 0; y < grid->height; y++)
		add_line(grid, y, options, out);
	return true;
}

/* --- tables --- */

static void add_note(const char *shown, enum style_role role, const struct export_options *options, struct buf *out)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, utf8_width(shown), 1);
	grid_text(&grid, grid_at(0, 0, GRID_REST), style_of(role), shown);
	add_line(&grid, 0, options, out);
	arena_free(&arena);
}

static void add_foreign_note(const char *text, enum style_role role, const struct export_options *options,
	struct buf *out)
{
	struct buf shown = BUF_INIT;
	if (text[0] != '\0') {
		show_text(&shown, text);
		add_note(buf_text(&shown), role, options, out);
	}
	buf_free(&shown);
}

static void add_body(const struct table *table, const struct export_options *options, struct buf *out)
{
	struct arena arena = ARENA_INIT;
	struct table_layout layout = table_measure(table, 0, &arena);
	struct grid head = grid_new(&arena, layout.width, 2);
	table_draw_head(table, &layout, &head);
	add_line(&head, 0, options, out);
	add_line(&head, 1, options, out);
	struct grid slab = grid_new(&arena, layout.width, TEXT_SLAB);
	for (size_t first = 0; first < table->row_count; first += TEXT_SLAB) {
		size_t rest = table->row_count - first;
		struct grid part = grid_sub(&slab, 0, 0, slab.width, rest < TEXT_SLAB ? (int)rest : TEXT_SLAB);
		grid_fill(&part, style_of(STYLE_NORMAL));
		table_draw_rows(table, &layout, &part, 0, first, TEXT_SLAB);
		for (int y = 0; y < part.height; y++)
			add_line(&part, y, options, out);
	}
	arena_free(&arena);
}

bool export_text_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err)
{
	(void)err;
	add_foreign_note(table->title, STYLE_TITLE, options, out);
	if (table->column_count > 0)
		add_body(table, options, out);
	if (table->omitted > 0) {
		struct buf note = BUF_INIT;
		table_show_omitted(table->omitted, &note);
		add_note(buf_text(&note), STYLE_DIM, options, out);
		buf_free(&note);
	}
	add_foreign_note(table->caption, STYLE_DIM, options, out);
	return true;
}
