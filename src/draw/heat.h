/*
 * heat.h: values to levels of a heat map.
 *
 * The scale is taken from the whole tensor, never from the part on the screen, so a colour means the same value
 * wherever one scrolls. A signed scale is centred on zero: equal distances from zero look equally strong. Values
 * that are not finite stay outside the scale and look like nothing else.
 *
 *     struct heat heat;
 *     heat_scan(&heat, &tensor);
 *     struct heat_cell cell = heat_cell(&heat, value);   // style and two columns of glyph
 */
#ifndef DRAW_HEAT_H
#define DRAW_HEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/style.h"
#include "tensor/tensor.h"

#define HEAT_COLUMNS 2 /* width of one cell's glyph: about square on a terminal */

struct heat {
	double low, high; /* smallest and largest finite value; both 0 when there is none */
	bool is_signed;   /* centred on zero, from -max(|low|, |high|) */
	int64_t finite;   /* how many values are finite, and how many are what else */
	int64_t minus_inf, plus_inf, nan;
};

struct heat_cell {
	struct style style;
	char glyph[HEAT_COLUMNS * 4 + 1]; /* the level as characters, HEAT_COLUMNS columns wide */
};

/* An empty scale; heat_add() widens it by one value. */
void heat_init(struct heat *heat);
void heat_add(struct heat *heat, double value);
/* Decides the kind of scale: signed when values lie on both sides of zero. To be called after the last heat_add();
 * `is_signed` may be overwritten afterwards. */
void heat_settle(struct heat *heat);
/* The three above over a whole tensor of any shape; `tensor` has a type that tensor_value() reads. */
void heat_scan(struct heat *heat, const struct tensor *tensor);

/* The level of a finite value: 0..STYLE_HEAT_LEVELS - 1 from low to high, or 0..STYLE_SIGNED_LEVELS - 1 with zero
 * in the middle. Values outside the scale get its ends; on a scale without extent every value gets the middle. */
int heat_level(const struct heat *heat, double value);

/* Style and glyph of any value. The glyph is a ramp " .:-=+*#%@" so that the map reads without colour; a signed
 * one starts with its sign. */
struct heat_cell heat_cell(const struct heat *heat, double value);

#endif
