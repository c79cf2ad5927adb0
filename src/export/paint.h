/*
 * paint.h: a grid drawn on a cairo surface, on an exact lattice.
 *
 * Every cell is paint_width × paint_height units, a Chinese character fills two, whatever the fonts at hand say:
 * glyphs are centred in their cells and narrowed when they are too wide. Lines of boxes, blocks and shades are
 * drawn as geometry, so that they join without gaps. Colours come from a theme.
 *
 *     struct paint paint;
 *     if (!paint_init(&paint, theme, 10, err)) return false;
 *     paint_grid(&paint, cairo, &grid);
 *     paint_free(&paint);
 */
#ifndef EXPORT_PAINT_H
#define EXPORT_PAINT_H

#include <pango/pangocairo.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "draw/grid.h"
#include "draw/theme.h"

struct paint {
	const struct theme *theme;
	int cell_width, cell_height; /* units (pixels, points) */
	int margin;                  /* free space on all sides */
	double size;                 /* of the font: units per em */
	double baseline;             /* from the top of a cell */
	PangoFontMap *fonts;
	PangoContext *context;
	PangoFontDescription *regular, *bold;
};

/* A rectangle of the surface, in its units. */
struct paint_box {
	double x, y, width, height;
};

/* Finds fonts for cells `scale` units wide (clamped to 4..100, whole). System error when there is no font at all. */
bool paint_init(struct paint *paint, const struct theme *theme, double scale, struct err *err);
void paint_free(struct paint *paint);

/* Size of the whole figure, margins included. */
int paint_total_width(const struct paint *paint, const struct grid *grid);
int paint_total_height(const struct paint *paint, const struct grid *grid);

/* Draws paper, backgrounds, then glyphs. */
void paint_grid(const struct paint *paint, cairo_t *cairo, const struct grid *grid);

/* paint_shape.c: adds a box-drawing character, block or shade to the current path; false for any other character,
 * which is left to the fonts. All shapes of one colour are filled as one path, so that they join without seams at
 * any magnification. */
bool paint_shape(cairo_t *cairo, uint32_t code_point, struct paint_box box);
bool paint_is_shape(uint32_t code_point);
/* The share of ink in a shade (0.25, 0.5, 0.75), 1 for other shapes. */
double paint_shade(uint32_t code_point);
void paint_colour(cairo_t *cairo, uint32_t rgb);

#endif
