/*
 * run.h: running a batch, one forward pass at a time.
 *
 * A run owns the rows' state, the cache and the buffers of one pass. Model and plan must outlive it; the batch is copied by
 * reference (its requests must stay). The plan must be built for the batch's layout. Rows of a pass stand in the batch's order.
 *
 *     struct run *run;
 *     if (!run_new(&run, model, plan, &batch, &options, err)) return false;
 *     bool more = true;
 *     while (more && run_step(run, &probe, &more, err)) {}
 *     run_delete(run);
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine/batch.h"
#include "engine/kvcache.h"
#include "engine/probe.h"
#include "engine/schedule.h"

/* Changes a pass after it has been laid out and before it runs: how a fault of the batch is made. */
struct pass_rewrite {
	void (*apply)(void *self, struct pass *pass, const struct kvcache *cache);
	void *self;
};

#define RUN_MAX_REWRITES 8

struct run_options {
	int threads;         /* 0: one per processor */
	const char *kernels; /* NULL: the best instruction set of this processor; or "scalar", "avx2" ... */
	struct pass_rewrite rewrites[RUN_MAX_REWRITES];
	int rewrite_count;
	const uint8_t
		*cuts; /* NULL, or for every position whether a new chunk of each prompt begins there, whatever the
	                         * schedule; [context] */
	struct stop_rule stop; /* who looks for stop texts */
	bool ignore_eos;       /* rows go on after an end token: for measuring */
	bool finished_go_on;   /* in schedule static finished rows are not frozen: a fault */
};

struct run;

bool run_new(struct run **run, struct model *model, const struct plan *plan, const struct batch *batch,
	const struct run_options *options, struct err *err);
void run_delete(struct run *run);

/* Runs the next pass and tells it to the probe (NULL: nobody). *more is false when every row has finished; a pass
 * in which no row can take part (all arrive later) is skipped over. */
bool run_step(struct run *run, const struct probe *probe, bool *more, struct err *err);

/* Passes run so far, and the state of request `i`. */
int64_t run_passes(const struct run *run);
const struct row *run_row(const struct run *run, int64_t i);
const struct batch *run_batch(const struct run *run);

#endif
