/*
 * difference.h: two traces compared (analysis/diff.h) as a table per tensor, and as sentences. `a` is the first of them.
 *
 *     struct table *table = difference_table(&diff, a, false, &arena);
 *     difference_text(&diff, a, &out);
 */
#ifndef VIEW_DIFFERENCE_H
#define VIEW_DIFFERENCE_H

#include "analysis/diff.h"
#include "base/buf.h"
#include "draw/table.h"

/* One row per tensor that differs, with its distances; all of them when `all`. In the arena. */
struct table *difference_table(const struct diff *diff, const struct trace *a, bool all, struct arena *arena);
/* Appends what was compared, the first difference, the rows that part, and the verdict with its reason. */
void difference_text(const struct diff *diff, const struct trace *a, struct buf *out);

#endif
