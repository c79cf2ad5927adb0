/*
 * comparison.h: compares a run under way, or another trace, with a recorded trace, bit for bit.
 *
 * Values are matched by request and logical position, whatever pass, row, column or padding they stand in: a row run alone is
 * compared with the same row in its batch. Padding and the physical tables (cache.*) are exempt, as the bit promise says.
 * Only what the trace holds is compared; the numbers are read piece by piece. A run tells its values through the probe, another
 * trace by comparison_tell (analysis/diff.c).
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

/* Names of the values that will be told, by their numbers; NULL: not compared. */
struct comparison_names {
	const char *const *names;
	int count;
};

/* Numbers of one row at one position (where they are per key: of one head too) that are not equal in all bits. */
struct comparison_group {
	int value; /* of the trace */
	enum dtype dtype;
	int64_t count;
	const void *expected, *got;
	const int64_t *expected_at, *got_at; /* [count]: where number i lies; NULL: at i */
};

/* Who wants to see the numbers that differ. */
struct comparison_watch {
	void *self;
	void (*differs)(void *self, const struct comparison_group *group);
};

/* `requests[i]` is the request of the trace that request i of the run is compared with, -1 to leave it out; copied.
 * `plan` is the run's. */
struct comparison *comparison_new(struct trace *trace, const struct plan *plan, const int32_t *requests, int64_t count,
	enum proof proof);
/* The same for values that have no plan. */
struct comparison *comparison_new_named(struct trace *trace, const struct comparison_names *names,
	const int32_t *requests, int64_t count, enum proof proof);
void comparison_delete(struct comparison *comparison);
struct probe comparison_probe(struct comparison *comparison);
/* Compares value number `value` of a pass of the run. Fails when the trace cannot be read. */
bool comparison_tell(struct comparison *comparison, const struct pass *pass, int value, const struct tensor *tensor,
	struct err *err);
void comparison_set_watch(struct comparison *comparison, struct comparison_watch watch);
/* Leaves out what a request of the trace computed at `position` and later. */
void comparison_cut(struct comparison *comparison, int32_t request, int64_t position);
/* Physical things are outside the promise: cache.*, row_of. */
bool comparison_is_exempt(const char *name);

/* Counts per value of the trace's list: [trace_value_count]. */
const struct proof_count *comparison_counts(const struct comparison *comparison);
/* The first difference, told in the places of the trace. */
struct leak comparison_leak(const struct comparison *comparison);
/* The recorded pass that computed a position of a request, or -1. */
int64_t comparison_pass(const struct comparison *comparison, int32_t request, int64_t position);

#endif
