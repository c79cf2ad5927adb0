/*
 * isolation.h: do the rows of a recorded batch stay apart? Three independent proofs and an audit.
 *
 *   reach      structural: which requests can reach a cell, followed through the operations (influence.h)
 *   alone      every row run by itself, in one piece, gives the recorded bits
 *   scrambled  with the neighbours' tokens, lengths and numbers replaced (NaN, infinities, huge and tiny values), the
 *              others give the recorded bits: for every bit of the row index the batch is run twice, once with the rows
 *              scrambled that have it and once with those that have not, so every pair is tried
 *   audit      random cells of every operation, and all IDs, positions and masks of small passes, explained and recomputed
 *              to the recorded bits: that the engine did what the list says, with the layout that the lengths give
 *
 * The batch is run again as it was recorded first ("replay"), which must give the recorded bits too. Every tensor that the
 * trace holds is compared. A proof that a batch gives nothing to do (one row) counts as passed, with 0 values.
 *
 *     struct isolation result;
 *     if (!isolation_check(&result, &options, &arena, err)) return false;   // could not be carried out
 *     if (!result.ok) ... result.first ...                                  // a leak
 */
#ifndef ANALYSIS_ISOLATION_H
#define ANALYSIS_ISOLATION_H

#include "analysis/explainer.h"
#include "analysis/leak.h"
#include "engine/run.h"

#define ISOLATION_DEFAULT_CELLS 8

struct isolation_options {
	struct trace *trace;
	struct model *model;           /* that the trace was made with */
	struct run_options run;        /* threads and kernels; the trace's faults are added */
	uint64_t seed;                 /* of what the neighbours are scrambled with, and of the cells of the audit */
	int64_t cells_per_value;       /* audited cells of each value, over all passes */
	bool (*is_asked_to_end)(void); /* asked before each pass that is run again; NULL: never */
};

struct isolation_proof {
	bool ok;
	int64_t runs, tensors, values, bad;
	struct proof_count *counts; /* [value_count] */
};

struct isolation_audit {
	bool ok;
	int64_t cells, bad, values; /* values: how many could be audited with what was captured */
	struct explained first;     /* that was not recomputed to its bits; name is NULL when there is none */
};

struct isolation {
	bool ok;
	int value_count; /* of the trace's list */
	struct isolation_proof proofs[PROOF_COUNT];
	struct isolation_audit audit;
	struct leak first;
	int64_t requests;
	uint8_t *between; /* [requests][requests]: 1 where the first can reach the second */
};

/* The result lies in the arena. Fails only when the check could not be carried out; system error when it was asked to end. */
bool isolation_check(struct isolation *result, const struct isolation_options *options, struct arena *arena,
	struct err *err);

#endif
