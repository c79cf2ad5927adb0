/*
 * keymap.h: keys to command lines, from the one list keymap.def; and the help made of it.
 *
 *     const char *line = keymap_line(key, SCENE_MAIN);   // "next-op", ":export ", NULL
 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "view/scene.h"

/* The line of the first binding of that key that works in the pane, or NULL. */
const char *keymap_line(uint32_t key, enum scene_pane pane);

/* Every command that has no key, then every binding in the order of the list; in the arena. */
const struct scene_help *keymap_help(struct arena *arena, int *count);

/* docs/COMMANDS.md: both lists as Markdown. */
void keymap_markdown(struct buf *out);

/* Every key of the list that does not parse, or whose line names no command, as a sentence; NULL when all is
 * well. For tests. */
const char *keymap_check(void);

#endif
