/*
 * proofs.h: what the proofs of isolation compared, in the two forms that the screen and `rowscope verify` share.
 *
 *     struct table *table = proofs_table(&result, trace, &arena);
 *     proofs_counts(&result.proofs[PROOF_ALONE], &out);   // "3 runs, 528 tensors, 77906 numbers, 0 differ"
 */
#ifndef VIEW_PROOFS_H
#define VIEW_PROOFS_H

#include "analysis/isolation.h"
#include "base/buf.h"
#include "draw/table.h"

/* One row per tensor: what each proof compared, and how many numbers of it differed; none without `result`. In the arena. */
struct table *proofs_table(const struct isolation *result, const struct trace *trace, struct arena *arena);
/* Appends how much one proof compared. */
void proofs_counts(const struct isolation_proof *proof, struct buf *out);

#endif
