/*
 * screen.h: the whole screen: what is open, the rows' lanes, the panes that fit, message, keys.
 *
 * The terminal shows this grid and nothing else, so a screen can be exported as it is. At 80 × 24 the list of operations
 * stands beside the numbers; below 60 columns it is left out; from 120 columns on there is room for a third pane.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "view/scene.h"

#define SCREEN_MIN_COLUMNS 30
#define SCREEN_MIN_LINES 8

void screen_draw(const struct scene *scene, struct grid *grid);

#endif
