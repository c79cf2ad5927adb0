/*
 * difference.h: two traces compared (analysis/diff.h) as the document of the contract, as a table per tensor, and as sentences.
 */
#ifndef CLI_DIFFERENCE_H
#define CLI_DIFFERENCE_H

#include "analysis/diff.h"
#include "base/buf.h"
#include "draw/table.h"

/* Appends { "equal", "first", "ops", "verdict", "rows", ... } and a newline. */
void difference_json(const struct diff *diff, const struct trace *a, struct buf *out);
/* One row per tensor that differs, with its distances; all of them when `all`. In the arena. */
struct table *difference_table(const struct diff *diff, const struct trace *a, bool all, struct arena *arena);
/* Appends what was compared, the first difference, the rows that part, and the verdict with its reason. */
void difference_text(const struct diff *diff, const struct trace *a, struct buf *out);

#endif
