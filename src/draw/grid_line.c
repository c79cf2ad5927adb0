#include "draw/grid.h"

#include <string.h>

void grid_hline(struct grid *grid, int x, int y, int length, struct style style)
{
	for (int i = 0; i < length && x + i < grid->width; i++)
		grid_text(grid, grid_at(x + i, y, 1), style, "─");
}

void grid_vline(struct grid *grid, int x, int y, int length, struct style style)
{
	for (int i = 0; i < length && y + i < grid->height; i++)
		grid_text(grid, grid_at(x, y + i, 1), style, "│");
}

struct grid grid_box(struct grid *grid, struct style style, const char *title)
{
	int right = grid->width - 1;
	int bottom = grid->height - 1;
	if (right < 1 || bottom < 1)
		return grid_sub(grid, 0, 0, 0, 0);
	grid_hline(grid, 1, 0, right - 1, style);
	grid_hline(grid, 1, bottom, right - 1, style);
	grid_vline(grid, 0, 1, bottom - 1, style);
	grid_vline(grid, right, 1, bottom - 1, style);
	grid_text(grid, grid_at(0, 0, 1), style, "┌");
	grid_text(grid, grid_at(right, 0, 1), style, "┐");
	grid_text(grid, grid_at(0, bottom, 1), style, "└");
	grid_text(grid, grid_at(right, bottom, 1), style, "┘");
	if (title != NULL && title[0] != '\0' && right > 4) {
		struct style name = style;
		name.role = STYLE_TITLE;
		int used = grid_foreign(grid, grid_at(2, 0, right - 3), name, title, strlen(title));
		grid_text(grid, grid_at(1, 0, 1), style, " ");
		grid_text(grid, grid_at(2 + used, 0, 1), style, " ");
	}
	return grid_sub(grid, 1, 1, right - 1, bottom - 1);
}

/* What a cell shows at its new place: a wide glyph that loses a half is blanked. */
static const char *carried(const struct grid *grid, int x, const struct grid *from, int i, int j)
{
	const struct grid_cell *cell = grid_cell(from, i, j);
	if (cell->width == 2 && (i + 1 >= from->width || x + 1 >= grid->width))
		return " ";
	if (cell->width == 0)
		return i == 0 || x == 0 ? " " : NULL;
	return cell->glyph;
}

void grid_blit(struct grid *grid, int x, int y, const struct grid *from)
{
	for (int j = 0; j < from->height; j++) {
		for (int i = 0; i < from->width; i++) {
			if (grid_cell(grid, x + i, y + j) == NULL)
				continue;
			const char *glyph = carried(grid, x + i, from, i, j);
			if (glyph != NULL)
				grid_text(grid, grid_at(x + i, y + j, 2), grid_cell(from, i, j)->style, glyph);
		}
	}
}
