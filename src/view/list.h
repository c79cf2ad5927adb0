/*
 * list.h: the pane that shows the operations of a pass: each recorded tensor with its shape, layers folded but the one
 * where the cursor is.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include "view/scene.h"

#define LIST_COLUMNS 25

/* Draws the list with the cursor in sight. */
void list_draw(const struct scene *scene, struct grid *grid);

/* A value's name within its layer: "attn.q" of "layers.0.attn.q". */
const char *list_short_name(const char *name);
/* Formula and sentence of an operation's kind, "" for one that this version does not know. */
const char *list_formula(const char *kind);
const char *list_summary(const char *kind);
/* The place of a value among the recorded ones of a pass, from 1, and how many there are. */
int list_number(const struct scene *scene, int value, int *count);

#endif
