/*
 * comparison.h: a probe that compares a run under way with a recorded trace, bit for bit.
 *
 * Values are matched by request and logical position, whatever pass, row, column or padding they stand in: a row run alone is
 * compared with the same row in its batch. Padding and the physical tables (cache.*) are exempt, as the bit promise says.
 * Only what the trace holds is compared; the numbers are read piece by piece.
 *
 *     struct comparison *comparison = comparison_new(trace, plan, requests, count, PROOF_ALONE);
 *     struct probe probe = comparison_probe(comparison);
 *     ... run_step(run, &probe, &more, err) ...
 *     struct leak leak = comparison_leak(comparison);
 */
#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include "analysis/leak.h"
#include "engine/probe.h"
#include "trace/trace.h"

struct comparison;

/* `requests[i]` is the request of the trace that request i of the run is compared with, -1 to leave it out; copied.
 * `plan` is the run's. */
struct comparison *comparison_new(struct trace *trace, const struct plan *plan, const int32_t *requests, int64_t count,
	enum proof proof);
void comparison_delete(struct comparison *comparison);
struct probe comparison_probe(struct comparison *comparison);

/* Counts per value of the trace's list: [trace_value_count]. */
const struct proof_count *comparison_counts(const struct comparison *comparison);
/* The first difference, told in the places of the trace. */
struct leak comparison_leak(const struct comparison *comparison);
/* The recorded pass that computed a position of a request, or -1. */
int64_t comparison_pass(const struct comparison *comparison, int32_t request, int64_t position);

#endif
