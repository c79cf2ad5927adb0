/*
 * home.h: what the home screen offers: bundled models, lessons, and the traces in the current folder.
 *
 *     int count;
 *     const struct scene_home *items = home_list(&arena, &count);
 */
#ifndef APP_HOME_H
#define APP_HOME_H

#include "base/arena.h"
#include "view/scene.h"

/* The things that can be opened, in the arena. */
const struct scene_home *home_list(struct arena *arena, int *count);

#endif
