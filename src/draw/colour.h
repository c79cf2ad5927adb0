/*
 * colour.h: colours as numbers: 24-bit "0xRRGGBB", their nearest in the fixed part of a 256-colour terminal,
 * contrast, and the ramps of heat maps.
 *
 * Ramps: viridis and cividis are matplotlib's maps at equal steps (Smith & van der Walt 2015; Nuñez, Anderton &
 * Renslow 2018); the diverging one is ColorBrewer's PuOr (Brewer 2003), purple for negative, orange for positive:
 * all three can be told apart with any common colour blindness. In 256 colours the nearest colours of viridis do not rise in
 * lightness, so those ramps are lists of their own that do.
 */
#ifndef DRAW_COLOUR_H
#define DRAW_COLOUR_H

#include <stdint.h>

enum colour_ramp { COLOUR_VIRIDIS, COLOUR_CIVIDIS, COLOUR_PUOR };

/* The colour of a level: 0..STYLE_HEAT_LEVELS - 1, for COLOUR_PUOR 0..STYLE_SIGNED_LEVELS - 1. */
uint32_t colour_ramp_rgb(enum colour_ramp ramp, int level);
/* The same as an index into the 256 colours of xterm. Levels pair up: a terminal shows 8 of 16. */
int colour_ramp_256(enum colour_ramp ramp, int level);

/* The nearest of the colours 16..255, which no terminal lets its user change. */
int colour_256(uint32_t rgb);
/* The colour that an index 16..255 stands for. */
uint32_t colour_of_256(int index);
/* One of the 8 classic colours by hue, or -1 (the terminal's own) for greys. Never plain blue, which few can read
 * on black. */
int colour_8(uint32_t rgb);

/* Contrast ratio of two colours, 1..21 (WCAG 2.1: 4.5 for text, 3 for what is large). */
double colour_contrast(uint32_t a, uint32_t b);
/* Black or white, whichever reads better on `background`. */
uint32_t colour_on(uint32_t background);
/* `share` (0..1) of the way from a to b. */
uint32_t colour_mix(uint32_t a, uint32_t b, double share);

#endif
