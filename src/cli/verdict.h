/*
 * verdict.h: the result of the isolation check as the document of the contract and as sentences; view/proofs.h has the table.
 */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "analysis/isolation.h"
#include "base/buf.h"

/* Appends { "ok", "proofs", "audit", "first_leak" } and a newline. */
void verdict_json(const struct isolation *result, const struct trace *trace, struct buf *out);
/* Appends a line per proof, the audit, and the first leak. */
void verdict_text(const struct isolation *result, const struct trace *trace, struct buf *out);

#endif
