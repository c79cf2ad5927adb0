/*
 * faults.h: real-world bugs of batched inference, to be switched on.
 *
 * A fault is a rewrite: of the list of operations (list in, list out), or of how a pass is laid out. Nothing in
 * the engine knows of it. Each has a chapter in docs/FAULTS.md with the public reports behind it.
 *
 *     if (!faults_apply(names, count, plan, &run_options, err)) return false;
 */
#ifndef ANALYSIS_FAULTS_H
#define ANALYSIS_FAULTS_H

#include "engine/plan.h"
#include "engine/run.h"

/* What a batch must have so that a fault can show. */
enum fault_need {
	FAULT_NEEDS_ROWS = 1 << 0,     /* two rows in one pass */
	FAULT_NEEDS_RAGGED = 1 << 1,   /* two rows of different lengths */
	FAULT_NEEDS_LEFT = 1 << 2,     /* layout left */
	FAULT_NEEDS_OTHER = 1 << 3,    /* layout right or packed */
	FAULT_NEEDS_DECODE = 1 << 4,   /* a row with at least two new tokens */
	FAULT_NEEDS_CHUNKS = 1 << 5,   /* a prompt that goes on after its first chunk */
	FAULT_NEEDS_REUSE = 1 << 6,    /* more rows than places in the cache */
	FAULT_NEEDS_STATIC = 1 << 7,   /* schedule static */
	FAULT_NEEDS_PAD_ID = 1 << 8,   /* a prompt that holds the token ID used for padding */
	FAULT_NEEDS_LEAVING = 1 << 9,  /* a long row that ends before a shorter one */
	FAULT_NEEDS_ENDS = 1 << 10,    /* rows that end at different passes */
	FAULT_NEEDS_DRAWS = 1 << 11,   /* two rows in one pass that draw */
	FAULT_NEEDS_PENALTY = 1 << 12, /* a padded row with a penalty */
};

struct fault {
	const char *name;                                         /* as on the command line */
	const char *summary;                                      /* one sentence, translatable */
	unsigned needs;                                           /* enum fault_need */
	bool (*rewrite_plan)(struct plan *plan, struct err *err); /* or NULL */
	void (*rewrite_pass)(void *self, struct pass *pass, const struct kvcache *cache); /* or NULL */
	void (*rewrite_options)(struct run_options *options);                             /* or NULL */
	size_t state; /* bytes of memory, zeroed at the start of a run, that rewrite_pass gets as self */
};

/* Fault number i = 0, 1, ...; NULL after the last. */
const struct fault *faults_at(size_t i);
const struct fault *faults_find(const char *name);

/* Rewrites the plan, and adds the rewrites of passes to the options. Usage error naming an unknown fault and the known
 * ones. */
bool faults_apply(const char *const *names, size_t count, struct plan *plan, struct run_options *options,
	struct err *err);

/* Appends what the batch lacks for a fault to show, as in "two rows of different lengths, layout left"; nothing when it lacks
 * nothing. `pad` is the token ID of padding. */
void faults_lacking(const struct fault *fault, const struct batch *batch, int32_t pad, struct buf *out);

#endif
