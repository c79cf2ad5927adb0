/*
 * verdict.h: the result of the isolation check as the document of the contract, as a table per tensor, and as sentences.
 */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "analysis/isolation.h"
#include "base/buf.h"
#include "draw/table.h"

/* Appends { "ok", "proofs", "audit", "first_leak" } and a newline. */
void verdict_json(const struct isolation *result, const struct trace *trace, struct buf *out);
/* One row per tensor: what each proof compared, and how many numbers of it differed. In the arena. */
struct table *verdict_table(const struct isolation *result, const struct trace *trace, struct arena *arena);
/* Appends a line per proof, the audit, and the first leak. */
void verdict_text(const struct isolation *result, const struct trace *trace, struct buf *out);

#endif
