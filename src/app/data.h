/*
 * data.h: where the files that come with the program lie: bundled models, lessons, messages.
 *
 * They are looked for in this order: $ROWSCOPE_DATA, beside the program's own place (a checkout: ../<kind>; an
 * installation: ../share/rowscope/<kind>; messages of a checkout: ./<kind>), and the folder that was set when it was
 * installed. The current folder plays no part.
 *
 *     char path[512];
 *     if (!data_find(path, sizeof path, "tiny_models", "glass", err)) ...
 */
#ifndef APP_DATA_H
#define APP_DATA_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* The path of `kind`/`name`; input error, with where it was looked for, when there is none. */
bool data_find(char *path, size_t size, const char *kind, const char *name, struct err *err);

/* The names in all folders of that kind, sorted, each once, without hidden ones; NULL-terminated, in the arena. */
const char **data_list(const char *kind, struct arena *arena, size_t *count);

/* A model by a bundled name, or by a path: when it holds a '/' or names something that exists. Input error that
 * lists the bundled ones when there is none of that name. */
bool data_find_model(char *path, size_t size, const char *model, struct err *err);

#endif
