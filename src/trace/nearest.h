/*
 * nearest.h: the name that somebody may have meant.
 *
 *     const char *meant = nearest_name("layers.0.attn.wieghts", names, count);   // "layers.0.attn.weights"
 */
#ifndef TRACE_NEAREST_H
#define TRACE_NEAREST_H

#include <stddef.h>

/* The one of `names` with the fewest insertions, deletions, replacements and swaps of neighbours from `name`, or NULL when
 * none is near enough to be meant (more than a third of the name). The first wins a tie.
 * Source: optimal string alignment distance (Damerau 1964, as by Wagner and Fischer). */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
