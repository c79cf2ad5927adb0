/*
 * theme.h: from what a cell means to what it looks like: meaning × theme × what the screen can do.
 *
 * Four themes: dark and light follow the terminal's own background, projector is dark ink on a white that it paints
 * itself, with high contrast, mono uses no colour at all. Colours of text keep a contrast of 4.5 to their background (7 for
 * projector); what stands back keeps 3.
 *
 *     const struct theme *theme = theme_find("dark");
 *     struct theme_paint paint = theme_paint(theme, cell->style, THEME_256);
 */
#ifndef DRAW_THEME_H
#define DRAW_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw/style.h"

/* What a screen or file can show: nothing, 8 colours, the 256 of xterm, 24 bits. */
enum theme_depth { THEME_MONO, THEME_8, THEME_256, THEME_RGB };

enum theme_attribute { THEME_BOLD = 1, THEME_DIM = 2, THEME_UNDERLINE = 4, THEME_REVERSE = 8 };

#define THEME_DEFAULT (-1) /* the screen's own colour */

struct theme_paint {
	int32_t fg, bg;      /* 0xRRGGBB, or an index below 256 or 8, as the depth says; or THEME_DEFAULT */
	unsigned attributes; /* enum theme_attribute */
};

struct theme;

/* A theme by its name ("dark", "light", "mono", "projector"), or NULL. */
const struct theme *theme_find(const char *name);
/* All themes in order, NULL after the last. */
const struct theme *theme_at(size_t index);
const char *theme_name(const struct theme *theme);
bool theme_is_mono(const struct theme *theme);

/* Ink and paper for files, which have no colours of their own: 0xRRGGBB. */
uint32_t theme_foreground(const struct theme *theme);
uint32_t theme_background(const struct theme *theme);

/* The look of a style. Depths below THEME_256 show no heat colours: there the ramp's glyphs tell the level. */
struct theme_paint theme_paint(const struct theme *theme, struct style style, enum theme_depth depth);
/* The same for a file: real colours, reversal already carried out (no THEME_REVERSE, no THEME_DEFAULT). */
struct theme_paint theme_ink(const struct theme *theme, struct style style);

#endif
