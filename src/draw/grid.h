/*
 * grid.h: a screen, pane or figure as a rectangle of cells, each with a glyph and what it means.
 *
 * Views draw into a grid; the terminal and the exporters show it. Invariant: a glyph two columns wide fills its
 * cell and the one to the right (which has width 0), always both: whatever is drawn over one half blanks the
 * other, and one that would be cut by an edge is not drawn. Everything clips at the edges, so a view need not
 * count. A grid may be a view (grid_sub) on a part of another: same cells, own coordinates.
 * Memory is the arena's.
 *
 *     struct grid grid = grid_new(&arena, 80, 24);
 *     struct grid inside = grid_box(&grid, style_of(STYLE_BORDER), "ops");
 *     grid_text(&inside, grid_at(0, 0, 10), style_of(STYLE_LABEL), "tokens");
 *     grid_foreign(&inside, grid_at(10, 0, 8), style_lane(0), token.bytes, token.length);
 */
#ifndef DRAW_GRID_H
#define DRAW_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "draw/heat.h"
#include "draw/style.h"

#define GRID_GLYPH_SIZE 24 /* one character of four bytes, four combining marks, the terminator */
#define GRID_MAX 10000     /* greatest width and height */
#define GRID_REST GRID_MAX /* columns of a span that reaches to the edge */

struct grid_cell {
	char glyph[GRID_GLYPH_SIZE]; /* UTF-8, terminated; " " for an empty cell, "" for the right half of a wide one */
	uint8_t width;               /* 1 or 2; 0 for the right half of a wide glyph */
	struct style style;
};

struct grid {
	struct grid_cell *cells; /* of this view's left upper corner */
	int width, height;       /* of this view */
	int stride;              /* width of the whole grid */
	int left;                /* columns of the whole grid to the left of this view */
};

/* A run of cells in one line, where text goes. */
struct grid_span {
	int x, y;
	int columns;
};

static inline struct grid_span grid_at(int x, int y, int columns)
{
	return (struct grid_span){x, y, columns};
}

/* A grid of blank cells of STYLE_NORMAL; sizes are clamped to 0..GRID_MAX. */
struct grid grid_new(struct arena *arena, int width, int height);

/* The part of `grid` that `width` × `height` cells at (x, y) have in common with it; may be empty. */
struct grid grid_sub(const struct grid *grid, int x, int y, int width, int height);

/* The cell at (x, y), or NULL outside. */
const struct grid_cell *grid_cell(const struct grid *grid, int x, int y);

/* Makes all cells blank with that style. */
void grid_fill(struct grid *grid, struct style style);
/* Gives the cells of a span another style, or further flags, and leaves the glyphs. */
void grid_restyle(struct grid *grid, struct grid_span at, struct style style);
void grid_flag(struct grid *grid, struct grid_span at, unsigned flags);

/* Text of our own (a display string), from the left, clipped. All return the columns used. */
int grid_text(struct grid *grid, struct grid_span at, struct style style, const char *text);
/* The same, ending at the span's right edge, or in its middle. Text that is too long starts at the left. */
int grid_text_right(struct grid *grid, struct grid_span at, struct style style, const char *text);
int grid_text_centre(struct grid *grid, struct grid_span at, struct style style, const char *text);
/* Formatted text of our own; ends with "…" when it is cut, so that no number loses digits unseen. */
int grid_printf(struct grid *grid, struct grid_span at, struct style style, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 4, 5)))
#endif
	;
/* Text of others: made visible by utf8_display(), ends with "…" when it is cut. */
int grid_foreign(struct grid *grid, struct grid_span at, struct style style, const char *bytes, size_t length);
/* The same, but the end of the text stays and "…" stands before it: of many rows "req-1", "req-2" the end tells them apart. */
int grid_foreign_end(struct grid *grid, struct grid_span at, struct style style, const char *bytes, size_t length);
/* A number, right-aligned, as number_fixed() gives it for the span's columns; exact when `decimals` is
 * NUMBER_EXACT and that fits. */
int grid_number(struct grid *grid, struct grid_span at, struct style style, double value, int decimals);
/* One cell of a heat map, HEAT_COLUMNS wide. */
int grid_heat(struct grid *grid, int x, int y, const struct heat *heat, double value);

/* Straight lines of the box-drawing set. */
void grid_hline(struct grid *grid, int x, int y, int length, struct style style);
void grid_vline(struct grid *grid, int x, int y, int length, struct style style);
/* A box around the whole grid with a title in its upper edge ("" or NULL: none; foreign bytes are made visible).
 * Returns the view inside it. */
struct grid grid_box(struct grid *grid, struct style style, const char *title);

/* Copies `from` to (x, y), clipped on all sides. The two must not share cells. */
void grid_blit(struct grid *grid, int x, int y, const struct grid *from);

#endif
