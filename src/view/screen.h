/*
 * screen.h: the whole screen: what is open, the rows' lanes, the panes that fit, message, keys.
 *
 * The terminal shows this grid and nothing else, so a screen can be exported as it is. At 80 × 24 the list of operations
 * stands beside the numbers; below 60 columns it is left out; from 110 columns on the cell under the cursor is explained beside them.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "view/scene.h"

#define SCREEN_MIN_COLUMNS 30
#define SCREEN_MIN_LINES 8
#define SCREEN_FOOT 2   /* lines of message and keys */
#define SCREEN_LIST 60  /* columns from which the list of operations is shown */
#define SCREEN_WIDE 110 /* columns from which the cell under the cursor is explained beside the numbers */

void screen_draw(const struct scene *scene, struct grid *grid);

#endif
