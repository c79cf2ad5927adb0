/*
 * style.h: what a piece of a screen means. Colours come later, from a theme (theme.h).
 *
 * A style has a role (what the thing is), a level (which lane, or how hot) and flags (its state at the moment).
 * Views speak only of these, so one view looks right on a dark terminal, on a projector, in black and white, and
 * as a figure. Nothing is ever told by colour alone: lanes have marks (style_lane_mark), heat has a ramp of
 * characters (heat.h), verdicts have words.
 *
 *     grid_text(grid, grid_at(0, 0, 20), style_of(STYLE_TITLE), "attn.scores");
 *     grid_text(grid, grid_at(0, 1, 20), style_with(style_lane(2), STYLE_SELECTED), "row C");
 */
#ifndef DRAW_STYLE_H
#define DRAW_STYLE_H

#include <stdint.h>

enum style_role {
	STYLE_NORMAL = 0,
	STYLE_TITLE,        /* the name of a pane, table or tensor */
	STYLE_LABEL,        /* axis labels, column heads, names beside values */
	STYLE_DIM,          /* what matters less: hints, units, separators of text */
	STYLE_BORDER,       /* lines of boxes and tables */
	STYLE_BORDER_FOCUS, /* the box that the keys go to */
	STYLE_BAR,          /* the status line and other bars, drawn over their whole width */
	STYLE_KEY,          /* the name of a key */
	STYLE_GOOD,         /* a check that holds */
	STYLE_BAD,          /* a leak, a difference, an error */
	STYLE_WARN,         /* something to know before trusting the rest */
	STYLE_PAD,          /* a padded position: computed, but outside every promise */
	STYLE_HIDDEN,       /* a result that waits to be revealed */
	STYLE_WEIGHT,       /* belongs to no row: weights, biases, tables shared by all */
	STYLE_LANE,         /* belongs to one row; level = its lane, 0..STYLE_LANES - 1 */
	STYLE_HEAT,         /* magnitude; level 0..STYLE_HEAT_LEVELS - 1 */
	STYLE_SIGNED,       /* signed value; level 0..STYLE_SIGNED_LEVELS - 1, the middle is zero */
	STYLE_MASKED,       /* minus infinity: a score that the mask forbids */
	STYLE_NONFINITE,    /* NaN or plus infinity: never expected */
	STYLE_ROLES
};

enum style_flag {
	STYLE_CURSOR = 1,   /* under the cursor */
	STYLE_SELECTED = 2, /* chosen */
	STYLE_FAINT = 4,    /* stands back because something else is chosen */
	STYLE_STRONG = 8,   /* stands out */
	STYLE_MATCH = 16,   /* found by the search */
	STYLE_CHANGED = 32, /* differs from what it is compared with */
	STYLE_RAMP = 64,    /* the glyph repeats the level: not shown where the colour tells it */
};

#define STYLE_LANES 8
#define STYLE_HEAT_LEVELS 16
#define STYLE_SIGNED_LEVELS 15
#define STYLE_NO_LANE (-1)

struct style {
	uint8_t role;  /* enum style_role */
	uint8_t level; /* lane or heat level; 0 otherwise */
	uint8_t flags; /* enum style_flag */
};

static inline struct style style_of(enum style_role role)
{
	return (struct style){.role = (uint8_t)role};
}

/* The lane of row number `row` of the batch file (rows beyond the eighth share colours); STYLE_NORMAL for
 * STYLE_NO_LANE. */
static inline struct style style_lane(int row)
{
	if (row < 0)
		return style_of(STYLE_NORMAL);
	return (struct style){.role = STYLE_LANE, .level = (uint8_t)(row % STYLE_LANES)};
}

/* The same style with more flags. */
static inline struct style style_with(struct style style, unsigned flags)
{
	style.flags = (uint8_t)(style.flags | flags);
	return style;
}

/* The mark of a lane: a vertical line of its own pattern, one column wide, to be drawn beside the row's name.
 * A space for STYLE_NO_LANE. */
const char *style_lane_mark(int row);

#endif
